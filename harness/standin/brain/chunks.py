"""Items put together: comparisons, places in an order, lists of values, columns with numbers."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from harness.standin.brain.factlines import Column, measures, unit_of_column
from harness.standin.brain.link import Item, World, link
from harness.standin.brain.schema import Schema
from harness.standin.brain.words import keys

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


def items_of(text: str, world: World) -> list[Item]:
    """The items of a question, with what belongs together put together."""
    made, schema = link(text, world), world.schema
    for pattern, make in (*PASSES, ("ahead|behind col", _against)):
        made = _rewritten(made, pattern, make)
    made = _lists(made)
    for pattern in ("col val", "val col"):
        made = _rewritten(made, pattern, _narrowed)
    made = _lists(made)
    for pattern in ("col bound", "bound col"):
        made = _rewritten(made, pattern, _of_column)
    made = _rewritten(made, "col num|word|ordinal", _equals)
    keyed = "noun num and|or? num? and|or? num?"
    return _sized(_rewritten(made, keyed, partial(_keyed, schema)))


def _rewritten(items: list[Item], pattern: str, make: Make) -> list[Item]:
    """Every run of items that fits the pattern ("num unit?"), with what `make` makes of it."""
    kinds = [(kind.rstrip("?").split("|"), kind.endswith("?")) for kind in pattern.split()]
    made, i = list[Item](), 0
    while i < len(items):
        found = _fitting(items, i, kinds)
        senses = make(found) if found else None
        if senses is None:
            found = items[i : i + 1]
            made += found
        else:
            words = " ".join(item.words for item in found)
            made.append(replace(found[0], end=found[-1].end, words=words, senses=senses))
        i += len(found)
    return made


def _fitting(items: list[Item], i: int, kinds: list[tuple[list[str], bool]]) -> list[Item]:
    found: list[Item] = []
    for options, optional in kinds:
        item = items[i + len(found)] if i + len(found) < len(items) else None
        parted = item is not None and found and set(item.gap) & set(".;?!:")
        if item is not None and not parted and any(option in item for option in options):
            found.append(item)
        elif not optional:
            return []
    return found


def _sized(items: list[Item]) -> list[Item]:
    """ "1 TEU reefers": a size right before what has it."""
    made = list(items)
    for i, item in enumerate(items[:-1]):
        if "quantity" in item and {"noun", "null", "empty"} & set(items[i + 1].senses):
            made[i] = replace(
                item, senses={"bound": Bound("=", item["quantity"][:1], item["quantity"][1])}
            )
    if len(made) > 1 and "quantity" in made[-1] and "be" in made[-2]:  # "which are 2 TEU"
        number, unit = made[-1]["quantity"]
        made[-1] = replace(made[-1], senses={"bound": Bound("=", (number,), unit)})
    return made


def _against(found: list[Item]) -> Senses:
    """ "before their ETA": before the time that was planned."""
    planned = any(c.is_time and not c.nullable for c in found[1]["col"])
    if not planned or len(found[1].words.split()) > 2:
        return None
    return {"early" if "ahead" in found[0] else "after_eta": True}


def _narrowed(found: list[Item]) -> Senses:
    """ "flag of Malta", "Liberian flag": the value of just that column."""
    first = "col" in found[0] and "val" in found[1]
    column, value = found if first else found[::-1]
    if "," in found[1].gap or all("val" in item for item in found):
        return None
    pairs = [pair for pair in value["val"] if pair[0] in column["col"]]
    if not pairs and first:
        known = [(c, d, v) for c in column["col"] for d, v in value["val"]]
        pairs = [(c, v) for c, d, v in known if set(c.values) & set(d.values)]
    return {"val": tuple(dict.fromkeys(pairs))} if pairs else None


def _of_column(found: list[Item]) -> Senses:
    """ "capacity over 5000", "a delay of more than 10 hours", "over 5000 TEU capacity"."""
    first = "col" in found[0]
    column, item = found if first else found[::-1]
    bound = item["bound"]
    columns = tuple(c for c in column["col"] if c.is_number or (first and c.is_time))
    if not first:
        columns = tuple(c for c in columns if measures(unit_of_column(c), bound.unit))
    other = bound.of not in ((), ("duration",)) if first else bound.of or bound.columns
    if other or not columns:
        return None
    return {"bound": replace(bound, columns=columns, of=tuple(keys(column.words)))}


def _equals(found: list[Item]) -> Senses:
    """ "IMO 9357107", "HS code 090111": a number that names something."""
    said = {c: set(keys(c.comment)) for c in found[0]["col"]}
    coded = [c for c in said if said[c] & {"digit", "code", "number"}]
    columns = tuple(c for c in coded if c.is_text or "digit" in said[c])
    if "num" not in found[1] or "digits" not in found[1] or not columns:
        return None
    return {"equals": (columns, found[1]["digits"])}


def _keyed(schema: Schema, found: list[Item]) -> Senses:
    """ "voyage 9", "voyages 9, 10 and 11": rows by their keys."""
    table = schema.tables[found[0]["noun"]]
    numbers = [item["num"] for item in found[1:] if "num" in item]
    whole = all(n == int(n) and n >= 0 for n in numbers)
    joined = "num" in found[-1] and (len(found) == 2 or len(numbers) > 1)
    if not whole or not table.key or not joined or "digits" not in found[1]:
        return None
    return {"keyed": (table.name, tuple(int(n) for n in numbers))}


def _lists(items: list[Item]) -> list[Item]:
    """ "Rotterdam or Antwerp", "Norway, Denmark and Germany": one list of values of a column."""
    made: list[Item] = []
    for item in items:
        join = made[-1] if made and any(k in made[-1] for k in ("or", "and", "nor")) else None
        size = 2 if join else 1
        before = made[-size] if len(made) >= size and (join or item.gap == ",") else None
        front = made[-3] if join and len(made) > 2 else ()
        apart = any(kind in front for kind in ("both", "between", "compare"))
        shared = set[object]()
        if before is not None and "val" in before and "val" in item and not apart:
            shared = {c for c, _ in before["val"]} & {c for c, _ in item["val"]}
        if before is None or not shared:
            made.append(item)
            continue
        pairs = dict.fromkeys(p for p in (*before["val"], *item["val"]) if p[0] in shared)
        words = f"{before.words} {join.words if join else 'or'} {item.words}"
        senses = {"val": tuple(pairs)} | ({"nor": "nor"} if join and "nor" in join else {})
        made[-size:] = [replace(before, end=item.end, words=words, senses=senses)]
    return made
