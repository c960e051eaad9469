"""Rows counted: by group, by kind, or the quantity on lines without names."""

from harness.standin.brain.figures import quantity
from harness.standin.brain.grouping import group_of, groups
from harness.standin.brain.sentence import Sentence, event_table, head_of, noun_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Measure, Order, Problem, Query
from harness.standin.brain.ways import plain, short

_ADJECTIVES = (
    "val",
    "null",
    "and",
    "or",
    "col",
    "light",
    "empty",
    "zero",
    "bound",
    "agg",
    "term",
    "sense",
)
_COUNT = Measure("count")


def direction(s: Sentence) -> str:
    """asc or desc, where the question says so."""
    return next((s.items[i]["order"] for i in s.all("order", "asc", "desc")), "")


def ordered(s: Sentence, measure: Measure, groups: tuple[object, ...]) -> Order | None:
    """ "sorted by ... desc", "fewest first"."""
    first, way = s.first("order"), direction(s)
    if first < 0:
        return None
    s.use("order", *(i for i in s.all("ask") if i > first))
    for i in range(first + 1, len(s.items)):  # what it is sorted by has been named before
        if s.has(i, "col", "each", "noun") and i not in s.claimed:
            s.use(i)
    return Order(measure, way != "asc") if way or groups else Order(_COUNT, way == "desc")


def counted(s: Sentence) -> Query | None:
    """ "How many voyages ...", by group; of lines without names their quantity or their kinds."""
    count, exists, listed = s.asks("count"), s.asks("exists"), s.asks("list")
    at = count if count >= 0 else exists
    if at < 0 or (count < 0 and 0 <= listed < exists):
        return None
    if s.nouns and 0 <= s.first("order") < s.nouns[0].at < count:
        return _sorted_groups(s, count)
    head = head_of(s, at)
    if head < 0 or s.items[at].end > s.items[head].end:
        head = head_of(s)
    return count_of(s, head, "exists" if count < 0 else "value")


def _sorted_groups(s: Sentence, count: int) -> Query | None:
    """ "sort carriers by number of voyages"."""
    head, dim = head_of(s, count), s.nouns[0].at
    source = s.get(head, "noun")
    group = group_of(s, dim, source) if source else None
    if group is None:
        return None
    s.use(dim, head, count, "order", "each")
    order = Order(_COUNT, not s.all("order", "asc"))
    where = settle(s, source)
    return Query(source, "value", where, (group,), (_COUNT,), order=order, spread=True)


def count_of(s: Sentence, head: int, shape: str) -> Query | None:
    """The rows of a head, counted."""
    named = implied(s)
    if head >= 0 and not s.has(head, "noun", "event"):
        return _kinds(s, head)
    if head < 0 and named is None:
        return None
    source, item = s.get(head, "noun") or "", head
    if head >= 0 and not source:
        source = event_table(s, head)
    if named and (head < 0 or _stands_for(s, named, head)):
        source, item = named[0], -1
        lines = quantity(s, source) if named[2] else None
        if lines:
            s.use(s.asks("count"))
            return Query(source, "value", settle(s, source), (), (lines.measure,))
    measure = _distinct(s, source)
    by, items, spread = groups(s, source)
    s.used |= items
    where = settle(s, source, noun_of(s, source))
    an_event = item >= 0 and not s.has(item, "noun")  # it still needs its time
    s.use(-1 if an_event else head, s.asks("count"), s.asks("exists"))
    order, shape = ordered(s, measure, by), "value" if by else shape
    return Query(source, shape, where, by, (measure,), order=order, spread=spread and bool(by))


def _distinct(s: Sentence, source: str) -> Measure:
    """Rows counted; of lines without names, "different" ones and "kinds of" them."""
    at = next(iter([*s.all("agg", "distinct"), *s.all("kinds")]), -1)
    s.use(at)
    table = s.world.schema.tables[source]
    if at >= 0 and not table.named and table.label is not None:
        return Measure("distinct", plain(Field(table.label)))
    if s.has(at, "kinds"):
        raise Problem("clarify", [s.words(at)], f"no kinds of {short(source)}")
    return _COUNT


def _stands_for(s: Sentence, named: tuple[str, int, bool], head: int) -> bool:
    """ "How many laptops on voyages": what is implied before a head is what is counted."""
    before = any(c.start < head for c in s.of("val", "null"))
    if named[1] >= head or s.get(head, "noun") == named[0] or not before:
        return False
    between = range(named[1], head)  # only adjectives make it one with the noun
    return not all(
        s.has(j, *_ADJECTIVES) and not s.has(j, "be", "do", "from", "to") for j in between
    )


def implied(s: Sentence) -> tuple[str, int, bool] | None:
    """The table of a word that names rows by what they are: reefers, laptops."""
    for claim in s.claims:
        if claim.kind == "null":
            return claim.data[0].table, claim.start, False
        if claim.kind == "term" and claim.data.home:
            return claim.data.home, claim.start, False
        if claim.kind == "val":
            column = claim.data[0][0]
            table = s.world.schema.tables[column.table]
            if not table.named and table.label == column:
                return column.table, claim.start, True
    return None


def _kinds(s: Sentence, head: int) -> Query | None:
    """ "How many countries ...": the different values of a column."""
    if s.has(head, "role"):
        source = s.items[head]["role"][0].table
        group = group_of(s, head, source)
    else:
        columns, tables = s.get(head, "col") or (), [n.table for n in s.nouns]
        near = [c for c in columns if c.table in tables] or list(columns)
        if not near or s.has(head, "unit_of_time"):
            return None
        source, group = near[0].table, None
    value = group.value if group else plain(Field(near[0]))
    s.use(head, s.asks("count"), *s.all("agg", "distinct"))
    where = settle(s, source, noun_of(s, source))
    by, items, _ = groups(s, source, (head,))
    s.used |= items
    return Query(source, "value", where, by, (Measure("distinct", value),))
