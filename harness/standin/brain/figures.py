"""The figures that a question asks for: totals, averages, percentiles; also without such a word.

What names a figure is used up by it: whoever reads on looks only at what is left.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from harness.standin.brain.factlines import measures, never_units
from harness.standin.brain.sentence import Sentence, event_table, figure_column, identity
from harness.standin.brain.tree import Measure, Problem, Value
from harness.standin.brain.ways import additive, cheapest, figure_for, plain
from harness.standin.brain.words import keys

_AGGREGATES = ("sum", "avg", "median", "min", "max", "weighted", "spread", "percentile")


@dataclass(frozen=True)
class Figure:
    """A measure with the table that its rows come from; `noun`: the item of what is counted.

    The kind of the measure is "" for the figure of one row.
    """

    measure: Measure
    source: str
    noun: int = -1


def figures(s: Sentence) -> Iterator[Figure]:
    """Every measure with an aggregate of its own, in order; one is used up when it is taken."""
    return filter(None, (_aggregate(s, i) for i in range(len(s.items))))


def _aggregate(s: Sentence, i: int) -> Figure | None:
    """ "average delay", "total cargo weight", "delay on average", "average number of voyages"."""
    kind = s.get(i, "agg") or ("percentile" if s.has(i, "percent") else "")
    at = _target(s, i) if kind in _AGGREGATES else -1
    in_unit = s.has(i + 1, "unit") and not s.has(i + 1, "quantity") and not s.is_figure(i + 2)
    found: Figure | None = None
    if kind == "sum" and in_unit and (found := summed(s, s.items[i + 1]["unit"], s.tables)):
        s.use(i + 1)  # "total TEU of containers"
    elif s.has(at, "noun", "event") and not s.has(at, "col"):
        counted = Measure("avg_count" if kind == "avg" else "count")
        table = s.get(at, "noun") or event_table(s, at)
        found = Figure(counted, table, at) if table else None
        s.use(at if found else -1)
    elif at >= 0:
        found = of_kind(s, kind, at, s.get(i, "percent") or 50.0)
    s.use(i if found else -1)
    return found


def of_kind(s: Sentence, kind: str, at: int, percent: float = 50.0) -> Figure | None:
    """A measure of the figure that an item names."""
    unit = asked_unit(s)
    value = figure_at(s, at, unit, each=bool(s.all("per_unit")))
    if value is None:
        return None
    s.use(at, "per_unit")
    if s.world.today and (s.get(at, "howscale") or [False])[-1]:  # "how old is ..."
        value = replace(value, how="age", unit="year", name="age", today=s.world.today)
    return Figure(Measure(kind, value, None, percent, unit), value.table)


def _target(s: Sentence, i: int) -> int:
    """The item that an aggregate is about: a figure after it, else before it, else a noun."""
    noun = -1
    for j in range(i + 1, min(len(s.items), i + 6)):
        if s.has(j, "agg") and all(s.has(k, "agg", "and") for k in range(i, j)):
            continue  # "minimum, maximum and average capacity"
        each = s.has(j, "each") and not s.has(j, "by")
        if (s.has(j, "agg") and s.get(j, "agg") != "sum") or s.has(j, "window") or each:
            break
        if s.is_figure(j) or s.has(j, "howscale"):
            return j
        if noun < 0 and (s.has(j, "noun") or (s.has(j, "event") and not s.has(j, "val"))):
            noun = j
        elif s.has(j, "each"):
            break
    behind = [j for j in range(i - 1, max(-1, i - 7), -1) if s.is_figure(j) or s.has(j, "howscale")]
    if behind and (noun < 0 or s.has(behind[0], "howscale")):
        return behind[0]
    counts = s.asks("count")
    return next((j for j in s.all("noun") if j > counts >= 0), -1) if noun < 0 else noun


def weighted(s: Sentence) -> Figure | None:
    """ "average delay weighted by capacity", "capacity-weighted average age"."""
    i, named = s.first("agg", "weighted"), s.named_figures
    if i < 0:
        return None
    front = [j for j in [*s.all("scale"), *named] if j < i][-1:]
    at, by = front, [j for j in named if j > i]
    if named[:1] == [i - 1] and s.has(i + 1, "agg"):
        at, by = named[1:][-1:], named
    if not at or not by:
        raise Problem("clarify", [s.words(i)], "what is weighted by what")
    value, columns = figure_at(s, at[0], each=True), s.get(by[0], "col") or ()
    words = tuple(keys(s.words(by[0])))
    heavy = figure_for(words, columns, value.table, s.world, each=True) if value else None
    if value is None or heavy is None:
        return None
    s.use(at[0], by[0], *s.all("agg", "avg", "weighted"))
    return Figure(Measure("weighted", value, heavy[1], unit=asked_unit(s)), value.table)


def figure_at(s: Sentence, at: int, unit: str = "", each: bool = False) -> Value | None:
    """The figure that an item names, seen from its own table; the nearest to the nouns."""
    starts = s.tables or [c.table for c in s.get(at, "col") or ()][:1]
    options = []
    for n, start in enumerate(starts or sorted(s.world.schema.tables)):
        if value := figure_column(s, at, start, unit):
            path, many = value.field.path, value.field.many
            options.append((len(path) + 0.1 * n + (0.8 if path and not many else 0), value))
    best = cheapest(options)
    if best is None:
        return None
    one = best[1].how == "product" and (each or "unit" in keys(s.words(at)))
    return (plain(best[1].fields[1]) if one else best[1]).own


def asked_unit(s: Sentence) -> str:
    """The unit that a figure is asked in: "in days", "how many tonnes of"."""
    for i in s.all("unit"):
        if not s.has(i, "quantity", "bound", "window", "unit_of_time"):
            s.use(i, i - 1 if s.has(i - 1, "times") else -1)  # "in million dollars"
            return str(s.items[i]["unit"])
    return ""


def summed(s: Sentence, unit: str, tables: list[str]) -> Figure | None:
    """ "How many tonnes of ...": the column with that unit that adds up over the rows in play."""
    options = []
    for n, table in enumerate(tables or sorted(s.world.schema.tables)):
        for column in s.world.schema.columns:
            found = figure_for((), [column], table, s.world, unit)
            if found is None or not additive(found[1]) or not measures(found[1].unit, unit):
                continue
            aside = found[1].field.path and not found[1].field.many
            options.append((found[0] + 0.1 * n + (2.5 if aside else 0), found[1]))
    best = cheapest(options)
    return Figure(Measure("sum", best[1].own, unit=unit), best[1].table) if best else None


def bare(s: Sentence, at: int, of: tuple[str, ...], tables: Iterable[str]) -> Figure | None:
    """A figure without an aggregate: the named one that is nearest, or what an adjective means."""
    named = [i for i in s.named_figures if i != at]
    i = min(named, key=lambda j: (j < at, abs(j - at)), default=-1)
    if value := figure_at(s, i, asked_unit(s)) if named else None:
        s.use(i, i - 1 if s.has(i - 1, "each") else -1)
        return Figure(Measure("", value), value.table)
    for table in tables if of else ():
        known = figure_for(of, (), table, s.world, each=bool(s.all("per_unit")))
        if known is not None:
            kind = "avg" if s.all("agg", "avg") else ""  # "the oldest fleet on average"
            s.use(*s.all("agg", "avg"))
            return Figure(Measure(kind, known[1].own), known[1].table)
    return None


def amounts(s: Sentence) -> list[Figure]:
    """ "How much coffee", "how many tonnes of rice": totals without a word for it."""
    much, many, long = s.asks("amount"), s.asks("count"), s.asks("long")
    if much < 0 and many < 0 and (known := identity(s)):
        return _held(s, known[0])
    if much < 0 and many < 0:  # "how long does it take from X to Y": of many rows the average
        return [*filter(None, [of_kind(s, "avg", long)])] if long >= 0 and s.nouns else []
    tables = s.tables + [c.data[0][0].table for c in s.of("val")]
    after = max(much if many < 0 else many, 0) + 1
    if s.has(after, "unit") and not s.has(after, "quantity"):
        return [_in_unit(s, after, tables)]
    named = next((i for i in s.all("col") if i not in s.used and s.is_figure(i)), -1)
    also = many >= 0 and s.has(named - 1, "pronoun")  # "..., and what are they worth"
    if not also and (much < 0 or s.has(much - 1, "by")):
        return []
    if named >= 0:
        return [*filter(None, [of_kind(s, "sum", named)])]
    made = summed(s, "kilogram", tables)
    if made is None or made.measure.value is None:
        return []
    s.notes.append(f"Measured by {made.measure.value.name}.")
    return [replace(made, measure=replace(made.measure, unit=asked_unit(s)))]


def _in_unit(s: Sentence, at: int, tables: list[str]) -> Figure:
    """ "How many tons": what is measured so; not of a column whose comment rules the unit out."""
    unit, word = str(s.items[at]["unit"]), s.words(at)
    found = summed(s, unit, tables)
    s.use(at)
    for table in sorted(set(tables)) if found is None or found.source not in tables else ():
        for column in s.world.schema.tables[table].columns.values():
            if unit in never_units(column):
                raise Problem("trap", [word, unit, column.name, column.table], column.comment)
    if found is None:
        raise Problem("unit", [word])
    return found


def _held(s: Sentence, table: str) -> list[Figure]:
    """ "What is the cargo on voyage 9 worth": what the rows that a known one has come to."""
    for i in range(len(s.items)):
        named = s.is_figure(i) or s.has(i, "howscale")
        value = figure_column(s, i, table) if named and i not in s.used else None
        first = i - 1 if s.has(i - 1, "pronoun") else i
        shown = "with" in s.items[first].dropped  # "vessels of X with their capacity": a list
        if value is not None and value.field.many and additive(value) and not shown:
            s.use(i)
            return [Figure(Measure("sum", value.own, unit=asked_unit(s)), value.table)]
    return []
