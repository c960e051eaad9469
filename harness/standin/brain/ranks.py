"""First places: the largest, the three most common, the next, the best of each group."""

from dataclasses import replace

from harness.standin.brain import figures as fig
from harness.standin.brain import grouping
from harness.standin.brain.bounds import Rank
from harness.standin.brain.dimensions import group_of
from harness.standin.brain.first_rows import _in_time, _rows
from harness.standin.brain.rank_basis import _beside, _by, _dim, _each_unit, _of_adjective
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Group, Measure, Order, Problem, Query
from harness.standin.brain.ways import end_of, nearest, plain, short


def ranked(s: Sentence) -> Query | None:
    """The first rows, or the first groups, by a figure."""
    at = s.first("rank")
    if at < 0:
        return None
    rank: Rank = s.items[at]["rank"]
    s.used |= {at, *s.all("kinds"), *s.all("per_unit")}
    s.used |= {
        i
        for i in s.all("ask")
        if s.items[i]["ask"] in ("count", "where") and i > at and s.items[i]["ask"] == "count"
    }
    rank = _of_adjective(s, at, rank)
    if rank.turn:
        return _in_time(s, at, rank)
    figure, items = _by(s, at, rank)
    dim = _dim(s, at, items)
    if dim > 0 and rank.count == 1 and "num" in s.items[dim - 1] and dim - 1 not in s.used:
        rank = replace(rank, count=int(s.items[dim - 1]["num"]))
        s.used.add(dim - 1)
    s.used |= items
    if figure is None and dim < 0:
        raise Problem("clarify", [s.words(at)], "most by what?")
    if figure is None:
        return _common(s, dim, rank)
    return _rows_or_groups(s, at, rank, figure, dim)


def _common(s: Sentence, dim: int, rank: Rank) -> Query:
    """ "the most common flag", "the most popular destination": by the number of rows."""
    item = s.items[dim]
    others = [n for n in s.nouns if n.at != dim]
    noun = None
    if "noun" in item:
        table = s.world.schema.tables[item["noun"]]
        if table.named or table.label is None:
            if not others and end_needed(s, item["noun"]):
                raise Problem("role", [s.words(dim)])
            if others:
                noun = others[0]
            else:
                raise Problem(
                    "clarify",
                    [s.words(i) for i in s.all("rank")],
                    f'"{s.words(s.first("rank"))}" by what',
                )
            source = noun.table
        else:
            source = item["noun"]
            group = Group(plain(Field(table.label), s.world), short(source))
            return _grouped(s, source, group, Measure("count"), rank, {dim})
    elif "role" in item:
        source = item["role"][0].table
    else:
        near = (
            [c for c in item["col"] if c.table in {n.table for n in others}] or list(item["col"])
            if "col" in item
            else []
        )
        source = near[0].table if near else others[0].table if others else ""
    if not source:
        raise Problem("clarify", [s.words(dim)], "most by what?")
    made = group_of(s, dim, source)
    if made is None:
        raise Problem("clarify", [s.words(dim)], "most by what?")
    return _grouped(s, source, made, Measure("count"), rank, {dim})


def end_needed(s: Sentence, table: str) -> bool:
    """Whether rows of a table are known by the end at which they are."""
    return any(end_of(s.world.schema, r) for r in s.world.schema.references if r.target == table)


def _grouped(
    s: Sentence, source: str, group: Group, measure: Measure, rank: Rank, items: set[int]
) -> Query:
    s.used |= items
    more, used, _ = grouping.groups(s, source, tuple(items))
    where = settle(s, source)
    s.used |= used
    if more:
        return Query(
            source,
            "best",
            where,
            (*more, group),
            (measure,),
            order=Order(measure, rank.down),
            limit=rank.count,
        )
    return Query(
        source,
        "top",
        where,
        (group,),
        (measure,),
        order=Order(measure, rank.down),
        limit=rank.count,
        skip=rank.skip,
    )


def _rows_or_groups(s: Sentence, at: int, rank: Rank, figure: fig.Figure, dim: int) -> Query:
    """By a figure of each row, or by what the rows of each group come to."""
    value, source = figure.measure.value, figure.source
    if figure.measure.kind:
        return _by_measure(s, rank, figure, dim)
    assert value is not None
    item = s.items[dim] if dim >= 0 else None
    table = item["noun"] if item is not None and "noun" in item else ""
    home = s.world.schema.tables[source]
    beside = _beside(s, at)
    if table and table != source and beside == source and home.named:
        return _rows(
            s, rank, value, source, dim, extra=True
        )  # "which carrier has the oldest vessel"
    if item is None or (
        table == source
        and (home.named or _line(s, dim) or home.label is None or home.label.name in home.key)
    ):
        return _rows(s, rank, value, source, dim)
    if table == source and home.label is not None:
        group = Group(plain(Field(home.label), s.world), short(source))
        if _each_unit(s):
            return _rows(s, rank, value, source, dim)
        return _grouped(s, source, group, Measure("sum", value), rank, {dim})
    if table:
        found = nearest(s.world.schema, table, [value.field.column])
        if found is not None and not found[1].many:
            path = found[1].path
            moved = replace(value, fields=tuple(Field(f.column, path) for f in value.fields))
            return _rows(s, rank, moved, table, dim)
        if (
            not fig.additive(value)
            and value.how == "column"
            and "delay" not in value.field.column.parts
        ):
            return _rows(s, rank, value, source, dim, extra=True)
    kind = "sum" if fig.additive(value) else "avg"
    if kind == "avg":
        s.notes.append(f"By the average of {value.name}.")
    return _by_measure(s, rank, replace(figure, measure=Measure(kind, value)), dim)


def _line(s: Sentence, dim: int) -> bool:
    """Whether a noun says a single line ("cargo item") rather than a kind of goods."""
    return s.words(dim).lower().split()[-1].rstrip("s") in ("item", "line")


def _by_measure(s: Sentence, rank: Rank, figure: fig.Figure, dim: int) -> Query:
    if dim < 0:
        value = figure.measure.value
        if value is not None:
            return _rows(s, rank, value, figure.source, dim)
        raise Problem("clarify", [s.words(s.first("rank"))], "most by what?")
    item = s.items[dim]
    groups, each, _ = grouping.groups(s, figure.source, (dim, *figure.items))
    if rank.plain and groups and "noun" in item and item["noun"] == figure.source:
        s.used |= each | {dim}
        where = settle(s, figure.source)
        return Query(
            figure.source,
            "top",
            where,
            groups,
            (figure.measure,),
            order=Order(figure.measure, rank.down),
            limit=rank.count,
        )
    if "noun" in item and item["noun"] == figure.source and figure.measure.value is not None:
        table = s.world.schema.tables[figure.source]
        if table.named or _line(s, dim) or table.label is None:
            return _rows(s, rank, figure.measure.value, figure.source, dim)
        group: Group | None = Group(plain(Field(table.label), s.world), short(figure.source))
    else:
        group = group_of(s, dim, figure.source)
    if group is None:
        raise Problem("clarify", [s.words(dim)], "most by what?")
    if group.value.field.many and figure.measure.kind not in ("count", "max", "min"):
        raise Problem("clarify", [group.name], f"a row would count more than once by {group.name}")
    return _grouped(
        s,
        figure.source,
        group,
        figure.measure,
        rank,
        {dim, *figure.items} if figure.noun < 0 else {dim},
    )
