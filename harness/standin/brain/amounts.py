"""Totals, averages and the like, by group or alone."""

from dataclasses import replace
from typing import Any

from harness.standin.brain import figures as fig
from harness.standin.brain import grouping
from harness.standin.brain.counting import _noun_of, _ordered
from harness.standin.brain.dimensions import group_of
from harness.standin.brain.lookup import _identity
from harness.standin.brain.measures import figure_for
from harness.standin.brain.sentence import Noun, Sentence, figure_column, head_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Measure, Problem, Query
from harness.standin.brain.units import never_units, units_of


def _figured(s: Sentence) -> Query | None:
    """Totals, averages and the like, by group or alone; also next to a count."""
    above = _above(s)
    if above is not None:
        return above
    heavy = fig.weighted(s)
    counts = s.asks("count")
    unit_next = 0 <= counts < len(s.items) - 1 and "unit" in s.items[counts + 1]
    found = [heavy] if heavy else [] if unit_next else fig.figures(s)
    found = found or _amounts(s)
    if not found:
        return None
    first = found[0]
    for each in found:
        s.used |= set(each.items)
    s.used |= {i for i in (s.asks("count"), s.asks("amount")) if i >= 0}
    if first.measure.value is not None and first.measure.value.how == "hours":
        s.used |= {i for i in (s.asks("long"), *s.all("lasting")) if i >= 0}
    per = grouping.per_table(s, first)
    measures = [f.measure for f in found if f.source == first.source]
    if per is not None:
        s.used |= per[1]
        where = settle(s, first.source)
        kind = "avg" if first.measure.kind == "avg" else "avg_count"
        return Query(
            first.source, "value", where, (), (replace(first.measure, kind=kind),), per=per[0]
        )
    measures = [replace(m, kind="count") if m.kind == "avg_count" else m for m in measures]
    groups, items, spread = grouping.groups(s, first.source, first.items)
    s.used |= items
    count = s.asks("count")
    head = head_of(s, count) if count >= 0 else -1
    if (
        not unit_next
        and head >= 0
        and "noun" in s.items[head]
        and s.items[head]["noun"] == first.source
        and measures[0].kind != "count"
    ):
        measures.insert(0, Measure("count"))
    _safe_groups(s, groups, measures)
    where = settle(s, first.source, _noun_of(s, first.source))
    order = _ordered(s, measures, groups)
    return Query(first.source, "value", where, groups, tuple(measures), order=order, spread=spread)


def _above(s: Sentence) -> Query | None:
    """ "Which carriers have an average delay above 15 hours": groups, by what they come to."""
    at = next((i for i in s.all("bound") if i and "agg" in s.items[i - 1]), -1)
    head = head_of(s)
    if at < 0 or not 0 <= head < at or s.items[at - 1]["agg"] not in ("avg", "sum", "min", "max"):
        return None
    bound = s.items[at]["bound"]
    found = figure_for(bound.of, bound.columns, s.items[head].senses.get("noun", ""), s.world)
    if found is None:
        return None
    value = replace(found[1], fields=tuple(Field(f.column) for f in found[1].fields))
    source = value.field.column.table
    group = group_of(s, head, source)
    numbers = units_of(bound.numbers, bound.unit or value.unit, value.unit)
    if group is None or numbers is None:
        return None
    s.claims = [c for c in s.claims if c.start != at]
    s.used |= {at, at - 1, head, *s.all("ask")}
    where = settle(s, source, Noun(head, source))
    measure = Measure(s.items[at - 1]["agg"], value)
    part: Any = (replace(bound, numbers=numbers),)
    return Query(source, "value", where, (group,), (measure,), part=part)


def _amounts(s: Sentence) -> list[fig.Figure]:
    """ "How much coffee", "how many tonnes of rice": totals without a word for it."""
    much, many = s.asks("amount"), s.asks("count")
    known = _identity(s)
    if much < 0 and many < 0 and known is not None:
        return _held(s, known[0])
    tables = [n.table for n in s.nouns] + [c.data[0][0].table for c in s.claims if c.kind == "val"]
    start = many if many >= 0 else much
    if start < 0:
        return []
    much = -1 if much >= 0 and "by" in s.items[much - 1] and much else much
    near = [i for i in s.all("unit") if i == start + 1 and "quantity" not in s.items[i]]
    if near:
        unit = str(s.items[near[0]]["unit"])
        found = fig.summed(s, unit, tables)
        s.used |= set(near)
        _trap(s, unit, found, s.words(near[0]))
        if found:
            return [found]
        raise Problem("unit", [s.words(near[0])])
    if much < 0:
        return []
    named = next((i for i in s.all("col") if fig._is_figure(s, i) and i not in s.used), -1)
    if named >= 0:
        value = fig.figure_at(s, named, fig.asked_unit(s))
        return (
            [fig.Figure(Measure("sum", value), value.field.column.table, (named,))] if value else []
        )
    found = fig.summed(s, "kilogram", tables)
    if found:
        assert found.measure.value is not None
        s.notes.append(f"Measured by {found.measure.value.name}.")
        return [replace(found, measure=replace(found.measure, unit=fig.asked_unit(s)))]
    return []


def _held(s: Sentence, table: str) -> list[fig.Figure]:
    """ "What is the cargo on voyage 9 worth": what the rows that a known one has come to."""
    for i in range(len(s.items)):
        value = figure_column(s, i, table) if fig._is_figure(s, i) and i not in s.used else None
        shown = "with" in s.items[i].dropped  # "vessels of X with their capacity": a list
        if value is not None and value.field.many and fig.additive(value) and not shown:
            own = replace(value, fields=tuple(Field(f.column) for f in value.fields))
            return [
                fig.Figure(
                    Measure("sum", own, unit=fig.asked_unit(s)), own.field.column.table, (i,)
                )
            ]
    return []


def _trap(s: Sentence, unit: str, found: fig.Figure | None, word: str) -> None:
    """ "How many tons does it carry?" of a column whose comment rules that unit out."""
    tables = {n.table for n in s.nouns} | {c.data[0][0].table for c in s.claims if c.kind == "val"}
    if found is not None and found.source in tables:
        return
    for table in sorted(tables):
        for column in s.world.schema.tables[table].columns.values():
            if unit in never_units(column):
                raise Problem("trap", [word, unit, column.name, column.table], column.comment)


def _safe_groups(s: Sentence, groups: tuple[Any, ...], measures: list[Measure]) -> None:
    for group in groups:
        if group.value.field.many and any(
            m.kind not in ("count", "distinct", "max", "min") for m in measures
        ):
            raise Problem(
                "clarify", [group.name], f"a row would count more than once by {group.name}"
            )
