"""A tree as one SELECT."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from harness.standin.brain.compose import MAX_LIST, TIES, Draft, Joins, compared, measure_name
from harness.standin.brain.factlines import Column as Known
from harness.standin.brain.factlines import short
from harness.standin.brain.schema import Schema
from harness.standin.brain.tree import (
    Condition,
    Measure,
    Path,
    Problem,
    Query,
    Test,
    Value,
    cut,
    leaves,
)
from harness.standin.brain.ways import name_at, role_name

_FETCHED = 1000  # values for a computation
_FETCHES = ("percentile", "median", "weighted")
Column = tuple[str, str]  # an expression and its name


@dataclass
class Select:
    """What a kind of tree puts into its SELECT, beside the joins and the conditions."""

    columns: list[Column]
    order: str = ""
    wheres: list[str] = field(default_factory=list)
    by: Sequence[Column] = ()
    having: str = ""


def draft(query: Query, schema: Schema, named: Sequence[Any] = (), in_sql: bool = False) -> Draft:
    """The SQL of a tree. `named` are names that count as one; `in_sql`: percentiles there, too."""
    joins = Joins(schema, query.source, named)
    if query.per is not None or _is_spread(query):
        return _of_each(query, joins)
    groups = [(joins.group(g), g.name) for g in query.groups]
    kind = query.measures[0].kind if query.measures else ""
    fetched = kind in _FETCHES and not in_sql and query.shape != "share"
    rows = not query.measures or query.shape in ("list", "truth", "exists")
    reader = _rows if rows else _share if query.shape == "share" else _figures
    made = (_values if fetched else reader)(query, joins, groups)
    where = _tail([*joins.wheres(query.where), *made.wheres])
    sql = f"SELECT {_listed(made.columns, bool(made.by))}\n{joins.text()}{where}"
    sql += f"\nGROUP BY {', '.join(e for e, _ in made.by)}{made.having}" if made.by else ""
    if query.shape == "best":
        sql = _first_of_each(query, sql, made)
    else:
        sql += f"\nORDER BY {made.order}" if made.order else ""
    if query.shape == "top" and query.limit:
        sql += f"\nFETCH FIRST {query.limit + query.skip + TIES} ROWS ONLY"
    plain = len(joins.lines) < 2 and sql.count("SELECT") == 1
    shape, most = ("values", _FETCHED) if fetched else (query.shape, MAX_LIST)
    return Draft(sql, shape, len(groups) or int(rows), plain, most)


def _tail(wheres: Sequence[str]) -> str:
    """WHERE, where there is something to say."""
    return f"\nWHERE {' AND '.join(dict.fromkeys(wheres))}" if wheres else ""


def _listed(columns: Sequence[Column], every: bool) -> str:
    """What is selected; a column of that name needs no alias, unless rows are put together."""
    plain = [not every and e.endswith(f".{n}") for e, n in columns]
    return ", ".join(e if p else f"{e} AS {n}" for (e, n), p in zip(columns, plain, strict=True))


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(name for _, name in columns)


def _way(query: Query) -> str:
    return "DESC" if query.order is None or query.order.down else "ASC"


def _rows(query: Query, joins: Joins, groups: list[Column]) -> Select:
    """Rows by name, with the values that the question speaks of."""
    label = joins.schema.tables[query.source].label
    if label is None:
        source = short(query.source)
        raise Problem("need", [source], f"what {source} are called")
    order = query.order.by if query.order and isinstance(query.order.by, Value) else None
    chosen = _chosen(query, joins, label, order)
    base = f"{joins.base}.{label.name}"
    if query.shape == "truth":
        part = " AND ".join(joins.condition(c) for c in query.part)
        chosen.append((f"CASE WHEN {part} THEN 1 ELSE 0 END", "holds"))
    chosen = [*groups, *(c for c in chosen if c[0] not in [e for e, _ in groups])]
    if order is None:
        down = query.order is not None and query.order.down
        return Select(chosen, f"{base}{' DESC' if down else ''}")
    figure = joins.value(order)
    first = query.shape in ("top", "best")
    known = [f"{figure} IS NOT NULL"] if first else []
    return Select(chosen, f"{figure} {_way(query)} NULLS LAST, {base}", known)


def _chosen(query: Query, joins: Joins, label: Known, order: Value | None) -> list[Column]:
    """What is shown of each row: its name, the figure of the order, what was named of it."""
    table = joins.schema.tables[query.source]
    chosen = [(f"{joins.base}.{label.name}", label.name)]
    if not table.named and table.key and table.key[0] != label.name:
        chosen.insert(0, (f"{joins.base}.{table.key[0]}", table.key[0]))
    for value in [*([order] if order else []), *query.select, *_shown(query)]:
        _add(chosen, value, joins)
    if label.name in table.key and query.shape == "top":
        for value in _referred(joins, query.source):
            _add(chosen, value, joins)
    elif label.name in table.key and len(chosen) == 1:
        texts = [c for c in table.columns.values() if c.values and c.is_text][:3]
        chosen += [(f"{joins.base}.{c.name}", c.name) for c in texts]
    return chosen


def _shown(query: Query) -> list[Value]:
    """Values that the conditions speak of, where they are not the same in each row."""
    found: list[Value] = []
    truth = query.shape == "truth"
    for each in query.part if truth else query.where:
        for test in leaves(each):
            if not isinstance(test, Test) or test.op in ("newest", "null"):
                continue
            fixed = test.op in ("in", "=") and len(test.values) == 1 and each is test
            if (truth or not fixed) and not any(f.many for f in test.value.fields):
                found += [test.value, *(v for v in test.values if isinstance(v, Value))]
    return found


def _add(chosen: list[Column], value: Value, joins: Joins) -> None:
    """Add a value under a name of its own."""
    text = joins.value(value)
    if text in [e for e, _ in chosen]:
        return
    column, path, names = value.field.column, value.field.path, [n for _, n in chosen]
    name = value.name.replace(" ", "_")
    label, owner = joins.schema.tables[column.table].label, short(column.table)
    of_other = path and value.how == "column" and name == column.name
    if of_other and (name in names or column == label):
        edge = path[-1]
        name = owner[:-1] if owner.endswith("s") and "_" not in owner else owner
        if joins.schema.twins(edge.table, edge.target):
            name = role_name(edge.reference[1])
        name = name if column == label else f"{name}_{column.name}"
    chosen.append((text, f"{owner}_{column.name}" if name in names else name))


def _referred(joins: Joins, source: str) -> list[Value]:
    """What says most about a row without a name: the names of what it refers to."""
    made = []
    for edge in joins.schema.edges(source):
        value = name_at(joins.schema, edge.target, (edge,))
        twins = joins.schema.twins(edge.table, edge.target)
        keyed = value and value.name in joins.schema.tables[edge.target].key
        if value and not (keyed or edge.many or twins):
            made.append(value)
    return made


def _figures(query: Query, joins: Joins, groups: list[Column]) -> Select:
    """Figures, by group or alone."""
    figures = [(joins.measure(m), measure_name(m, query.source)) for m in query.measures]
    key = joins.schema.tables[query.source].key
    if key and any(g.value.field.many for g in query.groups):
        once = f"COUNT(DISTINCT {joins.base}.{key[0]})"
        figures = [(once if e == "COUNT(*)" else e, n) for e, n in figures]
    if not groups:
        return Select(figures)
    known = [f"{e} IS NOT NULL" for e, _ in groups] if query.shape == "top" else []
    bounds: list[Any] = [*query.part]
    having = [f"\nHAVING {figures[0][0]} {compared(b.op, b.numbers)}" for b in bounds]
    in_time = query.order is None and any(g.unit for g in query.groups)
    first = "" if in_time else f"{figures[0][1]} {_way(query)} NULLS LAST, "
    return Select([*groups, *figures], first + _names(groups), known, groups, "".join(having))


def _values(query: Query, joins: Joins, groups: list[Column]) -> Select:
    """Values (and weights) for JavaScript, each with the number of rows that have it."""
    measure = query.measures[0]
    named = ((measure.value, "value"), (measure.weight, "weight"))
    picked = [*groups, *((joins.value(v), n) for v, n in named if v)]
    known = [f"{picked[len(groups)][0]} IS NOT NULL"]
    return Select([*picked, ("COUNT(*)", "times")], _names(picked), known, picked)


def _share(query: Query, joins: Joins, groups: list[Column]) -> Select:
    """A part of the rows, or of a total, and what it is of the whole in percent."""
    measure = query.measures[0]
    inside = joins.value(measure.value) if measure.value else ""
    whole = f"SUM({inside})" if inside else "COUNT(*)"
    figures = [(whole, measure_name(measure, query.source))]
    if query.part:
        part = " AND ".join(joins.condition(c) for c in query.part)
        some = f"{'SUM' if inside else 'COUNT'}(CASE WHEN {part} THEN {inside or 1} END)"
        figures = [(some, "part"), *figures, (f"100.0 * {some} / NULLIF({whole}, 0)", "percent")]
    else:
        total = f"NULLIF(SUM({whole}) OVER (), 0)"
        figures.append((f"100.0 * {whole} / {total}", "percent"))
    order = f"percent {_way(query)} NULLS LAST, {_names(groups)}" if groups else ""
    return Select([*groups, *figures], order, by=groups)


def _first_of_each(query: Query, sql: str, made: Select) -> str:
    """The first rows, or groups, of each group: the database ranks them."""
    outer = _names(made.columns[: len(query.groups) - bool(query.measures)])
    figure = made.columns[-1][1]
    if query.order and isinstance(query.order.by, Value):
        figure = query.order.by.name.replace(" ", "_")
    place = f"RANK() OVER (PARTITION BY {outer} ORDER BY {figure} {_way(query)}) AS place"
    kept = f"WHERE place BETWEEN {query.skip + 1} AND {query.skip + query.limit}"
    last = made.columns[len(query.groups) - bool(query.measures)][1]
    return (
        f"SELECT {_names(made.columns)}\nFROM (SELECT y.*, {place} FROM ({sql}) y) z\n"
        f"{kept}\nORDER BY {outer}, place, {last}"
    )


def _is_spread(query: Query) -> bool:
    """Whether groups without rows count as 0, and can be had from a table of their own."""
    if not query.spread or len(query.groups) != 1 or query.measures != (Measure("count"),):
        return False
    field = query.groups[0].value.field
    return query.shape == "value" and bool(field.path) and not field.many


def _of_each(query: Query, joins: Joins) -> Draft:
    """Counts or sums for every row of a table, 0 included: shown by group, or their average."""
    group, measure = (None if query.per else query.groups[0]), query.measures[0]
    path = group.value.field.path if group else query.per or ()
    outer = Joins(joins.schema, path[-1].target, joins.named)
    if group:
        group = replace(group, value=group.value.along(lambda own: own[len(path) :]))
    text = outer.group(group) if group else ""
    own = [c for c in query.where if _lies_on(c, path)]
    inner = outer.within(query.source)
    link = f"{inner.at(path[:-1])}.{path[-1].column}"
    wheres = inner.wheres([c for c in query.where if c not in own])
    figure = f"SUM({inner.value(measure.value)})" if measure.value else "COUNT(*)"
    heads = _tail(outer.wheres([cut(c, len(path)) for c in own]))
    counted = inner.inside(f"{link} AS k, {figure} AS n", wheres)
    on = f"x.k = {outer.base}.{path[-1].target_column}"
    join = "LEFT JOIN" if query.spread else "JOIN"
    tables = f"{outer.text()}\n{join} ({counted} GROUP BY {link}) x ON {on}{heads}"
    name = measure_name(measure, query.source)
    if group:
        order = f"{name} {_way(query)} NULLS LAST, {group.name}"
        select = f"{text} AS {group.name}, COALESCE(SUM(x.n), 0) AS {name}"
        sql = f"SELECT {select}\n{tables}\nGROUP BY {text}\nORDER BY {order}"
        return Draft(sql, "value", 1, False, MAX_LIST)
    name = name if name.startswith("average") else f"average_{name}"
    basis = short(path[-1].target)
    return Draft(
        f"SELECT AVG(COALESCE(x.n, 0)) AS {name}, COUNT(*) AS {basis}\n{tables}", plain=False
    )


def _lies_on(each: Condition, path: Path) -> bool:
    """Whether a condition is about what a path leads to."""
    return all(
        isinstance(t, Test) and t.value.field.path[: len(path)] == path for t in leaves(each)
    )
