"""The figures that a question asks for: totals, averages, percentiles, counts, by what."""

from dataclasses import dataclass

from harness.standin.brain.factlines import measures
from harness.standin.brain.sentence import Sentence, event_table, figure_column
from harness.standin.brain.tree import Field, Measure, Problem, Value
from harness.standin.brain.ways import figure_for, plain
from harness.standin.brain.words import key, keys, playbook

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
        found = summed(s, s.items[i + 1]["unit"], [n.table for n in s.nouns])
        if found:  # "total TEU of containers"
            return Figure(found.measure, found.source, (i, i + 1))
    if at < 0:
        return None
    if s.has(at, "noun", "event") and not s.has(at, "col"):
        table = s.get(at, "noun") or event_table(s, at)
        counted = Measure("avg_count" if kind == "avg" else "count")
        return Figure(counted, table, (i, at), at) if table else None
    unit = asked_unit(s)
    value = figure_at(s, at, unit)
    if value is None:
        return None
    measure = Measure(kind, value, None, s.get(i, "percent") or 50.0, unit)
    return Figure(measure, value.table, (i, at))


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


def weighted(s: Sentence) -> Figure | None:
    """ "average delay weighted by capacity", "capacity-weighted average age"."""
    i = s.first("agg", "weighted")
    if i < 0:
        return None
    named = [j for j in range(len(s.items)) if s.is_figure(j)]
    if named and named[0] == i - 1 and s.has(i + 1, "agg"):
        value_at, weight_at = named[-1], named[0]
    else:
        scales = [j for j in s.all("scale") if j < i]
        value_at = next((j for j in reversed(named) if j < i), scales[0] if scales else -1)
        weight_at = next((j for j in named if j > i), -1)
    if value_at < 0 or weight_at < 0 or value_at == weight_at:
        raise Problem("clarify", [s.words(i)], "what is weighted by what")
    value = figure_at(s, value_at, each=True)
    if value is None:
        return None
    columns = [c for c in s.get(weight_at, "col") or () if c.is_number]
    words = tuple(keys(s.words(weight_at)))
    heavy = figure_for(words, columns, value.table, s.world, each=True)
    if heavy is None:
        return None
    measure = Measure("weighted", value, heavy[1], unit=asked_unit(s))
    return Figure(measure, value.table, (value_at, weight_at, *s.all("agg", "avg", "weighted")))


def figure_at(s: Sentence, at: int, unit: str = "", each: bool = False) -> Value | None:
    """The figure that an item names, seen from its own table; the nearest to the nouns."""
    columns = s.get(at, "col") or ()
    starts = [n.table for n in s.nouns] or [c.table for c in columns][:1]
    best: tuple[float, Value] | None = None
    for n, start in enumerate(starts or sorted(s.world.schema.tables)):
        value = figure_column(s, at, start, unit)
        if value is not None:
            path, many = value.field.path, value.field.many
            cost = len(path) + 0.1 * n + (0.8 if path and not many else 0)
            best = (cost, value) if best is None or cost < best[0] else best
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


def additive(value: Value) -> bool:
    """Whether figures of this kind add up over rows."""
    words = {w for f in value.fields for w in (*f.column.parts, *f.column.head)}
    return value.how == "product" or bool(words & {key(str(w)) for w in playbook()["additive"]})


def summed(s: Sentence, unit: str, tables: list[str]) -> Figure | None:
    """ "How many tonnes of ...": the column with that unit that adds up over the rows in play."""
    best: tuple[float, Value] | None = None
    for n, table in enumerate(tables or sorted(s.world.schema.tables)):
        for column in s.world.schema.columns:
            found = figure_for((), [column], table, s.world, unit)
            if found is None or not additive(found[1]) or not measures(found[1].unit, unit):
                continue
            aside = found[1].field.path and not found[1].field.many
            cost = found[0] + 0.1 * n + (2.5 if aside else 0)
            best = (cost, found[1]) if best is None or cost < best[0] else best
    return Figure(Measure("sum", best[1].own, unit=unit), best[1].table) if best else None


def quantity(s: Sentence, table: str) -> Figure | None:
    """ "How many laptops": the quantity on the lines of a table without names."""
    for column in s.world.schema.tables[table].columns.values():
        if column.is_number and {"number", "unit"} <= set(keys(column.clause)):
            return Figure(Measure("sum", plain(Field(column))), table)
    return None
