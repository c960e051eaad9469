"""Distances, places, and whether one known thing is so."""

from harness.standin.brain.bundle import tests
from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import Column
from harness.standin.brain.place import put
from harness.standin.brain.present import newest, newest_rows
from harness.standin.brain.sentence import Sentence
from harness.standin.brain.settling import settle
from harness.standin.brain.tree import Field, Measure, Order, Problem, Query, Value
from harness.standin.brain.ways import nearest, one_of, plain
from harness.standin.brain.words import key, playbook


def _axes(s: Sentence, table: str) -> list[Value]:
    """The latitude and the longitude of a table's rows; [] where they have none."""
    columns = [c for c in s.world.schema.tables[table].columns.values() if c.is_number]
    made = [c for w in ("latitude", "longitude") for c in columns if key(w) in c.head][:2]
    return [plain(Field(c)) for c in made] if len(made) == 2 else []


def _names(s: Sentence) -> list[tuple[Column, str, Claim]]:
    """The names in a question, those of rows that lie somewhere first."""
    made = []
    for claim in s.of("val"):
        pairs = [(c, v) for c, v in claim.data if s.world.schema.tables[c.table].label == c]
        placed = [(c, v) for c, v in pairs if _axes(s, c.table)]
        made += [(c, v, claim) for c, v in placed or pairs[:1]]
    return made


def distance(s: Sentence) -> Query | None:
    """How far it is from one named place to another."""
    if s.asks("far") < 0:
        return None
    names = _names(s)
    known = [claim for column, _, claim in names if _axes(s, column.table)]
    strange = [c.words for c in s.of("val") if c not in known]
    if strange:
        raise Problem("unknown", strange)
    if len(names) != 2:
        raise Problem("clarify", [s.words(s.asks("far"))], "name the two places")
    s.use(*range(len(s.items)))
    (column, first, _), (_, other, _) = names
    where = one_of(Field(column), (first, other), "")
    axes = tuple(_axes(s, column.table))
    places = (str(first), str(other))
    return Query(column.table, "distance", (where,), select=axes, places=places)


def closest(s: Sentence) -> Query | None:
    """Which of the places is nearest to a named one, or farthest from it."""
    at = next((i for i in s.all("rank") if s.items[i]["rank"].of == ("distance",)), -1)
    if at < 0:
        return None
    rank, names = s.items[at]["rank"], _names(s)
    if len(names) != 1 or not _axes(s, names[0][0].table):
        raise Problem("clarify", [s.words(at)], "name the place that it is near to")
    column, value, claim = names[0]
    s.use(at, claim.start, "ask", *(n.at for n in s.nouns if n.table == column.table))
    count = next((i for n in s.nouns if s.has(i := n.at - 1, "num")), -1)
    s.use(count)
    limit = int(s.items[count]["num"]) if count >= 0 else rank.count
    order, axes = Order(Measure("count"), rank.down), tuple(_axes(s, column.table))
    return Query(
        column.table, "nearest", select=axes, order=order, limit=limit, places=(str(value),)
    )


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
    if axes := _axes(s, column.table):
        own = (one_of(Field(column), (value,), ""),)
        return Query(column.table, "where", own, select=tuple(axes), places=(str(value),))
    for edge in schema.edges(column.table):
        if edge.many and (axes := _axes(s, edge.target)):
            found = nearest(schema, edge.target, [column])
            own = [one_of(found[1], (value,), "")] if found else []
            when = newest(s.world, edge.target)
            columns = schema.tables[edge.target].columns.values()
            others = [plain(Field(c)) for c in columns if c.is_number and not schema.is_link(c)]
            shown = dict.fromkeys([*axes, *([when] if when else []), *others])
            where = (*own, *newest_rows(s.world, edge.target))
            return Query(edge.target, "where", where, select=tuple(shown), places=(str(value),))
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
