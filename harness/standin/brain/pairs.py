"""Parts of a whole, and two of a kind set against each other."""

import re
from dataclasses import replace
from typing import Any

from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import Column, short
from harness.standin.brain.figures import figure_at, figures
from harness.standin.brain.grouping import COUNT, groups, ordered
from harness.standin.brain.place import put
from harness.standin.brain.sentence import Noun, Sentence, event_table, head_of
from harness.standin.brain.settling import path_to, settle
from harness.standin.brain.tree import (
    Condition,
    Either,
    Field,
    Group,
    Measure,
    Order,
    Problem,
    Query,
    Test,
    Value,
    bundle,
)
from harness.standin.brain.ways import additive, figure_for, plain
from harness.standin.brain.words import key

_LENGTHS = {"day": (1,), "week": (7,), "month": range(28, 32), "quarter": range(90, 93)}
_LENGTHS |= {"year": (365, 366)}


def shared(s: Sentence) -> Query | None:
    """What share of the rows, or of a total, something is."""
    ask = s.first("agg", "share")
    if ask < 0:
        return None
    s.use(ask, s.asks("amount"), *s.all("agg", "sum"))
    figure = next(iter(s.named_figures), -1)
    value = figure_at(s, figure) if figure >= 0 else None
    options = [i for i in (head_of(s, ask), *s.all("noun")) if s.has(i, "noun")]
    at = next((i for i in options if not s.has(i - 1, "each")), -1)
    source = value.table if value else "" if figure >= 0 else _whole_of(s, at)
    by, items, _ = groups(s, source, (figure,)) if source else ((), set(), False)
    s.use(figure if value else at, *items)
    part = ([] if by else s.claims) if value else _part(s, at)
    wanted = settle(s, source, part, alone=value is None) if source and (part or value) else ()
    if not source or not (by or wanted):
        raise Problem("clarify", [s.words(figure if figure >= 0 else ask)], "a share of what?")
    if value:
        where, wanted = (settle(s, source), ()) if by else ((), wanted)
        return Query(source, "share", where, by, (Measure("sum", value),), part=wanted)
    where = settle(s, source, [c for c in s.claims if c not in part])
    order = ordered(s, COUNT, by) if by else None
    good = any(c.kind == "zero" for c in part)  # the best have most of it
    if order and good and any({"best", "worst"} & set(s.low(i).split()) for i in s.all("order")):
        order = replace(order, down=not order.down)
    return Query(source, "share", where, by, (COUNT,), part=wanted, order=order)


def _whole_of(s: Sentence, at: int) -> str:
    """The table of whose rows a share is asked."""
    moves = [i for i in s.all("event") if s.is_move(i)]
    if s.has(at, "noun") or moves:  # "what share of arrivals"
        return str(s.get(at, "noun") or event_table(s, moves[0]))
    told = [c.data[0][0] if c.kind == "val" else c.data[0] for c in s.of("val", "null", "zero")]
    return next((column.table for column in told), "")


def _part(s: Sentence, at: int) -> list[Claim]:
    """The predicate ("... are delayed"); without one, what stands before the noun or after it."""
    for i, item in enumerate(s.items):
        if {"among", "amongst"} & set(item.dropped):
            return [c for c in s.claims if c.start < i]
    for verb in (i for kind in ("be", "do") for i in s.all(kind) if i > at):
        after = [c for c in s.claims if c.start > verb]
        if after:
            return after
    return [c for c in s.claims if not c.role and c.kind != "window"] or s.claims


def compared(s: Sentence) -> Query | None:
    """Which of two has more, or what both come to."""
    made = _by_times(s)
    pair = None if made else _pair(s)
    asked, how = s.asks("compare"), s.asks("amount")
    more = [i for i in range(len(s.items)) if _compares(s, i)]
    if pair is None or (asked < 0 and not more):
        return made
    column, values, starts = pair
    if s.has(how - 1, "by"):  # "and by how much": the answer says so anyway
        s.use(how, how - 1)
    s.use(asked, *more, *starts, s.asks("count"), "both", "pronoun", "more", "tail", "each")
    role = next((c.role for c in s.claims if c.start in starts and c.role), "")
    kept, s.claims = s.claims, [c for c in s.claims if c.start not in starts]
    measure, source, item = _measure(s, column, more)
    s.use(*item, *(s.all("agg", "avg") if measure.kind == "avg" else ()))
    field = plain(Field(column, path_to(s, source, Noun(-1, column.table, role))))
    s.use(*(n.at for n in s.nouns if n.table == column.table))
    s.use(*(i for i in s.all("col") if column in s.items[i]["col"]))
    named = s.world.schema.is_label(column)
    group = Group(field, key(short(column.table)) if named else column.name)
    down = not any(_is_less(s, i) for i in more)
    word = next((s.low(i) for i in more if s.has(i, "scale") and _of(s, i)), "")
    query = _of_two(s, source, s.claims, Test(field, "in", values), group, measure)
    s.claims = kept
    return replace(query, order=Order(measure, down), word=word)


def _of_two(
    s: Sentence, source: str, claims: list[Claim], test: Condition, group: Group, measure: Measure
) -> Query:
    """The rows of two groups, set against each other."""
    where = bundle([*settle(s, source, claims), test])
    return Query(source, "compare", where, (group,), (measure,), order=Order(measure))


def _by_times(s: Sentence) -> Query | None:
    """ "Did more voyages arrive in May or in June": the rows of each of two times."""
    spans, more = s.of("window"), [*s.all("scale"), *s.all("more"), *s.all("rank")]
    events = [i for i in s.all("event") if event_table(s, i)]
    source = event_table(s, events[0]) if events else s.nouns[0].table if s.nouns else ""
    if len(spans) != 2 or spans[1].join != "or" or not more or not source:
        return None
    event = next((c.event for c in spans if c.event), "")
    found = [put(replace(claim, event=event), source, s.world) for claim in spans]
    tests = [option[1] for option in found if option and isinstance(option[1], Test)]
    lengths = {(t.values[1] - t.values[0]).days for t in tests if None not in t.values}
    unit = next((u for u, days in _LENGTHS.items() if lengths and lengths <= set(days)), "")
    if len(tests) != 2 or not unit:
        return None
    s.use(*more, *(n.at for n in s.nouns), "do", "ask")
    others = [c for c in s.claims if c not in spans]
    group = Group(tests[0].value, unit, unit)
    return _of_two(s, source, others, Either(tuple(tests)), group, COUNT)


def _of(s: Sentence, i: int) -> tuple[str, ...]:
    """What an adjective, or a superlative, measures."""
    scale, rank = s.get(i, "scale"), s.get(i, "rank")
    return scale[0] if scale else rank.of if rank else ()


def _is_less(s: Sentence, i: int) -> bool:
    scale, rank = s.get(i, "scale"), s.get(i, "rank")
    return (scale[1] == "less") != scale[3] if scale else bool(rank and not rank.down)


def _compares(s: Sentence, i: int) -> bool:
    """ "larger", "the most"."""
    scale, rank = s.get(i, "scale"), s.get(i, "rank")
    if scale:
        return scale[2] == 1 and not s.has(i, "bound")
    return bool(rank) and not rank.turn and rank.count == 1 and not rank.plain


def _pair(s: Sentence) -> tuple[Column, tuple[str, ...], set[int]] | None:
    """Two values (or more) of one column that are set against each other."""
    claims = [c for c in s.of("val") if not c.no]
    nouns = s.tables if not any(c.role for c in claims) else []
    source = next(iter([*(f.source for f in figures(s)), *nouns]), "")
    for claim in claims:
        labels: list[Any] = [p for p in claim.data if s.world.schema.is_label(p[0])]
        named = labels or list(claim.data)
        columns = {c for c, _ in named}
        for column in sorted(columns, key=lambda c: (c.table != source, c.table, c.name)):
            own = tuple(dict.fromkeys(v for c, v in named if c == column))
            if len(own) > 1 and re.search(r"\b(?:or|and)\b", claim.words.lower()):
                return column, own, {claim.start}
            for other in claims:
                more = [v for c, v in other.data if c == column and other.start > claim.start]
                if more:
                    return column, (*own, *more), {claim.start, other.start}
    return None


def _measure(s: Sentence, column: Column, more: list[int]) -> tuple[Measure, str, list[int]]:
    """What two things are compared by: a figure, an adjective, or the number of something."""
    found = figures(s)
    if found:
        return found[0].measure, found[0].source, [*found[0].items]
    home = column.table
    for i in s.named_figures:
        if value := figure_at(s, i):
            return _whole(value, home), value.table, [i]
    for i in more:
        known = figure_for(_of(s, i), (), home, s.world) if _of(s, i) else None
        if known is not None:
            return _whole(known[1].own, home), known[1].table, [i]
    named = s.world.schema.is_label(column)
    nouns = [n for n in s.nouns if n.table != home] or ([] if named else s.nouns)
    after = [n for n in nouns if more and n.at > more[0]] or nouns
    if after:
        return Measure("count"), after[0].table, [after[0].at]
    raise Problem("clarify", [s.words(i) for i in more[:1]], "more of what?")


def _whole(value: Value, home: str) -> Measure:
    """A figure of the rows themselves, or what their rows come to."""
    if value.table == home:
        return Measure("row", value)
    return Measure("sum" if additive(value) else "avg", value)
