"""Times as conditions: ranges of days, weekdays, before or after the plan."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from harness.standin.brain.claims import Claim
from harness.standin.brain.dayspans import Range
from harness.standin.brain.factlines import Column
from harness.standin.brain.link import World
from harness.standin.brain.tree import (
    Both,
    Condition,
    Field,
    Not,
    Option,
    Path,
    Problem,
    Test,
    Value,
)
from harness.standin.brain.ways import nearest, one_of, plain, time_columns
from harness.standin.brain.words import key, playbook


def window(claim: Claim, table: str, world: World) -> Option | None:
    """A range of days, in the time that an event names or that is nearest."""
    point = claim.data
    if point.needs_today:
        raise Problem("today", [claim.words])
    event = playbook()["events"].get(claim.event, {})
    if event.get("past"):
        point = replace(point, ahead=None)  # "departed in December": the one that has been
    found = date_for(event.get("of", ""), point, table, world)
    if found is None:
        return None
    cost, field = found
    if not field.column.is_time:
        return cost, _year_test(plain(field), point)
    if point.ahead and claim.event == "due":
        point = point.ahead
    said = f"{field.column.name} {point.label}"
    test = Test(plain(field), "range", (point.start, point.end), said)
    ahead = point.start is not None and world.today is not None and point.start >= world.today
    if not ahead or field.column.nullable:
        return cost, test
    return cost, Both((test, *still_to_come(field.column.table, field.path, world)))


def date_for(of: str, point: Any, table: str, world: World) -> tuple[float, Field] | None:
    """The time that an event names; else the first that the nearest table with one has."""
    columns = time_columns(world.schema, table, of)
    if of == playbook()["finishes"] and _future(point, world):
        columns = [c for c in columns if not c.nullable] or columns
    elif of == playbook()["starts"] and _future(point, world) and columns and columns[0].nullable:
        raise Problem(
            "clarify", [point.label], f"{columns[0].name} is not known before it has happened"
        )
    if of and columns:
        return nearest(world.schema, table, columns[:1] if of != "built" else columns)
    times = [c for c in world.schema.columns if c.is_time]
    return nearest(world.schema, table, times)


def _future(point: Any, world: World) -> bool:
    start = (point.ahead or point).start
    return world.today is not None and start is not None and start > world.today


def still_to_come(table: str, path: Path, world: World) -> list[Condition]:
    """Of a time ahead: not what never will be, nor what has happened already."""
    ends = {key(playbook()["finishes"])}
    times = [c for c in world.schema.tables[table].columns.values() if c.is_time and c.nullable]
    over = [c for c in times if set(c.head) & ends]
    parts: list[Condition] = [
        Not(one_of(Field(c, path), (v,), f"{c.name} {v}")) for c, v in never(table, world)
    ]
    return [*parts, *(Test(plain(Field(c, path)), "null", (), f"no {c.name}") for c in over)]


def never(table: str, world: World) -> list[tuple[Column, str]]:
    """Values whose gloss says that something never happened."""
    glossed = [(c, *g) for c in world.schema.tables[table].columns.values() for g in c.glosses]
    return [(column, value) for column, value, gloss in glossed if gloss.startswith("never ")]


def _year_test(value: Value, point: Any) -> Test:
    """A range of days as a comparison with years."""
    first = point.start.year if point.start else None
    last = (point.end - timedelta(days=1)).year if point.end else None
    ends = tuple(year for year in dict.fromkeys((first, last)) if year is not None)
    if len(ends) == 2:
        shown = f"between {ends[0]} and {ends[1]}"
        return Test(value, "between", ends, f"{value.name} {shown}")
    op = "=" if first == last else ">=" if last is None else "<="
    return Test(value, op, ends, f"{value.name} {op} {ends[0]}")


def weekday(claim: Claim, table: str, world: World) -> Option | None:
    """A day of the week."""
    of = playbook()["events"].get(claim.event, {}).get("of", "")
    found = date_for(of, Range(None, None, ""), table, world)
    if found is None:
        return None
    said = f"{found[1].column.name} on a {claim.words}"
    return found[0], Test(plain(found[1]), "weekday", (claim.data,), said)


def against_plan(claim: Claim, table: str, world: World) -> Option | None:
    """Before, or after, the time that was estimated."""
    planned = time_columns(world.schema, table, playbook()["events"]["due"]["of"])
    real = [
        c for c in time_columns(world.schema, table, playbook()["finishes"]) if c not in planned
    ]
    found = nearest(world.schema, table, real[:1])
    if found is None or not planned or planned[0].table != real[0].table:
        return None
    op, word = (">", "after") if claim.kind == "after_eta" else ("<", "before")
    other = plain(Field(planned[0], found[1].path))
    said = f"{real[0].name} {word} {planned[0].name}"
    return found[0], Test(plain(found[1]), op, (other,), said)
