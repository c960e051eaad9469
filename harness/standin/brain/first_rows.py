"""The first rows by a value, and the first, last or next in time."""

from dataclasses import replace

from harness.standin.brain import figures as fig
from harness.standin.brain import grouping
from harness.standin.brain.bounds import Rank
from harness.standin.brain.bundle import bundle
from harness.standin.brain.moments import never
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Condition, Field, Not, Order, Problem, Query, Test, Value
from harness.standin.brain.ways import _in, nearest, plain, short, time_columns
from harness.standin.brain.words import playbook


def _rows(
    s: Sentence, rank: Rank, value: Value, source: str, dim: int, extra: bool = False
) -> Query:
    """The first rows of a table by a value; the best of each group where one is named."""
    select: tuple[Value, ...] = ()
    if extra and dim >= 0 and "noun" in s.items[dim]:
        label = s.world.schema.tables[s.items[dim]["noun"]].label
        found = nearest(s.world.schema, source, [label]) if label else None
        if found is not None and not found[1].many:
            select = (
                replace(plain(found[1], s.world), name=short(s.items[dim]["noun"]).rstrip("s")),
            )
    if dim >= 0:
        s.used.add(dim)
    groups, used, _ = grouping.groups(s, source, (dim,))
    s.used |= used
    for i in s.all("event"):
        if i not in s.used and s.items[i]["event"] == "built" and s.asks("when") >= 0:
            s.used.add(i)
    where = settle(s, source)
    shape = "best" if groups else "top"
    return Query(
        source, shape, where, groups, (), select, Order(value, rank.down), rank.count, rank.skip
    )


def _in_time(s: Sentence, at: int, rank: Rank) -> Query | None:
    """The first, the last, the next: by the time of an event."""
    book = playbook()["events"]
    events = [i for i in s.all("event") if "val" not in s.items[i] or "window" not in s.items[i]]
    nouns = list(s.nouns)
    event = s.items[events[0]]["event"] if events else ""
    of = book[event]["of"] if event and event not in ("built",) else ""
    if not of and any(c.role == "to" for c in s.claims) and rank.turn == "next":
        of = playbook()["finishes"]
    source = ""
    if nouns:
        source = nouns[0].table
    elif events:
        source = fig.event_table(s, events[0]) or ""
    if not source:
        return None
    options = time_columns(s.world.schema, source, of or playbook()["starts"])
    mine = [c for c in options if c.table == source] or [
        c for c in s.world.schema.tables[source].columns.values() if c.is_time
    ]
    if event == "built" or not mine:
        years = [c for c in s.world.schema.tables[source].columns.values() if "year" in c.parts]
        if not years:
            found = nearest(s.world.schema, source, options)
            if found is None:
                return None
            mine = [found[1].column]
        mine = mine or years
    s.used |= set(events) | {i for i in s.all("ask") if s.items[i]["ask"] in ("when", "where")}
    extra: list[Condition] = []
    if rank.turn == "next":
        mine, extra = _coming(s, source, of, mine)
    field = nearest(s.world.schema, source, mine[:1])
    if field is None:
        return None
    value = plain(field[1], s.world)
    dim = nouns[0].at if nouns else -1
    made = _rows(s, replace(rank, down=rank.turn == "last"), value, source, dim)
    s.notes.append(f"By {value.name}.")
    word = "latest" if rank.turn == "last" else "earliest"
    return replace(made, where=bundle([*made.where, *extra]), word=word)


def _coming(s: Sentence, source: str, of: str, mine: list) -> tuple[list, list[Condition]]:
    """What is still to come: planned at a time from today on, and not over."""
    columns = s.world.schema.tables[source].columns.values()
    planned = [c for c in columns if c.is_time and not c.nullable]
    over = [c for c in columns if c.is_time and c.nullable and playbook()["finishes"] in c.head]
    if not planned or s.world.today is None:
        return mine, []
    if of == playbook()["starts"]:
        raise Problem("clarify", ["next"], f"{mine[0].name} is not known before it has happened")
    extra: list[Condition] = [
        Test(plain(Field(c), s.world), "null", (), f"no {c.name}") for c in over
    ]
    extra += [Not(_in(Field(c), (v,), f"{c.name} {v}")) for c, v in never(source, s.world)]
    return planned, extra
