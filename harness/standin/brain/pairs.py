"""Two of a kind set against each other."""

from dataclasses import replace
from typing import Any

from harness.standin.brain import figures as fig
from harness.standin.brain.bundle import bundle
from harness.standin.brain.claims import Claim
from harness.standin.brain.measures import figure_for
from harness.standin.brain.schema import Column
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Group, Measure, Order, Problem, Query, Test
from harness.standin.brain.ways import ambiguous, nearest, plain, short
from harness.standin.brain.words import key


def compared(s: Sentence) -> Query | None:
    """Which of two has more, or what both come to."""
    pair = _pair(s)
    if pair is None:
        return None
    column, values, starts = pair
    asked = s.asks("compare")
    more = [i for i in range(len(s.items)) if _comparing(s, i)]
    if asked < 0 and not more:
        return None
    s.used |= {*more, *starts, *s.all("both"), *s.all("pronoun")} | (
        {asked} if asked >= 0 else set()
    )
    s.used |= set(s.all("more")) | set(s.all("tail"))
    role = next((c.role for c in s.claims if c.start in starts and c.role), "")
    kept, s.claims = s.claims, [c for c in s.claims if c.start not in starts]
    measure, source, items = _compared_measure(s, column, more)
    s.used |= items
    field = _field_to(s, source, column, role)
    s.used |= {n.at for n in s.nouns if n.table == column.table}
    s.used |= {i for i in s.all("col") if column in s.items[i]["col"]}
    where = settle(s, source)
    s.claims = kept
    group = Group(
        plain(field, s.world),
        key(short(column.table))
        if s.world.schema.tables[column.table].label == column
        else column.name,
    )
    test = Test(plain(field, s.world), "in", values)
    down = not any(
        ("scale" in s.items[i] and s.items[i]["scale"][1] == "less")
        or (s.items[i].senses.get("rank") and not s.items[i]["rank"].down)
        for i in more
    )
    word = next((s.words(i).lower() for i in more if s.items[i].senses.get("scale", ((),))[0]), "")
    return Query(
        source,
        "compare",
        bundle([*where, test]),
        (group,),
        (measure,),
        order=Order(measure, down),
        word=word,
    )


def _pair(s: Sentence) -> tuple[Column, tuple[str, ...], set[int]] | None:
    """Two values (or more) of one column that are set against each other."""
    values = [c for c in s.claims if c.kind == "val" and not c.no]
    source = next((f.source for f in fig.figures(s)), "")
    for claim in values:
        named = _labels(s, claim)
        columns = {c for c, _ in named}
        for column in sorted(columns, key=lambda c: (c.table != source, c.table, c.name)):
            own = tuple(dict.fromkeys(v for c, v in named if c == column))
            if len(own) > 1 and _listed(s, claim):
                return column, own, {claim.start}
            others = [
                o for o in values if o.start > claim.start and any(c == column for c, _ in o.data)
            ]
            if others:
                more = tuple(v for c, v in others[0].data if c == column)
                return column, (*own, *more), {claim.start, others[0].start}
    return None


def _listed(s: Sentence, claim: Claim) -> bool:
    return any(f" {w} " in f" {claim.words.lower()} " for w in ("or", "and"))


def _labels(s: Sentence, claim: Claim) -> list[Any]:
    """A claim's pairs, those that are names of rows first."""
    return [p for p in claim.data if s.world.schema.tables[p[0].table].label == p[0]] or list(
        claim.data
    )


def _comparing(s: Sentence, i: int) -> bool:
    item = s.items[i]
    scale = item.senses.get("scale")
    if scale:
        return bool(scale[2] == 1) and "bound" not in item
    rank: Any = item.senses.get("rank")
    return bool(rank) and not rank.turn and rank.count == 1 and not rank.plain


def _compared_measure(
    s: Sentence, column: Column, more: list[int]
) -> tuple[Measure, str, set[int]]:
    """What two things are compared by: a figure, an adjective, or the number of something."""
    found = fig.figures(s)
    if found:
        return found[0].measure, found[0].source, set(found[0].items)
    home = column.table
    for i in range(len(s.items)):
        if fig._is_figure(s, i):
            value = fig.figure_at(s, i)
            if value is not None:
                kind = (
                    "row"
                    if value.field.column.table == home
                    else "sum"
                    if fig.additive(value)
                    else "avg"
                )
                return Measure(kind, value), value.field.column.table, {i}
    for i in more:
        of = s.items[i].senses.get("scale", ((),))[0] or (
            s.items[i]["rank"].of if "rank" in s.items[i] else ()
        )
        if of:
            found_figure = figure_for(of, (), home, s.world)
            if found_figure is not None:
                value = found_figure[1]
                table = value.field.column.table
                kind = "row" if table == home else "sum" if fig.additive(value) else "avg"
                own = replace(value, fields=tuple(replace(f, path=()) for f in value.fields))
                return Measure(kind, own), table, {i}
    nouns = [n for n in s.nouns if n.table != home]
    if not nouns and s.world.schema.tables[home].label != column:
        nouns = s.nouns
    after = [n for n in nouns if more and n.at > more[0]] or nouns
    if after:
        return Measure("count"), after[0].table, {after[0].at}
    raise Problem("clarify", [s.words(more[0])] if more else [], "more of what?")


def _field_to(s: Sentence, source: str, column: Column, role: str) -> Field:
    found = nearest(s.world.schema, source, [column], role) if role else None
    found = found or nearest(s.world.schema, source, [column])
    if found is None:
        raise Problem(
            "need",
            [short(source), column.name],
            f"how {short(source)} and {column.name} are related",
        )
    if not role and ambiguous(s.world.schema, found[1].path):
        raise Problem("role", [column.name])
    return found[1]
