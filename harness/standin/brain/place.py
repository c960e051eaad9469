"""A claim put on a table: the columns that it can be about, and the cheapest way to them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from harness.standin.brain.chunks import FLIPPED, Bound
from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import Column, short, units_of
from harness.standin.brain.link import World
from harness.standin.brain.moments import against_plan, still_to_come, weekday, window
from harness.standin.brain.tree import (
    Both,
    Condition,
    Either,
    Field,
    Not,
    Option,
    Problem,
    Query,
    Related,
    Test,
    bundle,
    many_part,
    tests,
)
from harness.standin.brain.ways import (
    additive,
    ambiguous,
    figure_for,
    is_place,
    moves,
    nearest,
    one_of,
    plain,
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
    elif claim.prep == "going":
        condition = _going(condition, world)
    return cost, (Not(condition) if claim.no else condition)


def _sailed(condition: Condition, world: World) -> Condition:
    """What "never" denies is a movement that began: what is only planned is none."""
    path = next((test.value.field.path for test in tests(condition)), ())
    table = path[-1].table if path else ""
    columns = time_columns(world.schema, table, playbook()["starts"]) if path else []
    began = [Field(c, path[:-1]) for c in columns if c.table == table and c.nullable]
    given = [Test(plain(f), "given", (), f"{f.column.name} given") for f in began[:1]]
    return Both((condition, *given)) if path else condition


def _going(condition: Condition, world: World) -> Condition:
    """ "Ships going to X": of the many places that they go to in time, where they go now."""
    path = next((t.value.field.path for t in tests(condition) if t.value.field.many), ())
    coming = still_to_come(path[-1].table, path[:-1], world) if path else []
    return Both((condition, *coming)) if coming else condition


def _values(claim: Claim, table: str, world: World) -> Option | None:
    """One of some values; "and" between them asks for a row of each where one is not enough."""
    found = _one_of(claim.data, claim, table, world)
    test = found[1] if found else None
    several = " and " in claim.words.lower() and not (claim.no or claim.role)
    if not several or not isinstance(test, Test) or not test.value.field.many:
        return found
    if world.schema.tables[test.value.table].named:
        return found
    each = [replace(test, values=(v,), said=f"{test.value.name} {v}") for v in test.values]
    rows = tuple(r for t in each for r in bundle([t]))
    return (found[0], Both(rows)) if found and len(rows) > 1 else found


def _one_of(pairs: Sequence[Any], claim: Claim, table: str, world: World) -> Option | None:
    """One of these values, in the column that is nearest."""
    best: Option | None = None
    clash = False
    for column in dict.fromkeys(c for c, _ in pairs):
        values = tuple(dict.fromkeys(v for c, v in pairs if c == column))
        for cost, condition in _value_ways(column, values, claim, table, world):
            unclear = not claim.role and ambiguous(world.schema, condition.value.field.path)
            clash = clash or unclear
            if not unclear and (best is None or cost < best[0]):
                best = cost, condition
        if claim.role == "either" and (ends := _either_end(column, values, claim, table, world)):
            best = min(best or ends, ends, key=lambda each: each[0])
    if best is None and clash:
        raise Problem("role", [claim.words])
    return best


def _value_ways(
    column: Column, values: tuple[Any, ...], claim: Claim, table: str, world: World
) -> Iterable[tuple[float, Test]]:
    """How a value can be meant, seen from a table, at the end of a movement that is named."""
    schema, word, role = world.schema, " or ".join(map(str, values)), claim.role
    if role == "either":
        return
    back = claim.prep == "stranded"
    at_end = ways(schema, table, column.table, role, back)[:1] if role else []
    for cost, way in at_end:
        end = way[-1].reference[1].split("_")[0]
        yield cost, one_of(Field(column, way), values, f"{end} {column.name} {word}")
    named = role and set(keys(column.comment)) & {key(w) for w in playbook()["role_words"][role]}
    home = role == "from" and claim.prep != "way"
    still = home and not moves(schema, table) and not is_place(schema, column.table)
    if not role or named or still:
        for cost, way in ways(schema, table, column.table)[:1]:
            if not role or not ambiguous(schema, way):
                test = one_of(Field(column, way), values, f"{column.name} {word}")
                yield cost + (0.3 if role and way else 0.0), test
    elif table == column.table and (home or is_place(schema, table)):
        yield 0.0, one_of(Field(column), values, f"{column.name} {word}")


def _either_end(
    column: Column, values: tuple[Any, ...], claim: Claim, table: str, world: World
) -> Option | None:
    """ "visited X", "between X and Y": where it begins or where it ends."""
    back = claim.prep == "stranded"
    found = [ways(world.schema, table, column.table, end, back)[:1] for end in ("from", "to")]
    if not all(found):
        return None
    said = f"either end {column.name} {' or '.join(map(str, values))}"
    parts = [one_of(Field(column, way), values, said) for each in found for _, way in each]
    return found[0][0][0], Either(tuple(parts))


def _term(claim: Claim, table: str, world: World) -> Option | None:
    """A word that a correction defines."""
    definition = claim.data
    if definition.bound is not None:
        found = _bound(replace(claim, kind="bound", data=definition.bound), table, world)
    else:
        found = _one_of(definition.values, claim, table, world)
    if found is None:
        return None
    return found[0], (Not(found[1]) if definition.excluded else found[1])


def _state(claim: Claim, table: str, world: World) -> Option | None:
    """A word for a state ("active", "on its way"): the value that some comment or sample knows."""
    going = claim.kind == "underway"
    options = playbook()["at_sea"] if going else playbook()["senses"][claim.data]
    pairs = known_as(options, world)
    if pairs is None:
        raise Problem("need", [claim.words, *map(str, options)], f'what "{claim.words}" means')
    return _one_of(pairs if going else pairs[:1], replace(claim, role=""), table, world)


def known_as(options: Sequence[str], world: World) -> list[Any] | None:
    """The values of the first phrase that some comment or sample knows."""
    for option in options:
        phrase = keys(str(option))
        pairs = world.lexicon.values.get(phrase) or world.lexicon.glosses.get(phrase)
        if pairs:
            return [p for p in pairs if p[0] == pairs[0][0]]
    return None


def _column(claim: Claim, table: str, world: World) -> Option | None:
    """A test of one column: missing, given, zero; a key, a code, a part of a name."""
    columns: Sequence[Column] = [claim.data[0]] if claim.kind in ("null", "zero") else claim.data[0]
    op, values, said = "in", tuple[Any, ...](), ""
    if claim.kind == "null":
        op, said = ("null", "missing") if claim.data[1] else ("given", "given")
    elif claim.kind == "zero":
        op, values, said = "=", (claim.data[1],), f"= {claim.data[1]}"
    elif claim.kind == "keyed":
        known = world.schema.tables[claim.data[0]]
        columns, values = [known.columns[known.key[0]]], claim.data[1]
        said = " or ".join(map(str, values))
    elif claim.kind == "pattern_of":
        (how, text), label = claim.data, world.schema.tables[table].label
        like = {"begins": f"{text}%", "ends": f"%{text}", "holds": f"%{text}%"}[how].lower()
        columns, op, values, said = [label] if label else [], "like", (like,), f"{how} {text}"
    found = nearest(world.schema, table, columns)
    if found is None:
        return None
    if claim.kind == "equals":
        said = claim.data[1]
        values = (said if found[1].column.is_text else int(said),)
    return found[0], Test(plain(found[1]), op, values, f"{found[1].column.name} {said}")


def _empty(claim: Claim, table: str, world: World) -> Option | None:
    owner, inside = claim.data
    for cost, way in ways(world.schema, table, owner)[:1]:
        for _, inner in ways(world.schema, owner, inside)[:1]:
            return cost, Related((*way, *inner), op="none", said=f"without {short(inside)}")
    return None


def _bound(claim: Claim, table: str, world: World) -> Option | None:
    bound: Bound = claim.data
    found = figure_for(bound.of, bound.columns, table, world, bound.unit)
    if found is None:
        return None
    cost, value = found
    op, numbers = bound.op, bound.numbers
    if bound.years and bound.unit == "year" and world.today is not None:
        numbers = tuple(sorted(world.today.year - n for n in numbers))
        op = FLIPPED.get(op, op)
    elif bound.unit:
        converted = units_of(numbers, bound.unit, value.unit)
        if converted is None:
            raise Problem("unit", [claim.words])
        numbers = converted
    values = tuple(int(n) if n == int(n) else round(n, 6) for n in numbers)
    front = many_part(value.field.path)
    if front and op != "=" and additive(value):  # "voyages with more than 100 tons": together
        own, said = value.along(lambda path: path[len(front) :]), f"total {value.name}"
        return cost, Related(front, (), op, values, said, own)
    shown = f"between {values[0]} and {values[1]}" if op == "between" else f"{op} {values[0]}"
    return cost, Test(value, op, values, f"{value.name} {shown}")


def _half(claim: Claim, table: str, world: World) -> Option | None:
    word, op = claim.data
    found = figure_for((word,), (), table, world)
    return (found[0], Test(found[1], op, (0,), f"{found[1].name} {op} 0")) if found else None


def _versus(claim: Claim, table: str, world: World) -> Option | None:
    """More, or less, than a named row has."""
    (of, side, _, years), (column, name) = claim.data
    found = figure_for(of, (), table, world)
    other = figure_for(of, (), column.table, world)
    if found is None or other is None:
        return None
    row = Query(column.table, where=(one_of(Field(column), (name,), ""),), select=(other[1],))
    op = ">" if (side == "more") != years else "<"
    return found[0], Test(found[1], op, (row,), f"{found[1].name} {op} that of {name}")


def _same_as(claim: Claim, table: str, world: World) -> Option | None:
    """As a named row has it; that row itself is left out."""
    columns, (column, name) = claim.data
    found = nearest(world.schema, table, [c for c in columns if c.table == table] or columns)
    other = nearest(world.schema, column.table, [found[1].column]) if found else None
    if found is None or other is None:
        return None
    itself = one_of(Field(column), (name,), f"{column.name} {name}")
    row = Query(column.table, where=(itself,), select=(plain(other[1]),))
    test = Test(plain(found[1]), "=", (row,), f"{found[1].column.name} as {name}")
    at = nearest(world.schema, table, [column])
    out = Not(one_of(at[1], (name,), itself.said)) if at else None
    return found[0], Both((test, out)) if out else test


_READERS: dict[str, Any] = {
    "versus": _versus,
    "same_as": _same_as,
    "val": _values,
    "term": _term,
    "sense": _state,
    "underway": _state,
    "null": _column,
    "empty": _empty,
    "zero": _column,
    "keyed": _column,
    "equals": _column,
    "bound": _bound,
    "window": window,
    "weekday": weekday,
    "half": _half,
    "early": against_plan,
    "after_eta": against_plan,
    "pattern_of": _column,
}
