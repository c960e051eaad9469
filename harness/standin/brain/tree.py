"""What a question means, as a tree of values: source, conditions, groups, measures, order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from typing import Any, TypeGuard

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
    """Related rows, reached over `path`, of which `where` holds: some, none, how many, how much."""

    path: Path
    where: tuple["Condition", ...] = ()
    op: str = ""  # "" = at least one
    numbers: tuple[float, ...] = ()
    said: str = ""
    of: Value | None = None  # the figure of which they have so much together, seen from the rows


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


def nodes(tree: Any) -> Iterator[Any]:
    """A tree and all that it is made of."""
    yield tree
    parts = tree if isinstance(tree, tuple) else ()
    if is_dataclass(tree):
        parts = tuple(getattr(tree, each.name) for each in fields(tree))
    for part in parts:
        yield from nodes(part)


def leaves(condition: Condition) -> Iterable[Test | Related]:
    """The tests at the end of a condition's branches."""
    if isinstance(condition, Not):
        yield from leaves(condition.part)
    elif isinstance(condition, (Both, Either)):
        for part in condition.parts:
            yield from leaves(part)
    else:
        yield condition


def tests(condition: Condition) -> list[Test]:
    """The tests among a condition's leaves."""
    return [leaf for leaf in leaves(condition) if isinstance(leaf, Test)]


def all_tests(conditions: Sequence[Condition]) -> list[Test]:
    """The tests of conditions, those on related rows included."""
    found: list[Test] = []
    for leaf in (leaf for each in conditions for leaf in leaves(each)):
        found += all_tests(leaf.where) if isinstance(leaf, Related) else [leaf]
    return found


def moved(condition: Condition, change: Callable[[Path], Path]) -> Condition:
    """The condition with every path changed."""
    if isinstance(condition, Not):
        return Not(moved(condition.part, change))
    if isinstance(condition, (Both, Either)):
        return type(condition)(tuple(moved(part, change) for part in condition.parts))
    if isinstance(condition, Related):
        return replace(condition, path=change(condition.path))
    values = tuple(v.along(change) if isinstance(v, Value) else v for v in condition.values)
    return replace(condition, value=condition.value.along(change), values=values)


def lift(condition: Condition, path: Path) -> Condition:
    """The condition seen from where a path begins."""
    return moved(condition, lambda own: (*path, *own))


def cut(condition: Condition, joins: int) -> Condition:
    """The condition without the first joins of its paths."""
    return moved(condition, lambda own: own[joins:])


def bundle(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions, with those on several rows of the same kind put into one `Related`."""
    made: list[Condition] = []
    places: dict[Path, int] = {}
    for each in conditions:
        prefix = _prefix(each)
        if isinstance(each, Not):
            each = Not(bundle([each.part])[0])
        elif prefix:
            each = Related(prefix, (cut(each, len(prefix)),))
        elif isinstance(each, Either):
            each = Either(tuple(bundle([part])[0] for part in each.parts))
        old = made[places[each.path]] if _is_some(each) and each.path in places else None
        if _is_some(each) and _is_some(old) and not _twice(old, each):
            where, said = (*old.where, *each.where), old.said or each.said
            made[places[each.path]] = replace(old, where=where, said=said)
            continue
        if _is_some(each):
            places[each.path] = len(made)
        made.append(each)
    return tuple(_nested(made))


def _is_some(each: Condition | None) -> TypeGuard[Related]:
    """Whether it only says that there are related rows."""
    return isinstance(each, Related) and not each.op


def _nested(conditions: list[Condition]) -> list[Condition]:
    """Rows behind related rows are those of the same ones: "ships carrying rice to Santos"."""
    made = list(conditions)
    for inner in sorted(filter(_is_some, conditions), key=lambda r: -len(r.path)):
        for outer in filter(_is_some, made):
            size = len(outer.path)
            if size < len(inner.path) and inner.path[:size] == outer.path and inner in made:
                made.remove(inner)
                deeper = replace(inner, path=inner.path[size:])
                made[made.index(outer)] = replace(outer, where=(*outer.where, deeper))
                break
    return made


def _twice(old: Related, new: Related) -> bool:
    """Whether one row can't meet both: another value of the same column is asked of it already."""
    asked = [[t.value for c in r.where for t in tests(c) if t.op == "in"] for r in (old, new)]
    return any(value in asked[0] for value in asked[1])


def _prefix(condition: Condition) -> Path:
    """The joins to several rows that all tests of a condition share; () for none."""
    found: set[Path] = set()
    for leaf in leaves(condition):
        if isinstance(leaf, Related):
            return ()
        others = [f for v in leaf.values if isinstance(v, Value) for f in v.fields]
        found |= {many_part(field.path) for field in (*leaf.value.fields, *others)}
    return found.pop() if len(found) == 1 else ()


def many_part(path: Path) -> Path:
    """A path as far as its last join to several rows."""
    last = max((n for n, edge in enumerate(path) if edge.many), default=-1)
    return path[: last + 1]
