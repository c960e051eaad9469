"""Conditions on related rows put together: those over the same joins speak of the same row."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeGuard

from harness.standin.brain.tree import Both, Condition, Either, Not, Path, Related, Test, Value


def leaves(condition: Condition) -> Iterable[Test | Related]:
    """The tests at the end of a condition's branches."""
    if isinstance(condition, Not):
        yield from leaves(condition.part)
    elif isinstance(condition, (Both, Either)):
        for part in condition.parts:
            yield from leaves(part)
    else:
        yield condition


def tests(condition: Condition) -> list[Test]:
    """The tests among a condition's leaves."""
    return [leaf for leaf in leaves(condition) if isinstance(leaf, Test)]


def moved(condition: Condition, change: Callable[[Path], Path]) -> Condition:
    """The condition with every path changed."""
    if isinstance(condition, Not):
        return Not(moved(condition.part, change))
    if isinstance(condition, (Both, Either)):
        return type(condition)(tuple(moved(part, change) for part in condition.parts))
    if isinstance(condition, Related):
        return replace(condition, path=change(condition.path))
    values = tuple(v.along(change) if isinstance(v, Value) else v for v in condition.values)
    return replace(condition, value=condition.value.along(change), values=values)


def lift(condition: Condition, path: Path) -> Condition:
    """The condition seen from where a path begins."""
    return moved(condition, lambda own: (*path, *own))


def cut(condition: Condition, joins: int) -> Condition:
    """The condition without the first joins of its paths."""
    return moved(condition, lambda own: own[joins:])


def bundle(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions, with those on several rows of the same kind put into one `Related`."""
    made: list[Condition] = []
    places: dict[Path, int] = {}
    for each in conditions:
        prefix = _prefix(each)
        if isinstance(each, Not):
            each = Not(bundle([each.part])[0])
        elif prefix:
            each = Related(prefix, (cut(each, len(prefix)),))
        elif isinstance(each, Either):
            each = Either(tuple(bundle([part])[0] for part in each.parts))
        old = made[places[each.path]] if _is_some(each) and each.path in places else None
        if _is_some(each) and _is_some(old) and not _twice(old, each):
            where, said = (*old.where, *each.where), old.said or each.said
            made[places[each.path]] = replace(old, where=where, said=said)
            continue
        if _is_some(each):
            places[each.path] = len(made)
        made.append(each)
    return tuple(_nested(made))


def _is_some(each: Condition | None) -> TypeGuard[Related]:
    """Whether it only says that there are related rows."""
    return isinstance(each, Related) and not each.op


def _nested(conditions: list[Condition]) -> list[Condition]:
    """Rows behind related rows are those of the same ones: "ships carrying rice to Santos"."""
    made = list(conditions)
    for inner in sorted(filter(_is_some, conditions), key=lambda r: -len(r.path)):
        for outer in filter(_is_some, made):
            size = len(outer.path)
            if size < len(inner.path) and inner.path[:size] == outer.path and inner in made:
                made.remove(inner)
                deeper = replace(inner, path=inner.path[size:])
                made[made.index(outer)] = replace(outer, where=(*outer.where, deeper))
                break
    return made


def _twice(old: Related, new: Related) -> bool:
    """Whether one row can't meet both: another value of the same column is asked of it already."""
    asked = [[t.value for c in r.where for t in tests(c) if t.op == "in"] for r in (old, new)]
    return any(value in asked[0] for value in asked[1])


def _prefix(condition: Condition) -> Path:
    """The joins to several rows that all tests of a condition share; () for none."""
    found: set[Path] = set()
    for leaf in leaves(condition):
        if isinstance(leaf, Related):
            return ()
        others = [f for v in leaf.values if isinstance(v, Value) for f in v.fields]
        found |= {_many(field.path) for field in (*leaf.value.fields, *others)}
    return found.pop() if len(found) == 1 else ()


def _many(path: Path) -> Path:
    last = max((n for n, edge in enumerate(path) if edge.many), default=-1)
    return path[: last + 1]
