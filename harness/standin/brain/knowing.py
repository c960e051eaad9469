"""What the facts so far add up to, and the searches for what is still missing."""

import re
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from typing import Any

from harness.standin.brain.callforms import (
    Call,
    call,
    content_words,
    query_text,
    search_call,
    sql_call,
)
from harness.standin.brain.corrections import Corrections, defined_words, read_corrections
from harness.standin.brain.factlines import today_in
from harness.standin.brain.leaning import leans
from harness.standin.brain.lexicon import Lexicon, lexicon_of
from harness.standin.brain.link import World, general
from harness.standin.brain.lookups import exact_first, looked_up, lookup_sql
from harness.standin.brain.reading import Situation
from harness.standin.brain.schema import Column, Edge, Schema, schema_of
from harness.standin.brain.tree import Problem, Query
from harness.standin.brain.words import keys, playbook, tidy, tokenise, word_set

_WIDE = ((["table", "relationship"], 25), (["column", "correction"], 25))


@dataclass
class Knowing:
    """Schema, names, corrections and the data's own today, from what was seen."""

    schema: Schema
    lexicon: Lexicon
    corrections: Corrections
    today: date | None
    searched: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def world(self) -> World:
        """What a question is read against."""
        return World(self.schema, self.lexicon, self.corrections.terms, self.today)


def know(situation: Situation) -> Knowing:
    """Put the facts, look-ups and corrections of a request together."""
    schema = schema_of(tuple(situation.facts))
    found, searched = looked_up(situation, schema)
    lexicon = lexicon_of(schema, exact_first(found))
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
    words = " ".join([*content_words(_whole(situation, text)), *_hints(_whole(situation, text))])
    if "kinds" not in situation.parameters("search_knowledge"):
        again = [s for s in searches if s.round]
        return [] if again else [search_call(situation, f"tables and joins: {words}", 25)]
    return [search_call(situation, words, k, kinds) for kinds, k in _WIDE]


def lacking(known: Knowing, query: Query) -> list[tuple[str, str]]:
    """(kind of fact, table) that a tree would still rest on unseen."""
    tables = tables_of(query)
    found = [
        ("table", t)
        for t in sorted(tables)
        if t in known.schema.tables and not known.schema.tables[t].described
    ]
    plain = query.shape in ("value", "exists") and not (query.where or query.groups or query.part)
    if plain and all(m.kind == "count" for m in query.measures):
        return found
    if len(tables) > 1 or query.shape in ("distance", "where"):
        found += [("relationship", t) for t in sorted(tables) if unlinked(known.schema, t)]
    columns = known.schema.tables[query.source].columns.values()
    if not all(c.seen for c in columns if not known.schema.is_link(c)):
        found.append(("column", query.source))
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


def unsafe_link(known: Knowing, query: Query) -> str:
    """A reference between two tables in play that no fact explains: a way round it may be wrong."""
    tables = tables_of(query)
    nouns = {keys(known.schema.tables[t].short.replace("_", " "))[-1]: t for t in sorted(tables)}
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
    for text in (situation.question, situation.system or "", contract):
        match = re.search(
            r"\b([A-Z][A-Z_]{4,})\b(?=\s+schema|\.\w)|schema\s+([A-Z][A-Z_]{4,})\b", text
        )
        if match:
            return match.group(1) or match.group(2)
    match = re.search(r"\"owner\": ?\"(\w+)\"|'owner': ?'(\w+)'", contract)
    return (match.group(1) or match.group(2)) if match else ""


def tables_of(tree: Any) -> set[str]:
    """Every table that a tree reads, those on the way included."""
    found: set[str] = set()
    if isinstance(tree, Query):
        found.add(tree.source)
        found |= {column.table for column, _ in tree.places}
    if isinstance(tree, Edge):
        return {tree.table, tree.target}
    if isinstance(tree, Column):
        return {tree.table}
    parts = (
        tree
        if isinstance(tree, tuple)
        else [getattr(tree, f.name) for f in fields(tree)]
        if is_dataclass(tree)
        else []
    )
    for part in parts:
        found |= tables_of(part)
    return found


def _whole(situation: Situation, text: str) -> str:
    """A follow-up is searched with the question that it follows."""

    if not leans(text):
        return text
    before = [t for role, t in situation.recent if role == "user"]
    return " ".join([*before[-3:], text])


def _hints(text: str) -> list[str]:
    """Plain words for the adjectives and verbs of a question: oldest is about "built"."""
    tokens = tokenise(tidy(text)[:4000])
    found: list[str] = []
    for i in range(len(tokens)):
        for size in (1, 2, 3):
            senses = general().get(tuple(t.low for t in tokens[i : i + size]), {})
            if "scale" in senses:
                found += senses["scale"][0]
            if "event" in senses:
                found += str(playbook()["events"][senses["event"]]["of"]).split()
            for kind in ("underway", "sense"):
                found += map(str, playbook()["at_sea"]) if kind in senses else []
            if senses.get("ask") in ("far", "where"):
                found += ["latitude", "longitude", "position"]
            if {"lasting", "now"} & set(senses) or senses.get("ask") == "long":
                found += ["departure", "arrival", "observation"]
    if re.search(r"\b(19|20)\d\d\b|\b(today|yesterday|week|month|year|days)\b", text.lower()):
        found += ["date", "time", "snapshot"]
    return list(dict.fromkeys(word for word in found if word != "duration"))


def _dull(word: str) -> bool:
    return set(word.lower().split()) <= word_set("dull") | word_set("stop")
