"""What a question means, as a tree of values: source, conditions, groups, measures, order."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from harness.standin.brain.factlines import Column
from harness.standin.brain.schema import Edge

Path = tuple[Edge, ...]


class Problem(Exception):
    """A question that can't be read: the kind of trouble, the words it is about, a text."""

    def __init__(self, kind: str, words: list[str], text: str = "") -> None:
        super().__init__(kind, words, text)
        self.kind, self.words, self.text = kind, words, text


@dataclass(frozen=True)
class Field:
    """A column, and the joins that lead to it from the source."""

    column: Column
    path: Path = ()

    @property
    def many(self) -> bool:
        """Whether one row of the source has several."""
        return any(edge.many for edge in self.path)


@dataclass(frozen=True)
class Value:
    """A figure of one row: a column, or a product, a number of hours, an age made of columns.

    `how`: column, product, hours (from the first to the second), age (years until `today`).
    """

    how: str
    fields: tuple[Field, ...]
    unit: str = ""
    name: str = ""
    today: date | None = None

    @property
    def field(self) -> Field:
        """The first of its fields."""
        return self.fields[0]

    @property
    def table(self) -> str:
        """The table of its first column."""
        return self.fields[0].column.table

    @property
    def own(self) -> "Value":
        """The figure as its own table has it."""
        return self.along(lambda path: ())

    def along(self, change: Callable[[Path], Path]) -> "Value":
        """The figure with every path changed."""
        fields = tuple(Field(f.column, change(f.path)) for f in self.fields)
        return replace(self, fields=fields)


@dataclass(frozen=True)
class Test:
    """One comparison; `values` holds constants, Values, or the Measure of a named row."""

    value: Value
    op: str  # in = < <= > >= <> between range null given like weekday
    values: tuple[Any, ...] = ()
    said: str = ""


@dataclass(frozen=True)
class Both:
    """All of its parts hold."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Either:
    """One of its parts holds."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Not:
    """Its part does not hold."""

    part: "Condition"


@dataclass(frozen=True)
class Related:
    """Related rows, reached over `path`, of which `where` holds: some, none, or how many."""

    path: Path
    where: tuple["Condition", ...] = ()
    op: str = ""  # "" = at least one
    numbers: tuple[float, ...] = ()
    said: str = ""


Condition = Test | Both | Either | Not | Related
Option = tuple[float, Condition]  # a cost, and what it is for


@dataclass(frozen=True)
class Measure:
    """A figure over rows: count, distinct, sum, avg, min, max, median, percentile, weighted."""

    kind: str
    value: Value | None = None
    weight: Value | None = None
    percent: float = 50.0
    unit: str = ""  # the unit that was asked for


@dataclass(frozen=True)
class Group:
    """What rows are grouped by; `unit` takes a time apart (year, quarter, month, day, weekday)."""

    value: Value
    name: str
    unit: str = ""


@dataclass(frozen=True)
class Order:
    """What comes first: by a figure of the rows, a measure, or a group."""

    by: Value | Measure | Group
    down: bool = True


@dataclass(frozen=True)
class Query:
    """A question as a tree. `shape` says what is wanted of the rows.

    value: measures (by group). list: rows. exists: yes or no. truth: whether one known thing is so.
    share: `part` of the rows. compare: two groups. top: the first rows or groups by `order`.
    best: the first row of each group. distance: between two places. where: a position.
    """

    source: str
    shape: str = "list"
    where: tuple[Condition, ...] = ()
    groups: tuple[Group, ...] = ()
    measures: tuple[Measure, ...] = ()
    select: tuple[Value, ...] = ()
    order: Order | None = None
    limit: int = 0
    skip: int = 0
    part: tuple[Condition, ...] = ()
    per: Path | None = None  # averages over the rows of this table
    spread: bool = False  # groups without rows count as 0
    places: tuple[str, ...] = ()  # the names of places that are asked about
    notes: tuple[str, ...] = ()
    word: str = ""
    unit: str = ""  # the unit that was asked for, of the figure that rows are ordered by
