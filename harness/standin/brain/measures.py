"""Figures that words, columns or units name: columns, products, durations."""

from collections.abc import Sequence

from harness.standin.brain.factlines import Column
from harness.standin.brain.link import World
from harness.standin.brain.schema import Schema
from harness.standin.brain.tree import Field, Value
from harness.standin.brain.units import measures, unit_of_column
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
    schema, known = world.schema, world.lexicon.columns
    if "duration" in of:
        return _hours(table, world)
    if not columns and of:
        columns = [c for word in of for c, s in known.get((key(word),), []) if s > 1]
    elif not columns and unit:
        columns = [c for c in schema.columns if c.is_number and measures(unit_of_column(c), unit)]
    columns = [c for c in columns if c.is_number and not (c.is_code or schema.is_link(c))]
    same = [c for c in columns if unit and measures(unit_of_column(c), unit)]
    found = nearest(schema, table, same or columns)
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
