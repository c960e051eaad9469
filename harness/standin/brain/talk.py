"""Talk about the schema, about itself, and what needs no query."""

import re
from typing import Any

from harness.standin.brain.callforms import act, call, query_text, search_call
from harness.standin.brain.knowing import know, owner_named
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.schema import Column, Schema
from harness.standin.brain.units import unit_of_column
from harness.standin.brain.words import keys, playbook, tidy, tokenise

_SCHEMA = re.compile(
    r"\b(?:what(?: is| s|'s)? (?:in|inside)|describe|explain|overview of|summari[sz]e|list|"
    r"show(?: me)?|"
    r"what (?:tables|entities)|which (?:tables|entities)|how many tables|tables|entities)\b.*"
    r"\b(?:schema|database|tables|entities|data model)\b|"
    r"\bwhat (?:data|information) (?:do you|is there|have you|do we)\b|"
    r"\bwhat(?:'s| is) in the data\b|^(?:the )?schema\??$|\bwhat tables\b|\bwhich tables\b",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\bwhat (?:does|do|did)\b.*\b(?:means?|stand for)\b|\bwhat is meant\b|"
    r"\b(?:meaning|definition) of\b|\bwhat is the (?:meaning|definition)\b|"
    r"\b(?:what|which) units?\b|\bunits? (?:of|is|are|for)\b|\bmeasured in\?*$|\bexplain\b|"
    r"\bwhat is (?:a |an )?[A-Z]{2,6}\b(?: (?:number|code))?\s*\?*$|\bdefine\b|"
    r"^what(?: is|'s| s)? \w*_\w+\s*\?*$|"
    r"\bdifference between \w+ and \w*_\w+|\bdifference between \w*_\w+ and \w+",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"\b(?:what|which) values\b|\bpossible (?:values|\w+es)\b|\bvalues (?:of|does|can|for)\b|"
    r"\bcan (?:a|an|the) \w+ (?:have|take)\b",
    re.IGNORECASE,
)
_COLUMNS = re.compile(
    r"\b(?:what|which|list|show)\b.*\b(?:columns|fields|attributes)\b|\bdescribe (?:the )?(\w+)\b",
    re.IGNORECASE,
)
_RELATED = re.compile(
    r"\bhow (?:are|is|do|does)\b.*\b(?:related|relate|relates|linked|connected|joined|join)\b",
    re.IGNORECASE,
)
_SCAN = re.compile(
    r"\b(?:re-?scan|scan)\b.*\b(?:schema|database|tables|again|data)\b|^\s*re-?scan\b",
    re.IGNORECASE,
)


def about_schema(situation: Situation) -> dict[str, Any] | None:
    """The next step of a question about the schema; None if it is none."""
    text = tidy(situation.question)
    if _SCAN.search(text):
        return _scan(situation)
    kind = next(
        (
            name
            for name, pattern in (
                ("values", _VALUES),
                ("related", _RELATED),
                ("means", _MEANS),
                ("columns", _COLUMNS),
                ("schema", _SCHEMA),
            )
            if pattern.search(text)
        ),
        "",
    )
    if kind == "means" and re.search(r"\d{3,}", text):
        return None
    if kind == "means" and re.match(r"\s*how (many|much)\b", text, re.IGNORECASE):
        return None
    if not kind:
        return None
    step = _gather(situation, kind)
    if step is not None:
        return step
    schema = know(situation).schema
    if kind == "schema":
        return _overview(situation, schema)
    return {"values": _values, "means": _meaning, "columns": _columns, "related": _related}[kind](
        situation, schema
    )


def _gather(situation: Situation, kind: str) -> dict[str, Any] | None:
    """Search once with the question, then for the kinds of fact that the answer is made of."""
    if not situation.offered("search_knowledge"):
        return None
    searches = situation.calls("search_knowledge")
    query = query_text(situation, "search_knowledge", "query", situation.question)
    if not searches:
        return act(search_call(situation, query, 8))
    wanted = {
        "schema": ["table", "relationship"],
        "related": ["table", "relationship"],
        "columns": ["table"],
        "values": ["column"],
        "means": ["column", "correction"],
    }[kind]
    if not any(s.arguments.get("kinds") for s in searches) and "kinds" in situation.parameters(
        "search_knowledge"
    ):
        calls = [
            search_call(situation, query, 20 if name != "table" else 12, [name]) for name in wanted
        ]
        return act(*calls)
    if not know(situation).schema.tables and situation.offered("scan_database"):
        owner = owner_named(situation)
        if owner and not situation.calls("scan_database"):
            return act(call("scan_database", owner=owner))
        scans = situation.calls("scan_database")
        if scans and not scans[0].error and searches[-1].round < scans[0].round:
            return act(*(search_call(situation, query, 20, [name]) for name in wanted))
    return None


def _scan(situation: Situation) -> dict[str, Any]:
    done = situation.calls("scan_database")
    if done:
        if done[-1].error:
            return refuse(str(playbook()["reasons"]["failed"]).format(error=done[-1].error[:300]))
        counts = [
            f"{v} {k}"
            for k, v in done[-1].data.items()
            if isinstance(v, int) and not isinstance(v, bool)
        ]
        return said(f"Scanned: {', '.join(counts)}.")
    owner = owner_named(situation)
    if not situation.offered("scan_database") or not owner:
        return refuse(
            "No tool to scan a database was offered." if owner else "Say which schema to scan."
        )
    return act(call("scan_database", owner=owner))


def _overview(situation: Situation, schema: Schema) -> dict[str, Any]:
    if not schema.tables:
        return refuse(str(playbook()["reasons"]["blank"]))
    lines = []
    for _, table in sorted(schema.tables.items()):
        rows = f" ({table.rows} rows)" if table.rows is not None else ""
        first = re.split(r"(?<=\.)\s", table.comment)[0]
        lines.append(f"- {table.short}{rows}: {first}" if first else f"- {table.short}{rows}")
    links = [
        f"{r.table.rsplit('.', 1)[-1]}.{r.column} -> {r.target.rsplit('.', 1)[-1]}"
        for r in schema.references
    ]
    owner = sorted({name.rsplit(".", 1)[0] for name in schema.tables if "." in name})
    head = f"{' and '.join(owner) or 'The schema'} has {len(schema.tables)} tables that I know of:"
    tail = (
        "They relate through: " + "; ".join(links) + "."
        if links
        else "I saw no facts about how they relate."
    )
    return said("\n".join([head, *lines, tail]))


def _pick_columns(situation: Situation, schema: Schema) -> list[Column]:
    """Columns that the question names, the best match first; none when several words disagree."""
    text = tidy(situation.question)
    low = text.lower()
    named = [
        c for c in schema.columns if re.search(rf"(?<![\w]){re.escape(c.name.lower())}(?!\w)", low)
    ]
    tables = [
        t
        for t in schema.tables
        if re.search(rf"\b{re.escape(schema.tables[t].short.lower())}\b", low)
    ]
    if named:
        whole = [c for c in named if "_" in c.name] or named
        return [c for c in whole if c.table in tables] or whole
    lexicon = know(situation).lexicon
    words = [t.key for t in tokenise(text)]
    mentioned = [lexicon.tables[(w,)] for w in words if (w,) in lexicon.tables]
    for size in (3, 2, 1):
        for i in range(len(words) - size + 1):
            found = lexicon.columns.get(tuple(words[i : i + size]), [])
            strong = [c for c, strength in found if strength > 1]
            if strong and words[i] not in ("unit", "mean", "meaning", "value"):
                return [c for c in strong if c.table in mentioned] or strong
    return []


def _meaning(situation: Situation, schema: Schema) -> dict[str, Any]:
    known = know(situation)
    words = set(keys(situation.question))
    for term, definition in sorted(known.corrections.terms.items()):
        if set(term) <= words:
            return said(f'By a correction: "{definition.said}".')
    for value_keys, pairs in sorted(known.lexicon.values.items()):
        column, value = pairs[0]
        gloss = re.search(rf"\b{re.escape(str(value))}\s*\(([^)]*)\)", column.comment)
        if set(value_keys) <= words and gloss:
            return said(f"{value} is a value of {column.table}.{column.name}: {gloss.group(1)}.")
    columns = _pick_columns(situation, schema)
    if not columns:
        spelled = [
            w for w in re.findall(r"\b[A-Z]{2,6}\b", situation.question) if w not in ("SQL",)
        ]
        for word in spelled:
            for column in schema.columns:
                match = re.search(rf"\b{word}\b,?\s*([^:;.]*)", column.comment)
                if match and match.group(1).strip():
                    return said(f"{column.table}.{column.name}: {column.comment.rstrip('.')}.")
        return refuse("I know no fact that says what that means.")
    lines = []
    for column in columns[:4]:
        unit = unit_of_column(column, known.corrections.units)
        corrected = known.corrections.units.get((column.table, column.name))
        extra = (
            f" A correction says: {playbook()['shown_units'].get(unit, unit)}." if corrected else ""
        )
        comment = column.comment.rstrip(".") or "no comment describes it"
        lines.append(f"{column.table}.{column.name} ({column.type}): {comment}.{extra}")
    return said("\n".join(lines))


def _values(situation: Situation, schema: Schema) -> dict[str, Any]:
    columns = [c for c in _pick_columns(situation, schema) if c.values]
    if not columns:
        return refuse("I know no fact that lists those values.")
    return said("\n".join(f"{c.table}.{c.name}: {', '.join(c.values)}." for c in columns[:3]))


def _columns(situation: Situation, schema: Schema) -> dict[str, Any]:
    lexicon = know(situation).lexicon
    words = [t.key for t in tokenise(tidy(situation.question))]
    for size in (2, 1):
        for i in range(len(words) - size + 1):
            name = lexicon.tables.get(tuple(words[i : i + size]))
            if name:
                table = schema.tables[name]
                shown = ", ".join(f"{c.name} {c.type}" for c in table.columns.values())
                key = f" Key: {', '.join(table.key)}." if table.key else ""
                return said(f"{name}: {table.comment} Columns: {shown}.{key}")
    return refuse("I know no table of that name.")


def _related(situation: Situation, schema: Schema) -> dict[str, Any]:
    lexicon = know(situation).lexicon
    words = [t.key for t in tokenise(tidy(situation.question))]
    tables = list(dict.fromkeys(lexicon.tables[(w,)] for w in words if (w,) in lexicon.tables))
    if len(tables) < 2:
        return _overview(situation, schema)
    direct = [r for r in schema.references if {r.table, r.target} == set(tables[:2])]
    links = [f"{r.table}.{r.column} references {r.target}.{r.target_column}" for r in direct]
    if not links:
        try:
            way = schema.path(tables[0], tables[1])
        except LookupError:
            return refuse("I know no relationship between the two.")
        links = [
            " = ".join((f"{e.table}.{e.column}", f"{e.target}.{e.target_column}")) for e in way
        ]
    return said("; ".join(links) + ".")
