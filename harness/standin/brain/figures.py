"""The figures that a question asks for: totals, averages, percentiles, counts, by what."""

from dataclasses import replace

from harness.standin.brain.grouping import Figure, _is_figure
from harness.standin.brain.measures import figure_for
from harness.standin.brain.sentence import Sentence, figure_column
from harness.standin.brain.tree import Field, Measure, Problem, Value
from harness.standin.brain.ways import plain, time_columns
from harness.standin.brain.words import key, keys, playbook

_AGGREGATES = ("sum", "avg", "median", "min", "max", "weighted", "spread")


def figures(s: Sentence) -> list[Figure]:
    """Every measure with an aggregate of its own, in order."""
    made: list[Figure] = []
    for i, item in enumerate(s.items):
        kind = item.senses.get("agg", "percentile" if "percent" in item else "")
        if kind in (*_AGGREGATES, "percentile"):
            found = _aggregate(s, i, kind, item.senses.get("percent", 50.0))
            made += [found] if found else []
    return made


def _aggregate(s: Sentence, i: int, kind: str, percent: float) -> Figure | None:
    """ "average delay", "total cargo weight", "delay on average", "average number of voyages"."""
    at = _target(s, i)
    if at < 0:
        return None
    if ("noun" in s.items[at] and "col" not in s.items[at]) or (
        "event" in s.items[at] and "col" not in s.items[at]
    ):
        return _counted(s, i, at, kind)
    unit = asked_unit(s)
    value = figure_at(s, at, unit)
    if value is None:
        return None
    measure = Measure(kind, value, None, percent, unit)
    return Figure(measure, value.field.column.table, (i, at))


def _weighted(s: Sentence) -> int:
    return next((i for i in s.all("agg") if s.items[i]["agg"] == "weighted"), -1)


def weighted(s: Sentence) -> Figure | None:
    """ "average delay weighted by capacity"."""
    i = _weighted(s)
    if i < 0:
        return None
    named = [j for j in range(len(s.items)) if _is_figure(s, j)]
    if named and named[0] == i - 1 and "agg" in s.items[min(i + 1, len(s.items) - 1)]:
        return _weighing(s, i, named[-1], named[0])  # "capacity-weighted average age"
    value_at = next((j for j in range(i - 1, -1, -1) if _is_figure(s, j)), -1)
    value_at = (
        value_at if value_at >= 0 else next((j for j in range(i) if "scale" in s.items[j]), -1)
    )
    weight_at = next((j for j in range(i + 1, len(s.items)) if _is_figure(s, j)), -1)
    return _weighing(s, i, value_at, weight_at)


def _weighing(s: Sentence, i: int, value_at: int, weight_at: int) -> Figure | None:
    if value_at < 0 or weight_at < 0 or value_at == weight_at:
        raise Problem("clarify", [s.words(i)], "what is weighted by what")
    value = figure_at(s, value_at, "", each=True)
    if value is None:
        return None
    table = value.field.column.table
    heavy = figure_for(
        tuple(keys(s.words(weight_at))),
        [c for c in s.items[weight_at].senses.get("col", ()) if c.is_number],
        table,
        s.world,
        each=True,
    )
    if heavy is None:
        return None
    aggs = tuple(j for j in s.all("agg") if s.items[j]["agg"] in ("avg", "weighted"))
    return Figure(
        Measure("weighted", value, heavy[1], unit=asked_unit(s)),
        table,
        (value_at, weight_at, *aggs),
    )


def _target(s: Sentence, i: int) -> int:
    """The item that an aggregate is about: a figure after it, else before it, else a noun."""
    noun = -1
    for j in range(i + 1, min(len(s.items), i + 6)):
        item = s.items[j]
        if "agg" in item and all(set(x.senses) & {"agg", "and"} for x in s.items[i:j]):
            continue  # "minimum, maximum and average capacity"
        if (
            ("agg" in item and item["agg"] not in ("sum",))
            or ("each" in item and "by" not in item)
            or "window" in item
        ):
            break
        if _is_figure(s, j):
            return j
        if ("noun" in item or ("event" in item and "val" not in item)) and noun < 0:
            noun = j
        elif noun >= 0 and "each" in item:
            break
    before = [
        j for j in range(i - 1, max(-1, i - 7), -1) if _is_figure(s, j) or "howscale" in s.items[j]
    ]
    if before and (noun < 0 or "howscale" in s.items[before[0]]):
        return before[0]
    counts = s.asks("count")
    if noun < 0 and counts >= 0:
        noun = next((j for j in s.all("noun") if j > counts), -1)
    return noun


def figure_at(s: Sentence, at: int, unit: str = "", each: bool = False) -> Value | None:
    """The figure that an item names, seen from its own table; the nearest to the nouns."""
    best: tuple[float, Value] | None = None
    starts = [n.table for n in s.nouns] or [c.table for c in s.items[at].senses.get("col", ())][:1]
    starts = starts or sorted(s.world.schema.tables)
    for n, start in enumerate(starts):
        value = figure_column(s, at, start, unit)
        if value is None:
            continue
        cost = (
            len(value.field.path)
            + 0.1 * n
            + (0.8 if value.field.path and not value.field.many else 0)
        )
        if best is None or cost < best[0]:
            best = cost, value
    if best is None:
        return None
    value = best[1]
    if each or "unit" in keys(s.words(at)):
        value = value if value.how != "product" else plain(value.fields[1], s.world)
    return replace(value, fields=tuple(replace(f, path=()) for f in value.fields))


def _counted(s: Sentence, i: int, at: int, kind: str) -> Figure | None:
    """ "average number of containers per voyage"."""
    table = s.items[at].senses.get("noun") or event_table(s, at)
    if table is None:
        return None
    return Figure(Measure(f"{kind}_count" if kind == "avg" else "count"), table, (i, at), at)


def event_table(s: Sentence, i: int) -> str | None:
    """The table whose rows have the time of an event: "arrivals"."""
    found = time_columns(s.world.schema, "", playbook()["events"][s.items[i]["event"]]["of"])
    return found[0].table if found else None


def asked_unit(s: Sentence) -> str:
    """The unit that a figure is asked in: "in days", "how many tonnes of"."""
    for i in s.all("unit"):
        item = s.items[i]
        if (
            "quantity" not in item
            and "bound" not in item
            and "window" not in item
            and "unit_of_time" not in item
        ):
            s.used.add(i)
            return str(item["unit"])
    return ""


def additive(value: Value) -> bool:
    """Whether figures of this kind add up over rows."""
    words = {w for f in value.fields for w in (*f.column.parts, *f.column.head)}
    return value.how == "product" or bool(
        words & {key(str(word)) for word in playbook()["additive"]}
    )


def summed(s: Sentence, unit: str, tables: list[str]) -> Figure | None:
    """ "How many tonnes of ...": the column with that unit that adds up over the rows in play."""
    best: tuple[float, Value] | None = None
    for n, table in enumerate(tables or sorted(s.world.schema.tables)):
        options = [c for c in s.world.schema.columns if c.is_number]
        for column in options:
            found = figure_for((), [column], table, s.world, unit)
            if found is None or not additive(found[1]) or not _fits(found[1], unit):
                continue
            path = found[1].field.path
            cost = found[0] + 0.1 * n + (2.5 if path and not found[1].field.many else 0)
            if best is None or cost < best[0]:
                best = cost, found[1]
    if best is None:
        return None
    value = replace(best[1], fields=tuple(replace(f, path=()) for f in best[1].fields))
    return Figure(Measure("sum", value, unit=unit), value.field.column.table, ())


def _fits(value: Value, unit: str) -> bool:
    units = playbook()["units"]
    return bool(value.unit) and units[value.unit]["dimension"] == units[unit]["dimension"]


def quantity(s: Sentence, table: str) -> Figure | None:
    """ "How many laptops": the quantity on the lines of a table without names."""
    for column in s.world.schema.tables[table].columns.values():
        if column.is_number and "number" in keys(column.clause) and "unit" in keys(column.clause):
            return Figure(Measure("sum", plain(Field(column), s.world)), table, ())
    return None
