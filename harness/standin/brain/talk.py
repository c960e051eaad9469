"""Questions for the schema itself: its tables, columns and values, and what they mean."""

import re
from functools import lru_cache

from harness.standin.brain.callforms import act, call, query_text, search_call, step_or_call
from harness.standin.brain.factlines import Column
from harness.standin.brain.knowing import Knowing, know
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import Reply, because, failed, refuse, said
from harness.standin.brain.searching import owner_named, rescan
from harness.standin.brain.units import unit_of_column
from harness.standin.brain.words import keys, playbook, tidy, tokenise


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


def _phrases(text: str, longest: int) -> list[tuple[str, ...]]:
    """Runs of words, the longest first."""
    words = [t.key for t in tokenise(tidy(text))]
    sizes = range(longest, 0, -1)
    return [tuple(words[i : i + n]) for n in sizes for i in range(len(words) - n + 1)]


def _pick_columns(situation: Situation, known: Knowing) -> list[Column]:
    """Columns that the question names, the best match first; none when several words disagree."""
    low, schema = tidy(situation.question).lower(), known.schema
    named = [
        c for c in schema.columns if re.search(rf"(?<!\w){re.escape(c.name.lower())}(?!\w)", low)
    ]
    if named:
        words = set(re.findall(r"\w+", low))
        tables = [t for t in schema.tables if schema.tables[t].short.lower() in words]
        whole = [c for c in named if "_" in c.name] or named
        return [c for c in whole if c.table in tables] or whole
    mentioned = _tables(situation, known)
    for phrase in _phrases(situation.question, 3):
        strong = [c for c, strength in known.lexicon.columns.get(phrase, []) if strength > 1]
        if strong and phrase[0] not in ("unit", "mean", "meaning", "value"):
            return [c for c in strong if c.table in mentioned] or strong
    return []


def _tables(situation: Situation, known: Knowing) -> list[str]:
    """The tables that a question names by one word."""
    tables = known.lexicon.tables
    return list(dict.fromkeys(tables[p] for p in _phrases(situation.question, 1) if p in tables))


def _meaning(situation: Situation, known: Knowing) -> Reply:
    words = set(keys(situation.question))
    for term, definition in sorted(known.corrections.terms.items()):
        if set(term) <= words:
            return said(f'By a correction: "{definition.said}".')
    for value_keys, pairs in sorted(known.lexicon.values.items()):
        column, value = pairs[0]
        gloss = dict(column.glosses).get(value)
        if set(value_keys) <= words and gloss:
            return said(f"{value} is a value of {column.table}.{column.name}: {gloss}.")
    columns = _pick_columns(situation, known)
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
    columns = [c for c in _pick_columns(situation, known) if c.values]
    if not columns:
        return refuse("I know no fact that lists those values.")
    return said("\n".join(f"{c.table}.{c.name}: {', '.join(c.values)}." for c in columns[:3]))


def _columns(situation: Situation, known: Knowing) -> Reply:
    phrases = _phrases(situation.question, 2)
    name = next((known.lexicon.tables[p] for p in phrases if p in known.lexicon.tables), "")
    if not name:
        return refuse("I know no table of that name.")
    table = known.schema.tables[name]
    shown = ", ".join(f"{c.name} {c.type}" for c in table.columns.values())
    key = f" Key: {', '.join(table.key)}." if table.key else ""
    return said(f"{name}: {table.comment} Columns: {shown}.{key}")


def _related(situation: Situation, known: Knowing) -> Reply:
    tables, schema = _tables(situation, known), known.schema
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
