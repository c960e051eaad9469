"""A tree changed as a follow-up says."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from harness.standin.brain.claims import Claim
from harness.standin.brain.clauses import asks_for_them, without_lead
from harness.standin.brain.dayspans import moved
from harness.standin.brain.figures import asked_unit, figure_at, figures
from harness.standin.brain.grouping import group_of, groups, order_of_rows
from harness.standin.brain.link import World
from harness.standin.brain.place import put
from harness.standin.brain.sentence import Sentence, head_of, leftover
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
    all_tests,
    bundle,
    leaves,
)
from harness.standin.brain.ways import additive, end_of, figure_for, plain
from harness.standin.brain.words import pattern, playbook, tidy, tokenise

_THEM = {"them", "their", "they", "those", "these"}
_UNKNOWN = "I can't tell which ones; name them"


def amended(earlier: Query, text: str, world: World) -> Query:
    """The earlier tree, changed as the fragment says. Raises Problem where it says nothing."""
    low = tidy(text).lower().strip(" ?!.")
    query = replace(earlier, notes=())
    if asks_for_them(low):
        _few(query)
        return replace(query, shape="list", groups=(), measures=(), order=None, part=())
    if pattern("other_way").search(low):
        return _turned(query, low)
    if _THEM & {t.low for t in tokenise(low)}:
        _few(query, text.strip())
    if shift := pattern("time_before").match(low):  # "the month before", "the following week"
        back = shift[2] == "before" or shift[3] in ("previous", "preceding")
        return _shifted(query, shift[1] or shift[4], -1 if back else 1)
    if nth := pattern("nth").fullmatch(low):
        return _nth(query, int(playbook()["ordinals"][nth[1]]))
    s = sentence_of(without_lead(text), world)
    changed = False
    for change in (_sorted, _ranked, _measured, _unit, _grouped, _counted, _claimed, _selected):
        made = change(query, s)
        query, changed = made or query, changed or made is not None
    if not changed:
        raise Problem("clarify", [text.strip()], "ask it as a whole question")
    s.use("pronoun", "now", "order", *(n.at for n in s.nouns if n.table == earlier.source))
    leftover(s)
    return replace(query, notes=tuple(dict.fromkeys((*query.notes, *s.notes))))


def _few(query: Query, *words: str) -> None:
    """Raise Problem where only the first rows were shown: "them" may be those or all."""
    if query.limit:
        raise Problem("clarify", list(words), _UNKNOWN)


def _turned(query: Query, low: str) -> Query:
    """ "The other way round"."""
    if not query.groups and query.order is None:
        raise Problem("clarify", [low], "there is nothing in an order")
    order = query.order or Order(query.measures[0] if query.measures else Measure("count"))
    in_time = bool(query.groups and query.groups[0].unit)
    return replace(query, order=replace(order, down=in_time or not order.down))


def _nth(query: Query, number: int) -> Query:
    """ "And in the second?", after a quarter or a half of a year."""
    for test in all_tests(query.where):
        start, end = test.values if test.op == "range" else (None, None)
        size = next((m for m in (3, 6) if start and end and moved(start, "month", m) == end), 0)
        if size and start.month % size == 1 and number <= 12 // size:
            return _shifted(query, "month", (number - 1) * size + 1 - start.month)
    raise Problem("clarify", [], "there is no quarter and no half of a year to change")


def _shifted(query: Query, unit: str, count: int) -> Query:
    """ "The month before": the range of days moved."""
    made = tuple(_later(c, unit, count) for c in query.where)
    if made == query.where:
        raise Problem("clarify", [unit], "there is no time to change")
    return replace(query, where=made)


def _later(each: Condition, unit: str, count: int) -> Condition:
    """A range of days so many units later, earlier where negative; other conditions as they are."""
    if not isinstance(each, Test) or each.op != "range":
        return each
    start, end = (moved(day, unit, count) if day else None for day in each.values)
    shown = f"{start} to {end - timedelta(days=1) if end else None}"
    if start and end and start.day == 1 and end == moved(start, "month", 1):
        shown = f"in {start:%Y-%m}"
    said = f"{each.value.field.column.name} {shown}"
    return replace(each, values=(start, end), said=said)


def _ranked(query: Query, s: Sentence) -> Query | None:
    """ "Only the top 3", "no, the oldest"."""
    at = s.first("rank")
    if at < 0:
        return None
    rank = s.items[at]["rank"]
    s.use(at)
    limit, skip = rank.count, rank.skip
    if rank.of:
        found = figure_for(rank.of, (), query.source, s.world)
        order = Order(found[1], rank.down) if found else None
        best = query.shape == "best" and not query.measures
        rows = query if best else replace(query, shape="top", groups=(), measures=(), select=())
        return replace(rows, order=order, limit=limit, skip=skip) if order else None
    if query.shape in ("value", "top") and query.groups:
        order = replace(query.order or Order(query.measures[0]), down=rank.down)
        same = query.shape == "top" and rank.count == 1 and not rank.plain
        return replace(query, shape="top", order=order, limit=query.limit if same else limit)
    if query.shape == "list" and query.order is not None:
        return replace(query, shape="top", limit=limit)
    raise Problem("clarify", [s.words(at)], "ask it as a whole question")


def _sorted(query: Query, s: Sentence) -> Query | None:
    """ "Sorted by age": the same rows in another order."""
    order = order_of_rows(s, query.source) if query.shape == "list" else None
    return replace(query, order=order) if order and isinstance(order.by, Value) else None


def _measured(query: Query, s: Sentence) -> Query | None:
    """ "And the average?", "its median": of the same figure."""
    tried = s.copy()
    found = [*figures(tried)]
    if found and found[0].measure.value is not None and found[0].source == query.source:
        s.used = tried.used
        made = replace(query, shape="value", measures=(found[0].measure,))
        return replace(made, order=None, limit=0, select=())
    named = next((i for i in s.named_figures if i not in s.used), -1)
    if not found and named >= 0 and query.shape == "value" and query.measures:
        unit = asked_unit(s)  # "what is that worth in dollars"
        figure = figure_at(s, named, unit)
        if figure is not None and figure.table == query.source and additive(figure):
            s.use(named, "ask")
            return replace(query, measures=(Measure("sum", figure, unit=unit),), order=None)
    at = next(iter(s.all("agg", "avg", "sum", "min", "max", "median")), -1)
    value = _figure_of(query) if at >= 0 else None
    if value is None:
        return None
    s.use(at)
    measure = Measure(s.items[at]["agg"], value)
    return replace(query, shape="value", measures=(measure,), order=None, limit=0)


def _figure_of(query: Query) -> Value | None:
    """The figure that a tree shows, or orders its rows by."""
    if query.measures:
        return query.measures[0].value
    return query.order.by if query.order and isinstance(query.order.by, Value) else None


def _unit(query: Query, s: Sentence) -> Query | None:
    unit = asked_unit(s)
    if not unit or _figure_of(query) is None:
        return None
    if not query.measures:
        return replace(query, unit=unit)
    return replace(query, measures=(replace(query.measures[0], unit=unit), *query.measures[1:]))


def _grouped(query: Query, s: Sentence) -> Query | None:
    """ "By region?", "which carriers?"."""
    by, _ = groups(s, query.source)
    if not by:
        head = head_of(s)
        short = len(s.items) == 1 or (len(s.items) <= 3 and s.asks("list") >= 0)
        same = s.get(head, "noun") == query.source or s.is_move(head)
        group = None
        if head >= 0 and short and not same and s.asks("count") < 0:
            group = group_of(s, head, query.source)
        if group is None:
            return None
        by = (group,)
        s.use(head)
    measures = query.measures or (Measure("count"),)
    plain_rows = replace(query, shape="value", select=(), order=None, limit=0)
    return replace(plain_rows, groups=by, measures=measures)


def _counted(query: Query, s: Sentence) -> Query | None:
    """ "How many of those ...": the rows counted."""
    if s.asks("count") < 0:
        return None
    s.use(s.asks("count"))
    noun = next((n for n in s.nouns if n.table != query.source), None)
    _few(query)
    if noun is not None:
        raise Problem("clarify", [s.words(noun.at)], "ask it as a whole question")
    if query.measures and query.measures[0].kind == "count" and query.shape == "value":
        return replace(query, groups=() if s.all("pronoun") else query.groups)
    counted = replace(query, shape="value", groups=(), measures=(Measure("count"),))
    return replace(counted, select=(), order=None, part=())


def _claimed(query: Query, s: Sentence) -> Query | None:
    """New conditions, in the place of old ones on the same column."""
    where = list(query.where)
    for claim in s.claims:
        found = put(_like(claim, query, s.world), query.source, s.world)
        found = found or put(replace(claim, role=""), query.source, s.world)
        if found is None:
            raise Problem("clarify", [claim.words], f'what "{claim.words}" is about')
        new = _same_time(found[1], where) if claim.kind == "window" else found[1]
        if not isinstance(new, Not):
            where = [kept for w in where for kept in _without(w, _slots(new))]
        where.append(new)
    return replace(query, where=bundle(where)) if s.claims else None


def _without(old: Condition, slots: set[object]) -> list[Condition]:
    """An old condition, or what is left of it once others speak of these columns."""
    if isinstance(old, Not) or not _slots(old) & slots:
        return [old]
    if isinstance(old, Related) and not old.op:
        where = tuple(c for each in old.where for c in _without(each, slots))
        return [replace(old, where=where)] if where else []
    return []


def _like(claim: Claim, query: Query, world: World) -> Claim:
    """ "And Antwerp?": at the end that the earlier question spoke of."""
    if claim.kind != "val" or claim.role:
        return claim
    tables = {c.table for c, _ in claim.data}
    earlier = [test.value.field for test in all_tests(query.where)]
    on_way = {f.path[-1].reference for f in earlier if f.path and f.column.table in tables}
    for r in world.schema.references:
        if (r.table, r.column) in on_way and (end := end_of(world.schema, r)):
            return replace(claim, role=end)
    return claim


def _same_time(new: Condition, where: Sequence[Condition]) -> Condition:
    """A new time is that of the column that the earlier one spoke of."""
    old = next((w for w in where if isinstance(w, Test) and w.op == "range"), None)
    if old is None or not isinstance(new, Test) or new.op != "range":
        return new
    name = old.value.field.column.name
    return replace(new, value=old.value, said=f"{name} {new.said.partition(' ')[2]}")


def _slots(condition: Condition) -> set[object]:
    """The columns, and the references to other rows, that a condition speaks of."""
    found: set[object] = set()
    for leaf in leaves(condition):
        if isinstance(leaf, Related):
            found |= {slot for c in leaf.where for slot in _slots(c)}
            found |= {leaf.of.field.column} if leaf.of else set()
        else:
            field = leaf.value.field
            one = field.path and not field.path[-1].many
            found.add(field.path[-1].reference if one else field.column)
    return found


def _selected(query: Query, s: Sentence) -> Query | None:
    """ "With their flags": more columns of the same rows."""
    made: list[Value] = []
    for i in s.all("col") if query.shape in ("list", "top") else ():
        own = [c for c in s.items[i]["col"] if c.table == query.source and i not in s.used]
        made += [plain(Field(c)) for c in own[:1]]
        s.use(i if own else -1)
    return replace(query, select=(*query.select, *made)) if made else None
