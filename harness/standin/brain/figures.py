"""The figures that a question asks for: totals, averages, percentiles, alone, by group, or each."""

import re
from dataclasses import dataclass, replace
from typing import Any

from harness.standin.brain.factlines import measures, never_units, units_of
from harness.standin.brain.grouping import group_of, groups, tabled
from harness.standin.brain.lookup import identity
from harness.standin.brain.sentence import Sentence, event_table, figure_column, head_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Measure, Path, Problem, Query, Value
from harness.standin.brain.ways import additive, cheapest, figure_for, plain, ways
from harness.standin.brain.words import keys

_AGGREGATES = ("sum", "avg", "median", "min", "max", "weighted", "spread", "percentile")


@dataclass(frozen=True)
class Figure:
    """A measure with the table that its rows come from, and the items that say so."""

    measure: Measure
    source: str
    items: tuple[int, ...] = ()
    noun: int = -1  # the item of the noun that is counted


def figures(s: Sentence) -> list[Figure]:
    """Every measure with an aggregate of its own, in order."""
    found = [_aggregate(s, i) for i in range(len(s.items))]
    return [each for each in found if each]


def _aggregate(s: Sentence, i: int) -> Figure | None:
    """ "average delay", "total cargo weight", "delay on average", "average number of voyages"."""
    kind = s.get(i, "agg") or ("percentile" if s.has(i, "percent") else "")
    at = _target(s, i) if kind in _AGGREGATES else -1
    in_unit = s.has(i + 1, "unit") and not s.has(i + 1, "quantity") and not s.is_figure(i + 2)
    if kind == "sum" and in_unit:
        found = summed(s, s.items[i + 1]["unit"], s.tables)
        if found:  # "total TEU of containers"
            return replace(found, items=(i, i + 1))
    if at < 0:
        return None
    if s.has(at, "noun", "event") and not s.has(at, "col"):
        table = s.get(at, "noun") or event_table(s, at)
        counted = Measure("avg_count" if kind == "avg" else "count")
        return Figure(counted, table, (i, at), at) if table else None
    percent = s.get(i, "percent") or 50.0
    return _of_kind(kind, s, at, (i, at), percent)


def _of_kind(
    kind: str, s: Sentence, at: int, items: tuple[int, ...], percent: float = 50.0
) -> Figure | None:
    """A measure of the figure that an item names."""
    unit = asked_unit(s)
    value = figure_at(s, at, unit, each=bool(s.all("per_unit")))
    s.use("per_unit")
    if value and s.world.today and (s.get(at, "howscale") or [False])[-1]:  # "how old is ..."
        value = replace(value, how="age", unit="year", name="age", today=s.world.today)
    measure = Measure(kind, value, None, percent, unit)
    return Figure(measure, value.table, items) if value else None


def _target(s: Sentence, i: int) -> int:
    """The item that an aggregate is about: a figure after it, else before it, else a noun."""
    noun = -1
    for j in range(i + 1, min(len(s.items), i + 6)):
        if s.has(j, "agg") and all(s.has(k, "agg", "and") for k in range(i, j)):
            continue  # "minimum, maximum and average capacity"
        another = s.has(j, "agg") and s.get(j, "agg") != "sum"
        each = s.has(j, "each") and (noun >= 0 or not s.has(j, "by"))
        if another or s.has(j, "window") or (each and not s.has(j, "by")):
            break
        if s.is_figure(j) or s.has(j, "howscale"):
            return j
        if noun < 0 and (s.has(j, "noun") or (s.has(j, "event") and not s.has(j, "val"))):
            noun = j
        elif each:
            break
    behind = [j for j in range(i - 1, max(-1, i - 7), -1) if s.is_figure(j) or s.has(j, "howscale")]
    if behind and (noun < 0 or s.has(behind[0], "howscale")):
        return behind[0]
    if noun < 0 and (counts := s.asks("count")) >= 0:
        noun = next((j for j in s.all("noun") if j > counts), -1)
    return noun


def _weighted(s: Sentence) -> Figure | None:
    """ "average delay weighted by capacity", "capacity-weighted average age"."""
    i = s.first("agg", "weighted")
    if i < 0:
        return None
    named = s.named_figures
    if named and named[0] == i - 1 and s.has(i + 1, "agg"):
        value_at, weight_at = named[-1], named[0]
    else:
        scales = [j for j in s.all("scale") if j < i]
        value_at = next((j for j in reversed(named) if j < i), scales[0] if scales else -1)
        weight_at = next((j for j in named if j > i), -1)
    if value_at < 0 or weight_at < 0 or value_at == weight_at:
        raise Problem("clarify", [s.words(i)], "what is weighted by what")
    value = figure_at(s, value_at, each=True)
    columns = [c for c in s.get(weight_at, "col") or () if c.is_number]
    words = tuple(keys(s.words(weight_at)))
    heavy = figure_for(words, columns, value.table, s.world, each=True) if value else None
    if value is None or heavy is None:
        return None
    measure = Measure("weighted", value, heavy[1], unit=asked_unit(s))
    return Figure(measure, value.table, (value_at, weight_at, *s.all("agg", "avg", "weighted")))


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


def figured(s: Sentence) -> Query | None:
    """Totals, averages and the like, by group or alone; also next to a count."""
    above = _above(s)
    if above is not None:
        return above
    heavy, count = _weighted(s), s.asks("count")
    in_unit = count >= 0 and s.has(count + 1, "unit")
    found = [heavy] if heavy else [] if in_unit else figures(s)
    found = found or _amounts(s)
    if not found:
        return None
    first, source = found[0], found[0].source
    s.use(*(i for each in found for i in each.items), count, s.asks("amount"))
    if first.measure.value is not None and first.measure.value.how == "hours":
        s.use(s.asks("long"), "lasting")
    per = _per_table(s, first)
    if per is not None:
        s.used |= per[1]
        kind = "avg" if first.measure.kind == "avg" else "avg_count"
        measure = replace(first.measure, kind=kind)
        every = not re.search(r"\b(?:has|have|with) any\b", s.text.lower())
        where = settle(s, source)
        return Query(source, "value", where, (), (measure,), per=per[0], spread=every)
    measures = [f.measure for f in found if f.source == source]
    measures = [replace(m, kind="count") if m.kind == "avg_count" else m for m in measures]
    by, items, spread = groups(s, source, first.items)
    beside = bool(s.all("pronoun")) or s.has(max(count, s.asks("amount")) - 1, "and")
    if not by and beside and s.low(max(s.asks("list"), 0)) == "which":
        head = head_of(s)  # "which carriers ..., and how many TEU do they have"
        each = group_of(s, head, source)
        by, items = ((each,), {head, s.asks("list")}) if each else ((), set())
    s.used |= items
    head = head_of(s, count) if count >= 0 else -1
    counted = s.get(head, "noun") or (event_table(s, head) if s.is_move(head) else "")
    if not in_unit and counted == source and measures[0].kind != "count":
        measures.insert(0, Measure("count"))
    many = next((g.name for g in by if g.value.field.many), "")
    if many and any(m.kind not in ("count", "distinct", "max", "min") for m in measures):
        raise Problem("clarify", [many], f"a row would count more than once by {many}")
    return replace(tabled(s, source, measures, by), spread=spread)


def _per_table(s: Sentence, figure: Figure) -> tuple[Path, set[int]] | None:
    """ "average weight per container", "does a vessel make on average": the table averaged over.

    Lines that have no name of their own are averaged so, too.
    """
    averaged = figure.measure.kind == "avg" and figure.measure.value is not None
    lines = averaged and s.world.schema.tables[figure.source].is_of_kinds
    if figure.measure.kind != "avg_count" and not lines:
        return None
    nouns = s.all("noun")
    after_agg = [j for j in nouns if s.has(j - 1, "agg") and j not in figure.items]
    one = [j for j in nouns if {"a", "an"} & set(s.items[j].dropped)]
    for i in [*s.all("each"), *one, *after_agg]:
        at = next((j for j in (i, i + 1, i + 2) if s.has(j, "noun")), -1)
        if at < 0 or at == figure.noun:
            continue
        found = ways(s.world.schema, figure.source, s.items[at]["noun"])
        if found and found[0][1] and not any(e.many for e in found[0][1]):
            return found[0][1], {i, at}
    return None


def _above(s: Sentence) -> Query | None:
    """ "Which carriers have an average delay above 15 hours": groups, by what they come to."""
    at = next((i for i in s.all("bound") if s.has(i - 1, "agg")), -1)
    head = head_of(s)
    if not 0 <= head < at or s.get(at - 1, "agg") not in ("avg", "sum", "min", "max"):
        return None
    bound = s.items[at]["bound"]
    found = figure_for(bound.of, bound.columns, s.get(head, "noun") or "", s.world)
    value = found[1].own if found else None
    group = group_of(s, head, value.table) if value else None
    numbers = units_of(bound.numbers, bound.unit or value.unit, value.unit) if value else None
    if value is None or group is None or numbers is None:
        return None
    s.use(at, at - 1, head, "ask")
    where = settle(s, value.table, [c for c in s.claims if c.start != at])
    measure = Measure(s.items[at - 1]["agg"], value)
    part: Any = (replace(bound, numbers=numbers),)
    return Query(value.table, "value", where, (group,), (measure,), part=part)


def _amounts(s: Sentence) -> list[Figure]:
    """ "How much coffee", "how many tonnes of rice": totals without a word for it."""
    much, many = s.asks("amount"), s.asks("count")
    known = identity(s)
    if much < 0 and many < 0 and known:
        return _held(s, known[0])
    if much < 0 and many < 0:  # "how long does it take from X to Y": of many rows the average
        at = s.asks("long")
        made = _of_kind("avg", s, at, (at,)) if at >= 0 and s.nouns else None
        return [made] if made else []
    tables = s.tables + [c.data[0][0].table for c in s.of("val")]
    after = (many if many >= 0 else much) + 1
    if s.has(after, "unit") and not s.has(after, "quantity"):
        return [_in_unit(s, after, tables)]
    named = next((i for i in s.all("col") if i not in s.used and s.is_figure(i)), -1)
    also = many >= 0 and s.has(named - 1, "pronoun")  # "..., and what are they worth"
    if not also and (much < 0 or (much and s.has(much - 1, "by"))):
        return []
    if named >= 0:
        made = _of_kind("sum", s, named, (named,))
        return [made] if made else []
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
    if found is None or found.source not in tables:
        for table in sorted(set(tables)):
            for column in s.world.schema.tables[table].columns.values():
                if unit in never_units(column):
                    words = [word, unit, column.name, column.table]
                    raise Problem("trap", words, column.comment)
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
            measure = Measure("sum", value.own, unit=asked_unit(s))
            return [Figure(measure, value.table, (i,))]
    return []
