"""Rows listed, with what else of them was named."""

from dataclasses import replace

from harness.standin.brain import figures as fig
from harness.standin.brain import grouping
from harness.standin.brain.counting import _implied, _noun_of, _ordered, count_of
from harness.standin.brain.dimensions import group_of
from harness.standin.brain.lookup import _asked_value, _identity
from harness.standin.brain.sentence import Sentence, figure_column, head_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Group, Measure, Order, Problem, Query, Value
from harness.standin.brain.ways import nearest, plain, short


def _listed(s: Sentence) -> Query | None:
    """The rows of a head, with what else of them was named."""
    head = head_of(s)
    if head < 0:
        implied = _implied(s)
        return _rows(s, implied[0], -1) if implied and not implied[2] else None
    item = s.items[head]
    if "unit_of_time" in item and (after := head_of(s, head)) >= 0:
        return count_of(s, after, "value")  # "monthly departures from X"
    if "noun" in item and s.first("kinds") >= 0:
        return _kinds_of(s, head)
    if "noun" in item:
        inside = _contents(s, head)
        if inside:
            return _rows(s, inside, head)
        groups, _items, _spread = grouping.groups(s, item["noun"])
        if groups and s.asks("list") < 0:
            return count_of(s, head, "value")
        if groups:
            raise Problem("clarify", [s.words(head)], "a list for each; ask how many, or name one")
        return _rows(s, item["noun"], head)
    if "event" in item and "noun" not in item:
        table = fig.event_table(s, head)
        return _rows(s, table, head) if table else None
    if "col" in item or "role" in item:
        return _grouped_by_head(s, head)
    return None


def _kinds_of(s: Sentence, head: int) -> Query:
    """ "What kinds of cargo are there": what rows without a name are called, counted."""
    source = s.items[head]["noun"]
    table = s.world.schema.tables[source]
    if table.named or table.label is None:
        raise Problem("clarify", [s.words(head)], f"no kinds of {short(source)}")
    s.used |= {head, *s.all("kinds"), *s.all("ask")}
    group = Group(plain(Field(table.label), s.world), table.label.name)
    return Query(source, "value", settle(s, source), (group,), (Measure("count"),))


def _contents(s: Sentence, head: int) -> str:
    """ "What is in container X": the table whose rows it holds."""
    known = _identity(s)
    if (
        known is None
        or known[0] != s.items[head]["noun"]
        or not {"in", "inside"} & set(s.items[head].dropped)
    ):
        return ""
    return next((e.target for e in s.world.schema.edges(known[0]) if e.many), "")


def _rows(s: Sentence, source: str, head: int) -> Query:
    select: list[Value] = []
    skip: set[int] = set()
    owned = {n for c in s.claims for n in [_near_noun(s, c)]}
    for i, item in enumerate(s.items):
        if i in (head,) or i in s.used:
            continue
        noun = next((n for n in s.nouns if n.at == i), None)
        if noun is not None and (
            noun.no or noun.bound or noun.role or i in owned or noun.table == source
        ):
            continue
        if set(item.senses) & {"noun", "col", "role"} and "order" not in s.items[i - 1 if i else 0]:
            values = _asked_value(s, i, source)
            if values:
                select += values
                skip.add(i)
    s.used |= skip | {head}
    orders = list(s.all("order"))
    order = _order_of_rows(s, source) if orders else None
    where = settle(s, source, _noun_of(s, source))
    return Query(source, "list", where, select=tuple(select), order=order)


def _near_noun(s: Sentence, claim: object) -> int:
    """The noun that a claim stands beside."""
    ats = [n.at for n in s.nouns]
    start = claim.start  # type: ignore[attr-defined]
    return next(
        (a for a in ats if 0 < a - start < 2), max((a for a in ats if a < start), default=-1)
    )


def _order_of_rows(s: Sentence, source: str) -> Order | None:
    way = next(
        (s.items[i]["order"] for i in s.all("order") if s.items[i]["order"] in ("asc", "desc")), ""
    )
    at = next((i for i in s.all("order")), -1)
    s.used |= set(s.all("order"))
    for i in range(at + 1, len(s.items)):
        value = figure_column(s, i, source) or (_dated(s, i, source))
        if value is not None:
            s.used.add(i)
            return Order(value, way == "desc")
        if "noun" in s.items[i]:
            s.used.add(i)
    return Order(Measure("count"), way == "desc")


def _dated(s: Sentence, i: int, source: str) -> Value | None:
    times = [c for c in s.items[i].senses.get("col", ()) if c.is_time]
    found = nearest(s.world.schema, source, times)
    return plain(found[1], s.world) if found else None


def _grouped_by_head(s: Sentence, head: int) -> Query | None:
    """ "Flags of the vessels", "what countries have more than one port": the values, counted."""
    item = s.items[head]
    tables = [n.table for n in s.nouns]
    columns = list(item.senses.get("col", ()))
    if "role" in item:
        source = item["role"][0].table
    else:
        value = fig.figure_at(s, head, fig.asked_unit(s)) if fig._is_figure(s, head) else None
        if value is not None and fig.additive(value):
            s.used.add(head)
            s.notes.append(
                f"The total of {value.field.column.name}." if value.how == "column" else ""
            )
            groups, items, _ = grouping.groups(s, value.field.column.table, (head,))
            s.used |= items
            return Query(
                value.field.column.table,
                "value",
                settle(s, value.field.column.table),
                groups,
                (Measure("sum", value),),
            )
        near = [c for c in columns if c.table in tables] or [c for c in columns if c.is_text]
        if not near:
            raise Problem(
                "clarify", [s.words(head)], f"which {s.words(head)}; name the one that you mean"
            )
        source = near[0].table
    group = group_of(s, head, source)
    if group is None:
        return None
    s.used.add(head)
    noun = _noun_of(s, source)
    having = noun.bound if noun else None
    if noun is not None:
        noun.bound = None
    where = settle(s, source, noun)
    order = _ordered(s, [Measure("count")], (group,))
    query = Query(source, "value", where, (group,), (Measure("count"),), order=order)
    return replace(query, part=(having,)) if having else query
