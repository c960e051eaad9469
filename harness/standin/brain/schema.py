"""A small schema made of facts: its tables, the ways to join them, and the words that name them."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from harness.standin.brain.factlines import Column, Fact, Reference, Table, read_fact, short
from harness.standin.brain.words import key, keys, playbook, stem, tokenise, word_set

_FARTHEST = 4  # joins


@dataclass(frozen=True)
class Edge:
    """A join: from `table`.`column` to `target`.`target_column`; `many` = to the many side."""

    table: str
    column: str
    target: str
    target_column: str
    many: bool = False

    @property
    def reference(self) -> tuple[str, str]:
        """The foreign key that it follows, whatever the direction."""
        if self.many:
            return self.target, self.target_column
        return self.table, self.column


class Schema:
    """Tables, columns and references. Built from facts; knows nothing else."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.tables: dict[str, Table] = {}
        self.references: list[Reference] = []
        self._routes: dict[str, list[list[Edge]]] = {}
        for fact in facts:
            self._take(read_fact(fact))
        self.references.sort(key=lambda r: (r.table, self._place(r.table, r.column), r.target))

    def column(self, table: str, name: str) -> Column | None:
        """A column by its names."""
        known = self.tables.get(table)
        return known.columns.get(name) if known else None

    @cached_property
    def columns(self) -> list[Column]:
        """Every column known, table by table."""
        return [c for _, table in sorted(self.tables.items()) for c in table.columns.values()]

    def is_link(self, column: Column) -> bool:
        """Whether a column is a key or a reference, and so no measure."""
        referring = any((r.table, r.column) == (column.table, column.name) for r in self.references)
        named = column.name in self.tables[column.table].key or column.parts[-1:] == ("id",)
        return referring or named

    def is_label(self, column: Column) -> bool:
        """Whether the rows of its table are called by it."""
        return self.tables[column.table].label == column

    def edges(self, table: str) -> list[Edge]:
        """The joins that start at a table, those to one row first."""
        ends = [(r.table, r.column, r.target, r.target_column) for r in self.references]
        out = [Edge(*each) for each in ends if each[0] == table]
        return [*out, *(Edge(*each[2:], *each[:2], many=True) for each in ends if each[2] == table)]

    def routes(self, start: str, goal: str) -> list[tuple[float, list[Edge]]]:
        """The ways from one table to another with their costs, the cheapest first."""
        ways = [way for way in self._ways_from(start) if way[-1].target == goal]
        costs = [(sum(1.6 if edge.many else 1.0 for edge in way), way) for way in ways]
        return sorted(costs, key=lambda each: each[0])

    def twins(self, start: str, goal: str) -> list[Reference]:
        """References between two tables, where there are several: the roles that goal can play."""
        found = [r for r in self.references if r.table == start and r.target == goal]
        return found if len(found) > 1 else []

    def _ways_from(self, start: str) -> list[list[Edge]]:
        """All simple ways of a few joins."""
        if start not in self._routes:
            found = [[edge] for edge in self.edges(start)]
            for way in found:  # which grows
                seen = {start} | {edge.target for edge in way}
                if len(way) < _FARTHEST:
                    more = [e for e in self.edges(way[-1].target) if e.target not in seen]
                    found.extend([*way, edge] for edge in more)
            self._routes[start] = found
        return self._routes[start]

    def _take(self, told: Table | Column | Reference | None) -> None:
        if isinstance(told, Table):
            before = self.tables.get(told.name, told).columns
            columns = {name: before.get(name) or each for name, each in told.columns.items()}
            self.tables[told.name] = replace(told, columns=columns)
        elif isinstance(told, Column):
            table = self.tables.setdefault(told.table, Table(told.table))
            if not table.described or told.name in table.columns:
                table.columns[told.name] = told
        elif told is not None and told not in self.references:
            self.references.append(told)

    def _place(self, table: str, column: str) -> int:
        names = list(self.tables[table].columns) if table in self.tables else []
        return names.index(column) if column in names else len(names)


@lru_cache(maxsize=64)
def schema_of(facts: tuple[Fact, ...]) -> Schema:
    """The schema of these facts, remembered for the next step of the turn."""
    return Schema(facts)


Keys = tuple[str, ...]
Names = dict[Keys, list[tuple[Column, Any]]]  # phrases, and the columns and values of that name
_NULL_FOR = re.compile(r"NULL (?:for|where|in) (?:a|an|the|it has)?\s*(\w+)\s+(\w+)")
_HAS_NONE = re.compile(r"\ban? (\w+) (\w+) has (?:none|no)\b")
_ZERO = re.compile(r"\((\d+) when ([^)]+)\)")
_PAREN_WORD = re.compile(r"\((\w+)\)")
_DULL = frozenset("id no at unit code number key time first what".split())


@dataclass
class Lexicon:
    """Phrases, as tuples of keys, and what they name."""

    tables: dict[Keys, str] = field(default_factory=dict)
    columns: dict[Keys, list[tuple[Column, int]]] = field(default_factory=dict)
    roles: dict[Keys, list[Reference]] = field(default_factory=dict)
    values: Names = field(default_factory=dict)
    glosses: Names = field(default_factory=dict)
    nulls: dict[str, tuple[Column, bool]] = field(default_factory=dict)
    empties: dict[str, tuple[str, str]] = field(default_factory=dict)
    homonyms: dict[str, str] = field(default_factory=dict)  # stem -> the other table it may mean
    zeros: dict[Keys, tuple[Column, int]] = field(default_factory=dict)


def lexicon_of(schema: Schema, names: Names) -> Lexicon:
    """The lexicon of a schema, and of names that a look-up found in its rows."""
    made = _of_schema(schema)
    if not names:
        return made
    values = dict(made.values)
    for phrase, found in names.items():
        values[phrase] = list(dict.fromkeys([*found, *values.get(phrase, [])]))
    return replace(made, values=values)


@lru_cache(maxsize=32)
def _of_schema(schema: Schema) -> Lexicon:
    lexicon = Lexicon()
    for add in (_add_tables, _add_columns, _add_roles, _add_values, _add_empties):
        add(schema, lexicon)
    return lexicon


def _add_tables(schema: Schema, lexicon: Lexicon) -> None:
    """By the whole name, by its last word, then by what the comment calls the rows."""
    whole = {name: keys(table.short.replace("_", " ")) for name, table in schema.tables.items()}
    for name in sorted(whole):
        lexicon.tables[whole[name]] = name
    for part in (-1, 0):
        for name in sorted(whole):
            lexicon.tables.setdefault(whole[name][part : part + 1 or None], name)
    for name in sorted(whole):
        head = _noun(schema.tables[name].comment)
        if head and lexicon.tables.setdefault((head[0],), name) != name and head[1] != head[0]:
            lexicon.homonyms.setdefault(head[1], name)


def _noun(comment: str) -> tuple[str, str] | None:
    """Key and stem of the noun that a comment begins with: "Container ships." is about ships."""
    first = re.split(r"[.;,]| (?:of|in|on|at|that|which|from|where|inside|booked)\b", comment)[0]
    words = tokenise(first)
    return (words[-1].key, stem(words[-1].low)) if words else None


def _add_columns(schema: Schema, lexicon: Lexicon) -> None:
    """By name and by comment: the whole of it, and each word; the plainer, the stronger."""
    units = {key(word) for each in playbook()["units"].values() for word in each["said"]}
    tables = {keys(t.short.replace("_", " "))[-1] for t in schema.tables.values()}
    phrases: dict[Keys, dict[Column, int]] = defaultdict(dict)
    for column in (c for c in schema.columns if not schema.is_link(c)):
        weak = dict.fromkeys(set(keys(column.clause)) - word_set("stop"), 1)
        words = {**weak, **dict.fromkeys({*column.parts, *column.head} - {"the"}, 3)}
        named: dict[Keys, int] = {(w,): n for w, n in words.items() if w not in tables}
        named |= {(key(word),): 3 for word in _PAREN_WORD.findall(column.clause)}
        named |= {column.head: 4, tuple(p for p in column.parts if p not in units): 4}
        named |= {column.parts: 5}
        for phrase, strength in named.items():
            if phrase and not all(word in units or word in _DULL for word in phrase):
                phrases[phrase][column] = strength
    for phrase, found in phrases.items():
        ranked = sorted(found.items(), key=lambda each: (-each[1], each[0].table, each[0].name))
        lexicon.columns[phrase] = ranked


def _add_roles(schema: Schema, lexicon: Lexicon) -> None:
    """The words that tell twin references apart: origin, destination."""
    for reference in schema.references:
        twins = schema.twins(reference.table, reference.target)
        if not twins:
            continue
        words = role_keys(schema, reference)
        others = {w for twin in twins if twin != reference for w in role_keys(schema, twin)}
        for word in sorted(words - others):
            lexicon.roles.setdefault((word,), []).append(reference)


@lru_cache(maxsize=256)
def role_keys(schema: Schema, reference: Reference) -> frozenset[str]:
    """The words of a reference's name and comment that are not its target's."""
    column = schema.column(reference.table, reference.column)
    words = set(keys(reference.column.replace("_", " ")))
    if column is not None:
        words |= set(keys(column.clause))
    target = set(keys(short(reference.target).replace("_", " ")))
    source = set(keys(short(reference.table).replace("_", " ")))
    return frozenset(words - target - source - word_set("stop") - {"id", "key", "the", "where"})


def _add_values(schema: Schema, lexicon: Lexicon) -> None:
    values: Names = defaultdict(list)
    glosses: Names = defaultdict(list)
    open_texts = [each for each in schema.columns if each.is_text and not each.values]
    for column in schema.columns:
        sisters = [c for c in open_texts if c.name == column.name and not schema.is_label(column)]
        for value in column.values:
            values[keys(value)] += [(sister, value) for sister in sisters]
            if not value.replace(".", "").replace("-", "").isdigit():
                values[keys(value)].append((column, value))
        for value, gloss in column.glosses:
            if value in column.values:
                for part in gloss.split(","):
                    words = keys(part)
                    glosses[words].append((column, value))
                    if words[:2] == ("a", "day"):
                        glosses[words[-1:]].append((column, value))
        _add_nulls(schema, column, lexicon)
        _add_zero(column, lexicon)
    lexicon.values, lexicon.glosses = dict(values), dict(glosses)


def _add_nulls(schema: Schema, column: Column, lexicon: Lexicon) -> None:
    """ "... inside a refrigerated container (reefer); NULL for a dry container" names both."""
    own = keys(schema.tables[column.table].short.replace("_", " "))[-1]
    match = _NULL_FOR.search(column.comment)
    if not match or key(match.group(2)) != own:
        return
    lexicon.nulls[key(match.group(1))] = (column, True)
    before = column.comment[: match.start()]
    words = keys(before)
    for i, word in enumerate(words[1:]):
        if word == own and words[i] not in word_set("stop"):
            lexicon.nulls[words[i]] = (column, False)
    for word in _PAREN_WORD.findall(before):
        lexicon.nulls[key(word)] = (column, False)


def _add_zero(column: Column, lexicon: Lexicon) -> None:
    """ "(0 when on time or early)" lets "on time" be read as 0."""
    if match := _ZERO.search(column.comment):
        first = match[2].split(" or ")[0]
        for phrase in (match[2], first):
            lexicon.zeros[keys(phrase)] = (column, int(match[1]))


def _add_empties(schema: Schema, lexicon: Lexicon) -> None:
    """ "Lines of cargo inside containers; an empty container has none." """
    for name, table in sorted(schema.tables.items()):
        match = _HAS_NONE.search(table.comment)
        if match and (key(match.group(2)),) in lexicon.tables:
            lexicon.empties[key(match.group(1))] = (lexicon.tables[(key(match.group(2)),)], name)
