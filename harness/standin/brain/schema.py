"""A small schema, made of the facts that a request carries, and the ways to join it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from harness.standin.brain.factlines import ColumnFact, Fact, ReferenceFact, TableFact, read_fact
from harness.standin.brain.words import keys

_TEXT = re.compile(r"CHAR|TEXT|STRING|CLOB", re.IGNORECASE)
_TIME = re.compile(r"DATE|TIME", re.IGNORECASE)
_GLOSS = re.compile(r"\b([A-Z][A-Z_]{2,})\s*\(([^)]*)\)")
_HEAD_ENDS = frozenset(
    "of in on at for to with inside against that where which as from by it and or".split()
)
_GENERIC = frozenset("time date year number day key what identifier code".split())
_NAMING = (("name", "title", "label"), ("what",), ("number", "no"), ("code",))


@dataclass(frozen=True)
class Column:
    """A column with what its facts say about it. `table` is the full name of its table."""

    table: str
    name: str
    type: str = ""
    comment: str = ""
    values: tuple[str, ...] = ()
    seen: bool = False  # whether a fact of its own was seen, not only its table's

    @property
    def is_text(self) -> bool:
        """Whether it holds text."""
        return bool(_TEXT.search(self.type))

    @property
    def is_time(self) -> bool:
        """Whether it holds dates or times."""
        return bool(_TIME.search(self.type))

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return bool(self.type) and not self.is_text and not self.is_time

    @property
    def is_code(self) -> bool:
        """Whether its digits name something, and so don't add up."""
        return bool({"digit", "code"} & set(keys(self.comment)))

    @property
    def parts(self) -> tuple[str, ...]:
        """The keys of its name's words."""
        return keys(self.name.replace("_", " "))

    @property
    def clause(self) -> str:
        """The comment's first clause."""
        return re.split(r"[.;:,]\s|[.;:]$", self.comment, maxsplit=1)[0]

    @property
    def head(self) -> tuple[str, ...]:
        """The keys of what the comment calls it: "Capacity", "Flag state", "departure"."""
        return _head(self.clause)

    @property
    def glosses(self) -> list[tuple[str, str]]:
        """Values that the comment explains, each with what it says of it."""
        return _GLOSS.findall(self.comment)

    @property
    def nullable(self) -> bool:
        """Whether its comment speaks of NULL."""
        return "NULL" in self.comment


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


@dataclass
class Table:
    """A table with its columns in order."""

    name: str
    comment: str = ""
    key: tuple[str, ...] = ()
    rows: int | None = None
    described: bool = False
    columns: dict[str, Column] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """Its name without the schema's."""
        return self.name.rsplit(".", 1)[-1]

    @cached_property
    def label(self) -> Column | None:
        """The column that people call its rows by."""
        texts = [each for each in self.columns.values() if each.is_text]
        for words in _NAMING:
            for column in texts:
                if set(words) & {*column.parts, *keys(column.clause)}:
                    return column
        return self.columns.get(self.key[0]) if self.key else None

    @property
    def named(self) -> bool:
        """Whether the label is a name of the row itself, and not of a kind of thing."""
        label = self.label
        return label is not None and "what" not in keys(label.clause)

    @property
    def is_of_kinds(self) -> bool:
        """Whether its rows are known by what kind of thing they are, such as lines of goods."""
        return not self.named and self.label is not None and self.label.name not in self.key


class Schema:
    """Tables, columns and references. Built from facts; knows nothing else."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.tables: dict[str, Table] = {}
        self.references: list[ReferenceFact] = []
        self._ways: dict[str, list[list[Edge]]] = {}
        for fact in facts:
            self._take(read_fact(fact.kind, fact.subject, fact.body))
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
        table = self.tables[column.table]
        referring = any((r.table, r.column) == (column.table, column.name) for r in self.references)
        return column.name in table.key or referring or column.parts[-1:] == ("id",)

    def edges(self, table: str) -> list[Edge]:
        """The joins that start at a table, those to one row first."""
        out = [Edge(*self._ends(r)) for r in self.references if r.table == table]
        back = [
            Edge(r.target, r.target_column, r.table, r.column, many=True)
            for r in self.references
            if r.target == table
        ]
        return out + back

    def routes(self, start: str, goal: str) -> list[tuple[float, list[Edge]]]:
        """The ways from one table to another with their costs, the cheapest first."""
        found = [(_cost(way), way) for way in self._paths(start) if way[-1].target == goal]
        return sorted(found, key=lambda each: each[0])

    def twins(self, start: str, goal: str) -> list[ReferenceFact]:
        """References between two tables, where there are several: the roles that goal can play."""
        found = [r for r in self.references if r.table == start and r.target == goal]
        return found if len(found) > 1 else []

    def _paths(self, start: str) -> list[list[Edge]]:
        """All simple ways of up to four joins."""
        if start in self._ways:
            return self._ways[start]
        found: list[list[Edge]] = []
        queue: list[list[Edge]] = [[edge] for edge in self.edges(start)]
        while queue:
            way = queue.pop(0)
            found.append(way)
            if len(way) == 4:
                continue
            seen = {start} | {edge.target for edge in way}
            queue += [[*way, e] for e in self.edges(way[-1].target) if e.target not in seen]
        self._ways[start] = found
        return found

    def _take(self, fact: TableFact | ColumnFact | ReferenceFact | None) -> None:
        if isinstance(fact, TableFact):
            table = self.tables.setdefault(fact.table, Table(fact.table))
            table.comment, table.rows, table.described = fact.comment, fact.rows, True
            table.key = fact.key
            known = table.columns
            table.columns = {
                name: known.get(name) or Column(fact.table, name, kind)
                for name, kind in fact.columns
            }
        elif isinstance(fact, ColumnFact):
            table = self.tables.setdefault(fact.table, Table(fact.table))
            if not table.described or fact.column in table.columns:
                table.columns[fact.column] = Column(
                    fact.table, fact.column, fact.type, fact.comment, fact.values, True
                )
        elif isinstance(fact, ReferenceFact) and fact not in self.references:
            self.references.append(fact)

    def _place(self, table: str, column: str) -> int:
        names = list(self.tables[table].columns) if table in self.tables else []
        return names.index(column) if column in names else len(names)

    @staticmethod
    def _ends(r: ReferenceFact) -> tuple[str, str, str, str]:
        return r.table, r.column, r.target, r.target_column


def _cost(way: list[Edge]) -> float:
    return sum(1.6 if edge.many else 1.0 for edge in way)


@lru_cache(maxsize=1024)
def _head(clause: str) -> tuple[str, ...]:
    words = keys(clause)
    cut = next((i for i, word in enumerate(words) if word in _HEAD_ENDS), len(words))
    head = [word for word in words[:cut] if word not in ("null",)]
    rest = [w for w in words[cut:] if w not in _HEAD_ENDS]
    if head and all(word in _GENERIC for word in head) and rest[:1]:
        head += rest[:1] if rest[0] not in ("the", "a", "an") else rest[1:2]
    elif head[-1:] == ["time"] and len(head) > 1:
        head = head[:-1]
    return tuple(head)


@lru_cache(maxsize=64)
def schema_of(facts: tuple[Fact, ...]) -> Schema:
    """The schema of these facts, remembered for the next step of the turn."""
    return Schema(facts)
