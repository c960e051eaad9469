"""What share of the rows, or of a total, something is."""

from harness.standin.brain.claims import Claim
from harness.standin.brain.figures import figure_at
from harness.standin.brain.grouping import groups
from harness.standin.brain.sentence import Sentence, head_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Measure, Problem, Query


def shared(s: Sentence) -> Query | None:
    """What share of the rows, or of a total, something is."""
    ask = s.first("agg", "share")
    if ask < 0:
        return None
    s.use(ask, *s.all("agg", "sum"))
    figure = next((i for i in range(len(s.items)) if s.is_figure(i)), -1)
    if figure >= 0:
        return _share_of_total(s, figure)
    at = head_of(s, ask)
    at = at if s.has(at, "noun") else s.first("noun")
    source = s.get(at, "noun") or ""
    for claim in s.of("val", "null") if not source else ():
        source = source or (claim.data[0][0] if claim.kind == "val" else claim.data[0]).table
    by, items, _ = groups(s, source) if source else ((), set(), False)
    s.use(at, *items)
    part = _part(s, at)
    if not source or not (part or by):
        raise Problem("clarify", [s.words(ask)], "a share of what?")
    claims, rest = s.claims, [c for c in s.claims if c not in part]
    s.claims = part
    wanted = settle(s, source, alone=True) if part else ()
    s.claims = rest
    where = settle(s, source)
    s.claims = claims
    return Query(source, "share", where, by, (Measure("count"),), part=wanted)


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


def _share_of_total(s: Sentence, figure: int) -> Query:
    value = figure_at(s, figure)
    if value is None:
        raise Problem("clarify", [s.words(figure)], "a share of what?")
    s.use(figure)
    by, items, _ = groups(s, value.table, (figure,))
    s.used |= items
    where = settle(s, value.table)
    if not by and not where:
        raise Problem("clarify", [s.words(figure)], "a share of what?")
    whole, part = (where, ()) if by else ((), where)
    return Query(value.table, "share", whole, by, (Measure("sum", value),), part=part)
