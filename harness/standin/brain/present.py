"""What "now" adds: the newest row of a log, or being under way."""

from dataclasses import replace

from harness.standin.brain.bundle import bundle
from harness.standin.brain.claims import Claim
from harness.standin.brain.link import World
from harness.standin.brain.place import put
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.tree import Condition, Field, Query, Related, Test, Value
from harness.standin.brain.ways import moves, plain

_STATES = ("sense", "underway", "term", "window", "bound", "zero")


def newest(world: World, table: str) -> Value | None:
    """The time by which rows of a log follow each other, where its comment says so."""
    known = world.schema.tables[table]
    times = [c for c in known.columns.values() if c.is_time and c.name in known.comment]
    return plain(Field(times[0])) if times else None


def newest_rows(world: World, log: str) -> list[Condition]:
    """Only the newest row of each owner; [] for a table that is not a log."""
    when = newest(world, log)
    owners = [e for e in world.schema.edges(log) if not e.many]
    named = [e for e in owners if world.schema.tables[e.target].named] or owners
    return [Test(when, "newest", (named[0].column,), "latest position")] if when else []


def under_way(world: World, table: str) -> list[Condition]:
    """That a movement goes on; [] where nothing says so."""
    found = put(Claim("underway", "underway", 0, 0, "under way"), table, world)
    return [found[1]] if found else []


def at_present(s: Sentence, query: Query) -> Query:
    """ "right now": of a log the newest row; of a movement, that it goes on."""
    where = [
        replace(c, where=(*c.where, *newest_rows(s.world, c.path[-1].target)))
        if isinstance(c, Related)
        else c
        for c in query.where
    ]
    logged = replace(query, where=(*where, *newest_rows(s.world, query.source)))
    if logged != query:
        return logged
    stated = s.of(*_STATES) or any("(" in c.comment for v in s.of("val") for c, _ in v.data)
    moving = any(v.role or _is_carried(s, v) for v in s.of("val")) or any(
        isinstance(c, Related) and moves(s.world.schema, c.path[-1].target) for c in query.where
    )  # "ships in the Pacific right now": by their voyages
    if stated or not moving:
        return query
    return replace(query, where=bundle([*query.where, *under_way(s.world, query.source)]))


def _is_carried(s: Sentence, claim: Claim) -> bool:
    """Whether a value is that of lines without a name: what is on the way now."""
    return any(not s.world.schema.tables[c.table].named for c, _ in claim.data)
