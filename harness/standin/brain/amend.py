"""A tree changed as a follow-up says."""

import re
from dataclasses import replace

from harness.standin.brain import figures as fig
from harness.standin.brain import grouping
from harness.standin.brain.bundle import bundle, leaves
from harness.standin.brain.claims import Claim
from harness.standin.brain.dimensions import group_of
from harness.standin.brain.leaning import _LEAD, _SAME
from harness.standin.brain.link import World
from harness.standin.brain.measures import figure_for
from harness.standin.brain.place import put
from harness.standin.brain.sentence import Sentence, head_of, leftover
from harness.standin.brain.shifts import moved_range, shifted
from harness.standin.brain.spoken import sentence_of
from harness.standin.brain.tree import (
    Condition,
    Field,
    Measure,
    Not,
    Order,
    Problem,
    Query,
    Related,
    Test,
    Value,
)
from harness.standin.brain.ways import end_of, plain
from harness.standin.brain.words import tidy, tokenise

_OTHER = re.compile(r"\b(?:other way|reverse|opposite|the other order|ascending|descending)\b")


def amended(earlier: Query, text: str, world: World) -> Query:
    """The earlier tree, changed as the fragment says. Raises Problem where it says nothing."""
    low = tidy(text).lower().strip(" ?!.")
    fragment = _LEAD.sub("", text.strip(), count=1)
    if _SAME.fullmatch(low) or _SAME.fullmatch(_LEAD.sub("", low, count=1)):
        return _as_list(earlier)
    if _OTHER.search(low):
        return _turned(earlier, low)
    if earlier.limit and {"them", "their", "they", "those", "these"} & {
        t.low for t in tokenise(low)
    }:
        raise Problem("clarify", [text.strip()], "I can't tell which ones; name them")
    moved = shifted(low)
    if moved:
        return _shifted(earlier, moved, world)
    s = sentence_of(fragment, world)
    query = replace(earlier, notes=())
    changed = False
    for change in (_ranked, _measured, _unit, _grouped, _counted, _claimed, _selected):
        made = change(query, s)
        if made is not None:
            query, changed = made, True
    if not changed:
        raise Problem("clarify", [text.strip()], "ask it as a whole question")
    s.used |= (
        set(s.all("pronoun"))
        | set(s.all("now"))
        | set(s.all("order"))
        | {n.at for n in s.nouns if n.table == earlier.source}
    )
    leftover(s)
    return replace(query, notes=tuple(dict.fromkeys((*query.notes, *s.notes))))


def _as_list(query: Query) -> Query:
    if query.limit:
        raise Problem("clarify", [], "I can't tell which ones; name them")
    return replace(query, shape="list", groups=(), measures=(), order=None, part=(), notes=())


def _turned(query: Query, low: str) -> Query:
    if not query.groups and query.order is None:
        raise Problem("clarify", [low], "there is nothing in an order")
    order = query.order or Order(query.measures[0] if query.measures else Measure("count"), True)
    if query.groups and query.groups[0].unit:
        order = replace(order, down=False)
    return replace(query, order=replace(order, down=not order.down), notes=())


def _shifted(query: Query, moved: tuple[str, int], world: World) -> Query:
    """ "the month before": the range of days moved."""
    made: list[Condition] = []
    found = False
    for condition in query.where:
        if isinstance(condition, Test) and condition.op == "range":
            point = moved_range(condition.values, moved)
            name = condition.value.field.column.name
            made.append(
                replace(condition, values=(point.start, point.end), said=f"{name} {point.label}")
            )
            found = True
        else:
            made.append(condition)
    if not found:
        raise Problem("clarify", [" ".join(moved[:1])], "there is no time to change")
    return replace(query, where=tuple(made), notes=())


def _ranked(query: Query, s: Sentence) -> Query | None:
    """ "only the top 3", "no, the oldest"."""
    at = s.first("rank")
    if at < 0:
        return None
    rank = s.items[at]["rank"]
    s.used.add(at)
    if rank.of:
        found = figure_for(rank.of, (), query.source, s.world)
        if found is None:
            return None
        return replace(
            query,
            shape="top",
            groups=(),
            measures=(),
            select=(),
            order=Order(found[1], rank.down),
            limit=rank.count,
            skip=rank.skip,
        )
    if query.shape in ("value", "top") and query.groups:
        order = query.order or Order(query.measures[0], True)
        return replace(
            query,
            shape="top",
            order=replace(order, down=rank.down),
            limit=rank.count
            if rank.plain or rank.count > 1 or query.shape == "value"
            else query.limit,
        )
    if query.shape == "list" and query.order is not None:
        return replace(query, shape="top", limit=rank.count)
    raise Problem("clarify", [s.words(at)], "ask it as a whole question")


def _measured(query: Query, s: Sentence) -> Query | None:
    """ "and the average?", "its median": of the same figure."""
    found = fig.figures(s)
    if found and found[0].measure.value is not None and found[0].source == query.source:
        s.used |= set(found[0].items)
        return replace(
            query, shape="value", measures=(found[0].measure,), order=None, limit=0, select=()
        )
    at = s.first("agg")
    if at < 0 or s.items[at]["agg"] not in ("avg", "sum", "min", "max", "median"):
        return None
    value = (
        query.measures[0].value
        if query.measures
        else query.order.by
        if query.order and isinstance(query.order.by, Value)
        else None
    )
    if value is None:
        return None
    s.used.add(at)
    return replace(
        query, shape="value", measures=(Measure(s.items[at]["agg"], value),), order=None, limit=0
    )


def _unit(query: Query, s: Sentence) -> Query | None:
    unit = fig.asked_unit(s)
    if not unit or not query.measures or query.measures[0].value is None:
        return None
    return replace(query, measures=(replace(query.measures[0], unit=unit), *query.measures[1:]))


def _grouped(query: Query, s: Sentence) -> Query | None:
    """ "by region?", "which carriers?"."""
    groups, items, _ = grouping.groups(s, query.source)
    if not groups:
        head = head_of(s)
        short = len(s.items) <= 3 and head >= 0 and (s.asks("list") >= 0 or len(s.items) == 1)
        same = head >= 0 and s.items[head].senses.get("noun") == query.source
        if not short or same or s.asks("count") >= 0:
            return None
        group = group_of(s, head, query.source)
        if group is None:
            return None
        groups, items = (group,), {head}
    s.used |= items
    measures = query.measures or (Measure("count"),)
    return replace(
        query, shape="value", groups=groups, measures=measures, select=(), order=None, limit=0
    )


def _counted(query: Query, s: Sentence) -> Query | None:
    if s.asks("count") < 0:
        return None
    s.used.add(s.asks("count"))
    noun = next((n for n in s.nouns if n.table != query.source), None)
    if query.limit:
        raise Problem("clarify", [], "I can't tell which ones; name them")
    if noun is not None:
        raise Problem("clarify", [s.words(noun.at)], "ask it as a whole question")
    if query.measures and query.measures[0].kind == "count" and query.shape == "value":
        return replace(
            query, groups=query.groups if not any("pronoun" in i for i in s.items) else (), limit=0
        )
    return replace(
        query,
        shape="value",
        groups=(),
        measures=(Measure("count"),),
        select=(),
        order=None,
        limit=0,
        part=(),
    )


def _claimed(query: Query, s: Sentence) -> Query | None:
    """New conditions, in the place of old ones on the same column."""
    if not s.claims:
        return None
    where = list(query.where)
    for claim in s.claims:
        found = put(_like(claim, query, s.world), query.source, s.world)
        if found is None:
            raise Problem("clarify", [claim.words], f'what "{claim.words}" is about')
        new = found[1]
        if claim.kind == "window":
            new = _same_time(new, where)
        if not isinstance(new, Not):
            where = [w for w in where if not _same(w, new)]
        where.append(new)
    return replace(query, where=bundle(where))


def _like(claim: Claim, query: Query, world: World) -> Claim:
    """ "And Antwerp?": at the end that the earlier question spoke of."""
    if claim.kind != "val" or claim.role:
        return claim
    for condition in query.where:
        for leaf in leaves(condition):
            path = leaf.value.field.path if isinstance(leaf, Test) else ()
            column = leaf.value.field.column if isinstance(leaf, Test) else None
            if path and column in {c for c, _ in claim.data}:
                for reference in world.schema.references:
                    if (reference.table, reference.column) == path[-1].reference and end_of(
                        world.schema, reference
                    ):
                        return replace(claim, role=end_of(world.schema, reference))
    return claim


def _same_time(new: Condition, where: list[Condition]) -> Condition:
    """A new time is that of the column that the earlier one spoke of."""
    old = next((w for w in where if isinstance(w, Test) and w.op == "range"), None)
    if old is None or not isinstance(new, Test) or new.op != "range":
        return new
    name = old.value.field.column.name
    return replace(new, value=old.value, said=f"{name} {new.said.partition(' ')[2]}")


def _same(old: Condition, new: Condition) -> bool:
    """Whether two conditions speak of the same column, over the same joins."""
    return bool(_slots(old) & _slots(new)) and not isinstance(old, Not)


def _slots(condition: Condition) -> set[object]:
    found: set[object] = set()
    for leaf in leaves(condition):
        if isinstance(leaf, Test):
            path = leaf.value.field.path
            found.add(path[-1].reference if path and not path[-1].many else leaf.value.field.column)
        elif isinstance(leaf, Related):
            found |= {slot for c in leaf.where for slot in _slots(c)}
    return found


def _selected(query: Query, s: Sentence) -> Query | None:
    """ "with their flags": more columns of the same rows."""
    if query.shape not in ("list", "top") or not any("col" in i for i in s.items):
        return None
    made = []
    for i, item in enumerate(s.items):
        for column in item.senses.get("col", ()):
            if column.table == query.source and i not in s.used:
                made.append(plain(Field(column), s.world))
                s.used.add(i)
                break
    return replace(query, select=(*query.select, *made)) if made else None
