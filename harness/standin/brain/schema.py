"""A small schema, made of the facts that a request carries, and the ways to join it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from harness.standin.brain.factlines import Column, Fact, Reference, Table, read_fact

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
