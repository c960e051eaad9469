"""What "now" adds: the newest row of a log, or being under way."""

from dataclasses import replace

from harness.standin.brain.bundle import bundle, leaves
from harness.standin.brain.claims import Claim
from harness.standin.brain.link import World
from harness.standin.brain.place import put
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.tree import Condition, Field, Query, Related, Test, Value
from harness.standin.brain.ways import moves, plain


def newest(world: World, table: str) -> Value | None:
    """The time by which rows of a log follow each other, where its comment says so."""
    comment = world.schema.tables[table].comment
    for column in world.schema.tables[table].columns.values():
        if column.is_time and column.name in comment:
            return plain(Field(column), world)
    return None


def newest_test(world: World, log: str, when: Value) -> Test:
    """Only the newest row of each owner."""
    owners = [e for e in world.schema.edges(log) if not e.many]
    named = [e for e in owners if world.schema.tables[e.target].named] or owners
    return Test(when, "newest", (named[0].column,), "latest position")


def at_present(s: Sentence, query: Query) -> Query:
    """ "right now": of a log the newest row; of a movement, that it goes on."""
    logged = _newest_of(s, query)
    if logged != query:
        return logged
    states = ("sense", "underway", "term", "window", "bound", "zero")
    stated = any(c.kind in states for c in s.claims) or any(
        c.kind == "val" and any("(" in col.comment for col, _ in c.data) for c in s.claims
    )
    moving = any(c.kind == "val" and (c.role or _carried(s, c)) for c in s.claims) or any(
        isinstance(c, Related) and moves(s.world.schema, c.path[-1].target) for c in query.where
    )  # "ships in the Pacific right now": by their voyages
    if stated or not moving:
        return query
    found = put(Claim("underway", "underway", 0, 0, "now"), query.source, s.world)
    return replace(query, where=bundle([*query.where, found[1]])) if found else query


def _carried(s: Sentence, claim: Claim) -> bool:
    """Whether a value is that of lines without a name: what is on the way now."""
    return any(not s.world.schema.tables[c.table].named for c, _ in claim.data)


def _newest_of(s: Sentence, query: Query) -> Query:
    """The tree with only the newest rows of logs."""
    when = newest(s.world, query.source)
    if when is not None:
        return replace(query, where=(*query.where, newest_test(s.world, query.source, when)))
    made: list[Condition] = []
    for each in query.where:
        for leaf in leaves(each):
            if isinstance(leaf, Related) and leaf is each:
                log = each.path[-1].target
                when = newest(s.world, log)
                if when is not None:
                    each = replace(each, where=(*each.where, newest_test(s.world, log, when)))
        made.append(each)
    return replace(query, where=tuple(made))
