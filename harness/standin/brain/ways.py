"""The ways from a table to another, and the ends of movements on them."""

from collections.abc import Iterable
from typing import Any

from harness.standin.brain.factlines import Column, Reference
from harness.standin.brain.lexicon import role_keys
from harness.standin.brain.schema import Edge, Schema
from harness.standin.brain.tree import Field, Path, Problem, Test, Value
from harness.standin.brain.units import unit_of_column
from harness.standin.brain.words import key, keys, playbook


def ways(schema: Schema, start: str, goal: str, role: str = "") -> list[tuple[float, Path]]:
    """The ways from a table to another, the cheapest first; through references of that end only."""
    if not role:
        if start == goal:
            return [(0.0, ())]
        return [(cost, tuple(way)) for cost, way in schema.routes(start, goal)]
    found: list[tuple[float, Path]] = []
    for r in schema.references if start != goal else ():
        end = end_of(schema, r) if r.target == goal else ""
        if end and role in (end, "either"):
            edge = Edge(r.table, r.column, r.target, r.target_column)
            found += [(cost + 1, (*way, edge)) for cost, way in ways(schema, start, r.table)[:1]]
    return sorted(found, key=lambda each: each[0])


def path_between(schema: Schema, start: str, goal: str) -> Path:
    """The cheapest way from a table to another. Raises Problem where none was seen."""
    found = ways(schema, start, goal)
    if not found:
        raise no_way(short(start), short(goal))
    return found[0][1]


def no_way(start: str, goal: str) -> Problem:
    """That no fact says how two things are related."""
    return Problem("need", [start, goal], f"how {start} and {goal} are related")


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
    schema: Schema, table: str, columns: Iterable[Column], role: str = ""
) -> tuple[float, Field] | None:
    """The nearest of some columns, as a field of a table's rows."""
    best: tuple[float, Field] | None = None
    for column in columns:
        for cost, way in ways(schema, table, column.table, role)[:1]:
            if best is None or cost < best[0]:
                best = cost, Field(column, way)
    return best


def plain(field: Field) -> Value:
    """A column's own value."""
    return Value("column", (field,), unit_of_column(field.column), field.column.name)


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


def short(table: str) -> str:
    """A table's name without its schema's."""
    return table.rsplit(".", 1)[-1]
