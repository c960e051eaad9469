"""A tree as SQL: joins along the observed references, conditions, figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from harness.standin.brain.factlines import short
from harness.standin.brain.schema import Schema
from harness.standin.brain.tree import (
    Both,
    Condition,
    Either,
    Field,
    Group,
    Measure,
    Not,
    Path,
    Query,
    Related,
    Test,
    Value,
    lift,
)

TIES = 10  # rows beyond the asked number that may share its figure
MAX_LIST = 500
_RESERVED = frozenset("as at by do if in is no of on or to and asc end not for".split())
_TESTS = {
    "null": "{0} IS NULL",
    "given": "{0} IS NOT NULL",
    "between": "{0} BETWEEN {1} AND {2}",
    "like": "LOWER({0}) LIKE {1}",
    "weekday": "EXTRACT(ISODOW FROM {0}) = {1}",
}
_OPPOSITE = {"null": "given", "given": "null"}
_HOURS = "(EXTRACT(DAY FROM {0}) * 24 + EXTRACT(HOUR FROM {0}) + EXTRACT(MINUTE FROM {0}) / 60)"
_AGGREGATES = {
    "count": "COUNT(*)",
    "distinct": "COUNT(DISTINCT {0})",
    "spread": "STDDEV_SAMP({0})",
    "row": "MAX({0})",
    "weighted": "SUM({0} * {1}) * 1.0 / NULLIF(SUM(CASE WHEN {0} IS NOT NULL THEN {1} END), 0)",
    "percentile": "PERCENTILE_CONT({2:g}) WITHIN GROUP (ORDER BY {0})",
    "median": "PERCENTILE_CONT({2:g}) WITHIN GROUP (ORDER BY {0})",
}
_NAMES = {
    "sum": "total",
    "avg": "average",
    "min": "minimum",
    "max": "maximum",
    "distinct": "different",
    "spread": "standard_deviation",
    "weighted": "weighted_mean",
    "row": "",
}
_YEAR = "EXTRACT(YEAR FROM {0})"
_PARTS = {
    "": "{0}",
    "year": _YEAR,
    "quarter": f"{_YEAR} * 10 + EXTRACT(QUARTER FROM {{0}})",
    "month": f"{_YEAR} * 100 + EXTRACT(MONTH FROM {{0}})",
    "day": "CAST({0} AS DATE)",
    "week": "EXTRACT(ISOYEAR FROM {0}) * 100 + EXTRACT(WEEK FROM {0})",
    "weekday": "EXTRACT(ISODOW FROM {0})",
}


@dataclass
class Draft:
    """SQL, and what its columns are: groups first, then figures."""

    sql: str
    shape: str = "value"
    groups: int = 0
    plain: bool = True
    max_rows: int = 50


@dataclass
class Joins:
    """The tables of one SELECT with their aliases; `taken` are aliases that may not be reused."""

    schema: Schema
    source: str
    taken: set[str] = field(default_factory=set)
    aliases: dict[Path, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.aliases[()] = self._alias(self.source)

    def _alias(self, table: str) -> str:
        name = short(table).lower()
        options = [name[:size] for size in range(1, len(name) + 1)]
        options += [f"{name[0]}{n}" for n in range(2, 99)]
        made = next(o for o in options if o not in self.taken and o not in _RESERVED)
        self.taken.add(made)
        return made

    @property
    def base(self) -> str:
        """The alias of the source."""
        return self.aliases[()]

    def at(self, path: Path) -> str:
        """The alias at the end of a path, joined if it is not yet."""
        if path not in self.aliases:
            edge, before = path[-1], self.at(path[:-1])
            alias = self.aliases[path] = self._alias(edge.target)
            on = f"{alias}.{edge.target_column} = {before}.{edge.column}"
            self.lines.append(f"JOIN {edge.target} {alias} ON {on}")
        return self.aliases[path]

    def name(self, at: Field) -> str:
        """A column, with its alias."""
        return f"{self.at(at.path)}.{at.column.name}"

    def text(self, between: str = "\n") -> str:
        """FROM and its joins."""
        return between.join([f"FROM {self.source} {self.base}", *self.lines])

    def inside(self, select: str, wheres: Sequence[str]) -> str:
        """A SELECT that stands inside another one, on one line."""
        where = f" WHERE {' AND '.join(wheres)}" if wheres else ""
        return f"SELECT {select} {self.text(' ')}{where}"


def constant(value: Any) -> str:
    """A constant as SQL."""
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(int(value)) if value == int(value) else str(value)
    return "'" + str(value).replace("'", "''") + "'"


def compared(op: str, numbers: Sequence[Any]) -> str:
    """What stands behind a figure that is compared with numbers."""
    shown = [constant(n) for n in numbers]
    return f"BETWEEN {shown[0]} AND {shown[1]}" if op == "between" else f"{op} {shown[0]}"


def expression(value: Value, joins: Joins) -> str:
    """A figure of one row."""
    names = [joins.name(f) for f in value.fields]
    if value.how == "product":
        return f"{names[0]} * {names[1]}"
    if value.how == "age" and value.today is not None:
        return f"({value.today.year} - {names[0]})"
    return _HOURS.format(f"({names[1]} - {names[0]})") if value.how == "hours" else names[0]


def condition(each: Condition, joins: Joins) -> str:
    """A condition, as SQL of the same SELECT."""
    if isinstance(each, Not):
        if isinstance(each.part, Test):
            return _not_test(each.part, joins)
        if isinstance(each.part, Related) and each.part.op in ("", "none"):
            return _related(replace(each.part, op="" if each.part.op else "none"), joins)
        return f"NOT ({condition(each.part, joins)})"
    if isinstance(each, (Both, Either)):
        word = " AND " if isinstance(each, Both) else " OR "
        return "(" + word.join(condition(part, joins) for part in each.parts) + ")"
    return _related(each, joins) if isinstance(each, Related) else _test(each, joins)


def _not_test(test: Test, joins: Joins) -> str:
    """What is not known is not so, for a value that may be missing."""
    name = expression(test.value, joins)
    if test.op in _OPPOSITE:
        return _TESTS[_OPPOSITE[test.op]].format(name)
    if test.op == "in":
        listed = ", ".join(map(constant, test.values))
        made = f"{name} <> {listed}" if len(test.values) == 1 else f"{name} NOT IN ({listed})"
        return f"({made} OR {name} IS NULL)" if test.value.field.column.nullable else made
    if test.op == "=":
        return f"{name} <> {constant(test.values[0])}"
    return f"NOT ({_test(test, joins)})"


def _test(test: Test, joins: Joins) -> str:
    name, values = expression(test.value, joins), test.values
    if test.op in _TESTS:
        return _TESTS[test.op].format(name, *map(constant, values))
    if test.op == "in":
        listed = ", ".join(map(constant, values))
        return f"{name} = {listed}" if len(values) == 1 else f"{name} IN ({listed})"
    if test.op == "range":
        ends = [(op, v) for op, v in zip((">=", "<"), values, strict=True) if v is not None]
        return " AND ".join(f"{name} {op} {constant(v)}" for op, v in ends)
    if test.op == "newest":
        other, (owner, column) = f"{joins.base}9", name.rsplit(".", 1)
        tie = f"{other}.{values[0]} = {owner}.{values[0]}"
        newest = f"SELECT MAX({other}.{column}) FROM {test.value.table} {other} WHERE {tie}"
        return f"{name} = ({newest})"
    if isinstance(values[0], Value):
        return f"{name} {test.op} {expression(values[0], joins)}"
    if isinstance(values[0], Query):  # what a named row has
        row = values[0]
        inner = Joins(joins.schema, row.source, joins.taken)
        figure = expression(row.select[0], inner)
        return (
            f"{name} {test.op} ({inner.inside(figure, [condition(c, inner) for c in row.where])})"
        )
    return f"{name} {test.op} {constant(values[0])}"


def _related(each: Related, joins: Joins) -> str:
    """A subquery over the related rows, tied to the row outside."""
    first = next((n for n, e in enumerate(each.path) if e.many), len(each.path) - 1)
    before, edge, rest = each.path[:first], each.path[first], each.path[first + 1 :]
    owner = joins.at(before)
    inner = Joins(joins.schema, edge.target, joins.taken)
    inner.at(rest)
    wheres = [f"{inner.base}.{edge.target_column} = {owner}.{edge.column}"]
    wheres += [condition(lift(c, rest), inner) for c in each.where]
    if each.op in ("", "none"):
        return f"{'NOT ' if each.op else ''}EXISTS ({inner.inside('1', wheres)})"
    of = each.of.along(lambda own: (*rest, *own)) if each.of else None
    figure = f"COALESCE(SUM({expression(of, inner)}), 0)" if of else "COUNT(*)"
    return f"({inner.inside(figure, wheres)}) {compared(each.op, each.numbers)}"


def measured(measure: Measure, joins: Joins) -> str:
    """A measure as an aggregate."""
    inside = expression(measure.value, joins) if measure.value else ""
    weight = expression(measure.weight, joins) if measure.weight else ""
    form = _AGGREGATES.get(measure.kind, f"{measure.kind.upper()}({{0}})")
    return form.format(inside, weight, measure.percent / 100)


def measure_name(measure: Measure, source: str) -> str:
    """The name of a measure's column."""
    if measure.value is None:
        return short(source)
    kind = f"p{measure.percent:g}" if measure.kind == "percentile" else measure.kind
    return f"{_NAMES.get(kind, kind)}_{measure.value.name.replace(' ', '_')}".strip("_")


def group_text(group: Group, joins: Joins) -> str:
    """A group's expression; the parts of a time are numbers."""
    return _PARTS[group.unit].format(expression(group.value, joins))


def tail(wheres: Sequence[str]) -> str:
    """WHERE, where there is something to say."""
    return f"\nWHERE {' AND '.join(dict.fromkeys(wheres))}" if wheres else ""
