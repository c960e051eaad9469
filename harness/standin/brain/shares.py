"""What share of the rows, or of a total, something is."""

from harness.standin.brain import figures as fig
from harness.standin.brain import grouping
from harness.standin.brain.claims import Claim
from harness.standin.brain.sentence import Sentence, head_of
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Condition, Measure, Problem, Query


def shared(s: Sentence) -> Query | None:
    """What share of the rows, or of a total, something is."""
    ask = next((i for i in s.all("agg") if s.items[i]["agg"] == "share"), -1)
    if ask < 0:
        return None
    s.used |= {ask, *(i for i in s.all("agg") if s.items[i]["agg"] == "sum")}
    figure = next((i for i in range(len(s.items)) if fig._is_figure(s, i)), -1)
    if figure >= 0:
        return _share_of_total(s, figure)
    at = head_of(s, ask)
    if at < 0 or "noun" not in s.items[at]:
        at = next((i for i in s.all("noun")), -1)
    if at < 0:
        implied = next((c for c in s.claims if c.kind in ("val", "null")), None)
        if implied is None:
            raise Problem("clarify", [s.words(ask)], "a share of what?")
        source = (implied.data[0][0] if implied.kind == "val" else implied.data[0]).table
    else:
        source = s.items[at]["noun"]
    groups, items, _ = grouping.groups(s, source)
    s.used |= items | {at}
    part = _part(s, at)
    rest = [c for c in s.claims if c not in part]
    if not part and not groups:
        raise Problem("clarify", [s.words(ask)], "a share of what?")
    s.claims, claims = part, s.claims
    wanted = settle(s, source, alone=True) if part else ()
    s.claims = rest
    where = settle(s, source)
    s.claims = claims
    return Query(source, "share", where, groups, (Measure("count"),), part=wanted)


def _part(s: Sentence, at: int) -> list[Claim]:
    """The predicate ("... are delayed"); without one, what stands before the noun or after it."""
    among = next(
        (i for i, item in enumerate(s.items) if {"among", "amongst"} & set(item.dropped)), -1
    )
    if among >= 0:
        return [c for c in s.claims if c.start < among]
    verbs = [i for k in ("be", "do") for i in s.all(k) if i > at]
    verbs = [i for i in verbs if any(c.start > i for c in s.claims)]
    if verbs:
        after = [c for c in s.claims if c.start > verbs[0]]
        if after:
            return after
    plain_claims = [c for c in s.claims if not c.role and c.kind != "window"]
    return plain_claims or s.claims


def _share_of_total(s: Sentence, figure: int) -> Query:
    value = fig.figure_at(s, figure)
    assert value is not None
    source = value.field.column.table
    s.used.add(figure)
    groups, items, _ = grouping.groups(s, source, (figure,))
    s.used |= items
    part: tuple[Condition, ...] = ()
    if not groups:
        part = settle(s, source)
        if not part:
            raise Problem("clarify", [s.words(figure)], "a share of what?")
        return Query(source, "share", (), (), (Measure("sum", value),), part=part)
    return Query(source, "share", settle(s, source), groups, (Measure("sum", value),))
