"""The first rows by a value, and the first, last or next in time."""

from dataclasses import replace

from harness.standin.brain.bounds import Rank
from harness.standin.brain.bundle import bundle
from harness.standin.brain.grouping import groups
from harness.standin.brain.lookup import by_verb
from harness.standin.brain.moments import still_to_come
from harness.standin.brain.sentence import Sentence, event_table
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Condition, Order, Problem, Query, Value
from harness.standin.brain.ways import nearest, plain, short, time_columns
from harness.standin.brain.words import playbook


def first_rows(
    s: Sentence, rank: Rank, value: Value, dim: int, source: str = "", extra: bool = False
) -> Query:
    """The first rows of a table by a value; the best of each group where one is named."""
    select: tuple[Value, ...] = ()
    source = source or value.table
    if extra:
        label = s.world.schema.tables[s.items[dim]["noun"]].label
        found = nearest(s.world.schema, source, [label]) if label else None
        if found is not None and not found[1].many:
            name = short(s.items[dim]["noun"]).rstrip("s")
            select = (replace(plain(found[1]), name=name),)
    if s.asks("who") >= 0:  # "who has the youngest ship"
        select = (*select, *by_verb(s, s.asks("who"), source))
    named, used, _ = groups(s, source, (dim,))
    s.use(dim, *used, *(s.all("event", "built") if s.asks("when") >= 0 else ()))
    where, shape = settle(s, source), "best" if named else "top"
    order = Order(value, rank.down)
    return Query(source, shape, where, named, (), select, order, rank.count, rank.skip)


def in_time(s: Sentence, rank: Rank) -> Query | None:
    """The first, the last, the next: by the time of an event."""
    events = [i for i in s.all("event") if not (s.has(i, "val") and s.has(i, "window"))]
    event = s.items[events[0]]["event"] if events else "built"
    of = "" if event == "built" else playbook()["events"][event]["of"]
    if not of and rank.turn == "next" and any(c.role == "to" for c in s.claims):
        of = playbook()["finishes"]
    source = s.nouns[0].table if s.nouns else event_table(s, events[0]) if events else ""
    if not source:
        return None
    options = time_columns(s.world.schema, source, of or playbook()["starts"])
    if of and options and source not in {c.table for c in options}:
        source = options[0].table  # "when did the last ship arrive": ships have no such time
    columns = list(s.world.schema.tables[source].columns.values())
    mine = [c for c in options if c.table == source] or [c for c in columns if c.is_time]
    mine = mine or [c for c in columns if "year" in c.parts]
    s.use(*events, *s.all("ask", "when", "where"))
    extra: list[Condition] = []
    if rank.turn == "next":
        planned = [c for c in columns if c.is_time and not c.nullable]
        if planned and s.world.today is not None:
            if of == playbook()["starts"]:
                why = f"{mine[0].name} is not known before it has happened"
                raise Problem("clarify", ["next"], why)
            mine, extra = planned[:1], still_to_come(source, (), s.world)
    field = nearest(s.world.schema, source, mine[:1] or options)
    if field is None:
        return None
    value, dim = plain(field[1]), s.nouns[0].at if s.nouns else -1
    made = first_rows(s, replace(rank, down=rank.turn == "last"), value, dim, source)
    s.notes.append(f"By {value.name}.")
    word = "latest" if rank.turn == "last" else "earliest"
    return replace(made, where=bundle([*made.where, *extra]), word=word)
