"""Items put together: numbers with units, comparisons, lists of values, places in an order."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from harness.standin.brain.bounds import PASSES, Bound, Make, Senses
from harness.standin.brain.link import Item
from harness.standin.brain.schema import Schema
from harness.standin.brain.units import measures, unit_of_column
from harness.standin.brain.words import keys


def chunk(items: Sequence[Item], schema: Schema) -> list[Item]:
    """The items with what belongs together put together."""
    made = list(items)
    for pattern, make in (*PASSES, ("ahead|behind col", _against)):
        made = _rewritten(made, pattern, make)
    made = _lists(made)
    for pattern in ("col val", "val col"):
        made = _rewritten(made, pattern, _narrowed)
    made = _lists(made)
    made = _rewritten(made, "col bound", _of_column)
    made = _rewritten(made, "bound col", _of_column_after)
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
            number, unit = item["quantity"]
            made[i] = replace(item, senses={"bound": Bound("=", (number,), unit)})
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
    """ "capacity over 5000", "a delay of more than 10 hours"."""
    bound = found[1]["bound"]
    columns = tuple(c for c in found[0]["col"] if c.is_number or c.is_time)
    if bound.of not in ((), ("duration",)) or not columns:
        return None
    return {"bound": replace(bound, columns=columns, of=tuple(keys(found[0].words)))}


def _of_column_after(found: list[Item]) -> Senses:
    """ "more than 10 hours delay", "over 5000 TEU capacity"."""
    bound = found[0]["bound"]
    numbers = [c for c in found[1]["col"] if c.is_number]
    columns = tuple(c for c in numbers if measures(unit_of_column(c), bound.unit))
    if bound.of or bound.columns or not columns:
        return None
    return {"bound": replace(bound, columns=columns, of=tuple(keys(found[1].words)))}


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
