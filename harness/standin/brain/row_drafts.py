"""The SELECT of rows and of places."""

from typing import Any

from harness.standin.brain.bundle import leaves
from harness.standin.brain.compose import (
    MAX_LIST,
    TIES,
    Draft,
    Joins,
    condition,
    constant,
    expression,
    group_text,
    tail,
)
from harness.standin.brain.factlines import Column
from harness.standin.brain.schema import Schema
from harness.standin.brain.tree import Field, Problem, Query, Test, Value
from harness.standin.brain.ways import path_between


def finished(query: Query, sql: str, joins: Joins, **more: Any) -> Draft:
    """The draft of a tree; a short one needs no second reading."""
    return Draft(sql, query.shape, plain=len(joins.lines) < 2 and sql.count("SELECT") == 1, **more)


def limited(sql: str, query: Query) -> str:
    """As many rows as are asked for, and some that may share the last one's figure."""
    return f"{sql}\nFETCH FIRST {query.limit + query.skip + TIES} ROWS ONLY" if query.limit else sql


def rows(query: Query, joins: Joins) -> Draft:
    """Rows by name, with the values that the question speaks of."""
    label = joins.schema.tables[query.source].label
    if label is None:
        short = joins.schema.tables[query.source].short
        raise Problem("need", [short], f"what {short} are called")
    order = query.order.by if query.order and isinstance(query.order.by, Value) else None
    down = query.order is not None and query.order.down
    chosen = _chosen(query, joins, label, order)
    wheres = [condition(c, joins) for c in query.where]
    base = f"{joins.base}.{label.name}"
    by = f"{base}{' DESC' if down else ''}"
    if order is not None:
        figure = expression(order, joins)
        by = f"{figure} {'DESC' if down else 'ASC'} NULLS LAST, {base}"
        if query.shape in ("top", "best"):
            wheres.append(f"{figure} IS NOT NULL")
    if order is not None and query.groups:
        wheres.append(_of_each(query, joins, order, down))
        groups = [(group_text(g, joins), g.name) for g in query.groups]
        chosen = [*groups, *(c for c in chosen if c[0] not in [e for e, _ in groups])]
        by = f"{', '.join(n for _, n in groups)}, {by}"
    selected = ", ".join(e if e.endswith(f".{n}") else f"{e} AS {n}" for e, n in chosen)
    sql = f"SELECT {selected}\n{joins.text()}{tail(wheres)}\nORDER BY {by}"
    sql = limited(sql, query) if query.shape == "top" else sql
    return finished(query, sql, joins, groups=len(query.groups) or 1, max_rows=MAX_LIST)


def _chosen(
    query: Query, joins: Joins, label: Column, order: Value | None
) -> list[tuple[str, str]]:
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


def _of_each(query: Query, joins: Joins, order: Value, down: bool) -> str:
    """Only the rows with the best figure of their group."""
    inner = Joins(joins.schema, query.source, joins.taken)
    wheres = [f"{group_text(g, inner)} = {group_text(g, joins)}" for g in query.groups]
    wheres += [condition(c, inner) for c in query.where]
    best = f"{'MAX' if down else 'MIN'}({expression(order, inner)})"
    return f"{expression(order, joins)} = ({inner.inside(best, wheres)})"


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


def _add(chosen: list[tuple[str, str]], value: Value, joins: Joins) -> None:
    """Add a value under a name of its own."""
    text = expression(value, joins)
    if text in [e for e, _ in chosen]:
        return
    column, path, names = value.field.column, value.field.path, [n for _, n in chosen]
    name = value.name.replace(" ", "_")
    label, short = joins.schema.tables[column.table].label, column.table.rsplit(".", 1)[-1]
    of_other = path and value.how == "column" and name == column.name
    if of_other and (name in names or column == label):
        edge = path[-1]
        name = short[:-1] if short.endswith("s") and "_" not in short else short
        if joins.schema.twins(edge.table, edge.target):
            name = "_".join(p for p in edge.reference[1].split("_") if p != "id")
        name = name if column == label else f"{name}_{column.name}"
    chosen.append((text, f"{short}_{column.name}" if name in names else name))


def _referred(joins: Joins, source: str) -> list[Value]:
    """What says most about a row without a name: the names of what it refers to."""
    made = []
    for edge in joins.schema.edges(source):
        target = joins.schema.tables.get(edge.target)
        label = target.label if target else None
        twins = joins.schema.twins(edge.table, edge.target)
        if target and label and not edge.many and not twins and label.name not in target.key:
            made.append(Value("column", (Field(label, (edge,)),), "", label.name))
    return made


def places(query: Query, joins: Joins) -> Draft:
    """Names with their coordinates; of a log, the newest."""
    made = []
    for column, name in query.places:
        lines = Joins(joins.schema, query.source)
        path = path_between(joins.schema, query.source, column.table)
        label = lines.name(Field(column, path))
        axes = [_axis(joins.schema, query.source, w) for w in ("latitude", "longitude")]
        picked = [f"{label} AS place", f"{lines.base}.{axes[0]} AS latitude"]
        picked.append(f"{lines.base}.{axes[1]} AS longitude")
        wheres = [f"{label} = {constant(name)}"] if query.shape != "nearest" else []
        if query.order and isinstance(query.order.by, Value):
            when, owner = query.order.by.field.column.name, path[0].column
            columns = joins.schema.tables[query.source].columns.values()
            others = [c.name for c in columns if c.is_number and not joins.schema.is_link(c)]
            picked += [f"{lines.base}.{n}" for n in [when, *others] if n not in axes]
            tie = f"x.{owner} = {lines.base}.{owner}"
            newest = f"SELECT MAX(x.{when}) FROM {query.source} x WHERE {tie}"
            wheres.append(f"{lines.base}.{when} = ({newest})")
        made.append(f"SELECT {', '.join(picked)}\n{lines.text()}{tail(wheres)}")
    return Draft("\nUNION ALL\n".join(made), query.shape)


def _axis(schema: Schema, table: str, word: str) -> str:
    columns = schema.tables[table].columns.values()
    return next(c.name for c in columns if c.is_number and word in c.head)
