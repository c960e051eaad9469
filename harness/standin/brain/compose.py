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
_OPPOSITE = {"null": "given", "given": "null", "in": "not in", "=": "<>"}
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
    """One SELECT in the making: its tables with their aliases, and all that is said of them.

    `named` are names that count as one, `taken` aliases that may not be used again.
    """

    schema: Schema
    source: str
    named: Sequence[Any] = ()
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

    def within(self, source: str) -> "Joins":
        """A SELECT inside this one."""
        return Joins(self.schema, source, self.named, self.taken)

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

    def text(self, between: str = "\n") -> str:
        """FROM and its joins."""
        return between.join([f"FROM {self.source} {self.base}", *self.lines])

    def inside(self, select: str, wheres: Sequence[str]) -> str:
        """A SELECT that stands inside another one, on one line."""
        where = f" WHERE {' AND '.join(wheres)}" if wheres else ""
        return f"SELECT {select} {self.text(' ')}{where}"

    def value(self, value: Value) -> str:
        """A figure of one row."""
        names = [f"{self.at(f.path)}.{f.column.name}" for f in value.fields]
        if value.how == "product":
            return f"{names[0]} * {names[1]}"
        if value.how == "age" and value.today is not None:
            return f"({value.today.year} - {names[0]})"
        return _HOURS.format(f"({names[1]} - {names[0]})") if value.how == "hours" else names[0]

    def measure(self, measure: Measure) -> str:
        """A measure as an aggregate."""
        inside = self.value(measure.value) if measure.value else ""
        weight = self.value(measure.weight) if measure.weight else ""
        form = _AGGREGATES.get(measure.kind, f"{measure.kind.upper()}({{0}})")
        return form.format(inside, weight, measure.percent / 100)

    def group(self, group: Group) -> str:
        """A group's expression: parts of a time are numbers, names that count as one together."""
        text = _PARTS[group.unit].format(self.value(group.value))
        for each in (n for n in self.named if n.column == group.value.field.column):
            listed = ", ".join(map(constant, each.names))
            text = f"CASE WHEN {text} IN ({listed}) THEN {constant(each.label)} ELSE {text} END"
        return text

    def wheres(self, conditions: Sequence[Condition]) -> list[str]:
        """Conditions, as SQL of the same SELECT."""
        return [self.condition(each) for each in conditions]

    def condition(self, each: Condition) -> str:
        """A condition, as SQL of the same SELECT."""
        if isinstance(each, Not):
            return self._denied(each.part)
        if isinstance(each, (Both, Either)):
            word = " AND " if isinstance(each, Both) else " OR "
            return f"({word.join(self.wheres(each.parts))})"
        return self._related(each) if isinstance(each, Related) else self._test(each)

    def _denied(self, part: Condition) -> str:
        """What is not known is not so, for a value that may be missing."""
        if isinstance(part, Related) and part.op in ("", "none"):
            return self._related(replace(part, op="" if part.op else "none"))
        if not isinstance(part, Test) or part.op not in _OPPOSITE:
            return f"NOT ({self.condition(part)})"
        made = self._test(replace(part, op=_OPPOSITE[part.op]))
        loose = part.op == "in" and part.value.field.column.nullable
        return f"({made} OR {self.value(part.value)} IS NULL)" if loose else made

    def _test(self, test: Test) -> str:
        name, values, op = self.value(test.value), test.values, test.op
        if op in _TESTS:
            return _TESTS[op].format(name, *map(constant, values))
        if op in ("in", "not in"):
            listed, one = ", ".join(map(constant, values)), "=" if op == "in" else "<>"
            return (
                f"{name} {one} {listed}" if len(values) == 1 else f"{name} {op.upper()} ({listed})"
            )
        if op == "range":
            ends = [(op, v) for op, v in zip((">=", "<"), values, strict=True) if v is not None]
            return " AND ".join(f"{name} {op} {constant(v)}" for op, v in ends)
        if op == "newest":
            other, (owner, column) = f"{self.base}9", name.rsplit(".", 1)
            tie = f"{other}.{values[0]} = {owner}.{values[0]}"
            newest = f"SELECT MAX({other}.{column}) FROM {test.value.table} {other} WHERE {tie}"
            return f"{name} = ({newest})"
        return f"{name} {op} {self._other_side(values[0])}"

    def _other_side(self, other: Any) -> str:
        """What a figure is compared with: one of the same row, of a named row, or a constant."""
        if isinstance(other, Value):
            return self.value(other)
        if not isinstance(other, Query):
            return constant(other)
        inner = self.within(other.source)
        figure = inner.value(other.select[0])
        return f"({inner.inside(figure, inner.wheres(other.where))})"

    def _related(self, each: Related) -> str:
        """A subquery over the related rows, tied to the row outside."""
        first = next((n for n, e in enumerate(each.path) if e.many), len(each.path) - 1)
        before, edge, rest = each.path[:first], each.path[first], each.path[first + 1 :]
        owner = self.at(before)
        inner = self.within(edge.target)
        inner.at(rest)
        wheres = [f"{inner.base}.{edge.target_column} = {owner}.{edge.column}"]
        wheres += inner.wheres([lift(c, rest) for c in each.where])
        if each.op in ("", "none"):
            return f"{'NOT ' if each.op else ''}EXISTS ({inner.inside('1', wheres)})"
        of = each.of.along(lambda own: (*rest, *own)) if each.of else None
        figure = f"COALESCE(SUM({inner.value(of)}), 0)" if of else "COUNT(*)"
        return f"({inner.inside(figure, wheres)}) {compared(each.op, each.numbers)}"


def constant(value: Any) -> str:
    """A constant as SQL."""
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(int(value)) if value == int(value) else str(value)
    return "'" + str(value).replace("'", "''") + "'"


def compared(op: str, numbers: Sequence[Any]) -> str:
    """What stands behind a figure that is compared with numbers."""
    return f"{op.upper()} {' AND '.join(map(constant, numbers))}"


def measure_name(measure: Measure, source: str) -> str:
    """The name of a measure's column."""
    if measure.value is None:
        return short(source)
    kind = f"p{measure.percent:g}" if measure.kind == "percentile" else measure.kind
    return f"{_NAMES.get(kind, kind)}_{measure.value.name.replace(' ', '_')}".strip("_")
