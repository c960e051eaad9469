"""The ways from a table to another, the ends of movements on them, and the figures they lead to."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from harness.standin.brain.factlines import Column, Reference, measures, unit_of_column
from harness.standin.brain.link import World
from harness.standin.brain.schema import Edge, Schema, role_keys
from harness.standin.brain.tree import Field, Path, Test, Value
from harness.standin.brain.words import key, keys, playbook, verb_forms

T = TypeVar("T")
_ASIDE = 2.5  # what it costs that a figure is that of the one row that others lie on


def ways(
    schema: Schema, start: str, goal: str, role: str = "", back: bool = False
) -> list[tuple[float, Path]]:
    """The ways from a table to another, the cheapest first; through references of that end only.

    `back`: also from a place to what moves there ("which ports did X visit").
    """
    if not role:
        if start == goal:
            return [(0.0, ())]
        return [(cost, tuple(way)) for cost, way in schema.routes(start, goal)]
    found: list[tuple[float, Path]] = []
    for r in schema.references if start != goal else ():
        end = end_of(schema, r) if goal == r.target or start == r.target else ""
        if not end or role not in (end, "either"):
            continue
        edge = Edge(r.table, r.column, r.target, r.target_column)
        coming = Edge(r.target, r.target_column, r.table, r.column, many=True)
        if r.target == goal:
            found += [(cost + 1, (*way, edge)) for cost, way in ways(schema, start, r.table)[:1]]
        elif back and not is_place(schema, goal):
            found += [(cost + 1.6, (coming, *way)) for cost, way in ways(schema, r.table, goal)[:1]]
    return sorted(found, key=lambda each: each[0])


def end_of(schema: Schema, reference: Reference) -> str:
    """from or to: the end of a movement that a reference speaks of; "" for others."""
    if not schema.twins(reference.table, reference.target):
        return ""
    words = role_keys(schema, reference)
    for end, known in playbook()["role_words"].items():
        if words & {key(w) for w in known}:
            return str(end)
    return ""


def moves(schema: Schema, table: str) -> bool:
    """Whether rows of a table go from one place to another."""
    return any(end_of(schema, r) for r in schema.references if r.table == table)


def ambiguous(schema: Schema, path: Path) -> bool:
    """Whether a way uses one of several references that only an end tells apart."""
    open_ends = {(r.table, r.column) for r in schema.references if end_of(schema, r)}
    return any(edge.reference in open_ends for edge in path)


def nearest(
    schema: Schema, table: str, columns: Iterable[Column], role: str = "", aside: float = 0.0
) -> tuple[float, Field] | None:
    """The nearest of some columns, as a field of a table's rows; `aside`: more for a parent's."""
    return cheapest(
        (cost + (aside if way and not any(edge.many for edge in way) else 0), Field(column, way))
        for column in columns
        for cost, way in ways(schema, table, column.table, role)[:1]
    )


def cheapest(options: Iterable[tuple[float, T] | None]) -> tuple[float, T] | None:
    """The option that costs least, the first of equals; None for none."""
    return min(filter(None, options), key=lambda each: each[0], default=None)


def plain(field: Field) -> Value:
    """A column's own value."""
    return Value("column", (field,), unit_of_column(field.column), field.column.name)


def said_by(schema: Schema, verb: str) -> list[tuple[Reference, Column]]:
    """The references whose comment has a verb: who owns, who operates; with their columns."""
    columns = [(r, schema.column(r.table, r.column)) for r in schema.references]
    forms = verb_forms(verb)
    return [(r, c) for r, c in columns if c and forms & set(c.clause.lower().split())]


def role_name(reference: str) -> str:
    """The name of a reference's column without "id"."""
    return "_".join(part for part in reference.split("_") if part != "id")


def name_at(schema: Schema, table: str, path: Path = (), name: str = "") -> Value | None:
    """What the rows of a table that a path leads to are called; None where nothing says so."""
    label = schema.tables[table].label if table in schema.tables else None
    return replace(plain(Field(label, path)), name=name or label.name) if label else None


def additive(value: Value) -> bool:
    """Whether figures of this kind add up over rows."""
    words = {w for f in value.fields for w in (*f.column.parts, *f.column.head)}
    adds = bool(words & {key(str(w)) for w in playbook()["additive"]})
    return value.how == "product" or (adds and not {"unit", "value"} <= words)


def is_place(schema: Schema, table: str) -> bool:
    """Whether rows of a table are where movements begin or end."""
    return any(end_of(schema, r) for r in schema.references if r.target == table)


def one_of(field: Field, values: tuple[Any, ...], said: str) -> Test:
    """A column that holds one of some values."""
    return Test(Value("column", (field,), "", field.column.name), "in", values, said)


def time_columns(schema: Schema, table: str, word: str) -> list[Column]:
    """Columns with the time of an event, the plainest comment first."""
    found = [
        c
        for c in schema.columns
        if (c.is_time or "year" in c.parts)
        and (not word or key(word) in (*keys(c.clause), *c.parts))
    ]
    return sorted(found, key=lambda c: (len(c.clause.split()), c.table, c.name))


def figure_for(
    of: Sequence[str],
    columns: Sequence[Column],
    table: str,
    world: World,
    unit: str = "",
    each: bool = False,
) -> tuple[float, Value] | None:
    """The nearest figure that words, columns or a unit name; durations and worth are computed."""
    schema, known, aside = world.schema, world.lexicon.columns, 0.0
    if "duration" in of:
        return _hours(table, world)
    if not columns and of:
        columns = [c for word in of for c, s in known.get((key(word),), []) if s > 1]
    elif not columns and unit:
        columns = [c for c in schema.columns if c.is_number and measures(unit_of_column(c), unit)]
        aside = _ASIDE  # "voyages with over 200 TEU": of what they carry, not of their ship
    columns = [c for c in columns if c.is_number and not (c.is_code or schema.is_link(c))]
    same = [c for c in columns if unit and measures(unit_of_column(c), unit)]
    found = nearest(schema, table, same or columns, aside=aside)
    if found is None:
        return None
    cost, at = found
    times = None if each or "unit" in of else _per_unit(at.column, schema)
    if times is None or any(c != at.column and c.table == at.column.table for c in same):
        return cost, plain(at)
    name = f"{times.name}_x_{at.column.name}"
    fields = (Field(times, at.path), at)
    return cost, Value("product", fields, unit_of_column(at.column), name)


def _per_unit(column: Column, schema: Schema) -> Column | None:
    """The quantity that a value of one unit is multiplied by."""
    if not {"unit", "value"} <= set(column.parts):
        return None
    others = [c for c in schema.tables[column.table].columns.values() if c != column]
    return next(
        (c for c in others if c.is_number and {"unit", "number"} <= set(keys(c.comment))), None
    )


def _hours(table: str, world: World) -> tuple[float, Value] | None:
    """From departure to arrival, in hours."""
    for first in time_columns(world.schema, table, playbook()["starts"]):
        for last in time_columns(world.schema, table, playbook()["finishes"]):
            way = nearest(world.schema, table, [first]) if last.table == first.table else None
            if way:
                fields = (way[1], Field(last, way[1].path))
                name = f"hours from {first.name} to {last.name}"
                return way[0], Value("hours", fields, "hour", name)
    return None
