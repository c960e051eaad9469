"""Conditions on related rows put together: those over the same joins speak of the same row."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from harness.standin.brain.tree import (
    Both,
    Condition,
    Either,
    Field,
    Not,
    Path,
    Related,
    Test,
    Value,
)


def leaves(condition: Condition) -> Iterable[Test | Related]:
    """The tests at the end of a condition's branches."""
    if isinstance(condition, Not):
        yield from leaves(condition.part)
    elif isinstance(condition, (Both, Either)):
        for part in condition.parts:
            yield from leaves(part)
    else:
        yield condition


def moved(condition: Condition, change: Any) -> Condition:
    """The condition with every path changed."""
    if isinstance(condition, Not):
        return Not(moved(condition.part, change))
    if isinstance(condition, (Both, Either)):
        return type(condition)(tuple(moved(part, change) for part in condition.parts))
    if isinstance(condition, Related):
        return replace(condition, path=change(condition.path))
    values = tuple(
        _moved_value(v, change) if isinstance(v, Value) else v for v in condition.values
    )  # a Query is its own
    return replace(condition, value=_moved_value(condition.value, change), values=values)


def _moved_value(value: Value, change: Any) -> Value:
    return replace(value, fields=tuple(Field(f.column, change(f.path)) for f in value.fields))


def lift(condition: Condition, path: Path) -> Condition:
    """The condition seen from where a path begins."""
    return moved(condition, lambda own: (*path, *own))


def bundle(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions, with those on several rows of the same kind put into one `Related`."""
    made: list[Condition] = []
    places: dict[Path, int] = {}
    for condition in conditions:
        prefix = _prefix(condition)
        if isinstance(condition, Not) and prefix:
            inner = bundle([condition.part])
            made.append(Not(inner[0]))
        elif isinstance(condition, Not):
            made.append(Not(_all(bundle([condition.part]))))
        elif prefix:
            inside = cut(condition, len(prefix))
            if prefix in places and not _twice(made[places[prefix]], inside):
                at = places[prefix]
                old = made[at]
                assert isinstance(old, Related)
                made[at] = replace(old, where=(*old.where, inside))
            else:
                places[prefix] = len(made)
                made.append(Related(prefix, (inside,)))
        elif isinstance(condition, Either):
            made.append(Either(tuple(_all(bundle([part])) for part in condition.parts)))
        elif (
            isinstance(condition, Related)
            and not condition.op
            and condition.measure is None
            and condition.path in places
            and not any(_twice(made[places[condition.path]], each) for each in condition.where)
        ):
            at = places[condition.path]
            old = made[at]
            assert isinstance(old, Related)
            made[at] = replace(
                old, where=(*old.where, *condition.where), said=old.said or condition.said
            )
        else:
            if isinstance(condition, Related) and not condition.op and condition.measure is None:
                places[condition.path] = len(made)
            made.append(condition)
    return tuple(_nested(made))


def _nested(conditions: list[Condition]) -> list[Condition]:
    """Rows behind related rows are those of the same ones: "ships carrying rice to Santos"."""
    plain = [c for c in conditions if isinstance(c, Related) and not c.op and c.measure is None]
    made = list(conditions)
    for inner in sorted(plain, key=lambda r: -len(r.path)):
        outer = next(
            (
                r
                for r in made
                if isinstance(r, Related)
                and r is not inner
                and not r.op
                and r.measure is None
                and len(r.path) < len(inner.path)
                and inner.path[: len(r.path)] == r.path
            ),
            None,
        )
        if outer is not None and inner in made:
            made.remove(inner)
            deeper = replace(inner, path=inner.path[len(outer.path) :])
            made[made.index(outer)] = replace(outer, where=(*outer.where, deeper))
    return made


def cut(condition: Condition, joins: int) -> Condition:
    """The condition without the first joins of its paths."""
    return moved(condition, lambda own: own[joins:])


def _twice(related: Condition, inside: Condition) -> bool:
    """Whether one row can't meet both: another value of the same column is asked of it already."""
    old = (
        [
            leaf.value
            for c in related.where
            for leaf in leaves(c)
            if isinstance(leaf, Test) and leaf.op == "in"
        ]
        if isinstance(related, Related)
        else []
    )
    new = [leaf.value for leaf in leaves(inside) if isinstance(leaf, Test) and leaf.op == "in"]
    return any(value in old for value in new)


def _all(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else Both(tuple(parts))


def _prefix(condition: Condition) -> Path:
    """The joins to several rows that all tests of a condition share; () for none."""
    found: set[Path] = set()
    for leaf in leaves(condition):
        if isinstance(leaf, Related):
            return ()
        fields = [
            *leaf.value.fields,
            *(f for v in leaf.values if isinstance(v, Value) for f in v.fields),
        ]
        found |= {_many(field.path) for field in fields}
    return found.pop() if len(found) == 1 else ()


def _many(path: Path) -> Path:
    last = max((n for n, edge in enumerate(path) if edge.many), default=-1)
    return path[: last + 1]
