"""The SELECT of each shape of tree."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.standin.brain.bundle import cut, leaves
from harness.standin.brain.compose import (
    MAX_LIST,
    Draft,
    Joins,
    compared,
    condition,
    constant,
    expression,
    group_text,
    measure_name,
    measured,
    tail,
)
from harness.standin.brain.row_drafts import finished, limited, places, rows
from harness.standin.brain.schema import Schema
from harness.standin.brain.tree import Condition, Group, Measure, Path, Query, Test

_FETCHED = 1000  # values for a computation
GROUPED = ("percentile", "median", "weighted")
Named = Sequence[Any]  # names that count as one
Column = tuple[str, str]  # an expression and its name


def draft(query: Query, schema: Schema, named: Named = (), in_sql: bool = False) -> Draft:
    """The SQL of a tree. `named` are names that count as one; `in_sql`: percentiles there, too."""
    joins = Joins(schema, query.source)
    if query.places:
        return places(query, joins)
    if query.per is not None or _is_spread(query):
        return _of_each(query, joins, named)
    if query.shape in ("list", "truth", "exists") or not query.measures:
        return rows(query, joins)
    groups = [(_group(g, joins, named), g.name) for g in query.groups]
    if query.shape == "share":
        return _share(query, joins, groups)
    if query.shape == "best":
        return _best_groups(query, joins, groups)
    if not in_sql and query.measures[0].kind in GROUPED:
        return _values(query, joins, groups)
    return _figures(query, joins, groups)


def _group(group: Group, joins: Joins, named: Named) -> str:
    """A group's expression, with names that count as one put together."""
    text = group_text(group, joins)
    for each in named:
        if each.column == group.value.field.column:
            listed = ", ".join(map(constant, each.names))
            text = f"CASE WHEN {text} IN ({listed}) THEN {constant(each.label)} ELSE {text} END"
    return text


def _listed(columns: Sequence[Column]) -> str:
    return ", ".join(f"{e} AS {n}" for e, n in columns)


def _by(columns: Sequence[Column]) -> str:
    return f"\nGROUP BY {', '.join(e for e, _ in columns)}"


def _direction(query: Query) -> str:
    return "DESC" if query.order is None or query.order.down else "ASC"


def _wheres(query: Query, joins: Joins) -> list[str]:
    return [condition(c, joins) for c in query.where]


def _figures(query: Query, joins: Joins, groups: list[Column]) -> Draft:
    """Figures, by group or alone."""
    figures = [(measured(m, joins), measure_name(m, query.source)) for m in query.measures]
    key = joins.schema.tables[query.source].key
    if key and any(g.value.field.many for g in query.groups):
        once = f"COUNT(DISTINCT {joins.base}.{key[0]})"
        figures = [(once if e == "COUNT(*)" else e, n) for e, n in figures]
    wheres = _wheres(query, joins)
    if query.shape == "top":
        wheres += [f"{e} IS NOT NULL" for e, _ in groups]
    sql = f"SELECT {_listed([*groups, *figures])}\n{joins.text()}{tail(wheres)}"
    if groups:
        sql += _by(groups)
        if query.part:
            bound: Any = query.part[0]
            sql += f"\nHAVING {figures[0][0]} {compared(bound.op, bound.numbers)}"
        names = ", ".join(n for _, n in groups)
        in_time = query.order is None and any(g.unit for g in query.groups)
        first = "" if in_time else f"{figures[0][1]} {_direction(query)} NULLS LAST, "
        sql += f"\nORDER BY {first}{names}"
    return finished(query, limited(sql, query), joins, groups=len(groups), max_rows=MAX_LIST)


def _is_spread(query: Query) -> bool:
    """Whether groups without rows count as 0, and can be had from a table of their own."""
    if not query.spread or len(query.groups) != 1 or query.measures != (Measure("count"),):
        return False
    field = query.groups[0].value.field
    return query.shape == "value" and bool(field.path) and not field.many


def _of_each(query: Query, joins: Joins, named: Named) -> Draft:
    """Counts or sums for every row of a table, 0 included: shown by group, or their average."""
    group, measure = (None if query.per else query.groups[0]), query.measures[0]
    path = group.value.field.path if group else query.per or ()
    outer = Joins(joins.schema, path[-1].target)
    text = ""
    if group:
        value = group.value.along(lambda own: own[len(path) :])
        text = _group(replace(group, value=value), outer, named)
    own = [c for c in query.where if _lies_on(c, path)]
    inner = Joins(joins.schema, query.source, outer.taken)
    link = f"{inner.at(path[:-1])}.{path[-1].column}"
    wheres = [condition(c, inner) for c in query.where if c not in own]
    figure = f"SUM({expression(measure.value, inner)})" if measure.value else "COUNT(*)"
    heads = tail([condition(cut(c, len(path)), outer) for c in own])
    counted = inner.inside(f"{link} AS k, {figure} AS n", wheres)
    on = f"x.k = {outer.base}.{path[-1].target_column}"
    tables = f"{outer.text()}\nLEFT JOIN ({counted} GROUP BY {link}) x ON {on}{heads}"
    name = measure_name(measure, query.source)
    if group:
        order = f"{name} {_direction(query)} NULLS LAST, {group.name}"
        select = f"{text} AS {group.name}, COALESCE(SUM(x.n), 0) AS {name}"
        sql = f"SELECT {select}\n{tables}\nGROUP BY {text}\nORDER BY {order}"
        return Draft(sql, "value", 1, False, MAX_LIST)
    name = name if name.startswith("average") else f"average_{name}"
    basis = path[-1].target.rsplit(".", 1)[-1]
    return Draft(
        f"SELECT AVG(COALESCE(x.n, 0)) AS {name}, COUNT(*) AS {basis}\n{tables}", plain=False
    )


def _lies_on(each: Condition, path: Path) -> bool:
    """Whether a condition is about what a path leads to."""
    return all(
        isinstance(t, Test) and t.value.field.path[: len(path)] == path for t in leaves(each)
    )


def _values(query: Query, joins: Joins, groups: list[Column]) -> Draft:
    """Values (and weights) for JavaScript, each with the number of rows that have it."""
    measure = query.measures[0]
    assert measure.value is not None
    figure = expression(measure.value, joins)
    picked = [*groups, (figure, "value")]
    if measure.weight is not None:
        picked.append((expression(measure.weight, joins), "weight"))
    wheres = tail([*_wheres(query, joins), f"{figure} IS NOT NULL"])
    sql = f"SELECT {_listed(picked)}, COUNT(*) AS times\n{joins.text()}{wheres}{_by(picked)}"
    sql += f"\nORDER BY {', '.join(n for _, n in picked)}"
    return Draft(sql, "values", len(groups), len(joins.lines) < 2, _FETCHED)


def _share(query: Query, joins: Joins, groups: list[Column]) -> Draft:
    """A part of the rows, or of a total, and what it is of the whole in percent."""
    measure = query.measures[0]
    inside = expression(measure.value, joins) if measure.value else ""
    whole = f"SUM({inside})" if inside else "COUNT(*)"
    wheres, name = _wheres(query, joins), measure_name(measure, query.source)
    if query.part:
        part = " AND ".join(condition(c, joins) for c in query.part)
        some = f"{'SUM' if inside else 'COUNT'}(CASE WHEN {part} THEN {inside or 1} END)"
        figures = f"{some} AS part, {whole} AS {name}, 100.0 * {some} / {whole} AS percent"
    else:
        figures = f"{whole} AS {name}, 100.0 * {whole} / SUM({whole}) OVER () AS percent"
    heads = f"{_listed(groups)}, " if groups else ""
    sql = f"SELECT {heads}{figures}\n{joins.text()}{tail(wheres)}"
    if groups:
        sql += f"{_by(groups)}\nORDER BY percent DESC, {', '.join(n for _, n in groups)}"
    return finished(query, sql, joins, groups=len(groups), max_rows=MAX_LIST)


def _best_groups(query: Query, joins: Joins, groups: list[Column]) -> Draft:
    """The best groups of each group: the database ranks them."""
    name, down = measure_name(query.measures[0], query.source), _direction(query)
    names = [n for _, n in groups]
    outer = ", ".join(names[:-1])
    wheres = tail(_wheres(query, joins))
    picked = _listed([*groups, (measured(query.measures[0], joins), name)])
    inner = f"SELECT {picked}\n{joins.text()}{wheres}{_by(groups)}"
    place = f"RANK() OVER (PARTITION BY {outer} ORDER BY {name} {down}) AS place"
    sql = (
        f"SELECT {', '.join([*names, name])}\nFROM (SELECT y.*, {place} FROM ({inner}) y) z\n"
        f"WHERE place <= {query.limit}\nORDER BY {outer}, place, {names[-1]}"
    )
    return Draft(sql, "value", len(groups), False, MAX_LIST)
