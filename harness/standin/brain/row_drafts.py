"""The SELECT of rows and of places."""

from dataclasses import replace

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
from harness.standin.brain.schema import Schema
from harness.standin.brain.tree import Field, Query, Test, Value


def _finished(query: Query, sql: str, joins: Joins, **more: object) -> Draft:
    plain = len(joins.lines) < 2 and sql.count("SELECT") == 1
    return Draft(sql, query.shape, plain=plain, **more)  # type: ignore[arg-type]


def _wheres(query: Query, joins: Joins) -> list[str]:
    return [condition(c, joins) for c in query.where]


def _limited(sql: str, query: Query) -> str:
    return f"{sql}\nFETCH FIRST {query.limit + query.skip + TIES} ROWS ONLY" if query.limit else sql


def _rows(query: Query, joins: Joins) -> Draft:
    table = joins.schema.tables[query.source]
    label = table.label
    if label is None:
        raise LookupError(f"columns of {table.short}")
    chosen: list[tuple[str, str]] = [(f"{joins.base}.{label.name}", label.name)]
    if not table.named and table.key and table.key[0] != label.name:
        chosen.insert(0, (f"{joins.base}.{table.key[0]}", table.key[0]))
    order = query.order.by if query.order and isinstance(query.order.by, Value) else None
    for value in [*([order] if order else []), *query.select, *_shown(query)]:
        _add(chosen, value, joins, query.source)
    if (label.name in table.key and len(chosen) == 1) or (
        query.shape == "top" and label.name in table.key
    ):
        _described(chosen, joins, query)
    wheres = _wheres(query, joins)
    base = f"{joins.base}.{label.name}"
    if order is not None:
        figure = expression(order, joins)
        down = query.order.down if query.order else True
        if query.shape in ("top", "best"):
            wheres.append(f"{figure} IS NOT NULL")
        by = f"{figure} {'DESC' if down else 'ASC'} NULLS LAST, {base}"
        if query.shape == "best":
            wheres.append(_of_each(query, joins, order, down))
            heads = [(group_text(g, joins), g.name) for g in query.groups]
            chosen = [*heads, *[c for c in chosen if c[0] not in [e for e, _ in heads]]]
            by = f"{', '.join(n for _, n in heads)}, {by}"
    else:
        by = f"{base}{' DESC' if query.order and query.order.down else ''}"
    selected = ", ".join(e if e.endswith(f".{n}") else f"{e} AS {n}" for e, n in chosen)
    sql = f"SELECT {selected}\n{joins.text()}{tail(wheres)}\nORDER BY {by}"
    shape = "list" if query.shape == "list" else query.shape
    limited = _limited(sql, query) if query.shape == "top" else sql
    made = _finished(query, limited, joins, max_rows=MAX_LIST)
    return replace(made, shape=shape, groups=len(query.groups) if query.shape == "best" else 1)


def _of_each(query: Query, joins: Joins, order: Value, down: bool) -> str:
    """Only the rows with the best figure of their group."""
    inner = Joins(joins.schema, query.source, joins.taken)
    wheres = [f"{group_text(g, inner)} = {group_text(g, joins)}" for g in query.groups]
    wheres += [condition(c, inner) for c in query.where]
    figure = f"{'MAX' if down else 'MIN'}({expression(order, inner)})"
    return (
        f"{expression(order, joins)} = (SELECT {figure} "
        f"{' '.join(inner.text().split(chr(10)))} WHERE {' AND '.join(wheres)})"
    )


def _shown(query: Query) -> list[Value]:
    """Values that the conditions speak of, where they are not the same in each row."""
    found: list[Value] = []
    parts = [*query.where, *query.part] if query.shape == "truth" else list(query.where)
    for each in parts:
        for test in _plain_tests(each):
            fixed = test.op in ("in", "=") and len(test.values) == 1 and each is test
            if (
                (fixed and query.shape != "truth")
                or any(f.many for f in test.value.fields)
                or test.op in ("newest", "null")
            ):
                continue
            if query.shape == "truth" and each in query.where:
                continue
            found.append(test.value)
            found += [v for v in test.values if isinstance(v, Value)]
    return found


def _plain_tests(each: object) -> list[Test]:
    return [leaf for leaf in leaves(each) if isinstance(leaf, Test)]  # type: ignore[arg-type]


def _add(chosen: list[tuple[str, str]], value: Value, joins: Joins, source: str) -> None:
    text = expression(value, joins)
    if text in [e for e, _ in chosen]:
        return
    column, path = value.field.column, value.field.path
    name = value.name.replace(" ", "_")
    label = joins.schema.tables[column.table].label
    if (
        path
        and value.how == "column"
        and (name in [n for _, n in chosen] or column == label)
        and name == column.name
    ):
        edge = path[-1].reference[1]
        short = column.table.rsplit(".", 1)[-1]
        twins = joins.schema.twins(*_ends(path))
        name = "_".join(p for p in edge.split("_") if p != "id") if twins else _singular(short)
        if column != label:
            name = f"{name}_{column.name}"
    if name in [n for _, n in chosen]:
        name = f"{column.table.rsplit('.', 1)[-1]}_{column.name}"
    chosen.append((text, name))


def _ends(path: tuple[object, ...]) -> tuple[str, str]:
    edge = path[-1]
    return edge.table, edge.target  # type: ignore[attr-defined]


def _singular(short: str) -> str:
    return short[:-1] if short.endswith("s") and "_" not in short else short


def _described(chosen: list[tuple[str, str]], joins: Joins, query: Query) -> None:
    """What says most about a row without a name: what it refers to, its columns of few values."""
    table = joins.schema.tables[query.source]
    if query.shape == "top":
        for edge in joins.schema.edges(query.source):
            label = (
                joins.schema.tables[edge.target].label
                if edge.target in joins.schema.tables
                else None
            )
            if (
                not edge.many
                and not joins.schema.twins(edge.table, edge.target)
                and label
                and label.name not in joins.schema.tables[edge.target].key
            ):
                _add(
                    chosen,
                    Value("column", (Field(label, (edge,)),), "", label.name),
                    joins,
                    query.source,
                )
        return
    texts = [c for c in table.columns.values() if c.values and c.is_text][:3]
    chosen += [(f"{joins.base}.{c.name}", c.name) for c in texts]


def _places(query: Query, joins: Joins) -> Draft:
    """Names with their coordinates; of a log, the newest."""
    made = []
    for column, name in query.places if query.shape == "distance" else query.places[:1]:
        lines = Joins(joins.schema, query.source)
        path = (
            ()
            if column.table == query.source
            else tuple(joins.schema.path(query.source, column.table))
        )
        label = lines.name(Field(column, path))
        lat, lon = (_axis(joins.schema, query.source, w) for w in ("latitude", "longitude"))
        picked = [
            f"{label} AS place",
            f"{lines.base}.{lat} AS latitude",
            f"{lines.base}.{lon} AS longitude",
        ]
        wheres = [f"{label} = {constant(name)}"]
        if query.order is not None and isinstance(query.order.by, Value):
            when = query.order.by.field.column.name
            others = [
                c.name
                for c in joins.schema.tables[query.source].columns.values()
                if c.is_number and not joins.schema.is_link(c) and c.name not in (lat, lon)
            ]
            picked += [f"{lines.base}.{n}" for n in [when, *others]]
            edge = path[0]
            wheres.append(
                f"{lines.base}.{when} = (SELECT MAX(x.{when}) FROM {query.source} x WHERE "
                f"x.{edge.column} = {lines.base}.{edge.column})"
            )
        made.append(f"SELECT {', '.join(picked)}\n{lines.text()}{tail(wheres)}")
    return Draft("\nUNION ALL\n".join(made), query.shape, 0, True)


def _axis(schema: Schema, table: str, word: str) -> str:
    return next(
        c.name for c in schema.tables[table].columns.values() if c.is_number and word in c.head
    )
