"""Rows listed, with what else of them was named."""

from harness.standin.brain.claims import Claim
from harness.standin.brain.counting import count_of, direction, implied, ordered
from harness.standin.brain.figures import additive, asked_unit, figure_at
from harness.standin.brain.grouping import group_of, groups, kinds_group
from harness.standin.brain.lookup import asked_value, identity
from harness.standin.brain.sentence import Sentence, event_table, figure_column, head_of, noun_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Measure, Order, Problem, Query, Value
from harness.standin.brain.ways import nearest, plain, short


def listed(s: Sentence) -> Query | None:
    """The rows of a head, with what else of them was named."""
    head = head_of(s)
    if head < 0:
        named = implied(s)
        return _rows(s, named[0], -1) if named and not named[2] else None
    after = head_of(s, head)
    if s.has(head, "unit_of_time") and after >= 0:
        return count_of(s, after, "value")  # "monthly departures from X"
    source = s.get(head, "noun")
    if source and s.all("kinds"):
        return _kinds_of(s, head)
    if source:
        inside = _contents(s, head)
        by = () if inside else groups(s, source)[0]
        if by and s.asks("list") >= 0:
            raise Problem("clarify", [s.words(head)], "a list for each; ask how many, or name one")
        return count_of(s, head, "value") if by else _rows(s, inside or source, head)
    if s.has(head, "event"):
        table = event_table(s, head)
        return _rows(s, table, head) if table else None
    return _grouped_by_head(s, head)


def _kinds_of(s: Sentence, head: int) -> Query:
    """ "What kinds of cargo are there": what rows without a name are called, counted."""
    source = s.items[head]["noun"]
    label = s.world.schema.tables[source].label
    group = kinds_group(s, source, label.name if label else "")
    if group is None:
        raise Problem("clarify", [s.words(head)], f"no kinds of {short(source)}")
    s.use(head, "kinds", "ask")
    return Query(source, "value", settle(s, source), (group,), (Measure("count"),))


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
            s.use(i if values else -1)
    s.use(head)
    order = order_of_rows(s, source)
    where = settle(s, source, noun_of(s, source))
    return Query(source, "list", where, select=tuple(select), order=order)


def _near_noun(s: Sentence, claim: Claim) -> int:
    """The noun that a claim stands beside."""
    ats = [n.at for n in s.nouns]
    before = [a for a in ats if a < claim.start]
    return claim.start + 1 if claim.start + 1 in ats else max(before, default=-1)


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
    return Order(Measure("count"), down)


def _grouped_by_head(s: Sentence, head: int) -> Query | None:
    """ "Flags of the vessels", "what countries have more than one port": the values, counted."""
    if s.has(head, "role"):
        source = s.items[head]["role"][0].table
    else:
        value = figure_at(s, head, asked_unit(s)) if s.is_figure(head) else None
        if value is not None and additive(value):
            return _total(s, head, value)
        columns, tables = s.get(head, "col") or (), [n.table for n in s.nouns]
        near = [c for c in columns if c.table in tables] or [c for c in columns if c.is_text]
        if not near:
            word = s.words(head)
            raise Problem("clarify", [word], f"which {word}; name the one that you mean")
        source = near[0].table
    group = group_of(s, head, source)
    if group is None:
        return None
    s.use(head)
    noun = noun_of(s, source)
    part = (noun.bound,) if noun and noun.bound else ()
    if noun:
        noun.bound = None  # of the groups, and not of rows
    where = settle(s, source, noun)
    order = ordered(s, Measure("count"), (group,))
    return Query(source, "value", where, (group,), (Measure("count"),), order=order, part=part)


def _total(s: Sentence, head: int, value: Value) -> Query:
    """ "Weight per container": a figure that adds up."""
    s.use(head)
    s.notes += [f"The total of {value.field.column.name}."] if value.how == "column" else []
    by, items, _ = groups(s, value.table, (head,))
    s.used |= items
    return Query(value.table, "value", settle(s, value.table), by, (Measure("sum", value),))
