"""First places: by what, of what, in time, of each group."""

from dataclasses import replace

from harness.standin.brain.chunks import Rank
from harness.standin.brain.figures import Figure, asked_unit, bare, figures, summed
from harness.standin.brain.grouping import COUNT, group_of, groups, kinds_group, tabled
from harness.standin.brain.lookup import asked_value, by_verb
from harness.standin.brain.moments import still_to_come
from harness.standin.brain.sentence import Sentence, beside, event_table
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import (
    Condition,
    Group,
    Measure,
    Order,
    Problem,
    Query,
    Value,
    bundle,
)
from harness.standin.brain.ways import additive, is_place, nearest, plain, time_columns
from harness.standin.brain.words import playbook, word_set


def ranked(s: Sentence) -> Query | None:
    """The first rows, or the first groups, by a figure."""
    at = s.first("rank")
    if at < 0:
        return None
    if s.asks("list") >= 0 and {"in", "inside"} & set(s.items[at].dropped):
        raise Problem("clarify", [s.words(at)], "ask first which it is, and then what is in it")
    s.use(at, "kinds", "per_unit", *(i for i in s.all("ask", "count") if i > at))
    rank = with_adjective(s, at, s.items[at]["rank"])
    s.use(*(i for i in s.all("howscale") if s.items[i]["howscale"][0] == rank.of))
    if rank.turn:
        return in_time(s, rank)
    figure = basis(s, at, rank)
    dim = ranked_item(s, at)
    if rank.count == 1 and s.has(dim - 1, "num") and dim - 1 not in s.used:
        rank = replace(rank, count=int(s.items[dim - 1]["num"]))
        s.use(dim - 1)
    figure = figure or Figure(COUNT, _counted(s, dim))
    value = figure.measure.value
    if value is not None and not figure.measure.kind:
        if rows := _of_rows(s, at, rank, value, dim):
            return rows
        figure = replace(figure, measure=Measure("sum" if additive(value) else "avg", value))
        s.notes += [] if additive(value) else [f"By the average of {value.name}."]
    return _of_groups(s, rank, figure, dim)


def with_adjective(s: Sentence, at: int, rank: Rank) -> Rank:
    """ "the most delayed voyage" is one; "the most delayed voyages" of a carrier are a number."""
    scale = s.get(at + 1, "scale")
    if not scale or rank.of or rank.plain or scale[2] or s.low(at) not in ("most", "least"):
        return rank
    several = at + 2 < len(s.items) and s.low(at + 2).endswith("s")
    if several and any(s.has(i, "noun", "col", "role") for i in range(at)):
        return rank
    s.claims = [c for c in s.claims if c.start != at + 1]
    s.use(at + 1)
    return replace(rank, of=scale[0], years=scale[3], down=(scale[1] == "more") == rank.down)


def basis(s: Sentence, at: int, rank: Rank) -> Figure | None:
    """What they are ranked by: an aggregate, a named figure, an adjective, or a number of rows."""
    tables = s.tables or [c.data[0][0].table for c in s.of("val")]
    tables = [beside(s, at), *(tables or sorted(s.world.schema.tables))]
    found = next(figures(s), None) or bare(s, at, rank.of, filter(None, tables))
    return found if found or rank.of else _counting(s, at, rank)


def _counting(s: Sentence, at: int, rank: Rank) -> Figure | None:
    """ "the most ships", "top 5 destinations by number of voyages", "the most departures"."""
    counts, by = s.asks("count"), next((i for i in s.all("by") if i > at and s.has(i, "each")), -1)
    start = counts if counts > at else by if rank.plain and by >= 0 else at
    if s.low(at).split()[-1] in word_set("by_rows") or (rank.plain and start == at):
        return None
    for j in range(start + 1, len(s.items)):
        if s.has(j, "null") and not s.has(j + 1, "noun"):
            return Figure(COUNT, s.items[j]["null"][0].table, j)
        if j in s.claimed or (s.has(j, "light") and not s.has(j, "noun")):
            continue
        if s.has(j, "noun") and not s.has(j, "col"):
            others = [i for i in range(len(s.items)) if i != j and i not in s.claimed]
            if not any(s.has(i, "noun", "col", "role", "unit_of_time") for i in others):
                return None
            s.use(j, by)
            return Figure(COUNT, s.items[j]["noun"], j)
        if s.has(j, "event") and (table := event_table(s, j)):
            s.use(-1 if s.is_move(j) else j)
            return Figure(COUNT, table, j)
        if not s.has(j, "agg", "from", "to"):
            break
    return None


def ranked_item(s: Sentence, at: int) -> int:
    """The item of what is ranked; -1 for none."""
    options = []
    for i in range(len(s.items)):
        column = s.has(i, "col") and not s.has(i, "event") and not s.is_figure(i)
        if i not in s.used and (column or s.has(i, "noun", "role", "unit_of_time")):
            options.append(i)
    free = [i for i in options if not s.has(i - 1, "each")]
    if s.asks("list", "who") >= 0 and free and free[0] < at:
        return free[0]
    return next(iter([*(i for i in free if i > at), *free, *options]), -1)


def first_rows(
    s: Sentence, rank: Rank, value: Value, dim: int, source: str = "", extra: bool = False
) -> Query:
    """The first rows of a table by a value; the best of each group where one is named."""
    select: tuple[Value, ...] = ()
    source = source or value.table
    if extra:
        select = tuple(v for v in asked_value(s, dim, source) if not v.field.many)
    if s.asks("who") >= 0:  # "who has the youngest ship"
        select = (*select, *by_verb(s, s.asks("who"), source))
    s.use(dim, *(s.all("event", "built") if s.asks("when") >= 0 else ()))
    for i in s.all("noun"):  # "the ten oldest ships with their carrier"
        shown = asked_value(s, i, source) if i not in s.used and s.has(i - 1, "pronoun") else []
        select = (*select, *(v for v in shown if not v.field.many))
    by = groups(s, source)[0]
    where, order = settle(s, source), Order(value, rank.down)
    shape, unit = "best" if by else "top", asked_unit(s)
    made = Query(source, shape, where, by, (), select, order, rank.count, rank.skip)
    return replace(made, unit=unit)


def in_time(s: Sentence, rank: Rank) -> Query | None:
    """The first, the last, the next: by the time of an event."""
    book = playbook()
    events = [i for i in s.all("event") if not (s.has(i, "val") and s.has(i, "window"))]
    event = s.items[events[0]]["event"] if events else "built"
    of = "" if event == "built" else book["events"][event]["of"]
    if not of and rank.turn == "next" and any(c.role == "to" for c in s.claims):
        of = book["finishes"]
    named = [n for n in s.nouns if not s.has(n.at - 1, "each")] or s.nouns
    source = named[0].table if named else event_table(s, events[0]) if events else ""
    if not source:
        return None
    options = time_columns(s.world.schema, source, of or book["starts"])
    if of and options and source not in {c.table for c in options}:
        source = options[0].table  # "when did the last ship arrive": ships have no such time
    columns = list(s.world.schema.tables[source].columns.values())
    mine = [c for c in options if c.table == source] or [c for c in columns if c.is_time]
    mine = mine or [c for c in columns if "year" in c.parts]
    s.use(*events, *s.all("ask", "when", "where"))
    extra: list[Condition] = []
    planned = [c for c in columns if c.is_time and not c.nullable]
    if rank.turn == "next" and planned and s.world.today is not None:
        if of == book["starts"]:
            why = f"{mine[0].name} is not known before it has happened"
            raise Problem("clarify", ["next"], why)
        mine, extra = planned[:1], still_to_come(source, (), s.world)
    field = nearest(s.world.schema, source, mine[:1] or options)
    if field is None:
        return None
    value, dim = plain(field[1]), named[0].at if named else -1
    made = first_rows(s, replace(rank, down=rank.turn == "last"), value, dim, source)
    s.notes.append(f"By {value.name}.")
    word = "latest" if rank.turn == "last" else "earliest"
    return replace(made, where=bundle([*made.where, *extra]), word=word)


def _counted(s: Sentence, dim: int) -> str:
    """ "The most common flag", "the most popular destination": the table whose rows count."""
    others = [n.table for n in s.nouns if n.at != dim]
    noun, columns = s.get(dim, "noun"), s.get(dim, "col") or ()
    if noun and (kinds_group(s, noun) or _owned(s, noun)):
        return str(noun)
    if noun and not others:
        if is_place(s.world.schema, noun):
            raise Problem("role", [s.words(dim)])
        words = [s.words(i) for i in s.all("rank")]
        raise Problem("clarify", words, f'"{words[0]}" by what')
    if s.has(dim, "role") and not noun:
        return str(s.items[dim]["role"][0].table)
    near = [c.table for c in columns if c.table in others] or [c.table for c in columns]
    return next(iter([*([] if noun else near), *others]), "")


def _owned(s: Sentence, table: str) -> Group | None:
    """ "Who owns the most ships"."""
    owners = by_verb(s, s.asks("who"), table) if s.asks("who") >= 0 and s.all("verb") else []
    return Group(owners[0], owners[0].name) if owners else None


def _of_rows(s: Sentence, at: int, rank: Rank, value: Value, dim: int) -> Query | None:
    """By a figure of each row; None where rows have to be put together first."""
    schema, source, table = s.world.schema, value.table, s.get(dim, "noun") or ""
    if s.has(dim - 1, "each") and s.has(dim, "col") and rank.count == 1:
        s.use(dim, dim - 1)  # "worst delay per region"
        most, group = Measure("max" if rank.down else "min", value), group_of(s, dim, source)
        return tabled(s, source, [most], (group,) if group else ())
    if dim >= 0 and table != source == beside(s, at) and schema.tables[source].named:
        return first_rows(s, rank, value, dim, extra=True)  # "which carrier has the oldest vessel"
    if dim < 0 or (table == source and (_is_single(s, dim, source) or s.all("per_unit"))):
        return first_rows(s, rank, value, dim)
    if table in ("", source):
        return None
    found = nearest(schema, table, [value.field.column])
    if found is not None and not found[1].many:
        path = found[1].path
        return first_rows(s, rank, value.along(lambda own: path), dim, table)
    single = value.how == "column" and "delay" not in value.field.column.parts
    alone = single and not additive(value)
    return first_rows(s, rank, value, dim, extra=True) if alone else None


def _is_single(s: Sentence, dim: int, source: str) -> bool:
    """Whether each row counts by itself: it has a name, or is called a line ("cargo item")."""
    line = s.low(dim).split()[-1].rstrip("s") in ("item", "line")
    return line or not s.world.schema.tables[source].is_of_kinds


def _of_groups(s: Sentence, rank: Rank, figure: Figure, dim: int) -> Query:
    """By what the rows of each group come to; of each of another group where one is named."""
    measure, source, own = figure.measure, figure.source, s.get(dim, "noun") == figure.source
    s.use(dim)
    more = groups(s, source)[0]
    top = own and rank.plain and bool(more)
    group = (_owned(s, source) or kinds_group(s, source)) if own else None
    group = group or (group_of(s, dim, source) if source else None)
    if group is None:
        raise Problem("clarify", [s.words(i) for i in s.all("rank")], "most by what?")
    if group.value.field.many and measure.kind not in ("count", "max", "min"):
        raise Problem("clarify", [group.name], f"a row would count more than once by {group.name}")
    both = (group, *_tied_to(s, dim, source))
    where = settle(s, source)
    by, shape = (more, "top") if top else ((*more, *both), "best" if more else "top")
    measures = (measure, *(() if more else _beside_it(s, source)))
    order = Order(measure, rank.down)
    return Query(source, shape, where, by, measures, (), order, rank.count, rank.skip)


def _tied_to(s: Sentence, dim: int, source: str) -> list[Group]:
    """ "Which origin and destination": two ends ranked as one."""
    if not (s.has(dim, "role") and s.has(dim + 1, "and") and s.has(dim + 2, "role")):
        return []
    s.use(dim + 2)
    return [group for group in [group_of(s, dim + 2, source)] if group]


def _beside_it(s: Sentence, source: str) -> list[Measure]:
    """ "... and how many TEU do they have": another figure of the same groups."""
    for i in s.all("ask", "count", "amount"):
        unit = s.get(i + 1, "unit")
        found = summed(s, unit, [source]) if unit else None
        if found and found.source == source:
            s.use(i, i + 1, *s.all("agg", "sum"))
            return [found.measure]
    return []
