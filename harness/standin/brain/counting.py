"""Rows counted, or listed with what else of them was named."""

from dataclasses import replace

from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import short
from harness.standin.brain.figures import asked_unit, figure_at
from harness.standin.brain.grouping import (
    COUNT,
    group_of,
    groups,
    kinds_group,
    order_of_rows,
    tabled,
)
from harness.standin.brain.lookup import asked_value
from harness.standin.brain.sentence import Sentence, event_table, head_of, identity
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Group, Measure, Problem, Query, Value
from harness.standin.brain.ways import additive, plain
from harness.standin.brain.words import keys, word_set

_ADJECTIVES = "val null and or col light empty zero bound agg term sense".split()


def counted(s: Sentence) -> Query | None:
    """ "How many voyages ...", by group; of lines without names their quantity or their kinds."""
    count, exists, listed = s.asks("count"), s.asks("exists"), s.asks("list")
    at = count if count >= 0 else exists
    if at < 0 or (count < 0 and 0 <= listed < exists):
        return None
    sorting = s.nouns and 0 <= s.first("order") < s.nouns[0].at < count
    if sorting or (s.nouns and s.nouns[0].at < count and s.has(count - 1, "pronoun")):
        return _sorted_groups(s, count)
    head = head_of(s, at)
    if head < 0 or s.items[at].end > s.items[head].end:
        head = head_of(s)
    return count_of(s, head, "exists" if count < 0 else "value")


def _sorted_groups(s: Sentence, count: int) -> Query | None:
    """ "sort carriers by number of voyages", "carriers and their number of voyages"."""
    head, dim = head_of(s, count), s.nouns[0].at
    source = s.get(head, "noun")
    group = group_of(s, dim, source) if source else None
    if group is None:
        return None
    s.use(dim, head, count, "each")
    return replace(tabled(s, source, [COUNT], (group,)), spread=True)


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
        lines = _quantity(s, source) if named[2] else None
        if lines:
            s.use(s.asks("count"))
            return tabled(s, source, [lines], ())
    made = tabled(s, source, [_distinct(s, source)])
    an_event = item >= 0 and not s.has(item, "noun")  # it still needs its time
    s.use(-1 if an_event else head, s.asks("count"), s.asks("exists"))
    return made if made.groups else replace(made, shape=shape)


def _quantity(s: Sentence, table: str) -> Measure | None:
    """ "How many laptops": the quantity on the lines of a table without names."""
    for column in s.world.schema.tables[table].columns.values():
        if column.is_number and {"number", "unit"} <= set(keys(column.clause)):
            return Measure("sum", plain(Field(column)))
    return None


def _distinct(s: Sentence, source: str) -> Measure:
    """Rows counted; of lines without names, "different" ones and "kinds of" them."""
    at = next(iter([*s.all("agg", "distinct"), *s.all("kinds")]), -1)
    s.use(at)
    table = s.world.schema.tables[source]
    if at >= 0 and not table.named and table.label is not None:
        return Measure("distinct", plain(Field(table.label)))
    if s.has(at, "kinds"):
        raise Problem("clarify", [s.words(at)], f"no kinds of {short(source)}")
    return COUNT


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
            if not s.nouns and len(column.glosses) > 1 and not table.named:
                return column.table, claim.start, False  # "anything late", "what is loading"
    return None


def _by_head(s: Sentence, head: int) -> tuple[str, Group] | None:
    """The table whose column, or role, a head is, and the group of its values."""
    columns, tables = s.get(head, "col") or (), s.tables
    near = [c.table for c in columns if c.table in tables or c.is_text]
    near = [table for table in near if table in tables] or near
    role = s.get(head, "role")
    source = role[0].table if role else next(iter(near), "")
    group = group_of(s, head, source) if source else None
    return (source, group) if group else None


def _kinds(s: Sentence, head: int) -> Query | None:
    """ "How many countries ...": the different values of a column."""
    found = _by_head(s, head)
    if found is None or s.has(head, "unit_of_time"):
        return None
    s.use(head, s.asks("count"), *s.all("agg", "distinct"))
    return tabled(s, found[0], [Measure("distinct", found[1].value)])


def listed(s: Sentence) -> Query | None:
    """The rows of a head, with what else of them was named."""
    head = head_of(s)
    if head < 0:
        named, events = implied(s), [i for i in s.all("event") if event_table(s, i)]
        if named and named[2] and s.asks("list") >= 0:
            s.use("ask")
            return _kinds_of(s, named[0])  # "which frozen goods do we ship"
        if named is None and events and s.of("window"):
            return _rows(s, event_table(s, events[0]), -1)  # "what arrived yesterday"
        return _rows(s, named[0], -1) if named and not named[2] else None
    after = head_of(s, head)
    if s.has(head, "unit_of_time") and after >= 0:
        return count_of(s, after, "value")  # "monthly departures from X"
    source = s.get(head, "noun")
    said = s.low(head) in word_set("kinds_said") and s.low(max(0, s.asks("list"))) in (
        "which",
        "what",
    )
    if source and (s.all("kinds") or (said and kinds_group(s, source) and not identity(s))):
        s.use(head, "kinds", "ask")
        return _kinds_of(s, source)
    if source:
        inside = _contents(s, head)
        by = () if inside else groups(s.copy(), source)[0]
        if by and s.asks("list") >= 0:
            raise Problem("clarify", [s.words(head)], "a list for each; ask how many, or name one")
        return count_of(s, head, "value") if by else _rows(s, inside or source, head)
    if s.has(head, "event"):
        if groups(s.copy(), event_table(s, head))[0]:
            return count_of(s, head, "value")  # "arrivals per month"
        table = event_table(s, head)
        return _rows(s, table, head) if table else None
    return _grouped_by_head(s, head)


def _kinds_of(s: Sentence, source: str) -> Query:
    """ "What kinds of cargo are there": what rows without a name are called, counted."""
    group = kinds_group(s, source)
    if group is None:
        raise Problem("clarify", [short(source)], f"no kinds of {short(source)}")
    return tabled(s, source, [COUNT], (group,))


def _contents(s: Sentence, head: int) -> str:
    """ "What is in container X": the table whose rows it holds."""
    known = identity(s)
    inside = {"in", "inside"} & set(s.items[head].dropped)
    if not inside or known is None or known[0] != s.items[head]["noun"]:
        return ""
    return next((e.target for e in s.world.schema.edges(known[0]) if e.many), "")


def _rows(s: Sentence, source: str, head: int) -> Query:
    select: list[Value] = []
    owned = {_near_noun(s, c) for c in s.claims}
    taken = [
        n.at for n in s.nouns if n.no or n.bound or n.role or n.at in owned or n.table == source
    ]
    skip = {head, *taken, *s.used}
    for i in range(len(s.items)):
        sorting = s.has(max(i - 1, 0), "order")
        if i not in skip and s.has(i, "noun", "col", "role") and not sorting:
            values = [v for v in asked_value(s, i, source) if not v.field.many]
            select += values
            been = s.has(i, "event") and s.is_past_event(i)  # its time has to be given
            s.use(i if values and not been else -1)
    s.use(head)
    order = order_of_rows(s, source)
    where = settle(s, source)
    return Query(source, "list", where, select=tuple(select), order=order)


def _near_noun(s: Sentence, claim: Claim) -> int:
    """The noun that a claim stands beside."""
    ats = [n.at for n in s.nouns]
    before = [a for a in ats if a < claim.start]
    return claim.start + 1 if claim.start + 1 in ats else max(before, default=-1)


def _grouped_by_head(s: Sentence, head: int) -> Query | None:
    """ "Flags of the vessels", "what countries have more than one port": the values, counted."""
    value = figure_at(s, head, asked_unit(s)) if s.is_figure(head) else None
    if value is not None and additive(value):  # "weight per container"
        s.use(head)
        s.notes += [f"The total of {value.field.column.name}."] if value.how == "column" else []
        return tabled(s, value.table, [Measure("sum", value)])
    found = _by_head(s, head)
    if found is None:
        word = s.words(head)
        raise Problem("clarify", [word], f"which {word}; name the one that you mean")
    source, group = found
    s.use(head)
    noun = next((n for n in s.nouns if n.table == source), None)
    part = (noun.bound,) if noun and noun.bound else ()
    if noun:
        noun.bound = None  # of the groups, and not of rows
    return replace(tabled(s, source, [COUNT], (group,)), part=part)
