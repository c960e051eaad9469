"""The SELECT of each shape of tree."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.standin.brain.bundle import leaves, moved
from harness.standin.brain.compose import (
    MAX_LIST,
    Draft,
    Joins,
    condition,
    constant,
    expression,
    group_text,
    measure_name,
    measured,
    tail,
)
from harness.standin.brain.row_drafts import _finished, _limited, _places, _rows, _wheres
from harness.standin.brain.schema import Schema
from harness.standin.brain.tree import Field, Group, Measure, Query, Test, Value

_FETCHED = 1000  # values for a computation
GROUPED = ("percentile", "median", "weighted")


def draft(
    query: Query, schema: Schema, named: Sequence[object] = (), in_sql: bool = False
) -> Draft:
    """The SQL of a tree. `named` are names that count as one; `in_sql`: percentiles there, too."""
    joins = Joins(schema, query.source)
    if query.shape in ("distance", "where"):
        return _places(query, joins)
    if query.shape == "share":
        return _share(query, joins, named)
    if query.per is not None:
        return _average_over(query, joins)
    if query.shape in ("list", "truth", "exists") or (
        query.shape in ("top", "best") and not isinstance(query.order and query.order.by, Measure)
    ):
        return _rows(query, joins)
    if query.shape == "best":
        return _best_groups(query, joins, named)
    if not in_sql and query.measures[0].kind in GROUPED:
        return _values(query, joins, named)
    return _figures(query, joins, named)


def _figures(query: Query, joins: Joins, named: Sequence[object]) -> Draft:
    if (
        (
            query.spread
            and len(query.groups) == 1
            and query.measures == (Measure("count"),)
            and not query.groups[0].value.field.many
        )
        and query.groups[0].value.field.path
        and query.shape == "value"
    ):
        return _spread(query, joins, named)
    groups = [(_group(g, joins, named), g.name) for g in query.groups]
    many = any(g.value.field.many for g in query.groups)
    key = joins.schema.tables[query.source].key
    heads = [f"{e} AS {n}" for e, n in groups]
    figures = []
    for measure in query.measures:
        made = measured(measure, joins)
        if many and measure.kind == "count" and key:
            made = f"COUNT(DISTINCT {joins.base}.{key[0]})"
        figures.append((made, measure_name(measure, query.source)))
    wheres = _wheres(query, joins)
    if query.shape == "top":
        wheres += [f"{e} IS NOT NULL" for e, _ in groups]
    selected = ", ".join([*heads, *(f"{e} AS {n}" for e, n in figures)])
    sql = f"SELECT {selected}\n{joins.text()}{tail(wheres)}"
    if groups:
        sql += f"\nGROUP BY {', '.join(e for e, _ in groups)}"
        if query.part:
            bound: Any = query.part[0]
            low = (
                f"BETWEEN {bound.numbers[0]:g} AND {bound.numbers[1]:g}"
                if bound.op == "between"
                else f"{bound.op} {bound.numbers[0]:g}"
            )
            sql += f"\nHAVING {figures[0][0]} {low}"
        sql += f"\nORDER BY {_order(query, groups, figures)}"
    return _finished(
        query,
        _limited(sql, query),
        joins,
        groups=len(groups),
        max_rows=MAX_LIST,
        names=tuple(n for _, n in figures),
    )


def _order(query: Query, groups: list[tuple[str, str]], figures: list[tuple[str, str]]) -> str:
    names = [n for _, n in groups]
    down = query.order.down if query.order else True
    if any(g.unit for g in query.groups) and query.order is None:
        return ", ".join(names)
    return f"{figures[0][1]} {'DESC' if down else 'ASC'} NULLS LAST, {', '.join(names)}"


def _group(group: Group, joins: Joins, named: Sequence[object]) -> str:
    """A group's expression, with names that count as one put together."""
    text = group_text(group, joins)
    for each in named:
        if each.column == group.value.field.column:  # type: ignore[attr-defined]
            listed = ", ".join(constant(n) for n in each.names)  # type: ignore[attr-defined]
            text = f"CASE WHEN {text} IN ({listed}) THEN {constant(each.label)} ELSE {text} END"  # type: ignore[attr-defined]
    return text


def _spread(query: Query, joins: Joins, named: Sequence[object]) -> Draft:
    """Counts for every row of the group's table, 0 included."""
    group = query.groups[0]
    path = group.value.field.path
    outer = Joins(joins.schema, path[-1].target)
    own = [
        c
        for c in query.where
        if all(isinstance(t, Test) and t.value.field.path[: len(path)] == path for t in leaves(c))
    ]
    rest = [c for c in query.where if c not in own]
    text = _group(replace(group, value=_rooted(group.value, len(path))), outer, named)
    inner = Joins(joins.schema, query.source, outer.taken)
    link = f"{inner.at(path[:-1])}.{path[-1].column}"
    wheres = [condition(c, inner) for c in rest]
    counted = f"SELECT {link} AS k, COUNT(*) AS n {' '.join(inner.text().split(chr(10)))}"
    counted += f" WHERE {' AND '.join(wheres)}" if wheres else ""
    name = measure_name(query.measures[0], query.source)
    heads = [condition(moved(c, lambda p: p[len(path) :]), outer) for c in own]
    sql = (
        f"SELECT {text} AS {group.name}, COALESCE(SUM(x.n), 0) AS {name}\n{outer.text()}\n"
        f"LEFT JOIN ({counted} GROUP BY {link}) x ON x.k = "
        f"{outer.base}.{path[-1].target_column}{tail(heads)}\n"
        f"GROUP BY {text}\nORDER BY {name} "
        f"{'DESC' if not query.order or query.order.down else 'ASC'} NULLS LAST, {group.name}"
    )
    return Draft(sql, "value", 1, False, MAX_LIST, (name,))


def _rooted(value: Value, cut: int) -> Value:
    return replace(value, fields=tuple(Field(f.column, f.path[cut:]) for f in value.fields))


def _average_over(query: Query, joins: Joins) -> Draft:
    """Counts or sums for each row of a table, zeros included, then their average."""
    path = query.per or ()
    outer = Joins(joins.schema, path[-1].target)
    own = [
        c
        for c in query.where
        if all(isinstance(t, Test) and t.value.field.path[: len(path)] == path for t in leaves(c))
    ]
    inner = Joins(joins.schema, query.source, outer.taken)
    link = f"{inner.at(path[:-1])}.{path[-1].column}"
    wheres = [condition(c, inner) for c in query.where if c not in own]
    measure = query.measures[0]
    figure = "COUNT(*)" if measure.value is None else f"SUM({expression(measure.value, inner)})"
    name = measure_name(
        replace(measure, kind="count") if measure.value is None else measure, query.source
    )
    name = name if name.startswith("average") else f"average_{name}"
    heads = [condition(moved(c, lambda p: p[len(path) :]), outer) for c in own]
    counted = f"SELECT {link} AS k, {figure} AS n {' '.join(inner.text().split(chr(10)))}"
    counted += f" WHERE {' AND '.join(wheres)}" if wheres else ""
    basis = path[-1].target.rsplit(".", 1)[-1]
    tables = "\n".join(
        [
            outer.text(),
            f"LEFT JOIN ({counted} GROUP BY {link}) x ON x.k = "
            f"{outer.base}.{path[-1].target_column}",
        ]
    )
    sql = f"SELECT AVG(COALESCE(x.n, 0)) AS {name}, COUNT(*) AS {basis}\n{tables}{tail(heads)}"
    return Draft(sql, "value", 0, False, names=(name, basis))


def _values(query: Query, joins: Joins, named: Sequence[object]) -> Draft:
    """Values (and weights) for JavaScript, each with the number of rows that have it."""
    measure = query.measures[0]
    assert measure.value is not None
    groups = [(_group(g, joins, named), g.name) for g in query.groups]
    picked = [*groups, (expression(measure.value, joins), "value")]
    if measure.weight is not None:
        picked.append((expression(measure.weight, joins), "weight"))
    wheres = [*_wheres(query, joins), f"{expression(measure.value, joins)} IS NOT NULL"]
    selected = ", ".join(f"{e} AS {n}" for e, n in picked)
    sql = (
        f"SELECT {selected}, COUNT(*) AS times\n{joins.text()}{tail(wheres)}\n"
        f"GROUP BY {', '.join(e for e, _ in picked)}\nORDER BY {', '.join(n for _, n in picked)}"
    )
    return Draft(sql, "values", len(groups), len(joins.lines) < 2, _FETCHED)


def _share(query: Query, joins: Joins, named: Sequence[object]) -> Draft:
    groups = [(_group(g, joins, named), g.name) for g in query.groups]
    measure = query.measures[0]
    short = query.source.rsplit(".", 1)[-1]
    whole = "COUNT(*)" if measure.value is None else f"SUM({expression(measure.value, joins)})"
    wheres = _wheres(query, joins)
    name = short if measure.value is None else measure_name(measure, query.source)
    if query.part:
        part = " AND ".join(condition(c, joins) for c in query.part)
        inside = "1" if measure.value is None else expression(measure.value, joins)
        some = (
            f"COUNT(CASE WHEN {part} THEN 1 END)"
            if measure.value is None
            else f"SUM(CASE WHEN {part} THEN {inside} END)"
        )
        figures = f"{some} AS part, {whole} AS {name}, 100.0 * {some} / {whole} AS percent"
    else:
        figures = f"{whole} AS {name}, 100.0 * {whole} / SUM({whole}) OVER () AS percent"
    heads = "".join(f"{e} AS {n}, " for e, n in groups)
    end = (
        f"\nGROUP BY {', '.join(e for e, _ in groups)}\nORDER BY percent DESC, "
        f"{', '.join(n for _, n in groups)}"
        if groups
        else ""
    )
    sql = f"SELECT {heads}{figures}\n{joins.text()}{tail(wheres)}{end}"
    return _finished(query, sql, joins, groups=len(groups), max_rows=MAX_LIST)


def _best_groups(query: Query, joins: Joins, named: Sequence[object]) -> Draft:
    """The best groups of each group: the database ranks them."""
    groups = [(_group(g, joins, named), g.name) for g in query.groups]
    measure, name = query.measures[0], measure_name(query.measures[0], query.source)
    outer = ", ".join(n for _, n in groups[:-1])
    down = "DESC" if not query.order or query.order.down else "ASC"
    selected = ", ".join(f"{e} AS {n}" for e, n in groups)
    wheres = [*_wheres(query, joins)]
    inner = (
        f"SELECT {selected}, {measured(measure, joins)} AS "
        f"{name}\n{joins.text()}{tail(wheres)}\nGROUP BY {', '.join(e for e, _ in groups)}"
    )
    ranked = (
        f"SELECT y.*, RANK() OVER (PARTITION BY {outer} ORDER BY {name} {down}) AS "
        f"place FROM ({inner}) y"
    )
    names = ", ".join([*(n for _, n in groups), name])
    sql = (
        f"SELECT {names}\nFROM ({ranked}) z\nWHERE place <= {query.limit}\nORDER BY "
        f"{outer}, place, {groups[-1][1]}"
    )
    return Draft(sql, "value", len(groups), False, MAX_LIST, (name,))
