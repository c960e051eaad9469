"""Totals, averages and the like, by group or alone."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.standin.brain.factlines import never_units, units_of
from harness.standin.brain.figures import (
    Figure,
    additive,
    asked_unit,
    figure_at,
    figures,
    summed,
    weighted,
)
from harness.standin.brain.grouping import group_of, groups, per_table, tabled
from harness.standin.brain.lookup import identity
from harness.standin.brain.sentence import Sentence, event_table, figure_column, head_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Group, Measure, Problem, Query
from harness.standin.brain.ways import figure_for


def figured(s: Sentence) -> Query | None:
    """Totals, averages and the like, by group or alone; also next to a count."""
    above = _above(s)
    if above is not None:
        return above
    heavy, count = weighted(s), s.asks("count")
    in_unit = count >= 0 and s.has(count + 1, "unit")
    found = [heavy] if heavy else [] if in_unit else figures(s)
    found = found or _amounts(s)
    if not found:
        return None
    first, source = found[0], found[0].source
    s.use(*(i for each in found for i in each.items), count, s.asks("amount"))
    if first.measure.value is not None and first.measure.value.how == "hours":
        s.use(s.asks("long"), "lasting")
    per = per_table(s, first)
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
    head = head_of(s)
    if not by and s.low(max(s.asks("list"), 0)) == "which" and _beside_a_list(s):
        each = group_of(s, head, source)  # "which carriers ..., and how many TEU do they have"
        by, items = ((each,), {head, s.asks("list")}) if each else ((), set())
    s.used |= items
    head = head_of(s, count) if count >= 0 else -1
    counted = s.get(head, "noun") or (event_table(s, head) if s.is_move(head) else "")
    if not in_unit and counted == source and measures[0].kind != "count":
        measures.insert(0, Measure("count"))
    _once(by, measures)
    return replace(tabled(s, source, measures, by), spread=spread)


def _beside_a_list(s: Sentence) -> bool:
    """ "..., and how many TEU do they have"."""
    return bool(s.all("pronoun")) or s.has(max(s.asks("count"), s.asks("amount")) - 1, "and")


def _once(by: Sequence[Group], measures: Sequence[Measure]) -> None:
    """Raise Problem where a row would count in several groups."""
    many = next((g.name for g in by if g.value.field.many), "")
    if many and any(m.kind not in ("count", "distinct", "max", "min") for m in measures):
        raise Problem("clarify", [many], f"a row would count more than once by {many}")


def _above(s: Sentence) -> Query | None:
    """ "Which carriers have an average delay above 15 hours": groups, by what they come to."""
    at = next((i for i in s.all("bound") if s.has(i - 1, "agg")), -1)
    head = head_of(s)
    if not 0 <= head < at or s.get(at - 1, "agg") not in ("avg", "sum", "min", "max"):
        return None
    bound = s.items[at]["bound"]
    found = figure_for(bound.of, bound.columns, s.get(head, "noun") or "", s.world)
    if found is None:
        return None
    value = found[1].own
    group = group_of(s, head, value.table)
    numbers = units_of(bound.numbers, bound.unit or value.unit, value.unit)
    if group is None or numbers is None:
        return None
    s.claims = [c for c in s.claims if c.start != at]
    s.use(at, at - 1, head, "ask")
    where = settle(s, value.table)
    measure = Measure(s.items[at - 1]["agg"], value)
    part: Any = (replace(bound, numbers=numbers),)
    return Query(value.table, "value", where, (group,), (measure,), part=part)


def _amounts(s: Sentence) -> list[Figure]:
    """ "How much coffee", "how many tonnes of rice": totals without a word for it."""
    much, many = s.asks("amount"), s.asks("count")
    known = identity(s)
    if much < 0 and many < 0:
        return _held(s, known[0]) if known else _typical(s)
    tables = [n.table for n in s.nouns] + [c.data[0][0].table for c in s.of("val")]
    after = (many if many >= 0 else much) + 1
    if s.has(after, "unit") and not s.has(after, "quantity"):
        return _in_unit(s, after, tables)
    if much < 0 or (much and s.has(much - 1, "by")):
        return []
    named = next((i for i in s.all("col") if i not in s.used and s.is_figure(i)), -1)
    if named >= 0:
        value = figure_at(s, named, asked_unit(s))
        return [Figure(Measure("sum", value), value.table, (named,))] if value else []
    found = summed(s, "kilogram", tables)
    if found is None or found.measure.value is None:
        return []
    s.notes.append(f"Measured by {found.measure.value.name}.")
    return [replace(found, measure=replace(found.measure, unit=asked_unit(s)))]


def _typical(s: Sentence) -> list[Figure]:
    """ "How long does it take from X to Y": of many rows the average."""
    at = s.asks("long")
    value = figure_at(s, at, asked_unit(s)) if at >= 0 and s.nouns else None
    return [Figure(Measure("avg", value, unit=asked_unit(s)), value.table, (at,))] if value else []


def _in_unit(s: Sentence, at: int, tables: list[str]) -> list[Figure]:
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
    return [found]


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
