"""What the facts and look-ups so far add up to, and what a tree would still rest on unseen."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from harness.standin.brain.corrections import Corrections, read_corrections
from harness.standin.brain.factlines import Column, today_in
from harness.standin.brain.link import World
from harness.standin.brain.reading import Situation
from harness.standin.brain.schema import Edge, Keys, Lexicon, Names, Schema, lexicon_of, schema_of
from harness.standin.brain.tree import Problem, Query, nodes
from harness.standin.brain.words import keys, stem, tidy, tokenise

MARK = "matched_column"  # what tells a look-up from other queries
_MOST = 6  # names in one query
_PHRASE = re.compile(r"(?:LIKE '% |= ')(.+?)(?: %)?'")


def lookup_sql(schema: Schema, words: list[str]) -> str:
    """A query for these names; "" where no column could hold them."""
    parts = []
    for column in schema.columns:
        tests = [test for word in words[:_MOST] for test in _tests(column, word, schema)]
        if tests:
            parts.append(
                f"SELECT '{column.table}.{column.name}' AS {MARK}, "
                f"CAST({column.name} AS VARCHAR(200)) AS matched_value FROM {column.table} "
                f"WHERE {' OR '.join(tests)}"
            )
    return "\nUNION ".join(parts)


def _tests(column: Column, word: str, schema: Schema) -> list[str]:
    """Conditions under which a column holds a name: as it is, or as whole words in it."""
    tokens = [t.low for t in tokenise(tidy(word))]
    phrase = " ".join(tokens)
    if not phrase or schema.is_link(column) or not (column.is_number or column.is_text):
        return []
    if column.is_number:
        coded = {"number", "code", "digit", "digits"} & set(keys(column.comment))
        test = f"CAST({column.name} AS VARCHAR(40)) = '{phrase}'"
        return [test] if coded and phrase.isdigit() else []
    last = tokens[-1]
    variants = {phrase, " ".join([*tokens[:-1], stem(last)]), " ".join([*tokens[:-1], last + "s"])}
    if 1 < len(tokens) < 4:  # "frozen fish" is kept as "Fish, frozen"
        variants.add(" ".join([last, *tokens[:-1]]))
    plain = f"REPLACE(REPLACE({column.name}, ', ', ' '), ',', ' ')"
    padded = f"' ' || LOWER(REPLACE({plain}, '-', ' ')) || ' '"
    return [f"{padded} LIKE '% {each} %'" for each in sorted(variants)]


def looked_up(situation: Situation, schema: Schema) -> tuple[Names, set[Keys]]:
    """Names that look-ups of this turn found, and the phrases that were looked for.

    A phrase that is the whole of one name is not taken as a part of others.
    """
    found: Names = {}
    searched: set[Keys] = set()
    for step in situation.calls("run_sql"):
        sql = str(step.arguments.get("sql", ""))
        if MARK in sql and not step.error:
            phrases = {keys(word) for word in _PHRASE.findall(sql)}
            searched |= phrases
            for row in step.data.get("rows") or []:
                _take(row, schema, phrases, found)
    made = {}
    for phrase, pairs in found.items():
        exact = [pair for pair in pairs if keys(str(pair[1])) == phrase]
        made[phrase] = list(dict.fromkeys(exact or pairs))
    return made, searched


def _take(row: Any, schema: Schema, phrases: set[Keys], found: Names) -> None:
    pair = row if isinstance(row, list) and len(row) == 2 else ("", "")
    table, _, name = str(pair[0]).rpartition(".")
    column = schema.column(table, name)
    if column is None:
        return
    value: Any = int(row[1]) if column.is_number else str(row[1])
    whole = keys(str(row[1]))
    for phrase in {whole: 0, **dict.fromkeys(phrases)}:
        size = len(phrase)
        inside = any(whole[i : i + size] == phrase for i in range(len(whole) - size + 1))
        if inside or (1 < size < 4 and set(phrase) <= set(whole)):
            found.setdefault(phrase, []).append((column, value))


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


def tables_of(tree: Query) -> set[str]:
    """Every table that a tree reads, those on the way included."""
    every = list(nodes(tree))
    found = {each.source for each in every if isinstance(each, Query)}
    found |= {each.table for each in every if isinstance(each, (Edge, Column))}
    return found | {each.target for each in every if isinstance(each, Edge)}
