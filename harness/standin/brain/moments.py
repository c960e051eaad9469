"""Times as conditions: ranges of days, weekdays, before or after the plan."""

import re
from dataclasses import replace
from typing import Any

from harness.standin.brain.claims import Claim
from harness.standin.brain.link import World
from harness.standin.brain.schema import Column
from harness.standin.brain.tree import Both, Condition, Field, Not, Option, Problem, Test, Value
from harness.standin.brain.ways import _in, nearest, plain, time_columns
from harness.standin.brain.words import key, keys, playbook


def _window(claim: Claim, table: str, world: World) -> Option | None:
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
    if point.ahead and not event.get("past") and field.column.is_time and claim.event == "due":
        point = point.ahead
    if not field.column.is_time:
        return cost, _year_test(plain(field, world), point)
    said = f"{field.column.name} {point.label}"
    test: Condition = Test(plain(field, world), "range", (point.start, point.end), said)
    return cost, _still_open(test, field, point, world)


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


def _still_open(test: Condition, field: Field, point: Any, world: World) -> Condition:
    """Of a time ahead: not what has happened already, nor what never will."""
    ahead = point.start is not None and world.today is not None and point.start >= world.today
    column = field.column
    if not ahead or column.nullable:
        return test
    parts: list[Condition] = [test]
    for stated, value in never(column.table, world):
        parts.append(Not(_in(Field(stated, field.path), (value,), f"{stated.name} {value}")))
    ends = set(keys(column.clause)) & {key(playbook()["finishes"])}
    times = [c for c in world.schema.tables[column.table].columns.values() if c.is_time]
    over = [c for c in times if c.nullable and set(c.head) & ends]
    parts += [Test(plain(Field(c, field.path), world), "null", (), f"no {c.name}") for c in over]
    return Both(tuple(parts))


def never(table: str, world: World) -> list[tuple[Column, str]]:
    """Values whose gloss says that something never happened."""
    found = []
    for column in world.schema.tables[table].columns.values():
        found += [
            (column, v)
            for v, gloss in re.findall(r"\b([A-Z][A-Z_]{2,})\s*\(([^)]*)\)", column.comment)
            if gloss.startswith("never ")
        ]
    return found


def _year_test(value: Value, point: Any) -> Test:
    """A range of days as a comparison with years."""
    first = point.start.year if point.start else None
    last = point.end.year - (point.end.month == 1 and point.end.day == 1) if point.end else None
    op: str
    numbers: tuple[Any, ...]
    if first is not None and last is not None:
        op, numbers = ("=", (first,)) if first == last else ("between", (first, last))
    else:
        op, numbers = (">=", (first,)) if last is None else ("<=", (last,))
    ends = " and ".join(map(str, numbers))
    shown = f"between {ends}" if op == "between" else f"{op} {ends}"
    return Test(value, op, numbers, f"{value.name} {shown}")


def _weekday(claim: Claim, table: str, world: World) -> Option | None:
    found = date_for(playbook()["events"].get(claim.event, {}).get("of", ""), _Always, table, world)
    if found is None:
        return None
    said = f"{found[1].column.name} on a {claim.words}"
    return found[0], Test(plain(found[1], world), "weekday", (claim.data,), said)


class _Always:
    """A time without bounds."""

    start = end = ahead = None
    label = ""


def _against_plan(claim: Claim, table: str, world: World) -> Option | None:
    """Before, or after, the time that was estimated."""
    book = playbook()
    planned = time_columns(world.schema, table, book["events"]["due"]["of"])
    real = [c for c in time_columns(world.schema, table, book["finishes"]) if c not in planned]
    found = nearest(world.schema, table, real[:1])
    if found is None or not planned or planned[0].table != real[0].table:
        return None
    op = ">" if claim.kind == "after_eta" else "<"
    other = plain(Field(planned[0], found[1].path), world)
    said = f"{real[0].name} {'before' if op == '<' else 'after'} {planned[0].name}"
    return found[0], Test(plain(found[1], world), op, (other,), said)
