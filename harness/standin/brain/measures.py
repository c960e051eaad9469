"""Figures that words, columns or units name: columns, products, durations."""

from collections.abc import Sequence

from harness.standin.brain.link import World
from harness.standin.brain.schema import Column, Schema
from harness.standin.brain.tree import Field, Value
from harness.standin.brain.units import unit_of_column
from harness.standin.brain.ways import nearest, plain, time_columns
from harness.standin.brain.words import key, keys, playbook


def figure_for(
    of: Sequence[str],
    columns: Sequence[Column],
    table: str,
    world: World,
    unit: str = "",
    each: bool = False,
) -> tuple[float, Value] | None:
    """The nearest figure that words, columns or a unit name; durations and worth are computed."""
    schema = world.schema
    if "duration" in of:
        return _hours(table, world)
    if not columns and of:
        columns = [
            c for word in of for c, s in world.lexicon.columns.get((key(word),), []) if s > 1
        ]
    elif not columns and unit:
        columns = [c for c in schema.columns if c.is_number and _measures(c, unit)]
    columns = [c for c in columns if c.is_number and not (c.is_code or schema.is_link(c))]
    same = [c for c in columns if unit and _measures(c, unit)]
    found = nearest(schema, table, same or columns)
    if found is None:
        return None
    cost, at = found
    times = None if each or "unit" in of else per_unit(at.column, schema)
    if times is not None and not any(c != at.column and c.table == at.column.table for c in same):
        product = (Field(times, at.path), at)
        return cost, Value(
            "product", product, unit_of_column(at.column), f"{times.name}_x_{at.column.name}"
        )
    return cost, plain(at, world)


def per_unit(column: Column, schema: Schema) -> Column | None:
    """The quantity that a value of one unit is multiplied by."""
    if "unit" not in column.parts or "value" not in column.parts:
        return None
    others = schema.tables[column.table].columns.values()
    return next(
        (
            c
            for c in others
            if c.is_number
            and set(keys(c.comment)) & {"unit"}
            and "number" in keys(c.comment)
            and c != column
        ),
        None,
    )


def _measures(column: Column, unit: str) -> bool:
    own = unit_of_column(column)
    units = playbook()["units"]
    return bool(own) and units[own]["dimension"] == units[unit]["dimension"]


def _hours(table: str, world: World) -> tuple[float, Value] | None:
    """From departure to arrival, in hours."""
    book = playbook()
    for first in time_columns(world.schema, table, book["starts"]):
        for last in time_columns(world.schema, table, book["finishes"]):
            way = nearest(world.schema, table, [first]) if last.table == first.table else None
            if way:
                pair = (way[1], Field(last, way[1].path))
                return way[0], Value(
                    "hours", pair, "hour", f"hours from {first.name} to {last.name}"
                )
    return None
