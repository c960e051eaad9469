"""Comparisons with numbers, and places in an order, out of items side by side."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from harness.standin.brain.factlines import Column
from harness.standin.brain.link import Item

FLIPPED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
Senses = dict[str, Any] | None
Make = Callable[[list[Item]], Senses]


@dataclass(frozen=True)
class Bound:
    """A comparison with numbers; `of` are words for its measure, `columns` the named ones."""

    op: str
    numbers: tuple[float, ...]
    unit: str = ""
    of: tuple[str, ...] = ()
    years: bool = False  # the measure is a year: old means low
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True)
class Rank:
    """A place in an order: how many, after how many, by what words, from the top or the bottom."""

    down: bool
    count: int = 1
    skip: int = 0
    of: tuple[str, ...] = ()
    turn: str = ""  # first, last, next: in time
    plain: bool = False  # "top", without a measure of its own
    years: bool = False


def _get(found: list[Item], kind: str) -> Any:
    """What the first item with a sense says; None for none."""
    return next((item[kind] for item in found if kind in item), None)


def _amount(item: Item) -> tuple[float, str]:
    """Number and unit of an item."""
    return item["quantity"] if "quantity" in item else (item["num"], "")


def _percentile(found: list[Item]) -> Senses:
    number = _get(found, "ordinal") or _get(found, "num")
    return {"percent": float(number)} if number and 0 < number < 100 else None


def _times(found: list[Item]) -> Senses:
    return {"num": found[0]["num"] * found[1]["times"]}


def _how(found: list[Item]) -> Senses:
    """ "how late", "how old": the figure itself."""
    return {"howscale": found[1]["scale"]} if found[1]["scale"][2] == 0 else None


def _quantity(found: list[Item]) -> Senses:
    if found[1].dropped:
        return None  # "voyage 1400 in tons"
    return {"quantity": (found[0]["num"], found[1]["unit"])}


def _between(found: list[Item]) -> Senses:
    (low, unit), (high, other) = _amount(found[1]), _amount(found[3])
    return {"bound": Bound("between", (min(low, high), max(low, high)), other or unit)}


def _more(found: list[Item]) -> Senses:
    number, unit = _amount(found[1])
    return {"bound": Bound(found[0]["more"], (number,), unit)}


def _tail(found: list[Item]) -> Senses:
    number, unit = _amount(found[0])
    return {"bound": Bound(_get(found, "tail"), (number,), unit or _get(found, "unit") or "")}


def _scaled(found: list[Item]) -> Senses:
    """ "older than 24 years", "heavier than 5 tons", "older than 2010"."""
    of, side, degree, years = found[0]["scale"]
    op = ">" if side == "more" else "<"
    start = found[1]["window"].start if "window" in found[1] else None
    if degree != 1 or ("window" in found[1] and not (years and start)):
        return None
    number, unit = (start.year, "") if start else _amount(found[1])
    op = FLIPPED[op] if years and not unit else op
    return {"bound": Bound(op, (number,), unit, of, years)}


def _of_scale(found: list[Item]) -> Senses:
    """ "late by more than 100 hours", "20 years old", "at sea for over 3 days": of what it is."""
    scale, bound, amount = (_get(found, kind) for kind in ("scale", "bound", "quantity"))
    of, _, degree, years = scale or (("duration",), "", 0, False)
    bound = bound or Bound("=", (amount[0],), amount[1])
    if bound.of or degree or not of or not (bound.unit or years):
        return None
    return {"bound": replace(bound, of=of, years=years)}


def _ranked(found: list[Item]) -> Senses:
    """ "3 largest", "second largest", "top 5", "most", "first 3", "next"."""
    place, count, skip = None, 1, 0
    ordinal = "ordinal" in found[0] and ("scale" in found[-1] or "most" in found[-1])
    for item in found:
        if "num" in item and item["num"] == int(item["num"]) and "article" not in item:
            count = int(item["num"])
        elif ordinal and item is found[0]:
            skip = item["ordinal"] - 1
        else:
            place = place or _place(item)
    return {"rank": replace(place, count=max(1, count), skip=skip)} if place else None


def _place(item: Item) -> Rank | None:
    if "top" in item:
        return Rank(item["top"] == "desc", plain=True)
    if "turn" in item:
        return Rank(item["turn"] == "last", turn=item["turn"])
    if "most" in item:
        return Rank(item["most"] == "desc")
    of, side, degree, years = item["scale"]
    return Rank((side == "more") != years, of=of, years=years) if degree == 2 else None


# Runs of items, and what is made of each, in turn.
PASSES: tuple[tuple[str, Make], ...] = (
    ("how scale", _how),
    ("ordinal|num percentile", _percentile),
    ("percentile num", _percentile),
    ("num times", _times),
    ("num unit", _quantity),
    ("between num|quantity and num|quantity", _between),
    ("more quantity|num", _more),
    ("quantity|num tail", _tail),
    ("num tail unit", _tail),
    ("scale quantity|num|window", _scaled),
    ("scale by|each? bound", _of_scale),
    ("bound scale", _of_scale),
    ("scale by|each? quantity", _of_scale),
    ("quantity scale", _of_scale),
    ("lasting bound", _of_scale),
    ("bound lasting", _of_scale),
    ("ordinal scale|most", _ranked),
    ("num scale|most|turn", _ranked),
    ("top|scale|most|turn num", _ranked),
    ("turn|top|most|scale", _ranked),
)
