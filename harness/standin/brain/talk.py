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
    act,
    because,
    call,
    failed,
    query_text,
    refuse,
    said,
    search_call,
    step_or_call,
)
from harness.standin.brain.searching import owner_named, rescan
from harness.standin.brain.words import keys, playbook, tidy, tokenise

_EMPTY = frozenset("unit mean meaning value".split())  # words that name no column here


def about_schema(situation: Situation) -> Reply | None:
    """The next step of a question about the schema; None for other questions."""
    text = tidy(situation.question)
    kinds = [kind for kind in playbook()["schema_asked"] if _asks(kind, text)]
    if "scan" in kinds:
        return _scan(situation)
    if not kinds or (kinds[0] == "means" and _asks("means", text, "unlike")):
        return None
    step = _gather(situation, kinds[0])
    return step if step is not None else _ANSWERS[kinds[0]](situation, know(situation))


def _asks(kind: str, text: str, how: str = "like") -> bool:
    return any(pattern.search(text) for pattern in _patterns(kind, how))


@lru_cache(maxsize=32)
def _patterns(kind: str, how: str) -> "list[re.Pattern[str]]":
    return [re.compile(p, re.IGNORECASE) for p in playbook()["schema_asked"][kind][how]]


def _gather(situation: Situation, kind: str) -> Reply | None:
    """Search once with the question, then for the kinds of fact that the answer is made of."""
    if not situation.offered("search_knowledge"):
        return None
    searches = situation.calls("search_knowledge")
    query = query_text(situation, "search_knowledge", "query", situation.question)
    if not searches:
        return act(search_call(situation, query, 8))
    wanted = [
        search_call(situation, query, 12 if name == "table" else 20, [name])
        for name in playbook()["schema_asked"][kind]["needs"]
    ]
    known = "kinds" in situation.parameters("search_knowledge")
    if known and not any(s.arguments.get("kinds") for s in searches):
        return act(*wanted)
    again = [] if know(situation).schema.tables else rescan(situation, wanted[0])
    return act(*(wanted if again == wanted[:1] else again)) if again else None


def _scan(situation: Situation) -> Reply:
    owner = owner_named(situation)
    done = situation.calls("scan_database")
    if not done and not owner:
        return refuse("Say which schema to scan.")
    if not done and not situation.offered("scan_database"):
        return refuse("No tool to scan a database was offered.")
    step = done[-1] if done else step_or_call(situation, call("scan_database", owner=owner))
    if isinstance(step, dict):
        return step
    counts = [f"{v} {k}" for k, v in step.data.items() if type(v) is int]
    return failed(step.error) if step.error else said(f"Scanned: {', '.join(counts)}.")


def _overview(situation: Situation, known: Knowing) -> Reply:
    schema = known.schema
    if not schema.tables:
        return because("blank")
    lines = []
    for _, table in sorted(schema.tables.items()):
        rows = f" ({table.rows} rows)" if table.rows is not None else ""
        first = re.split(r"(?<=\.)\s", table.comment)[0]
        lines.append(f"- {table.short}{rows}{f': {first}' if first else ''}")
    owners = sorted({name.rsplit(".", 1)[0] for name in schema.tables if "." in name})
    owner = " and ".join(owners) or "The schema"
    links = [
        f"{r.table.rsplit('.', 1)[-1]}.{r.column} -> {r.target.rsplit('.', 1)[-1]}"
        for r in schema.references
    ]
    tail = f"They relate through: {'; '.join(links)}."
    tail = tail if links else "I saw no facts about how they relate."
    head = f"{owner} has {len(schema.tables)} tables that I know of:"
    return said("\n".join([head, *lines, tail]))


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
    if not columns:
        return refuse("I know no fact that says what that means.")
    return said("\n".join(_described(column, known) for column in columns[:4]))


def _described(column: Column, known: Knowing) -> str:
    units = known.corrections.units
    unit = unit_of_column(column, units)
    corrected = f" A correction says: {playbook()['shown_units'].get(unit, unit)}."
    extra = corrected if (column.table, column.name) in units else ""
    comment = column.comment.rstrip(".") or "no comment describes it"
    return f"{column.table}.{column.name} ({column.type}): {comment}.{extra}"


def _values(situation: Situation, known: Knowing) -> Reply:
    columns = [c for c in _named(situation, known)[1] if c.values]
    if not columns:
        return refuse("I know no fact that lists those values.")
    return said("\n".join(f"{c.table}.{c.name}: {', '.join(c.values)}." for c in columns[:3]))


def _columns(situation: Situation, known: Knowing) -> Reply:
    tables, _ = _named(situation, known)
    if not tables:
        return refuse("I know no table of that name.")
    name = tables[0]
    table = known.schema.tables[name]
    shown = ", ".join(f"{c.name} {c.type}" for c in table.columns.values())
    key = f" Key: {', '.join(table.key)}." if table.key else ""
    return said(f"{name}: {table.comment} Columns: {shown}.{key}")


def _related(situation: Situation, known: Knowing) -> Reply:
    (tables, _), schema = _named(situation, known), known.schema
    if len(tables) < 2:
        return _overview(situation, known)
    direct = [r for r in schema.references if {r.table, r.target} == set(tables[:2])]
    links = [f"{r.table}.{r.column} references {r.target}.{r.target_column}" for r in direct]
    routes = [] if links else schema.routes(tables[0], tables[1])
    way = routes[0][1] if routes else []
    links += [f"{e.table}.{e.column} = {e.target}.{e.target_column}" for e in way]
    if not links:
        return refuse("I know no relationship between the two.")
    return said("; ".join(links) + ".")


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
    for each in playbook()["talk"].values():
        words = [low_words(str(word)) for word in each["words"]]
        if low in words or any(
            low.startswith(f"{w} ") for w in words if len(w.split()) > 2 and "stuck" in w
        ):
            return said(str(each["text"]).format(can=playbook()["can"]))
    return _foreign(question)


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
    found = {
        name: len(words & set(map(str, each["words"])))
        for name, each in playbook()["languages"].items()
    }
    best = max(found, key=lambda name: found[name])
    enough = found[best] >= 2 and 2 * found[best] >= len(words) * 0.6
    return said(str(playbook()["languages"][best]["text"])) if enough else None


_NAMED = re.compile(
    r"(?:how (?:does|do) (?:i use )?|what (?:does|is) |explain |describe |when "
    r"(?:do|should) i use )(\w+?)(?: work| do| for)?\W*"
)


def about_itself(situation: Situation) -> Reply | None:
    """Its tools, its skills, the day in the data, the workshop's ideas; None for the rest."""
    low, book = low_words(situation.question), playbook()
    for asked, reply in (("tools", _tools), ("skills", _skills), ("today", _today)):
        if low in [low_words(str(w)) for w in book[f"{asked}_asked"]]:
            return reply(situation)
    named = _NAMED.fullmatch(situation.question.strip().lower())
    if named and named[1] in situation.tools:
        description = str(situation.tools[named[1]].get("description") or "It has no description.")
        return said(f"{named[1]}: {description}")
    return _idea(low)


def _first(text: Any) -> str:
    return re.split(r"(?<=[.])\s", " ".join(str(text or "").split()))[0]


def _tools(situation: Situation) -> Reply:
    tools = sorted(situation.tools.items())
    lines = [f"- {name}: {_first(each.get('description'))}" for name, each in tools]
    offered = "\n".join(["In this turn I was offered:", *lines])
    return said(offered if lines else str(playbook()["notools"]))


def _skills(situation: Situation) -> Reply:
    if situation.offered("list_skills") and not situation.calls("list_skills"):
        return act(call("list_skills", query="skills"))
    listed = situation.known_skills[len(situation.skills) :]
    known = dict(listed or situation.skills)
    lines = [f"- {name}: {_first(text)}" for name, text in known.items()]
    if not lines:
        return refuse("I was shown no playbook.")
    return said("\n".join(["Playbooks that I know of:", *lines]))


def _today(situation: Situation) -> Reply:
    if not situation.calls("search_knowledge") and situation.offered("search_knowledge"):
        return act(search_call(situation, "snapshot today is", 8))
    today = know(situation).today
    if today is None:
        return refuse("No fact that I was shown states which day is today in this data.")
    return said(f"In this data today is {today} ({today:%A}).")


def _idea(low: str) -> Reply | None:
    """A question for one of the workshop's ideas, and nothing else."""
    book = playbook()
    for start in sorted(map(str, book["explaining"]), key=len, reverse=True):
        rest = low.removeprefix(f"{start} ")
        for end in map(str, book["explained"]):
            rest = rest.removesuffix(f" {end}")
        for each in book["ideas"].values() if low.startswith(f"{start} ") else ():
            if rest in [low_words(str(w)) for w in each["words"]]:
                return said(str(each["text"]))
    return None
