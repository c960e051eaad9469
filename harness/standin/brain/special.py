"""Distances, places, shares, comparisons of two, and whether one known thing is so."""

from harness.standin.brain.bundle import leaves
from harness.standin.brain.claims import Claim
from harness.standin.brain.place import put
from harness.standin.brain.present import newest
from harness.standin.brain.schema import Column
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Order, Problem, Query, Test
from harness.standin.brain.ways import plain
from harness.standin.brain.words import key, playbook


def coordinates(s: Sentence, table: str) -> tuple[Column, Column] | None:
    """The columns of a table that hold latitude and longitude."""
    found = [
        next(
            (
                c
                for c in s.world.schema.tables[table].columns.values()
                if c.is_number and key(w) in c.head
            ),
            None,
        )
        for w in ("latitude", "longitude")
    ]
    return (found[0], found[1]) if found[0] and found[1] else None


def _names(s: Sentence) -> list[tuple[Column, str, Claim]]:
    """The names in a question, of rows that lie somewhere."""
    made = []
    for claim in s.claims:
        if claim.kind == "val":
            pairs = [(c, v) for c, v in claim.data if s.world.schema.tables[c.table].label == c]
            placed = [p for p in pairs if coordinates(s, p[0].table)] or pairs[:1]
            made += [(c, v, claim) for c, v in placed]
    return made


def distance(s: Sentence) -> Query | None:
    """How far it is from one named place to another."""
    if s.asks("far") < 0:
        return None
    names = _names(s)
    strange = [c.words for _, _, c in names if not any(coordinates(s, p.table) for p, _ in c.data)]
    strange += [c.words for c in s.claims if c.kind == "val" and c not in [n for _, _, n in names]]
    if strange:
        raise Problem("unknown", strange)
    if len(names) != 2 or not all(coordinates(s, c.table) for c, _, _ in names):
        raise Problem("clarify", [s.words(s.asks("far"))], "name the two places")
    s.used |= set(range(len(s.items)))
    return Query(names[0][0].table, "distance", places=tuple((c, v) for c, v, _ in names))


def located(s: Sentence) -> Query | None:
    """Where a named thing is: its coordinates, or where it was seen last."""
    ask = s.asks("where")
    if ask < 0 or any(s.items[i]["event"] != "seen" for i in s.all("event")):
        return None
    if any("keyed" in i for i in s.items) and any("role" in i for i in s.items):
        return None
    names = _names(s)
    if not names:
        raise Problem("clarify", [s.words(ask)], "no name of what to look for")
    column, value, claim = names[0]
    s.used |= {ask, claim.start, *s.all("noun"), *s.all("now"), *s.all("event"), *s.all("col")}
    if coordinates(s, column.table):
        return Query(column.table, "where", places=((column, value),))
    for edge in s.world.schema.edges(column.table):
        if edge.many and coordinates(s, edge.target):
            when = newest(s.world, edge.target)
            order = Order(when, True) if when else None
            return Query(edge.target, "where", places=((column, value),), order=order, limit=1)
    homes = [
        c
        for c in s.world.schema.tables[column.table].columns.values()
        if set(c.parts) & {key(str(word)) for word in playbook()["places_said"]}
    ]
    if homes:
        s.used |= set(s.all("light"))
        return Query(
            column.table,
            "list",
            settle(s, column.table),
            select=tuple(plain(Field(c), s.world) for c in homes),
        )
    raise Problem("need", ["latitude", "longitude", value], "where things are")


def truth(s: Sentence) -> Query | None:
    """ "Is voyage 9 delayed?": the row, and whether what was asked of it holds."""
    first = s.items[0] if s.items else None
    if (
        first is None
        or not set(first.senses) & {"be", "do"}
        or s.asks("count", "list", "exists", "amount") >= 0
    ):
        return None
    known = next((c for c in s.claims if c.kind in ("keyed", "equals")), None) or next(
        (
            c
            for c in s.claims
            if c.kind == "val"
            and not c.role
            and any(s.world.schema.tables[p[0].table].label == p[0] for p in c.data)
        ),
        None,
    )
    if known is None:
        return None
    column = known.data[0] if known.kind == "keyed" else None
    source = column or known.data[0][0].table
    rest = [c for c in s.claims if c is not known]
    if not rest:
        return None
    found = put(known, source, s.world)
    tests = [put(c, source, s.world) for c in rest]
    if found is None or any(t is None for t in tests):
        return None
    s.used |= (
        {c.start for c in s.claims}
        | {n.at for n in s.nouns if n.table == source}
        | set(s.all("now"))
    )
    part = tuple(t[1] for t in tests if t is not None)
    inside = [
        leaf for c in part for leaf in leaves(c) if isinstance(leaf, Test) and leaf.value.field.many
    ]
    if inside:  # "does voyage 9 carry wine"
        s.used |= {n.at for n in s.nouns}
        table = inside[0].value.field.column.table
        return Query(table, "exists", settle(s, table))
    for noun in s.nouns:
        s.used.add(noun.at)
    return Query(source, "truth", (found[1],), part=part)
