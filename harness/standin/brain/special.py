"""Distances, places, and whether one known thing is so."""

from harness.standin.brain.bundle import tests
from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import Column
from harness.standin.brain.place import put
from harness.standin.brain.present import newest
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Measure, Order, Problem, Query
from harness.standin.brain.ways import plain
from harness.standin.brain.words import key, playbook


def _lies_somewhere(s: Sentence, table: str) -> bool:
    """Whether rows of a table have a latitude and a longitude."""
    heads = [c.head for c in s.world.schema.tables[table].columns.values() if c.is_number]
    return all(any(key(w) in head for head in heads) for w in ("latitude", "longitude"))


def _names(s: Sentence) -> list[tuple[Column, str, Claim]]:
    """The names in a question, those of rows that lie somewhere first."""
    made = []
    for claim in s.of("val"):
        pairs = [(c, v) for c, v in claim.data if s.world.schema.tables[c.table].label == c]
        placed = [(c, v) for c, v in pairs if _lies_somewhere(s, c.table)]
        made += [(c, v, claim) for c, v in placed or pairs[:1]]
    return made


def distance(s: Sentence) -> Query | None:
    """How far it is from one named place to another."""
    if s.asks("far") < 0:
        return None
    names = _names(s)
    known = [claim for column, _, claim in names if _lies_somewhere(s, column.table)]
    strange = [c.words for c in s.of("val") if c not in known]
    if strange:
        raise Problem("unknown", strange)
    if len(names) != 2:
        raise Problem("clarify", [s.words(s.asks("far"))], "name the two places")
    s.use(*range(len(s.items)))
    return Query(names[0][0].table, "distance", places=tuple((c, v) for c, v, _ in names))


def closest(s: Sentence) -> Query | None:
    """Which of the places is nearest to a named one, or farthest from it."""
    at = next((i for i in s.all("rank") if s.items[i]["rank"].of == ("distance",)), -1)
    if at < 0:
        return None
    rank, names = s.items[at]["rank"], _names(s)
    if len(names) != 1 or not _lies_somewhere(s, names[0][0].table):
        raise Problem("clarify", [s.words(at)], "name the place that it is near to")
    column, value, claim = names[0]
    s.use(at, claim.start, "ask", *(n.at for n in s.nouns if n.table == column.table))
    count = next((i for n in s.nouns if s.has(i := n.at - 1, "num")), -1)
    s.use(count)
    limit = int(s.items[count]["num"]) if count >= 0 else rank.count
    order = Order(Measure("count"), rank.down)
    places = ((column, value),)
    return Query(column.table, "nearest", order=order, limit=limit, places=places)


def located(s: Sentence) -> Query | None:
    """Where a named thing is: its coordinates, or where it was seen last."""
    ask, schema = s.asks("where"), s.world.schema
    if ask < 0 or len(s.all("event")) > len(s.all("event", "seen")):
        return None
    if s.all("keyed") and s.all("role"):
        return None
    names = _names(s)
    if not names:
        raise Problem("clarify", [s.words(ask)], "no name of what to look for")
    column, value, claim = names[0]
    s.use(ask, claim.start, "noun", "now", "event", "col")
    places = ((column, value),)
    if _lies_somewhere(s, column.table):
        return Query(column.table, "where", places=places)
    for edge in schema.edges(column.table):
        if edge.many and _lies_somewhere(s, edge.target):
            when = newest(s.world, edge.target)
            order = Order(when) if when else None
            return Query(edge.target, "where", places=places, order=order, limit=1)
    said = {key(str(word)) for word in playbook()["places_said"]}
    homes = [c for c in schema.tables[column.table].columns.values() if set(c.parts) & said]
    if not homes:
        raise Problem("need", ["latitude", "longitude", value], "where things are")
    s.use("light")
    select = tuple(plain(Field(c)) for c in homes)
    return Query(column.table, "list", settle(s, column.table), select=select)


def truth(s: Sentence) -> Query | None:
    """ "Is voyage 9 delayed?": the row, and whether what was asked of it holds."""
    if not s.has(0, "be", "do") or s.asks("count", "list", "exists", "amount") >= 0:
        return None
    tables = s.world.schema.tables
    rows = [c for c in s.of("val") if not c.role]
    rows = [c for c in rows if any(tables[x.table].label == x for x, _ in c.data)]
    known = next(iter([*s.of("keyed", "equals"), *rows]), None)
    rest = [c for c in s.claims if c is not known]
    if known is None or not rest:
        return None
    source = str(known.data[0] if known.kind == "keyed" else known.data[0][0].table)
    found = put(known, source, s.world)
    parts = [option[1] for c in rest if (option := put(c, source, s.world))]
    if found is None or len(parts) < len(rest):
        return None
    s.use(*s.claimed, *(n.at for n in s.nouns), "now")
    inside = [test.value for part in parts for test in tests(part) if test.value.field.many]
    if inside:  # "does voyage 9 carry wine"
        return Query(inside[0].table, "exists", settle(s, inside[0].table))
    return Query(source, "truth", (found[1],), part=tuple(parts))
