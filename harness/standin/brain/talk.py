"""Courtesies, the stand-in itself, the workshop's ideas, and questions for the schema."""

import re
from functools import lru_cache
from typing import Any

from harness.standin.brain.factlines import Column, unit_of_column
from harness.standin.brain.knowing import Knowing, know
from harness.standin.brain.link import link, plain
from harness.standin.brain.reading import Situation
from harness.standin.brain.replies import (
    Reply,
    ask,
    because,
    call,
    observed,
    query_text,
    refuse,
    said,
    search_call,
)
from harness.standin.brain.searching import owner_named, rescan
from harness.standin.brain.words import keys, pattern, phrase, playbook, tidy, tokenise

_EMPTY = frozenset("unit mean meaning value".split())  # words that name no column here


def about_schema(situation: Situation) -> Reply | None:
    """The next step of a question about the schema; None for other questions."""
    text = tidy(situation.question)
    kinds = [kind for kind in playbook()["schema_asked"] if _asks(kind, text)]
    if "scan" in kinds:
        return _scan(situation)
    if not kinds or (kinds[0] == "means" and _asks("means", text, "unlike")):
        return None
    if situation.offered("search_knowledge"):
        _gather(situation, kinds[0])
    return _ANSWERS[kinds[0]](situation, know(situation))


def _asks(kind: str, text: str, how: str = "like") -> bool:
    return any(pattern.search(text) for pattern in _patterns(kind, how))


@lru_cache(maxsize=32)
def _patterns(kind: str, how: str) -> "list[re.Pattern[str]]":
    return [re.compile(p, re.IGNORECASE) for p in playbook()["schema_asked"][kind][how]]


def _gather(situation: Situation, kind: str) -> None:
    """Search once with the question, then for the kinds of fact that the answer is made of."""
    searches = situation.calls("search_knowledge")
    query = query_text(situation, "search_knowledge", "query", situation.question)
    if not searches:
        ask(search_call(situation, query, 8))
    wanted = [
        search_call(situation, query, 12 if name == "table" else 20, [name])
        for name in playbook()["schema_asked"][kind]["needs"]
    ]
    known = "kinds" in situation.parameters("search_knowledge")
    if known and not any(s.arguments.get("kinds") for s in searches):
        ask(*wanted)
    again = [] if know(situation).schema.tables else rescan(situation, wanted[0])
    if again:
        ask(*(wanted if again == wanted[:1] else again))


def _scan(situation: Situation) -> Reply:
    owner = owner_named(situation)
    if not owner or not (situation.offered("scan_database") or situation.calls("scan_database")):
        return refuse(phrase("noscan" if owner else "whichscan"))
    data = observed(situation, call("scan_database", owner=owner))
    return said(f"Scanned: {', '.join(f'{v} {k}' for k, v in data.items() if type(v) is int)}.")


def _overview(situation: Situation, known: Knowing) -> Reply:
    schema, lines = known.schema, []
    if not schema.tables:
        return because("blank")
    for _, table in sorted(schema.tables.items()):
        rows = f" ({table.rows} rows)" if table.rows is not None else ""
        lines.append(
            f"- {table.short}{rows}{f': {_first(table.comment)}' if table.comment else ''}"
        )
    owners = sorted({name.rsplit(".", 1)[0] for name in schema.tables if "." in name})
    links = "; ".join(
        f"{r.table.rsplit('.', 1)[-1]}.{r.column} -> {r.target.rsplit('.', 1)[-1]}"
        for r in schema.references
    )
    owner = " and ".join(owners) or "The schema"
    head = phrase("overview", owner=owner, count=len(schema.tables))
    return said("\n".join([head, *lines, phrase("related" if links else "unrelated", links=links)]))


def _named(situation: Situation, known: Knowing) -> tuple[list[str], list[Column]]:
    """The tables that the question names, and the columns of its longest phrase for one."""
    items = link(situation.question, known.world)
    tables = list(dict.fromkeys(str(item["noun"]) for item in items if "noun" in item))
    found = [i for i in items if "col" in i and not set(keys(i.words)) <= _EMPTY]
    longest = max(found, key=lambda i: len(tokenise(i.words)), default=None)
    columns = list(longest["col"]) if longest else []
    return tables, [c for c in columns if c.table in tables] or columns


def _meaning(situation: Situation, known: Knowing) -> Reply:
    items = link(situation.question, known.world)
    for item in items:
        if "term" in item:
            return said(f'By a correction: "{item["term"].said}".')
    for column, value in (pair for item in items for pair in item.senses.get("val", ())):
        if gloss := dict(column.glosses).get(value):
            return said(f"{value} is a value of {column.table}.{column.name}: {gloss}.")
    _, columns = _named(situation, known)
    for word in re.findall(r"\b(?!SQL\b)[A-Z]{2,6}\b", "" if columns else situation.question):
        for column in known.schema.columns:
            if re.search(rf"\b{word}\b,?\s*[^:;.\s]", column.comment):
                return said(f"{column.table}.{column.name}: {column.comment.rstrip('.')}.")
    described = "\n".join(_described(column, known) for column in columns[:4])
    return said(described) if described else refuse(phrase("nomeaning"))


def _described(column: Column, known: Knowing) -> str:
    units = known.corrections.units
    unit = unit_of_column(column, units)
    corrected = f" A correction says: {playbook()['shown_units'].get(unit, unit)}."
    extra = corrected if (column.table, column.name) in units else ""
    comment = column.comment.rstrip(".") or "no comment describes it"
    return f"{column.table}.{column.name} ({column.type}): {comment}.{extra}"


def _values(situation: Situation, known: Knowing) -> Reply:
    columns = [c for c in _named(situation, known)[1] if c.values]
    listed = "\n".join(f"{c.table}.{c.name}: {', '.join(c.values)}." for c in columns[:3])
    return said(listed) if listed else refuse(phrase("novalues"))


def _columns(situation: Situation, known: Knowing) -> Reply:
    tables, _ = _named(situation, known)
    if not tables:
        return refuse(phrase("notable"))
    table = known.schema.tables[tables[0]]
    shown = ", ".join(f"{c.name} {c.type}" for c in table.columns.values())
    key = f" Key: {', '.join(table.key)}." if table.key else ""
    return said(f"{table.name}: {table.comment} Columns: {shown}.{key}")


def _related(situation: Situation, known: Knowing) -> Reply:
    (tables, _), schema = _named(situation, known), known.schema
    if len(tables) < 2:
        return _overview(situation, known)
    direct = [r for r in schema.references if {r.table, r.target} == set(tables[:2])]
    links = [f"{r.table}.{r.column} references {r.target}.{r.target_column}" for r in direct]
    way = [] if links else next((way for _, way in schema.routes(*tables[:2])), [])
    links += [f"{e.table}.{e.column} = {e.target}.{e.target_column}" for e in way]
    return said("; ".join(links) + ".") if links else refuse(phrase("nolink"))


_ANSWERS = {
    "schema": _overview,
    "values": _values,
    "means": _meaning,
    "columns": _columns,
    "related": _related,
}


def small_talk(question: str) -> Reply | None:
    """Greetings, and questions about the stand-in itself."""
    low = low_words(question)
    begun = (e for e in playbook()["talk"].values() if low.startswith(e.get("begins", "\n")))
    if entry := _phrases("talk").get(low) or next(begun, None):
        return said(phrase("text", entry, can=playbook()["can"]))
    return _foreign(question)


@lru_cache(maxsize=4)
def _phrases(section: str) -> dict[str, Any]:
    """The phrases of a section, put plainly, and their entries."""
    entries = playbook()[section].items()
    return {low_words(str(w)): {"name": name, **e} for name, e in entries for w in e["words"]}


@lru_cache(maxsize=1024)  # the playbook's phrases are the same at every request
def low_words(text: str) -> str:
    """A phrase in small letters, put plainly, without punctuation."""
    return " ".join(t.low for t in tokenise(tidy(plain(text)[:400])))


def _foreign(question: str) -> Reply | None:
    """One line in the language of the question, where it is a common one."""
    for script in playbook()["scripts"]:
        if any(script["from"] <= ord(letter) <= script["to"] for letter in question[:200]):
            return said(str(script["text"]))
    words = {w.lower() for w in re.findall(r"[^\W\d_]+", question[:400])}
    languages = playbook()["languages"].values()
    counted = [(len(words & set(map(str, e["words"]))), str(e["text"])) for e in languages]
    found, text = max(counted, key=lambda each: each[0])
    return said(text) if found >= 2 and 2 * found >= len(words) * 0.6 else None


def about_itself(situation: Situation) -> Reply | None:
    """Its tools, its skills, the day in the data, the workshop's ideas; None for the rest."""
    low = low_words(situation.question)
    if asked := _phrases("asked").get(low):
        return _ABOUT[asked["name"]](situation)
    named = pattern("use_of").fullmatch(situation.question.strip().lower())
    if named and named[1] in situation.tools:
        description = str(situation.tools[named[1]].get("description") or "It has no description.")
        return said(f"{named[1]}: {description}")
    match = pattern("idea").fullmatch(low)
    idea = _phrases("ideas").get(match[1]) if match else None
    return said(str(idea["text"])) if idea else None


def _first(text: Any) -> str:
    return re.split(r"(?<=[.])\s", " ".join(str(text or "").split()))[0]


def _tools(situation: Situation) -> Reply:
    tools = sorted(situation.tools.items())
    lines = [f"- {name}: {_first(each.get('description'))}" for name, each in tools]
    return said("\n".join([phrase("offered"), *lines]) if lines else phrase("notools"))


def _skills(situation: Situation) -> Reply:
    if situation.offered("list_skills") and not situation.calls("list_skills"):
        ask(call("list_skills", query="skills"))
    listed = situation.known_skills[len(situation.skills) :]
    known = dict(listed or situation.skills)
    lines = [f"- {name}: {_first(text)}" for name, text in known.items()]
    return said("\n".join([phrase("playbooks"), *lines])) if lines else refuse(phrase("noskills"))


def _today(situation: Situation) -> Reply:
    if not situation.calls("search_knowledge") and situation.offered("search_knowledge"):
        ask(search_call(situation, "snapshot today is", 8))
    today = know(situation).today
    return (
        said(f"In this data today is {today} ({today:%A}).") if today else refuse(phrase("noday"))
    )


_ABOUT = {"tools": _tools, "skills": _skills, "today": _today}
