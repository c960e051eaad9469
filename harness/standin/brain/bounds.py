"""Comparisons with numbers, and places in an order, out of items side by side."""

from dataclasses import dataclass, replace
from typing import Any

from harness.standin.brain.link import Item
from harness.standin.brain.schema import Column

_FLIP = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


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


def _amount(item: Item) -> tuple[float, str]:
    """Number and unit of an item."""
    return item["quantity"] if "quantity" in item else (item["num"], "")


def _percentile(found: list[Item]) -> dict[str, Any] | None:
    number = next(
        (
            item.senses.get("ordinal", item.senses.get("num"))
            for item in found
            if "percentile" not in item
        ),
        None,
    )
    return {"percent": float(number)} if number and 0 < number < 100 else None


def _times(found: list[Item]) -> dict[str, Any]:
    return {"num": found[0]["num"] * found[1]["times"]}


def _how(found: list[Item]) -> dict[str, Any] | None:
    """ "how late", "how old": the figure itself."""
    return {"howscale": found[1]["scale"]} if found[1]["scale"][2] == 0 else None


def _quantity(found: list[Item]) -> dict[str, Any] | None:
    if found[1].dropped:
        return None  # "voyage 1400 in tons"
    return {"quantity": (found[0]["num"], found[1]["unit"])}


def _between(found: list[Item]) -> dict[str, Any]:
    (low, unit), (high, other) = _amount(found[1]), _amount(found[3])
    return {"bound": Bound("between", (min(low, high), max(low, high)), other or unit)}


def _more(found: list[Item]) -> dict[str, Any]:
    number, unit = _amount(found[1])
    return {"bound": Bound(found[0]["more"], (number,), unit)}


def _tail(found: list[Item]) -> dict[str, Any]:
    number, unit = _amount(found[0])
    return {"bound": Bound(found[-1]["tail"], (number,), unit or found[1].senses.get("unit", ""))}


def _scaled(found: list[Item]) -> dict[str, Any] | None:
    """ "older than 24 years", "heavier than 5 tons", "older than 2010"."""
    of, side, degree, years = found[0]["scale"]
    if degree != 1:
        return None
    op = ">" if side == "more" else "<"
    if "window" in found[1]:
        start = found[1]["window"].start
        return (
            {"bound": Bound(_FLIP[op], (start.year,), "", of, years)} if years and start else None
        )
    number, unit = _amount(found[1])
    if years and not unit:
        return {"bound": Bound(_FLIP[op], (number,), "", of, years)}
    return {"bound": Bound(op, (number,), unit, of, years)}


def _scale_bound(found: list[Item]) -> dict[str, Any] | None:
    """ "late by more than 100 hours"; "more than a day late"; "at most 10 years old"."""
    scale = next(item["scale"] for item in found if "scale" in item)
    bound = next(item["bound"] for item in found if "bound" in item)
    if scale[2] or bound.of or not scale[0] or not (bound.unit or scale[3]):
        return None
    return {"bound": replace(bound, of=scale[0], years=scale[3])}


def _scale_amount(found: list[Item]) -> dict[str, Any] | None:
    """ "20 years old", "delayed by 3 days": exactly so much."""
    scale = next(item["scale"] for item in found if "scale" in item)
    amount = next(_amount(item) for item in found if "quantity" in item)
    if scale[2] or not scale[0]:
        return None
    return {"bound": Bound("=", (amount[0],), amount[1], scale[0], scale[3])}


def _lasting(found: list[Item]) -> dict[str, Any] | None:
    bound = next(item["bound"] for item in found if "bound" in item)
    return None if bound.of or not bound.unit else {"bound": replace(bound, of=("duration",))}


def _ranked(found: list[Item]) -> dict[str, Any] | None:
    """ "3 largest", "second largest", "top 5", "most", "first 3", "next"."""
    place, count, skip = None, 1, 0
    for item in found:
        if "num" in item and item["num"] == int(item["num"]) and "article" not in item:
            count = int(item["num"])
        elif (
            "ordinal" in item and ("scale" in found[-1] or "most" in found[-1]) and item is found[0]
        ):
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
    if degree != 2:
        return None
    return Rank((side == "more") != years, of=of, years=years)
