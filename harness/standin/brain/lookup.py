"""What is asked of one known row, and of places."""

from dataclasses import replace

from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import Column, short
from harness.standin.brain.grouping import group_of
from harness.standin.brain.place import put
from harness.standin.brain.schema import Edge
from harness.standin.brain.sentence import Noun, Sentence, figure_column, identity
from harness.standin.brain.settling import newest, newest_rows, path_to, settle, under_way
from harness.standin.brain.tree import (
    Field,
    Group,
    Measure,
    Order,
    Problem,
    Query,
    Value,
    bundle,
    many_part,
    tests,
)
from harness.standin.brain.ways import (
    end_of,
    name_at,
    nearest,
    one_of,
    plain,
    role_name,
    said_by,
    time_columns,
)
from harness.standin.brain.words import key, playbook, word_set


def looked_up(s: Sentence) -> Query | None:
    """ "What is the flag of X", "when did voyage 9 depart", "who owns X", "how old is X"."""
    known = identity(s)
    if known is None or s.asks("count", "exists") >= 0:
        return None
    table, at = known
    values: list[Value] = []
    for i in range(len(s.items)):
        if i != at and i not in s.claimed and (found := asked_value(s, i, table)):
            values += found
            s.use(i)
    if s.asks("details") >= 0:
        columns = s.world.schema.tables[table].columns.values()
        values = [plain(Field(c)) for c in columns if not s.world.schema.is_link(c)]
    if not values:
        return _by_rows(s, table)
    s.use("ask", *s.all("unit", *(v.unit for v in values)))
    if s.asks("long") >= 0 or s.all("lasting"):
        s.claims = [c for c in s.claims if c.start == at]  # "how long was it at sea"
    many = next((v for v in values if v.field.many), None)
    log = next((v for v in values if v.field.many and newest(s.world, v.table)), None)
    source, select, now = table, dict.fromkeys(values), []
    if log is not None:  # the newest row
        source, now = log.table, newest_rows(s.world, log.table)
        when = newest(s.world, source)
        assert when is not None
        s.notes.append(f"The latest by {when.name}.")
        select = dict.fromkeys([when, *(v.own for v in values if v.table == source)])
    elif many and all(v.field.many for v in values):  # of its rows, the one that is under way
        if not _goes(s) and not any(v.field.column.is_time for v in values):
            return None
        front = many_part(many.field.path)
        source, now = front[-1].target, under_way(s.world, front[-1].target)
        mine = [v for v in values if v.field.path[: len(front)] == front]
        select = dict.fromkeys(v.along(lambda path: path[len(front) :]) for v in mine)
    where = (*settle(s, source), *now)
    return Query(source, "list", where, select=tuple(select), word="lookup")


def asked_value(s: Sentence, i: int, table: str) -> list[Value]:
    """What an item asks of a row of a table; [] for nothing."""
    ask, when = s.get(i, "ask"), s.asks("when") >= 0
    if s.has(i, "verb") or ask == "who":
        return by_verb(s, i, table)
    if s.has(i, "role"):
        group = group_of(s, i, table)
        return [replace(group.value, name=role_name(s.items[i]["role"][0].column))] if group else []
    if ask == "when" or (s.has(i, "event") and when):
        return _times_of(s, table)
    if ask == "where":
        return _ends_of(s, table)
    if ask == "long" or s.has(i, "lasting", "howscale"):
        value = figure_column(s, i, table)
        years = s.has(i, "howscale") and s.items[i]["howscale"][3] and s.world.today is not None
        age = replace(value, how="age", name="age", today=s.world.today) if value else None
        return [v for v in (value, age if years else None) if v]
    if s.has(i, "col"):
        columns = [c for c in s.items[i]["col"] if not s.world.schema.is_link(c)]
        found = nearest(s.world.schema, table, columns)
        return [plain(found[1])] if found and not found[1].many else []
    noun = s.get(i, "noun")
    return _named(s, i, table) if noun and noun != table else []


def _named(s: Sentence, i: int, table: str) -> list[Value]:
    """The name of the row of another table that it refers to."""
    noun = s.items[i]["noun"]
    path = path_to(s, table, Noun(i, noun))
    value = name_at(s.world.schema, noun, path, short(noun).removesuffix("s"))
    return [value] if value and path and not value.field.many else []


def by_verb(s: Sentence, i: int, table: str) -> list[Value]:
    """Who owns or operates it: the reference whose comment has that verb."""
    verb = s.get(i, "verb") or next((s.items[j]["verb"] for j in s.all("verb")), "own")
    made = []
    for r, column in said_by(s.world.schema, verb):
        found = nearest(s.world.schema, table, [column])
        if found and not found[1].many:
            path = (*found[1].path, Edge(r.table, r.column, r.target, r.target_column))
            made.append(name_at(s.world.schema, r.target, path, role_name(r.column)))
    return sorted(filter(None, made), key=lambda value: len(value.field.path))[:1]


def _by_rows(s: Sentence, table: str) -> Query | None:
    """ "Who operates X", where only its rows say that: by their number."""
    for i in s.all("verb") if s.asks("who") >= 0 else ():
        for r, _ in said_by(s.world.schema, s.items[i]["verb"]):
            path, name = (Edge(r.table, r.column, r.target, r.target_column),), role_name(r.column)
            value = name_at(s.world.schema, r.target, path)
            if value and r.target != table:
                s.use(i, "ask")
                by, where = (Group(value, name),), settle(s, r.table)
                return Query(r.table, "value", where, by, (Measure("count"),))
    return None


def _times_of(s: Sentence, table: str) -> list[Value]:
    """When it departs, arrives: its own times, else those of its rows that are under way."""
    events, finishes = [s.items[j]["event"] for j in s.all("event")], playbook()["finishes"]
    s.use("event")
    word = playbook()["events"][events[0]]["of"] if events else ""
    times = time_columns(s.world.schema, table, word)
    columns = [c for c in times if c.table == table]
    columns = columns[: 2 if word == finishes else 1 if word else None]
    if columns:
        return [plain(Field(c)) for c in columns]
    planned = [nearest(s.world.schema, table, [c]) for c in times if not c.nullable]
    return [plain(found[1]) for found in planned if found and found[1].many][:1]


def _ends_of(s: Sentence, table: str) -> list[Value]:
    """ "Where does voyage 9 end"."""
    wanted = next((s.event_end(j) for j in s.all("event")), "to" if _goes(s) else "")
    s.use("event")
    made = []
    for r in s.world.schema.references:
        own = end_of(s.world.schema, r) if r.table == table or _goes(s) else ""
        if own and own == (wanted or own):
            path = path_to(s, table, Noun(-1, r.target, own))
            made.append(name_at(s.world.schema, r.target, path, role_name(r.column)))
    return [value for value in made if value]


def _goes(s: Sentence) -> bool:
    """ "Where is X going": not where it is."""
    return any(set(s.low(i).split()) & word_set("goes") for i in range(len(s.items)))


def _axes(s: Sentence, table: str) -> list[Value]:
    """The latitude and the longitude of a table's rows; [] where they have none."""
    columns = [c for c in s.world.schema.tables[table].columns.values() if c.is_number]
    made = [c for w in ("latitude", "longitude") for c in columns if key(w) in c.head][:2]
    return [plain(Field(c)) for c in made] if len(made) == 2 else []


def _names(s: Sentence) -> list[tuple[Column, str, Claim]]:
    """The names in a question, those of rows that lie somewhere first."""
    made = []
    for claim in s.of("val"):
        pairs = [(c, v) for c, v in claim.data if s.world.schema.is_label(c)]
        placed = [(c, v) for c, v in pairs if _axes(s, c.table)]
        made += [(c, v, claim) for c, v in placed or pairs[:1]]
    return made


def distance(s: Sentence) -> Query | None:
    """How far one named place is from another; which places are nearest to one, or farthest."""
    near = next((i for i in s.all("rank") if s.items[i]["rank"].of == ("distance",)), -1)
    far = s.asks("far")
    if near < 0 and far < 0:
        return None
    names = _names(s)
    placed = [claim for column, _, claim in names if _axes(s, column.table)]
    strange = [c.words for c in s.of("val") if c not in placed]
    if far >= 0 and strange:  # a country may also be the name of a port that was not looked up
        raise Problem("unknown", strange)
    if len(names) != (2 if far >= 0 else 1) or len(placed) < len(names):
        why = "name the two places" if far >= 0 else "name the place that it is near to"
        raise Problem("clarify", [s.words(max(far, near))], why)
    column, places = names[0][0], tuple(str(name) for _, name, _ in names)
    axes = tuple(_axes(s, column.table))
    if far >= 0:
        s.use(*range(len(s.items)))
        where = one_of(Field(column), places, "")
        return Query(column.table, "distance", (where,), select=axes, places=places)
    s.use(near, placed[0].start, "ask", *(n.at for n in s.nouns if n.table == column.table))
    rank = s.items[near]["rank"]
    count = next((n.at - 1 for n in s.nouns if s.has(n.at - 1, "num")), -1)
    s.use(count)
    limit = int(s.items[count]["num"]) if count >= 0 else rank.count
    order = Order(Measure("count"), rank.down)
    return Query(column.table, "nearest", select=axes, order=order, limit=limit, places=places)


def located(s: Sentence) -> Query | None:
    """Where a named thing is: its coordinates, or where it was seen last."""
    ask, schema = s.asks("where"), s.world.schema
    if ask < 0 or _goes(s) or len(s.all("event")) > len(s.all("event", "seen")):
        return None
    if s.all("keyed") and s.all("role"):
        return None
    names = _names(s)
    if not names:
        raise Problem("clarify", [s.words(ask)], "no name of what to look for")
    column, value, claim = names[0]
    s.use(ask, claim.start, "noun", "now", "event", "col")
    if axes := _axes(s, column.table):
        own = [one_of(Field(column), (value,), "")]
        return Query(column.table, "where", (*own,), select=(*axes,), places=(str(value),))
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
    rows = [c for c in s.of("val") if not c.role]
    rows = [c for c in rows if any(s.world.schema.is_label(x) for x, _ in c.data)]
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
    tables = [value.table for value in inside]
    tables += [n.table for n in s.nouns if s.has(0, "do") and n.table != source]
    if tables:  # "does voyage 9 carry wine", "will that ship arrive on time"
        now = under_way(s.world, tables[0]) if s.get(0, "be") == "will" else []
        return Query(tables[0], "exists", bundle([*settle(s, tables[0]), *now]))
    return Query(source, "truth", (found[1],), part=tuple(parts))
