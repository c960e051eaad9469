"""A claim put on a table: the columns that it can be about, and the cheapest way to them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from harness.standin.brain.bounds import Bound
from harness.standin.brain.bundle import leaves
from harness.standin.brain.claims import Claim
from harness.standin.brain.known_rows import _pattern, _same_as, _versus
from harness.standin.brain.link import World
from harness.standin.brain.measures import figure_for
from harness.standin.brain.moments import _against_plan, _weekday, _window
from harness.standin.brain.schema import Column
from harness.standin.brain.tree import (
    Both,
    Condition,
    Either,
    Field,
    Not,
    Option,
    Problem,
    Related,
    Test,
)
from harness.standin.brain.units import units_of
from harness.standin.brain.ways import (
    _in,
    ambiguous,
    is_place,
    moves,
    nearest,
    plain,
    role_word,
    short,
    time_columns,
    ways,
)
from harness.standin.brain.words import key, keys, playbook


def put(claim: Claim, table: str, world: World) -> Option | None:
    """Cost and condition of a claim, seen from a table; None where it means nothing there."""
    found = _READERS[claim.kind](claim, table, world)
    if found is None:
        return None
    cost, condition = found
    if claim.no == "never" and claim.role:
        condition = _sailed(condition, world)
    return cost, (Not(condition) if claim.no else condition)


def _sailed(condition: Condition, world: World) -> Condition:
    """What "never" denies is a movement that began: what is only planned is none."""
    path = next((leaf.value.field.path for leaf in leaves(condition) if isinstance(leaf, Test)), ())
    if not path:
        return condition
    table = path[-1].table
    began = [
        c
        for c in time_columns(world.schema, table, playbook()["starts"])
        if c.table == table and c.nullable
    ]
    tests = [
        Test(plain(Field(c, path[:-1]), world), "given", (), f"{c.name} given") for c in began[:1]
    ]
    return Both((condition, *tests))


def _values(claim: Claim, table: str, world: World) -> Option | None:
    return values_option(claim.data, claim, table, world)


def values_option(pairs: Sequence[Any], claim: Claim, table: str, world: World) -> Option | None:
    """One of these values, in the column that is nearest."""
    best: Option | None = None
    clash = False
    for column in dict.fromkeys(c for c, _ in pairs):
        values = tuple(dict.fromkeys(v for c, v in pairs if c == column))
        for cost, condition, unclear in _value_ways(column, values, claim, table, world):
            if unclear:
                clash = True
            elif best is None or cost < best[0]:
                best = cost, condition
    if best is None and clash:
        raise Problem("role", [claim.words])
    return best


def _value_ways(
    column: Column, values: tuple[Any, ...], claim: Claim, table: str, world: World
) -> Iterable[tuple[float, Condition, bool]]:
    """How a value can be meant, seen from a table: (cost, condition, whether its end is open)."""
    schema, role = world.schema, claim.role
    word = " or ".join(map(str, values))
    if role and role != "either":
        for cost, way in ways(schema, table, column.table, role)[:1]:
            yield (
                cost,
                _in(
                    Field(column, way),
                    values,
                    f"{role_word(schema, way, role)} {column.name} {word}",
                ),
                False,
            )
        if set(keys(column.comment)) & {key(w) for w in playbook()["role_words"][role]} or (
            role == "from" and not moves(schema, table) and not is_place(schema, column.table)
        ):
            for cost, way in ways(schema, table, column.table)[:1]:
                if not ambiguous(schema, way):
                    yield (
                        cost + (0.3 if way else 0.0),
                        _in(Field(column, way), values, f"{column.name} {word}"),
                        False,
                    )
        elif table == column.table and (role == "from" or is_place(schema, table)):
            yield 0.0, _in(Field(column), values, f"{column.name} {word}"), False
        return
    if role == "either":
        parts = []
        for end in ("from", "to"):
            parts += [
                (c, _in(Field(column, w), values, f"either end {column.name} {word}"))
                for c, w in ways(schema, table, column.table, end)[:1]
            ]
        if len(parts) == 2:
            yield parts[0][0], Either(tuple(p for _, p in parts)), False
        return
    for cost, way in ways(schema, table, column.table)[:1]:
        yield cost, _in(Field(column, way), values, f"{column.name} {word}"), ambiguous(schema, way)


def _term(claim: Claim, table: str, world: World) -> Option | None:
    """A word that a correction defines."""
    definition = claim.data
    if definition.bound is not None:
        found = _bound(replace(claim, kind="bound", data=definition.bound), table, world)
    else:
        found = values_option(definition.values, claim, table, world)
    if found is None:
        return None
    return found[0], (Not(found[1]) if definition.excluded else found[1])


def _sense(claim: Claim, table: str, world: World) -> Option | None:
    pair = sensed(claim.data, world)
    if pair is None:
        options = [str(o) for o in playbook()["senses"][claim.data]]
        raise Problem("need", [claim.words, *options], f'what "{claim.words}" means')
    return values_option(pair[:1], claim, table, world)


def sensed(word: str, world: World) -> list[Any] | None:
    """The values that a word plainly suggests."""
    return known_as(playbook()["senses"][word], world)


def known_as(options: Sequence[str], world: World) -> list[Any] | None:
    """The values of the first phrase that some comment or sample knows."""
    for option in options:
        phrase = keys(str(option))
        pair = world.lexicon.values.get(phrase) or world.lexicon.glosses.get(phrase)
        if pair:
            return [p for p in pair if p[0] == pair[0][0]]
    return None


def _underway(claim: Claim, table: str, world: World) -> Option | None:
    pairs = known_as(playbook()["at_sea"], world)
    if pairs is None:
        raise Problem(
            "need", [claim.words, *map(str, playbook()["at_sea"])], f'what "{claim.words}" means'
        )
    return values_option(pairs, replace(claim, role=""), table, world)


def _null(claim: Claim, table: str, world: World) -> Option | None:
    column, missing = claim.data
    found = nearest(world.schema, table, [column])
    if found is None:
        return None
    said = f"{column.name} {'missing' if missing else 'given'}"
    return found[0], Test(plain(found[1], world), "null" if missing else "given", (), said)


def _empty(claim: Claim, table: str, world: World) -> Option | None:
    owner, inside = claim.data
    for cost, way in ways(world.schema, table, owner)[:1]:
        for _, inner in ways(world.schema, owner, inside)[:1]:
            return cost, Related((*way, *inner), op="none", said=f"without {short(inside)}")
    return None


def _zero(claim: Claim, table: str, world: World) -> Option | None:
    column, number = claim.data
    found = nearest(world.schema, table, [column])
    if found is None:
        return None
    return found[0], Test(plain(found[1], world), "=", (number,), f"{column.name} = {number}")


def _keyed(claim: Claim, table: str, world: World) -> Option | None:
    name, numbers = claim.data
    column = world.schema.column(name, world.schema.tables[name].key[0])
    found = nearest(world.schema, table, [column] if column else [])
    if found is None or column is None:
        return None
    said = f"{column.name} {' or '.join(map(str, numbers))}"
    return found[0], Test(plain(found[1], world), "in", numbers, said)


def _equals(claim: Claim, table: str, world: World) -> Option | None:
    columns, digits = claim.data
    found = nearest(world.schema, table, columns)
    if found is None:
        return None
    column = found[1].column
    value = digits if column.is_text else int(digits)
    return found[0], Test(plain(found[1], world), "in", (value,), f"{column.name} {digits}")


def _bound(claim: Claim, table: str, world: World) -> Option | None:
    bound: Bound = claim.data
    found = figure_for(bound.of, bound.columns, table, world, bound.unit)
    if found is None:
        return None
    cost, value = found
    op, numbers = bound.op, bound.numbers
    if bound.years and bound.unit == "year" and world.today is not None:
        numbers = tuple(sorted(world.today.year - n for n in numbers))
        op = {">": "<", "<": ">", ">=": "<=", "<=": ">="}.get(op, op)
    elif bound.unit:
        converted = units_of(numbers, bound.unit, value.unit)
        if converted is None:
            raise Problem("unit", [claim.words])
        numbers = converted
    values = tuple(int(n) if n == int(n) else round(n, 6) for n in numbers)
    shown = f"between {values[0]} and {values[1]}" if op == "between" else f"{op} {values[0]}"
    return cost, Test(value, op, values, f"{value.name} {shown}")


def _half(claim: Claim, table: str, world: World) -> Option | None:
    word, op = claim.data
    found = figure_for((word,), (), table, world)
    return (
        None if found is None else (found[0], Test(found[1], op, (0,), f"{found[1].name} {op} 0"))
    )


_READERS: dict[str, Any] = {
    "versus": _versus,
    "same_as": _same_as,
    "val": _values,
    "term": _term,
    "sense": _sense,
    "underway": _underway,
    "null": _null,
    "empty": _empty,
    "zero": _zero,
    "keyed": _keyed,
    "equals": _equals,
    "bound": _bound,
    "window": _window,
    "weekday": _weekday,
    "half": _half,
    "early": _against_plan,
    "after_eta": _against_plan,
    "pattern_of": _pattern,
}
