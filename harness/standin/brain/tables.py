"""Figures of many rows: alone, by groups, as shares, of two things set against each other."""

import re
from dataclasses import replace
from typing import Any

from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import Column, short, units_of
from harness.standin.brain.figures import (
    Figure,
    amounts,
    bare,
    figure_at,
    figures,
    weighted,
)
from harness.standin.brain.grouping import COUNT, group_of, groups, ordered, tabled
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
    Path,
    Problem,
    Query,
    Test,
    bundle,
)
from harness.standin.brain.ways import additive, figure_for, plain, ways
from harness.standin.brain.words import key

_LENGTHS = {"day": (1,), "week": (7,), "month": range(28, 32), "quarter": range(90, 93)}
_LENGTHS |= {"year": (365, 366)}
Comparatives = dict[int, tuple[tuple[str, ...], bool]]
Pair = tuple[str, list[Claim], Condition, Group, Measure]  # source, other claims, both of them


def figured(s: Sentence) -> Query | None:
    """Totals, averages and the like, by group or alone; also next to a count."""
    if above := _above(s):
        return above
    heavy, count, much = weighted(s), s.asks("count"), s.asks("amount")
    in_unit = count >= 0 and s.has(count + 1, "unit")
    found = ([heavy] if heavy else [] if in_unit else [*figures(s)]) or amounts(s)
    if not found:
        return None
    first, source = found[0], found[0].source
    s.use(count, much)
    if first.measure.value is not None and first.measure.value.how == "hours":
        s.use(s.asks("long"), "lasting")
    if path := _per_table(s, first):
        kind = "avg" if first.measure.kind == "avg" else "avg_count"
        every = not re.search(r"\b(?:has|have|with) any\b", s.text.lower())
        measure, where = replace(first.measure, kind=kind), settle(s, source)
        return Query(source, "value", where, (), (measure,), per=path, spread=every)
    measures = [f.measure for f in found if f.source == source]
    if any(m.kind == "avg_count" for m in measures):
        raise Problem(
            "clarify", [s.words(first.noun)], "an average over what; ask for the number of each"
        )
    by, spread = groups(s, source)
    beside = bool(s.all("pronoun")) or s.has(max(count, much) - 1, "and")
    if not by and beside and s.low(max(s.asks("list"), 0)) == "which":
        head = head_of(s)  # "which carriers ..., and how many TEU do they have"
        by = tuple(filter(None, [group_of(s, head, source)]))
        s.use(*((head, s.asks("list")) if by else ()))
    head = head_of(s, count) if count >= 0 else -1
    counted = s.get(head, "noun") or (event_table(s, head) if s.is_move(head) else "")
    if not in_unit and counted == source and measures[0].kind != "count":
        measures.insert(0, COUNT)
    many = next((g.name for g in by if g.value.field.many), "")
    if many and any(m.kind not in ("count", "distinct", "max", "min") for m in measures):
        raise Problem("clarify", [many], f"a row would count more than once by {many}")
    return replace(tabled(s, source, measures, by), spread=spread)


def _per_table(s: Sentence, figure: Figure) -> Path:
    """ "average weight per container", "does a vessel make on average": the table averaged over.

    Lines that have no name of their own are averaged so, too.
    """
    kind, lines = figure.measure.kind, s.world.schema.tables[figure.source].is_of_kinds
    if kind != "avg_count" and (kind == "sum" or not figure.measure.value or not lines):
        return ()
    one = [j for j in s.all("noun") if {"a", "an"} & set(s.items[j].dropped) or s.has(j - 1, "agg")]
    for i in [*(s.all("each") if kind.startswith("avg") else ()), *one]:
        at = next((j for j in (i, i + 1, i + 2) if s.has(j, "noun")), -1)
        if at >= 0 and at != figure.noun:
            found = ways(s.world.schema, figure.source, s.items[at]["noun"])
            if found and found[0][1] and not any(e.many for e in found[0][1]):
                if not kind.startswith("avg"):
                    raise Problem("clarify", [s.words(at)], f"only an average of each {s.low(at)}")
                s.use(i, at)
                return found[0][1]
    return ()


def _above(s: Sentence) -> Query | None:
    """ "Which carriers have an average delay above 15 hours": groups, by what they come to."""
    at = next((i for i in s.all("bound") if s.has(i - 1, "agg")), -1)
    head = head_of(s)
    if not 0 <= head < at or s.get(at - 1, "agg") not in ("avg", "sum", "min", "max"):
        return None
    bound = s.items[at]["bound"]
    found = figure_for(bound.of, bound.columns, s.get(head, "noun") or "", s.world)
    value = found[1].own if found else None
    group = group_of(s, head, value.table) if value else None
    numbers = units_of(bound.numbers, bound.unit or value.unit, value.unit) if value else None
    if value is None or group is None or numbers is None:
        return None
    s.use(at, at - 1, head, "ask")
    where = settle(s, value.table, [c for c in s.claims if c.start != at])
    part: Any = (replace(bound, numbers=numbers),)
    measure = Measure(s.items[at - 1]["agg"], value)
    return Query(value.table, "value", where, (group,), (measure,), part=part)


def shared(s: Sentence) -> Query | None:
    """What share of the rows, or of a total, something is."""
    ask = s.first("agg", "share")
    if ask < 0:
        return None
    s.use(ask, s.asks("amount"), *s.all("agg", "sum"))
    figure = next(iter(s.named_figures), -1)
    value = figure_at(s, figure) if figure >= 0 else None
    rank, head = s.get(s.first("rank"), "rank"), head_of(s)
    nouns = [i for i in (head_of(s, ask), *s.all("noun")) if s.has(i, "noun")]
    nouns = [i for i in nouns if not rank or i > ask]
    at = next((i for i in nouns if not s.has(i - 1, "each")), -1)
    source = value.table if value else "" if figure >= 0 else _whole_of(s, at)
    s.use(figure if value else at)
    by = groups(s, source)[0] if source else ()
    if rank and not (by or value) and rank.count == 1 and head < s.first("rank"):
        by = tuple(filter(None, [group_of(s, head, source)]))  # "which carrier has the highest ..."
        s.use(head, s.first("rank"))
    part = _part(s, at) if value is None else [] if by else s.claims
    wanted = settle(s, source, part, alone=value is None) if source and (part or value) else ()
    if not source or not (by or wanted):
        raise Problem("clarify", [s.words(figure if figure >= 0 else ask)], "what it is a share of")
    if value:
        where, wanted = (settle(s, source), ()) if by else ((), wanted)
        return Query(source, "share", where, by, (Measure("sum", value),), part=wanted)
    where = settle(s, source, [c for c in s.claims if c not in part])
    order = ordered(s, COUNT, by) if by else None
    if not order and rank:
        order = Order(COUNT, rank.down)
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
    said = not s.all("event")  # "percentage that arrived late": of all, or of those that arrived
    return next((column.table for column in told if said), "")


def _part(s: Sentence, at: int) -> list[Claim]:
    """The predicate ("... are delayed"); without one, what stands before the noun or after it."""
    among = [i for i, item in enumerate(s.items) if {"among", "amongst"} & set(item.dropped)]
    if among:
        return [c for c in s.claims if c.start < among[0]]
    for verb in (i for kind in ("be", "do") for i in s.all(kind) if i > at):
        if after := [c for c in s.claims if c.start > verb]:
            return after
    return [c for c in s.claims if not c.role and c.kind != "window"] or s.claims


def compared(s: Sentence) -> Query | None:
    """Which of two has more, or what both come to."""
    more = {i: found for i in range(len(s.items)) if (found := _comparative(s, i))}
    asked, how = s.asks("compare"), s.asks("amount")
    if asked < 0 and not more:
        return None
    pair = _two_times(s, more) or _two_values(s, more)
    if pair is None:
        return None
    if s.has(how - 1, "by"):  # "and by how much": the answer says so anyway
        s.use(how, how - 1)
    s.use(asked, *more)
    source, claims, both, group, measure = pair
    down = not any(less for _, less in more.values())
    word = next((s.low(i) for i, (of, _) in more.items() if s.has(i, "scale") and of), "")
    where = bundle([*settle(s, source, claims), both])
    order = Order(measure, down)
    return Query(source, "compare", where, (group,), (measure,), order=order, word=word)


def _two_times(s: Sentence, more: Comparatives) -> Pair | None:
    """ "Did more voyages arrive in May or in June": the rows of each of two times."""
    spans, events = s.of("window"), [i for i in s.all("event") if event_table(s, i)]
    source = event_table(s, events[0]) if events else next(iter(s.tables), "")
    if len(spans) != 2 or spans[1].join != "or" or not more or not source:
        return None
    event = next((c.event for c in spans if c.event), "")
    found = [put(replace(claim, event=event), source, s.world) for claim in spans]
    tests = [option[1] for option in found if option and isinstance(option[1], Test)]
    lengths = {(t.values[1] - t.values[0]).days for t in tests if None not in t.values}
    unit = next((u for u, days in _LENGTHS.items() if lengths and lengths <= set(days)), "")
    if len(tests) != 2 or not unit:
        return None
    s.use(*(n.at for n in s.nouns), "do", "ask")
    others = [c for c in s.claims if c not in spans]
    return source, others, Either(tuple(tests)), Group(tests[0].value, unit, unit), COUNT


def _two_values(s: Sentence, more: Comparatives) -> Pair | None:
    """ "Which is larger, X or Y": the rows of each of two values, or those two rows."""
    pair = _pair(s)
    if pair is None:
        return None
    column, values, starts = pair
    s.use(*starts, s.asks("count"), "both", "pronoun", "more", "tail", "each")
    role = next((c.role for c in s.claims if c.start in starts and c.role), "")
    measure, source = _measure(s, column, more)
    field = plain(Field(column, path_to(s, source, Noun(-1, column.table, role))))
    s.use(*(n.at for n in s.nouns if n.table == column.table))
    s.use(*(i for i in s.all("col") if column in s.items[i]["col"]))
    named = s.world.schema.is_label(column)
    group = Group(field, key(short(column.table)) if named else column.name)
    others = [c for c in s.claims if c.start not in starts]
    return source, others, Test(field, "in", values), group, measure


def _comparative(s: Sentence, i: int) -> tuple[tuple[str, ...], bool] | None:
    """ "larger", "the most": what it measures, and whether it means less; None for other words."""
    if (scale := s.get(i, "scale")) and scale[2] == 1 and not s.has(i, "bound"):
        return tuple(scale[0]), (scale[1] == "less") != scale[3]
    rank = None if scale else s.get(i, "rank")
    if rank is None or rank.turn or rank.count > 1 or rank.plain:
        return None
    return rank.of, not rank.down


def _pair(s: Sentence) -> tuple[Column, tuple[str, ...], set[int]] | None:
    """Two values (or more) of one column that are set against each other."""
    claims = [c for c in s.of("val") if not c.no]
    figure = next(figures(s.copy()), None)
    nouns = [] if any(c.role for c in claims) else s.tables
    source = figure.source if figure else next(iter(nouns), "")
    for claim in claims:
        named = [p for p in claim.data if s.world.schema.is_label(p[0])] or [*claim.data]
        columns = {c for c, _ in named}
        for column in sorted(columns, key=lambda c: (c.table != source, c.table, c.name)):
            own = tuple(dict.fromkeys(v for c, v in named if c == column))
            if len(own) > 1 and re.search(r"\b(?:or|and)\b", claim.words.lower()):
                return column, own, {claim.start}
            for other in claims:
                others = [v for c, v in other.data if c == column and other.start > claim.start]
                if others and {claim.role, other.role} != {"from", "to"}:  # not a way
                    return column, (*own, *others), {claim.start, other.start}
    return None


def _measure(s: Sentence, column: Column, more: Comparatives) -> tuple[Measure, str]:
    """What two things are compared by: a figure, an adjective, or the number of something."""
    home, (at, (of, _)) = column.table, next(iter(more.items()), (-1, ((), False)))
    found = next(figures(s), None) or bare(s, at, of, [home])
    if found and found.measure.kind in ("", "avg") and found.measure.value:
        value = found.measure.value
        kind = "row" if value.table == home else "sum" if additive(value) else "avg"
        return Measure(found.measure.kind or kind, value), found.source
    if found:
        return found.measure, found.source
    named = s.world.schema.is_label(column)
    nouns = [n for n in s.nouns if n.table != home] or ([] if named else s.nouns)
    after = [n for n in nouns if n.at > at >= 0] or nouns
    if not after:
        raise Problem("clarify", [s.words(i) for i in more], "more of what?")
    s.use(after[0].at)
    return COUNT, after[0].table
