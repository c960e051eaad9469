"""What the facts so far add up to, and the searches for what is still missing."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from harness.standin.brain.arguments import (
    Call,
    call,
    content_words,
    query_text,
    search_call,
    sql_call,
)
from harness.standin.brain.corrections import Corrections, defined_words, read_corrections
from harness.standin.brain.facts import today_in
from harness.standin.brain.intent import Intent, Problem
from harness.standin.brain.lexicon import Lexicon, lexicon_of
from harness.standin.brain.lookups import exact_first, looked_up, lookup_sql
from harness.standin.brain.reading import Situation
from harness.standin.brain.schema import Schema, schema_of
from harness.standin.brain.words import keys, playbook, tidy, tokenise, word_set

_WIDE = ((["table", "relationship"], 25), (["column", "correction"], 25))
_TARGETED = 2  # rounds of searches for what a draft still lacks


@dataclass
class Knowing:
    """Schema, names, corrections and the data's own today, from what was seen."""

    schema: Schema
    lexicon: Lexicon
    corrections: Corrections
    today: date | None
    searched: set[tuple[str, ...]] = field(default_factory=set)


def know(situation: Situation) -> Knowing:
    """Put the facts, look-ups and corrections of a request together."""
    schema = schema_of(tuple(situation.facts))
    found, searched = looked_up(situation, schema)
    lexicon = lexicon_of(schema, exact_first(found), frozenset(searched))
    corrections = read_corrections(situation.correction_texts, schema, lexicon)
    stated = today_in([fact.body for fact in situation.facts])
    today = date.fromisoformat(stated) if stated else None
    return Knowing(schema, lexicon, corrections, today, searched)


def first_search(situation: Situation, text: str) -> list[Call]:
    """The first rule of the job: search before anything else. [] when that was done."""
    if not situation.offered("search_knowledge") or situation.calls("search_knowledge"):
        return []
    query = query_text(situation, "search_knowledge", "query", _whole(situation, text))
    return [search_call(situation, query, 8)]


def wider_search(situation: Situation, text: str) -> list[Call]:
    """Tables with their joins, and columns with corrections to them; [] when done."""
    searches = situation.calls("search_knowledge")
    if not situation.offered("search_knowledge") or any(s.arguments.get("kinds") for s in searches):
        return []
    words = " ".join([*content_words(_whole(situation, text)), *_hints(situation, text)])
    if "kinds" not in situation.parameters("search_knowledge"):
        again = [s for s in searches if s.round]
        return [] if again else [search_call(situation, f"tables and joins: {words}", 25)]
    return [search_call(situation, words, k, kinds) for kinds, k in _WIDE]


def lacking(known: Knowing, intent: Intent) -> list[tuple[str, str]]:
    """(kind of fact, table) that a draft of this intent would still rest on unseen."""
    tables = _tables(known.schema, intent)
    found = [("table", t) for t in tables if not known.schema.tables[t].described]
    plain = intent.shape in ("count", "exists") and intent.measure.kind == "count"
    if plain and not (intent.filters or intent.groups or intent.related):
        return found
    if len(tables) > 1 or intent.shape in ("distance", "locate"):
        found += [("relationship", t) for t in tables if unlinked(known.schema, t)]
    columns = known.schema.tables[intent.root].columns.values()
    if not all(c.seen for c in columns if not known.schema.is_link(c)):
        found.append(("column", intent.root))
    return found


def targeted_search(situation: Situation, missing: list[tuple[str, str]]) -> list[Call]:
    """Searches for just these facts; [] when that was tried or can't be done."""
    if not situation.offered("search_knowledge"):
        return []
    asked = {str(s.arguments.get("query")) for s in situation.calls("search_knowledge")}
    words = {"table": "table {t}", "relationship": "{t} references", "column": "columns of {t}"}
    calls: list[Call] = []
    for kind, table in missing:
        query = words[kind].format(t=table.rsplit(".", 1)[-1])
        if query not in asked:
            calls.append(search_call(situation, query, 25, [kind]))
            asked.add(query)
    return calls


def unlinked(schema: Schema, table: str) -> list[str]:
    """Columns that look like references but of which no fact says where they lead."""
    linked = {r.column for r in schema.references if r.table == table}
    known = schema.tables[table]
    return [
        c.name
        for c in known.columns.values()
        if c.parts[-1:] == ("id",) and c.name not in known.key and c.name not in linked
    ]


def unsafe_link(known: Knowing, intent: Intent) -> str:
    """A reference between two tables in play that no fact explains: a way round it may be wrong."""
    tables = _tables(known.schema, intent)
    nouns = {keys(known.schema.tables[t].short.replace("_", " "))[-1]: t for t in tables}
    for table in sorted(tables):
        for name in unlinked(known.schema, table):
            column = known.schema.tables[table].columns[name]
            if any(part in nouns and nouns[part] != table for part in column.parts):
                return f"{table}.{name}"
    return ""


def missing_words(situation: Situation, known: Knowing, problem: Problem) -> list[Call]:
    """A search with the words that are missing, and the names looked up beside it."""
    calls: list[Call] = []
    queries = {str(s.arguments.get("query")) for s in situation.calls("search_knowledge")}
    query = "snapshot today is" if problem.kind == "today" else " ".join(problem.words)
    if situation.offered("search_knowledge") and query and query not in queries:
        calls.append(search_call(situation, query, 8))
    for text in situation.correction_texts:  # a definition whose values were not seen yet
        words = " ".join(defined_words(text))
        if set(keys(text)) & set(keys(query)) and words and words not in queries:
            calls.append(search_call(situation, words, 8, ["column"]))
    if (
        problem.kind == "unknown"
        and situation.offered("run_sql")
        and not was_searched(problem, known)
    ):
        words_ = [w for w in problem.words if not _dull(w)]
        sql = lookup_sql(known.schema, words_)
        tried = {str(s.arguments.get("sql")) for s in situation.calls("run_sql")}
        if sql and sql not in tried:
            calls.append(sql_call(situation, sql))
    return calls[:6]


def was_searched(problem: Problem, known: Knowing) -> bool:
    """Whether all words of a problem were looked up in the rows."""
    return all(keys(word) in known.searched for word in problem.words)


def rescan(situation: Situation, text: str) -> list[Call]:
    """No facts at all: scan the schema that somebody named, then search again."""
    scans = situation.calls("scan_database")
    searches = situation.calls("search_knowledge")
    if not situation.offered("scan_database", "search_knowledge") or not searches:
        return []
    if not scans:
        owner = owner_named(situation)
        return [call("scan_database", owner=owner)] if owner else []
    if scans[0].error or any(s.round > scans[0].round for s in searches):
        return []
    return [search_call(situation, query_text(situation, "search_knowledge", "query", text), 8)]


def owner_named(situation: Situation) -> str:
    """The schema that the question, the system prompt or a contract names."""
    contract = str(situation.tools.get("scan_database", {}))
    for text in (situation.question, situation.system, contract):
        match = re.search(
            r"\b([A-Z][A-Z_]{4,})\b(?=\s+schema|\.\w)|schema\s+([A-Z][A-Z_]{4,})\b", text
        )
        if match:
            return match.group(1) or match.group(2)
    match = re.search(r"\"owner\": ?\"(\w+)\"|'owner': ?'(\w+)'", contract)
    return (match.group(1) or match.group(2)) if match else ""


def _tables(schema: Schema, intent: Intent) -> set[str]:
    """Every table that a draft reads, those on the way included."""
    goals: list[tuple[str, Any]] = [
        (f.column.table, f.role) for f in (*intent.filters, *intent.target)
    ]
    goals += [(g.table, g.role) for g in intent.groups] + [(r.table, None) for r in intent.related]
    goals += [(c.table, role) for c, role in intent.select]
    goals += [
        (c.table, None)
        for c in (intent.measure.column, intent.measure.weight, intent.order_by)
        if c
    ]
    tables = {intent.root, *(p.column.table for p in intent.places)}
    for table, role in goals:
        try:
            way = schema.path(intent.root, table, (role.table, role.column) if role else None)
        except LookupError:
            way = []
        tables |= {table, *(edge.target for edge in way)}
    return tables


def _whole(situation: Situation, text: str) -> str:
    """A follow-up is searched with the question that it follows."""
    from harness.standin.brain.followup import follows_on

    if not follows_on(text):
        return text
    before = [t for role, t in situation.recent if role == "user"]
    return " ".join([*before[-3:], text])


def _hints(situation: Situation, text: str) -> list[str]:
    """Plain words for the superlatives and adjectives of a question: oldest is about "built"."""
    low = f" {' '.join(t.low for t in tokenise(tidy(text)))} "
    found: list[str] = []
    for section in ("superlatives", "comparatives", "dates"):
        for each in playbook()[section].values():
            if any(f" {word} " in low for word in map(str, each["words"])):
                found += each.get("of", [])
    for word, options in playbook()["senses"].items():
        found += options if f" {word} " in low else []
    if re.search(r"\b(19|20)\d\d\b|\b(today|yesterday|week|month|year|days)\b", low):
        found += ["date", "time", "snapshot"]
    if re.search(r"\b(far|distance|where)\b", low):
        found += ["latitude", "longitude", "position"]
    return list(dict.fromkeys(word for word in found if word != "when"))


def _dull(word: str) -> bool:
    return set(word.lower().split()) <= word_set("dull") | word_set("stop")
