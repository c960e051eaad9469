"""First places: the largest, the three most common, the next, the best of each group."""

from dataclasses import replace

from harness.standin.brain import figures as fig
from harness.standin.brain import grouping
from harness.standin.brain.bounds import Rank
from harness.standin.brain.dimensions import group_of
from harness.standin.brain.first_rows import _in_time, _rows
from harness.standin.brain.measures import figure_for
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


def _of_adjective(s: Sentence, at: int, rank: Rank) -> Rank:
    """ "the most delayed voyage" is one; "the most delayed voyages" of a carrier are a number."""
    scale = s.items[at + 1].senses.get("scale") if at + 1 < len(s.items) else None
    noun = s.items[at + 2] if at + 2 < len(s.items) else None
    if (
        not scale
        or rank.of
        or rank.plain
        or scale[2]
        or s.words(at).lower() not in ("most", "least")
    ):
        return rank
    if (
        noun is not None
        and noun.words.lower().endswith("s")
        and any("noun" in i or "col" in i or "role" in i for i in s.items[:at])
    ):
        return rank
    s.claims = [c for c in s.claims if c.start != at + 1]
    s.used.add(at + 1)
    return replace(rank, of=scale[0], years=scale[3], down=(scale[1] == "more") == rank.down)


def _by(s: Sentence, at: int, rank: Rank) -> tuple[fig.Figure | None, set[int]]:
    """What the order goes by: an aggregate, a named figure, an adjective, or a number of rows."""
    found = fig.figures(s)
    if found:
        return found[0], set(found[0].items)
    named = [i for i in range(len(s.items)) if fig._is_figure(s, i) and i != at]
    if named:
        i = min(named, key=lambda j: (j < at, abs(j - at)))
        value = fig.figure_at(s, i, fig.asked_unit(s))
        if value is not None:
            extra = {j for j in s.all("each") if j == i - 1}
            return fig.Figure(Measure("", value), value.field.column.table, ()), {i} | extra
    if rank.of:
        tables = [n.table for n in s.nouns] or _claimed(s) or sorted(s.world.schema.tables)
        near = _beside(s, at)
        for table in [*([near] if near else []), *tables]:
            value_found = figure_for(rank.of, (), table, s.world, each=_each_unit(s))
            if value_found is not None:
                value = value_found[1]
                own = replace(value, fields=tuple(replace(f, path=()) for f in value.fields))
                return fig.Figure(Measure("", own), value.field.column.table, ()), set()
        return None, set()
    return _counting(s, at, rank)


def _each_unit(s: Sentence) -> bool:
    """ "per unit"."""
    return any("per_unit" in i for i in s.items)


def _claimed(s: Sentence) -> list[str]:
    return [c.data[0][0].table for c in s.claims if c.kind == "val"]


def _beside(s: Sentence, at: int) -> str:
    """The table of the noun right after a superlative."""
    claimed = {c.start for c in s.claims}
    for j in range(at + 1, len(s.items)):
        if "noun" in s.items[j]:
            return str(s.items[j]["noun"])
        if j not in claimed and "light" not in s.items[j]:
            break
    return ""


def _counting(s: Sentence, at: int, rank: Rank) -> tuple[fig.Figure | None, set[int]]:
    """ "the most ships", "top 5 destinations by number of voyages", "the most departures"."""
    claimed = {c.start for c in s.claims}
    counts = s.asks("count")
    by = next((i for i in s.all("each") if "by" in s.items[i] and i > at), -1)
    start = counts if counts > at else by if rank.plain and by >= 0 else at
    if s.words(at).lower().endswith(
        ("common", "popular", "frequent", "busiest", "often", "rarest", "quietest")
    ) or (rank.plain and start == at):
        return None, set()
    for j in range(start + 1, len(s.items)):
        item = s.items[j]
        if "null" in item and not any("noun" in x for x in s.items[j + 1 : j + 2]):
            return fig.Figure(Measure("count"), item["null"][0].table, (j,), j), set()
        if j in claimed or ("light" in item and "noun" not in item):
            continue
        if "noun" in item and "col" not in item:
            others = [
                i
                for i in range(len(s.items))
                if i != j
                and i not in claimed
                and set(s.items[i].senses) & {"noun", "col", "role", "unit_of_time"}
            ]
            return (
                (
                    fig.Figure(Measure("count"), item["noun"], (j,), j),
                    {j} | ({by} if by >= 0 else set()),
                )
                if others
                else (None, set())
            )
        if "event" in item and fig.event_table(s, j):
            return fig.Figure(
                Measure("count"), fig.event_table(s, j) or "", (j,), j
            ), set() if item.words.lower() in ("arrivals", "departures") else {j}
        if not set(item.senses) & {"agg", "from", "to"}:
            break
    return None, set()


def _dim(s: Sentence, at: int, items: set[int]) -> int:
    """The item of what is ranked."""
    claimed = {c.start for c in s.claims}
    options = [
        i
        for i, item in enumerate(s.items)
        if i not in items
        and i not in claimed
        and i != at
        and (
            set(item.senses) & {"noun", "role", "unit_of_time"}
            or ("col" in item and "event" not in item and not fig._is_figure(s, i))
        )
    ]
    asked = s.asks("list", "who")
    after = [i for i in options if i > at]
    if asked >= 0 and options and options[0] < at:
        return options[0]
    each = {j + 1 for j in s.all("each")}
    free = [i for i in after if i not in each]
    return (free or [i for i in options if i not in each] or options or [-1])[0]


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
