"""What rows and figures are grouped by, and the order that they are shown in."""

from collections.abc import Sequence

from harness.standin.brain.factlines import short
from harness.standin.brain.moments import never
from harness.standin.brain.sentence import Noun, Sentence, event_times, figure_column
from harness.standin.brain.settling import path_to, settle
from harness.standin.brain.tree import Field, Group, Measure, Order, Problem, Query
from harness.standin.brain.ways import end_of, name_at, nearest, plain, role_name
from harness.standin.brain.words import key, word_set

COUNT = Measure("count")
Groups = tuple[Group, ...]
_DIMS = ("noun", "col", "role", "unit_of_time")


def groups(s: Sentence, source: str) -> tuple[Groups, bool]:
    """What rows are grouped by, and whether each counts ("each carrier"), also one without rows."""
    made: list[Group] = []
    before, spread = {*s.used}, False
    for i in s.all("each"):
        if i in before or (s.has(i, "by") and s.has(i - 1, "verb")):
            continue
        for j in _dims_after(s, i):
            own = s.get(j, "noun") == source and j not in before
            if own and s.has(j - 1, "kinds") and (kinds := kinds_group(s, source)):
                made.append(kinds)
                s.use(i, j - 1, j)
            elif own and not s.has(j, "col"):
                s.use(i, j)
            elif j in before or (s.has(j, "noun") and s.is_figure(j + 1)):
                break
            elif (group := group_of(s, j, source)) and group not in made:
                made.append(group)
                s.use(i, j)
                spread = spread or s.low(i) in word_set("each_of_all")
    for j in s.all("unit_of_time"):
        alone = "a" in s.items[j].dropped and j and s.used == before
        if (alone or s.low(j).endswith("ly")) and (group := group_of(s, j, source)):
            made += [group] if j not in s.used - before else []
            s.use(j)
    return tuple(made), spread and bool(made)


def _dims_after(s: Sentence, i: int) -> list[int]:
    """The dimension after "per", and those that "and" adds to it."""
    found: list[int] = []
    for j in range(i + 1, len(s.items)):
        dim = s.has(j, *_DIMS) and j not in s.claimed and not s.is_move(j)
        if j in s.claimed and not found:
            continue
        if dim and (not found or s.has(j - 1, "and") or s.items[j].gap == ","):
            role_follows = s.has(j, "noun") and not s.has(j, "role") and s.has(j + 1, "role")
            found += [] if role_follows else [j]  # "per destination port": the role says it
        elif not s.has(j, "and") and (found or not s.has(j, "light", "from", "to", "kinds")):
            break
    return found


def group_of(s: Sentence, i: int, source: str) -> Group | None:
    """What an item says to group by, seen from a source."""
    if unit := s.get(i, "unit_of_time"):
        return _period(s, source, unit)
    if s.has(i, "role"):
        return _by_role(s, i, source)
    if s.has(i, "noun"):
        noun = next((n for n in s.nouns if n.at == i), Noun(i, s.items[i]["noun"]))
        ends = [s.event_end(j) for j in s.all("event") if not s.has(j, "val")]
        end = next((e for e in ends if e), "")  # "which port receives the most voyages"
        return _labelled(s, source, noun.table, noun.role or end, "")
    columns = [c for c in s.get(i, "col") or () if not s.world.schema.is_link(c)]
    role = next((end for end in ("from", "to") if s.has(i - 1, end)), "")
    found = nearest(s.world.schema, source, columns, role)
    return Group(plain(found[1]), found[1].column.name) if found else None


def _period(s: Sentence, source: str, unit: str) -> Group | None:
    said = [event_times(s, s.items[i]["event"]) for i in s.all("event")]
    years = [c for each in said for c in each if not c.is_time]
    if years and unit == "year" and (found := nearest(s.world.schema, source, years)):
        return Group(plain(found[1]), found[1].column.name)  # "built per year"
    times = [c for each in said for c in each if c.is_time and c.nullable]
    times = times or [c for c in s.world.schema.columns if c.is_time]
    over = [set(never(c.data[0][0].table, s.world)) & set(c.data) for c in s.of("val") if not c.no]
    if any(over):
        times = [c for c in times if not c.nullable]  # what never began has no such time
    found = nearest(s.world.schema, source, times)
    if found is None or years or found[1].many:
        return None
    if not s.all("event"):
        s.notes.append(f"The time is that of {found[1].column.name}.")
    return Group(plain(found[1]), unit, unit)


def _by_role(s: Sentence, i: int, source: str) -> Group:
    """ "by destination", "by destination country"."""
    reference = s.items[i]["role"][0]
    end, name = end_of(s.world.schema, reference), role_name(reference.column)
    columns = [c for c in s.get(i + 1, "col") or () if c.table == reference.target and c.is_text]
    if not columns or s.has(i + 1, "noun"):
        return _labelled(s, source, reference.target, end, name)
    s.use(i + 1)
    path = path_to(s, source, Noun(-1, reference.target, end))
    return Group(plain(Field(columns[0], path)), f"{name}_{columns[0].name}")


def kinds_group(s: Sentence, source: str) -> Group | None:
    """By what rows without a name of their own are called; None where they have one."""
    value = name_at(s.world.schema, source)
    return Group(value, value.name) if value and not s.world.schema.tables[source].named else None


def _labelled(s: Sentence, source: str, table: str, role: str, name: str) -> Group:
    """By the names of a table's rows."""
    path = path_to(s, source, Noun(-1, table, role))
    known, value = s.world.schema.tables[table], name_at(s.world.schema, table, path)
    if known.label is None or value is None:
        raise Problem("need", [short(table)], f"what {short(table)} are called")
    singular = key(short(table)) if "_" not in short(table) else short(table)
    if not name and role and path:
        name = role_name(path[-1].reference[1])
    return Group(value, name or singular)


def tabled(
    s: Sentence, source: str, measures: Sequence[Measure], by: Groups | None = None
) -> Query:
    """Measures of a source's rows, by what the question groups them by, in the order it names."""
    by, spread = groups(s, source) if by is None else (by, False)
    where, order = settle(s, source), ordered(s, measures[0], by)
    return Query(source, "value", where, by, tuple(measures), order=order, spread=spread)


def direction(s: Sentence) -> str:
    """asc or desc, where the question says so."""
    return next((s.items[i]["order"] for i in s.all("order", "asc", "desc")), "")


def ordered(s: Sentence, measure: Measure, by: Groups) -> Order | None:
    """ "sorted by ... desc", "fewest first"."""
    first, way = s.first("order"), direction(s)
    if first < 0:
        return None
    s.use("order", *(i for i in s.all("ask") if i > first))
    for i in range(first + 1, len(s.items)):  # what it is sorted by has been named before
        if s.has(i, "col", "each", "noun") and i not in s.claimed:
            s.use(i)
    return Order(measure, way != "asc") if way or by else Order(COUNT, way == "desc")


def order_of_rows(s: Sentence, source: str) -> Order | None:
    """ "sorted by capacity", "newest first"."""
    first, down = s.first("order"), direction(s) == "desc"
    if first < 0:
        return None
    s.use("order")
    for i in range(first + 1, len(s.items)):
        value = figure_column(s, i, source)
        times = [c for c in s.get(i, "col") or () if c.is_time]
        if value is None and (found := nearest(s.world.schema, source, times)):
            value = plain(found[1])
        s.use(i if value is not None or s.has(i, "noun") else -1)
        if value is not None:
            return Order(value, down)
    return Order(COUNT, down)
