"""What figures are grouped by, and what they are averaged over."""

from dataclasses import dataclass

from harness.standin.brain.dimensions import group_of
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.tree import Group, Measure, Path
from harness.standin.brain.ways import ways

_DIMS = ("noun", "col", "role", "unit_of_time")


@dataclass(frozen=True)
class Figure:
    """A measure with the table that its rows come from, and the items that say so."""

    measure: Measure
    source: str
    items: tuple[int, ...]
    noun: int = -1  # the item of the noun that is counted


def _is_figure(s: Sentence, j: int) -> bool:
    item = s.items[j]
    if set(item.senses) & {"val", "bound", "null", "equals", "keyed"}:
        return False
    if "age" in item:
        return True
    return (
        any(
            c.is_number and not (c.is_code or s.world.schema.is_link(c))
            for c in item.senses.get("col", ())
        )
        or "lasting" in item
        or ("ask" in item and item["ask"] == "long")
    )


def groups(
    s: Sentence, source: str, skip: tuple[int, ...] = ()
) -> tuple[tuple[Group, ...], set[int], bool]:
    """What rows are grouped by, the items that say so, and whether each counts ("each carrier")."""
    made: list[Group] = []
    items: set[int] = set()
    spread = False
    for i in s.all("each"):
        if i in s.used or (i and set(s.items[i - 1].senses) & {"verb"} and "by" in s.items[i]):
            continue
        for j in _dims_after(s, i):
            if j in skip:
                break
            if (
                s.items[j].senses.get("noun") == source
                and "col" not in s.items[j]
                and len(s.items) > j
            ):
                items |= {i, j}
                continue
            if "noun" in s.items[j] and j + 1 < len(s.items) and _is_figure(s, j + 1):
                break
            group = group_of(s, j, source)
            if group is not None and group not in made:
                made.append(group)
                items |= {i, j}
                spread = spread or s.words(i).lower() in (
                    "each",
                    "every",
                    "does each",
                    "with each",
                    "for each",
                    "for every",
                    "of each",
                    "each of the",
                )
    for j in s.all("unit_of_time"):
        if s.words(j).lower() in ("monthly", "yearly", "daily", "weekly", "quarterly") or (
            j and "a" in s.items[j].dropped and not items
        ):
            group = group_of(s, j, source)
            if group is not None and j not in items:
                made.append(group)
                items.add(j)
    return tuple(made), items, spread


def _dims_after(s: Sentence, i: int) -> list[int]:
    """The dimension after "per", and those that "and" adds to it."""
    found: list[int] = []
    claimed = {c.start for c in s.claims}
    for j in range(i + 1, len(s.items)):
        item = s.items[j]
        if j in claimed and not found:
            continue
        dim = set(item.senses) & set(_DIMS) and j not in claimed
        if dim and (not found or "and" in s.items[j - 1] or item.gap == ","):
            if _part_of_name(s, j):
                continue
            found.append(j)
        elif (found and "and" not in item) or (
            not found and not set(item.senses) & {"light", "from", "to", "and"}
        ):
            break
    return found


def _part_of_name(s: Sentence, j: int) -> bool:
    """ "per destination port": the role says it, the noun only repeats it."""
    return (
        j + 1 < len(s.items)
        and "role" not in s.items[j]
        and "noun" in s.items[j]
        and "role" in s.items[j + 1]
    )


def per_table(s: Sentence, figure: Figure) -> tuple[Path, set[int]] | None:
    """ "average weight per container", "does a vessel make on average": the table averaged over."""
    if figure.measure.kind != "avg_count" and not _lines(s, figure):
        return None
    schema = s.world.schema
    for i in [
        *s.all("each"),
        *(j for j in s.all("noun") if set(s.items[j].dropped) & {"a", "an"}),
        *(j for j in s.all("noun") if j and "agg" in s.items[j - 1] and j not in figure.items),
    ]:
        at = (
            i
            if "noun" in s.items[i]
            else next(
                (j for j in range(i + 1, min(i + 3, len(s.items))) if "noun" in s.items[j]), -1
            )
        )
        if at < 0 or at == figure.noun:
            continue
        way = ways(schema, figure.source, s.items[at]["noun"])
        if way and way[0][1] and not any(e.many for e in way[0][1]):
            return way[0][1], {i, at}
    return None


def _lines(s: Sentence, figure: Figure) -> bool:
    """Whether the measure is of lines that have no name of their own, which add up."""
    value = figure.measure.value
    table = s.world.schema.tables[figure.source]
    return (
        figure.measure.kind == "avg"
        and value is not None
        and not table.named
        and table.label is not None
        and table.label.name not in table.key
    )
