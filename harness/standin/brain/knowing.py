"""What the facts so far add up to, and what a tree would still rest on unseen."""

from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from typing import Any

from harness.standin.brain.corrections import Corrections, read_corrections
from harness.standin.brain.factlines import Column, today_in
from harness.standin.brain.lexicon import Keys, Lexicon, lexicon_of
from harness.standin.brain.link import World
from harness.standin.brain.lookups import looked_up
from harness.standin.brain.reading import Situation
from harness.standin.brain.schema import Edge, Schema, schema_of
from harness.standin.brain.tree import Problem, Query
from harness.standin.brain.words import keys

Missing = list[tuple[str, str]]  # kinds of facts, and tables


@dataclass
class Knowing:
    """Schema, names, corrections and the data's own today, from what was seen."""

    schema: Schema
    lexicon: Lexicon
    corrections: Corrections
    today: date | None
    searched: set[Keys] = field(default_factory=set)

    @property
    def world(self) -> World:
        """What a question is read against."""
        return World(self.schema, self.lexicon, self.corrections.terms, self.today)

    def was_searched(self, problem: Problem) -> bool:
        """Whether all words of a problem were looked up in the rows."""
        return all(keys(word) in self.searched for word in problem.words)


def know(situation: Situation) -> Knowing:
    """Put the facts, look-ups and corrections of a request together."""
    schema = schema_of(tuple(situation.facts))
    found, searched = looked_up(situation, schema)
    lexicon = lexicon_of(schema, found)
    corrections = read_corrections(situation.correction_texts, schema, lexicon)
    stated = today_in([fact.body for fact in situation.facts])
    today = date.fromisoformat(stated) if stated else None
    return Knowing(schema, lexicon, corrections, today, searched)


def lacking(known: Knowing, query: Query) -> Missing:
    """(kind of fact, table) that a tree would still rest on unseen."""
    tables, schema = sorted(tables_of(query)), known.schema
    undescribed = [t for t in tables if t in schema.tables and not schema.tables[t].described]
    found = [("table", t) for t in undescribed]
    plain = query.shape in ("value", "exists") and not (query.where or query.groups or query.part)
    if plain and all(m.kind == "count" for m in query.measures):
        return found
    if len(tables) > 1 or query.places:
        found += [("relationship", t) for t in tables if _unlinked(schema, t)]
    columns = schema.tables[query.source].columns.values()
    if not all(c.seen for c in columns if not schema.is_link(c)):
        found.append(("column", query.source))
    return found


def _unlinked(schema: Schema, table: str) -> list[Column]:
    """Columns that look like references but of which no fact says where they lead."""
    linked = {r.column for r in schema.references if r.table == table}
    known = schema.tables[table]
    columns = [c for c in known.columns.values() if c.parts[-1:] == ("id",)]
    return [c for c in columns if c.name not in known.key and c.name not in linked]


def unsafe_link(known: Knowing, query: Query) -> str:
    """A reference between two tables in play that no fact explains: a way round it may be wrong."""
    tables = sorted(tables_of(query))
    nouns = {keys(known.schema.tables[t].short.replace("_", " "))[-1]: t for t in tables}
    for table in tables:
        for column in _unlinked(known.schema, table):
            if any(nouns.get(part, table) != table for part in column.parts):
                return f"{table}.{column.name}"
    return ""


def tables_of(tree: Any) -> set[str]:
    """Every table that a tree reads, those on the way included."""
    if isinstance(tree, Edge):
        return {tree.table, tree.target}
    if isinstance(tree, Column):
        return {tree.table}
    found = {tree.source} if isinstance(tree, Query) else set()
    parts = tree if isinstance(tree, tuple) else ()
    if is_dataclass(tree):
        parts = tuple(getattr(tree, f.name) for f in fields(tree))
    return found.union(*map(tables_of, parts))
