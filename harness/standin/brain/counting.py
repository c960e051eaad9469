"""Rows counted: by group, by kind, or the quantity on lines without names."""

from harness.standin.brain import figures as fig
from harness.standin.brain import grouping
from harness.standin.brain.dimensions import group_of
from harness.standin.brain.sentence import Noun, Sentence, head_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Measure, Order, Problem, Query
from harness.standin.brain.ways import plain, short

_ADJECTIVES = frozenset("val null and or col light empty zero bound agg term sense".split())


def _noun_of(s: Sentence, table: str) -> Noun | None:
    return next((n for n in s.nouns if n.table == table), None)


def _ordered(s: Sentence, measures: list[Measure], groups: tuple[object, ...]) -> Order | None:
    """ "sorted by ... desc", "fewest first"."""
    words = list(s.all("order"))
    s.used |= set(words) | {i for i in s.all("ask") if words and i > words[0]}
    way = next((s.items[i]["order"] for i in words if s.items[i]["order"] in ("asc", "desc")), "")
    if not words:
        return None
    for i in range(words[0] + 1, len(s.items)):  # what it is sorted by has been named before
        if set(s.items[i].senses) & {"col", "each", "noun"} and i not in {
            c.start for c in s.claims
        }:
            s.used.add(i)
    return (
        Order(measures[0], way != "asc")
        if measures and (way or groups)
        else Order(Measure("count"), way == "desc")
    )


def _counted(s: Sentence) -> Query | None:
    """ "How many voyages ...", by group; of lines without names their quantity or their kinds."""
    count, exists, listed = s.asks("count"), s.asks("exists"), s.asks("list")
    at = count if count >= 0 else exists
    if at < 0 or (count < 0 and 0 <= listed < exists):
        return None
    if _sorts(s):
        return _sorted_groups(s, at)
    head = head_of(s, at)
    if head < 0 or s.items[at].end > s.items[head].end:
        head = head_of(s)
    return count_of(s, head, "exists" if count < 0 else "value")


def _sorts(s: Sentence) -> bool:
    """ "sort carriers by number of voyages"."""
    first = s.first("order")
    return (
        0 <= first < s.asks("count") and bool(s.nouns) and first < s.nouns[0].at < s.asks("count")
    )


def _sorted_groups(s: Sentence, count: int) -> Query | None:
    head = head_of(s, count)
    if head < 0 or "noun" not in s.items[head]:
        return None
    source, dim = s.items[head]["noun"], s.nouns[0].at
    group = group_of(s, dim, source)
    if group is None:
        return None
    down = not any(s.items[i]["order"] == "asc" for i in s.all("order"))
    s.used |= {dim, head, count, *s.all("order"), *s.all("each")}
    return Query(
        source,
        "value",
        settle(s, source),
        (group,),
        (Measure("count"),),
        order=Order(Measure("count"), down),
        spread=True,
    )


def count_of(s: Sentence, head: int, shape: str) -> Query | None:
    """The rows of a head, counted."""
    implied = _implied(s)
    between = [c for c in s.claims if c.kind in ("val", "null") and (head < 0 or c.start < head)]
    if (head >= 0 and "noun" not in s.items[head] and "event" not in s.items[head]) or (
        head < 0 and implied is None
    ):
        return _kinds(s, head) if head >= 0 else None
    if head < 0 or (
        implied
        and implied[1] < head
        and not _adjacent(s, implied[1], head)
        and s.items[head]["noun"] != implied[0]
        and between
    ):
        assert implied is not None
        source, item = implied[0], None
        if implied[2]:
            found = fig.quantity(s, source)
            s.used.add(s.asks("count"))
            if found:
                where = settle(s, source)
                return Query(source, "value", where, (), (found.measure,))
    else:
        item = s.items[head]
        source = item.senses.get("noun") or fig.event_table(s, head) or ""
    distinct = next((i for i in s.all("agg") if s.items[i]["agg"] == "distinct"), s.first("kinds"))
    measure = Measure("count")
    table = s.world.schema.tables[source]
    if distinct >= 0:
        s.used.add(distinct)
        if not table.named and table.label is not None:
            measure = Measure("distinct", plain(Field(table.label), s.world))
        elif "kinds" in s.items[distinct]:
            raise Problem("clarify", [s.words(distinct)], f"no kinds of {short(source)}")
    groups, items, spread = grouping.groups(s, source)
    s.used |= items
    where = settle(s, source, _noun_of(s, source))
    counted = head if item is None or "noun" in item else -1  # an event still needs its time
    s.used |= {i for i in (counted, s.asks("count"), s.asks("exists")) if i >= 0}
    order = _ordered(s, [measure], groups)
    return Query(
        source,
        shape if not groups else "value",
        where,
        groups,
        (measure,),
        order=order,
        spread=spread and bool(groups),
    )


def _adjacent(s: Sentence, i: int, head: int) -> bool:
    """Whether only adjectives stand between a claim and a noun."""
    return all(
        set(s.items[j].senses) & _ADJECTIVES
        and not set(s.items[j].senses) & {"be", "do", "from", "to"}
        for j in range(i, head)
    )


def _implied(s: Sentence) -> tuple[str, int, bool] | None:
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
    item = s.items[head]
    tables = [n.table for n in s.nouns]
    columns = list(item.senses.get("col", ()))
    if "role" in item:
        reference = item["role"][0]
        label = s.world.schema.tables[reference.target].label
        group = group_of(s, head, reference.table)
        if label is None or group is None:
            return None
        source, value = reference.table, group.value
    else:
        near = [c for c in columns if c.table in tables] or columns
        if not near or "unit_of_time" in item:
            return None
        source, value = near[0].table, plain(Field(near[0]), s.world)
    s.used |= {head, s.asks("count"), *(i for i in s.all("agg") if s.items[i]["agg"] == "distinct")}
    where = settle(s, source, _noun_of(s, source))
    groups, items, _ = grouping.groups(s, source, (head,))
    s.used |= items
    return Query(source, "value", where, groups, (Measure("distinct", value),))
