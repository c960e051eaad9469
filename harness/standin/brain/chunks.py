"""Items put together: numbers with units, comparisons, lists of values, places in an order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from harness.standin.brain.bounds import (
    Bound,
    _between,
    _how,
    _lasting,
    _more,
    _percentile,
    _quantity,
    _ranked,
    _scale_amount,
    _scale_bound,
    _scaled,
    _tail,
    _times,
)
from harness.standin.brain.link import Item
from harness.standin.brain.schema import Column, Schema
from harness.standin.brain.units import unit_of_column
from harness.standin.brain.words import keys, playbook

Make = Callable[[list[Item]], dict[str, Any] | None]


def chunk(items: Sequence[Item], schema: Schema) -> list[Item]:
    """The items with what belongs together put together."""
    made = list(items)
    for pattern, make in _PASSES:
        made = _rewrite(made, pattern, make)
    made = _rewrite(made, "ahead|behind col", _against)
    made = _lists(made)
    made = _rewrite(made, "col val", _narrowed)
    made = _rewrite(made, "val col", _narrowed)
    made = _lists(made)
    made = _rewrite(made, "col bound", _of_column)
    made = _rewrite(made, "bound col", _of_column_after)
    made = _rewrite(made, "col num|word|ordinal", _equals)
    made = _rewrite(made, "noun num and|or? num? and|or? num?", _keyed(schema))
    return _rewrite(
        made,
        "quantity",
        lambda found: {"bound": Bound("=", *_one(found[0]))} if _sized(made, found[0]) else None,
    )


def _one(item: Item) -> tuple[tuple[float, ...], str]:
    number, unit = item["quantity"]
    return (number,), unit


def _sized(items: list[Item], item: Item) -> bool:
    """ "1 TEU reefers": a size right before what has it."""
    at = items.index(item)
    after = items[at + 1] if at + 1 < len(items) else None
    return after is not None and bool({"noun", "null", "empty"} & set(after.senses))


def _rewrite(items: list[Item], pattern: str, make: Make) -> list[Item]:
    """Every run of items that fits the pattern ("num unit?"), with what `make` makes of it."""
    kinds, made, i = pattern.split(), [], 0
    while i < len(items):
        found = _fitting(items, i, kinds)
        senses = make(found) if found else None
        if found and senses is not None:
            first, last = found[0], found[-1]
            words = " ".join(item.words for item in found)
            made.append(replace(first, end=last.end, words=words, senses=senses))
            i += len(found)
        else:
            made.append(items[i])
            i += 1
    return made


def _fitting(items: list[Item], i: int, kinds: list[str]) -> list[Item]:
    found: list[Item] = []
    for kind in kinds:
        options, optional = kind.rstrip("?").split("|"), kind.endswith("?")
        item = items[i + len(found)] if i + len(found) < len(items) else None
        parted = item is not None and found and set(item.gap) & set(".;?!:")
        if item is not None and not parted and any(option in item for option in options):
            found.append(item)
        elif not optional:
            return []
    return found


def _against(found: list[Item]) -> dict[str, Any] | None:
    """ "before their ETA": before the time that was planned."""
    planned = [c for c in found[1]["col"] if c.is_time and not c.nullable]
    if not planned or len(found[1].words.split()) > 2:
        return None
    return {"early" if "ahead" in found[0] else "after_eta": True}


def _narrowed(found: list[Item]) -> dict[str, Any] | None:
    """ "flag of Malta", "Liberian flag": the value of just that column."""
    first = "col" in found[0] and "val" in found[1]
    columns, value = (found[0]["col"], found[1]) if first else (found[1]["col"], found[0])
    if "," in found[1].gap or ("val" in found[0] and "val" in found[1]):
        return None
    pairs = tuple(pair for pair in value["val"] if pair[0] in columns)
    if not pairs and first:
        pairs = tuple(
            (c, v) for c in columns for d, v in value["val"] if set(c.values) & set(d.values)
        )
    return {"val": tuple(dict.fromkeys(pairs))} if pairs else None


def _of_column(found: list[Item]) -> dict[str, Any] | None:
    """ "capacity over 5000", "a delay of more than 10 hours"."""
    bound, columns = (
        found[1]["bound"],
        tuple(c for c in found[0]["col"] if c.is_number or c.is_time),
    )
    if (bound.of and bound.of != ("duration",)) or not columns:
        return None
    words = tuple(keys(found[0].words))
    return {"bound": replace(bound, columns=columns, of=words)}


def _of_column_after(found: list[Item]) -> dict[str, Any] | None:
    """ "more than 10 hours delay", "over 5000 TEU capacity"."""
    bound, columns = (
        found[0]["bound"],
        tuple(c for c in found[1]["col"] if c.is_number and _same_kind(c, found[0]["bound"].unit)),
    )
    if bound.of or bound.columns or not columns or not bound.unit:
        return None
    return {"bound": replace(bound, columns=columns, of=tuple(keys(found[1].words)))}


def _same_kind(column: Column, unit: str) -> bool:
    units, own = playbook()["units"], unit_of_column(column)
    return bool(own) and bool(unit) and units[own]["dimension"] == units[unit]["dimension"]


def _equals(found: list[Item]) -> dict[str, Any] | None:
    """ "IMO 9357107", "HS code 090111": a number that names something."""
    if "num" not in found[1] or "digits" not in found[1]:
        return None
    coded = {"digit", "code", "number"}
    columns = tuple(
        c
        for c in found[0]["col"]
        if coded & set(keys(c.comment)) and (c.is_text or "digit" in keys(c.comment))
    )
    return {"equals": (columns, found[1]["digits"])} if columns else None


def _keyed(schema: Schema) -> Make:
    def make(found: list[Item]) -> dict[str, Any] | None:
        table = schema.tables[found[0]["noun"]]
        numbers = [item["num"] for item in found[1:] if "num" in item]
        whole = all(n == int(n) and n >= 0 for n in numbers)
        if (
            not whole
            or not table.key
            or "num" not in found[-1]
            or (len(found) > 2 and len(numbers) < 2)
        ):
            return None
        if found[1].senses.get("article") or "digits" not in found[1]:
            return None
        return {"keyed": (table.name, tuple(int(n) for n in numbers))}

    return make


def _lists(items: list[Item]) -> list[Item]:
    """ "Rotterdam or Antwerp", "Norway, Denmark and Germany": one list of values of a column."""
    made: list[Item] = []
    for item in items:
        join = (
            made[-1]
            if made and ("or" in made[-1] or "and" in made[-1] or "nor" in made[-1])
            else None
        )
        before = (
            made[-2] if join and len(made) > 1 else made[-1] if made and item.gap == "," else None
        )
        if before is not None and "val" in before and "val" in item and not _apart(made, join):
            shared = {c for c, _ in before["val"]} & {c for c, _ in item["val"]}
            if shared and not (False):
                pairs = tuple(
                    dict.fromkeys(p for p in (*before["val"], *item["val"]) if p[0] in shared)
                )
                words = f"{before.words} {join.words if join else 'or'} {item.words}"
                senses = {"val": pairs} | ({"nor": "nor"} if join and "nor" in join else {})
                made[-2 if join else -1 :] = [
                    replace(before, end=item.end, words=words, senses=senses)
                ]
                continue
        made.append(item)
    return made


def _apart(made: list[Item], join: Item | None) -> bool:
    """ "both laptops and smartphones", "between Shanghai and Rotterdam" stay two values."""
    front = made[-3] if join and len(made) > 2 else None
    return front is not None and ("both" in front or "between" in front or "compare" in front)


_PASSES: tuple[tuple[str, Make], ...] = (
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
    ("scale by|each? bound", _scale_bound),
    ("bound scale", _scale_bound),
    ("scale by|each? quantity", _scale_amount),
    ("quantity scale", _scale_amount),
    ("lasting bound", _lasting),
    ("bound lasting", _lasting),
    ("ordinal scale|most", _ranked),
    ("num scale|most|turn", _ranked),
    ("top|scale|most|turn num", _ranked),
    ("turn", _ranked),
    ("top", _ranked),
    ("most", _ranked),
    ("scale", _ranked),
)
