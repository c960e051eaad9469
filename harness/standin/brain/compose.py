"""A tree as SQL: joins along the observed references, conditions, groups, order."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from harness.standin.brain.bundle import lift
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
)

TIES = 10  # rows beyond the asked number that may share its figure
MAX_LIST = 500


@dataclass
class Draft:
    """SQL, and what its columns are: groups first, then figures."""

    sql: str
    shape: str = "value"
    groups: int = 0
    plain: bool = True
    max_rows: int = 50
    names: tuple[str, ...] = ()


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
        name = table.rsplit(".", 1)[-1].lower()
        for size in range(1, len(name) + 1):
            if name[:size] not in self.taken and name[:size] not in _RESERVED:
                self.taken.add(name[:size])
                return name[:size]
        made = next(f"{name[0]}{n}" for n in range(2, 99) if f"{name[0]}{n}" not in self.taken)
        self.taken.add(made)
        return made

    @property
    def base(self) -> str:
        """The alias of the source."""
        return self.aliases[()]

    def at(self, path: Path, outer: bool = False) -> str:
        """The alias at the end of a path, joined if it is not yet."""
        if path in self.aliases:
            return self.aliases[path]
        edge, before = path[-1], self.at(path[:-1], outer)
        alias = self._alias(edge.target)
        self.aliases[path] = alias
        self.lines.append(
            f"JOIN {edge.target} {alias} ON {alias}.{edge.target_column} = {before}.{edge.column}"
        )
        return alias

    def name(self, at: Field) -> str:
        """A column, with its alias."""
        return f"{self.at(at.path)}.{at.column.name}"

    def text(self) -> str:
        """FROM and its joins."""
        return "\n".join([f"FROM {self.source} {self.base}", *self.lines])


_RESERVED = frozenset("as at by do if in is no of on or to and asc end not for".split())


def constant(value: Any) -> str:
    """A constant as SQL."""
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def expression(value: Value, joins: Joins) -> str:
    """A figure of one row."""
    names = [joins.name(f) for f in value.fields]
    if value.how == "product":
        return f"{names[0]} * {names[1]}"
    if value.how == "age" and value.today is not None:
        return f"({value.today.year} - {names[0]})"
    if value.how == "hours":
        gap = f"({names[1]} - {names[0]})"
        return (
            f"(EXTRACT(DAY FROM {gap}) * 24 + EXTRACT(HOUR FROM {gap}) + EXTRACT(MINUTE "
            f"FROM {gap}) / 60)"
        )
    return names[0]


def condition(each: Condition, joins: Joins) -> str:
    """A condition, as SQL of the same SELECT."""
    if isinstance(each, Not):
        inner = each.part
        if isinstance(inner, Test):
            return _not_test(inner, joins)
        return (
            f"NOT ({condition(inner, joins)})"
            if not isinstance(inner, Related)
            else f"NOT {condition(inner, joins)}"
        )
    if isinstance(each, (Both, Either)):
        word = " AND " if isinstance(each, Both) else " OR "
        return "(" + word.join(condition(part, joins) for part in each.parts) + ")"
    return _related(each, joins) if isinstance(each, Related) else _test(each, joins)


def _not_test(test: Test, joins: Joins) -> str:
    """What is not known is not so, for a value that may be missing."""
    if test.op == "null":
        return f"{expression(test.value, joins)} IS NOT NULL"
    if test.op == "given":
        return f"{expression(test.value, joins)} IS NULL"
    name = expression(test.value, joins)
    if test.op == "in":
        listed = ", ".join(map(constant, test.values))
        made = f"{name} <> {listed}" if len(test.values) == 1 else f"{name} NOT IN ({listed})"
        return f"({made} OR {name} IS NULL)" if test.value.field.column.nullable else made
    if test.op == "=":
        return f"{name} <> {constant(test.values[0])}"
    return f"NOT ({_test(test, joins)})"


def _test(test: Test, joins: Joins) -> str:
    name, values = expression(test.value, joins), test.values
    if test.op in ("null", "given"):
        return f"{name} IS {'NOT ' if test.op == 'given' else ''}NULL"
    if test.op == "in":
        listed = ", ".join(map(constant, values))
        return f"{name} = {listed}" if len(values) == 1 else f"{name} IN ({listed})"
    if test.op == "between":
        return f"{name} BETWEEN {constant(values[0])} AND {constant(values[1])}"
    if test.op == "range":
        ends = [
            f"{name} {op} {constant(v)}"
            for op, v in zip((">=", "<"), values, strict=True)
            if v is not None
        ]
        return " AND ".join(ends)
    if test.op == "like":
        return f"LOWER({name}) LIKE {constant(values[0])}"
    if test.op == "weekday":
        return f"EXTRACT(ISODOW FROM {name}) = {values[0]}"
    if test.op == "newest":
        other = f"{joins.base}9"
        edge = values[0]
        table, column = test.value.field.column.table, test.value.field.column.name
        owner = name.rsplit(".", 1)[0]
        return (
            f"{name} = (SELECT MAX({other}.{column}) FROM {table} {other} WHERE "
            f"{other}.{edge} = {owner}.{edge})"
        )
    if isinstance(values[0], Value):
        return f"{name} {test.op} {expression(values[0], joins)}"
    if isinstance(values[0], Query):
        inner, _ = select_figure(values[0], joins)
        return f"{name} {test.op} ({inner})"
    return f"{name} {test.op} {constant(values[0])}"


def select_figure(query: Query, outer: Joins) -> tuple[str, Joins]:
    """A SELECT of one figure, inside another."""
    joins = Joins(outer.schema, query.source, outer.taken)
    value = query.select[0] if query.select else None
    head = expression(value, joins) if value else "COUNT(*)"
    wheres = [condition(c, joins) for c in query.where]
    tail = f" WHERE {' AND '.join(wheres)}" if wheres else ""
    return f"SELECT {head} {_flat(joins.text())}{tail}", joins


def _flat(text: str) -> str:
    return " ".join(text.split("\n"))


def _related(each: Related, joins: Joins) -> str:
    """A subquery over the related rows, tied to the row outside."""
    first = (
        next(n for n, edge in enumerate(each.path) if edge.many)
        if any(e.many for e in each.path)
        else len(each.path) - 1
    )
    before, edge, rest = each.path[:first], each.path[first], each.path[first + 1 :]
    owner = joins.at(before)
    inner = Joins(joins.schema, edge.target, joins.taken)
    inner.at(rest)
    wheres = [f"{inner.base}.{edge.target_column} = {owner}.{edge.column}"]
    wheres += [condition(_pushed(c, rest), inner) for c in each.where]
    counted = (bool(each.op) and each.op != "none") or each.measure is not None
    figure = measured(each.measure, inner) if each.measure else "COUNT(*)" if counted else "1"
    if counted and each.measure is None and rest:
        figure = "COUNT(*)"
    sql = f"(SELECT {figure} {_flat(inner.text())} WHERE {' AND '.join(wheres)})"
    if not counted:
        return f"{'NOT ' if each.op == 'none' else ''}EXISTS {sql}"
    if isinstance(each.number, tuple):
        return f"{sql} BETWEEN {each.number[0]:g} AND {each.number[1]:g}"
    return f"{sql} {each.op} {each.number:g}"


def _pushed(each: Condition, rest: Path) -> Condition:
    return lift(each, rest) if rest else each


def measured(measure: Measure, joins: Joins) -> str:
    """A measure as an aggregate."""
    if measure.kind == "count":
        return "COUNT(*)"
    assert measure.value is not None
    inside = expression(measure.value, joins)
    if measure.kind == "weighted" and measure.weight is not None:
        weight = expression(measure.weight, joins)
        return (
            f"SUM({inside} * {weight}) * 1.0 / SUM(CASE WHEN {inside} IS NOT NULL THEN "
            f"{weight} END)"
        )
    if measure.kind in ("percentile", "median"):
        return f"PERCENTILE_CONT({measure.percent / 100:g}) WITHIN GROUP (ORDER BY {inside})"
    word = {"distinct": "COUNT(DISTINCT {})", "spread": "STDDEV_SAMP({})", "row": "MAX({})"}.get(
        measure.kind, measure.kind.upper() + "({})"
    )
    return word.format(inside)


def measure_name(measure: Measure, source: str) -> str:
    """The name of a measure's column."""
    short = source.rsplit(".", 1)[-1]
    if measure.kind == "count":
        return short
    assert measure.value is not None
    words = {
        "sum": "total",
        "avg": "average",
        "min": "minimum",
        "max": "maximum",
        "distinct": "different",
        "spread": "standard_deviation",
        "percentile": f"p{measure.percent:g}",
        "median": "median",
        "weighted": "weighted_mean",
        "row": "",
    }
    name = measure.value.name.replace(" ", "_")
    return f"{words.get(measure.kind, measure.kind)}_{name}".strip("_")


def group_text(group: Group, joins: Joins) -> str:
    """A group's expression; the parts of a time are numbers."""
    name = expression(group.value, joins)
    year = f"EXTRACT(YEAR FROM {name})"
    if group.unit in ("", None):
        return name
    return {
        "year": year,
        "quarter": f"{year} * 10 + EXTRACT(QUARTER FROM {name})",
        "month": f"{year} * 100 + EXTRACT(MONTH FROM {name})",
        "day": f"CAST({name} AS DATE)",
        "week": f"EXTRACT(ISOYEAR FROM {name}) * 100 + EXTRACT(WEEK FROM {name})",
        "weekday": f"EXTRACT(ISODOW FROM {name})",
    }[group.unit]


def tail(wheres: list[str]) -> str:
    """WHERE, where there is something to say."""
    return f"\nWHERE {' AND '.join(dict.fromkeys(wheres))}" if wheres else ""
