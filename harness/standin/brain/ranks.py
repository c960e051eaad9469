"""First places: the largest, the three most common, the best of each group."""

from dataclasses import replace

from harness.standin.brain.bounds import Rank
from harness.standin.brain.figures import Figure, additive, summed
from harness.standin.brain.first_rows import first_rows, in_time
from harness.standin.brain.grouping import group_of, groups, kinds_group
from harness.standin.brain.rank_basis import basis, beside, ranked_item, with_adjective
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Group, Measure, Order, Problem, Query
from harness.standin.brain.ways import is_place, nearest


def ranked(s: Sentence) -> Query | None:
    """The first rows, or the first groups, by a figure."""
    at = s.first("rank")
    if at < 0:
        return None
    s.use(at, "kinds", "per_unit", *(i for i in s.all("ask", "count") if i > at))
    rank = with_adjective(s, at, s.items[at]["rank"])
    if rank.turn:
        return in_time(s, rank)
    figure, items = basis(s, at, rank)
    dim = ranked_item(s, at, items)
    if rank.count == 1 and s.has(dim - 1, "num") and dim - 1 not in s.used:
        rank = replace(rank, count=int(s.items[dim - 1]["num"]))
        s.use(dim - 1)
    s.used |= items
    if figure is not None:
        return _rows_or_groups(s, at, rank, figure, dim)
    if dim < 0:
        raise Problem("clarify", [s.words(at)], "most by what?")
    return _common(s, dim, rank)


def _common(s: Sentence, dim: int, rank: Rank) -> Query:
    """ "the most common flag", "the most popular destination": by the number of rows."""
    others = [n.table for n in s.nouns if n.at != dim]
    noun, columns = s.get(dim, "noun"), s.get(dim, "col") or ()
    if noun and (kinds := kinds_group(s, noun)):
        return _grouped(s, noun, kinds, Measure("count"), rank, {dim})
    if noun and not others:
        if is_place(s.world.schema, noun):
            raise Problem("role", [s.words(dim)])
        words = [s.words(i) for i in s.all("rank")]
        raise Problem("clarify", words, f'"{words[0]}" by what')
    near = [c.table for c in columns if c.table in others] or [c.table for c in columns]
    if s.has(dim, "role") and not noun:
        source = s.items[dim]["role"][0].table
    else:
        source = next(iter([*([] if noun else near), *others]), "")
    group = group_of(s, dim, source) if source else None
    if group is None:
        raise Problem("clarify", [s.words(dim)], "most by what?")
    return _grouped(s, source, group, Measure("count"), rank, {dim})


def _grouped(
    s: Sentence, source: str, group: Group, measure: Measure, rank: Rank, items: set[int]
) -> Query:
    """The first groups; of each of another group where one is named."""
    s.used |= items
    more, used, _ = groups(s, source, tuple(items))
    where = settle(s, source)
    s.used |= used
    shape, order = "best" if more else "top", Order(measure, rank.down)
    measures = (measure, *(() if more else _beside_it(s, source)))
    by = (*more, group)
    return Query(source, shape, where, by, measures, (), order, rank.count, rank.skip)


def _beside_it(s: Sentence, source: str) -> list[Measure]:
    """ "... and how many TEU do they have": another figure of the same groups."""
    for i in s.all("ask", "count", "amount"):
        unit = s.get(i + 1, "unit")
        found = summed(s, unit, [source]) if unit else None
        if found and found.source == source:
            s.use(i, i + 1, *s.all("agg", "sum"))
            return [found.measure]
    return []


def _rows_or_groups(s: Sentence, at: int, rank: Rank, figure: Figure, dim: int) -> Query:
    """By a figure of each row, or by what the rows of each group come to."""
    value, source = figure.measure.value, figure.source
    if figure.measure.kind:
        return _by_measure(s, rank, figure, dim)
    assert value is not None
    table, home = s.get(dim, "noun") or "", s.world.schema.tables[source]
    if table and table != source and beside(s, at) == source and home.named:
        return first_rows(s, rank, value, dim, extra=True)  # "which carrier has the oldest vessel"
    in_kinds = home.is_of_kinds and not _is_line(s, dim) and not s.all("per_unit")
    if dim < 0 or (table == source and not in_kinds):
        return first_rows(s, rank, value, dim)
    if table == source and (kinds := kinds_group(s, source)):
        return _grouped(s, source, kinds, Measure("sum", value), rank, {dim})
    if table:
        found = nearest(s.world.schema, table, [value.field.column])
        if found is not None and not found[1].many:
            path = found[1].path
            return first_rows(s, rank, value.along(lambda own: path), dim, table)
        single = value.how == "column" and "delay" not in value.field.column.parts
        if single and not additive(value):
            return first_rows(s, rank, value, dim, extra=True)
    kind = "sum" if additive(value) else "avg"
    if kind == "avg":
        s.notes.append(f"By the average of {value.name}.")
    return _by_measure(s, rank, replace(figure, measure=Measure(kind, value)), dim)


def _is_line(s: Sentence, dim: int) -> bool:
    """Whether a noun says a single line ("cargo item") rather than a kind of goods."""
    return dim >= 0 and s.low(dim).split()[-1].rstrip("s") in ("item", "line")


def _by_measure(s: Sentence, rank: Rank, figure: Figure, dim: int) -> Query:
    measure, source = figure.measure, figure.source
    if dim < 0:
        if measure.value is None:
            raise Problem("clarify", [s.words(s.first("rank"))], "most by what?")
        return first_rows(s, rank, measure.value, dim, source)
    own = s.get(dim, "noun") == source
    named, used, _ = groups(s, source, (dim, *figure.items))
    if rank.plain and named and own:
        s.used |= used | {dim}
        order = Order(measure, rank.down)
        return Query(source, "top", settle(s, source), named, (measure,), (), order, rank.count)
    if own and measure.value is not None:
        if _is_line(s, dim) or not s.world.schema.tables[source].is_of_kinds:
            return first_rows(s, rank, measure.value, dim, source)
        group = kinds_group(s, source)
    else:
        group = group_of(s, dim, source)
    if group is None:
        raise Problem("clarify", [s.words(dim)], "most by what?")
    if group.value.field.many and measure.kind not in ("count", "max", "min"):
        raise Problem("clarify", [group.name], f"a row would count more than once by {group.name}")
    items = {dim, *figure.items} if figure.noun < 0 else {dim}
    return _grouped(s, source, group, measure, rank, items)
