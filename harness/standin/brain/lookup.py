"""What is asked of one known row: its columns, its times, what it refers to."""

from dataclasses import replace

from harness.standin.brain.claims import Claim
from harness.standin.brain.dimensions import group_of, role_name
from harness.standin.brain.measures import figure_for
from harness.standin.brain.place import put
from harness.standin.brain.present import newest, newest_test
from harness.standin.brain.schema import Edge
from harness.standin.brain.sentence import Noun, Sentence, figure_column
from harness.standin.brain.settling import path_to, settle
from harness.standin.brain.tree import Field, Query, Value
from harness.standin.brain.ways import end_of, nearest, plain, short, time_columns
from harness.standin.brain.words import keys, playbook


def _identity(s: Sentence) -> tuple[str, int] | None:
    """The table of a row that is named by its name or its key, and the claim's item."""
    for claim in s.claims:
        if claim.no:
            continue
        if claim.kind == "keyed":
            return claim.data[0], claim.start
        if claim.kind == "equals":
            return claim.data[0][0].table, claim.start
    for claim in s.claims:
        if claim.kind == "val" and not claim.no and not claim.role:
            for column in dict.fromkeys(c for c, _ in claim.data):
                table = s.world.schema.tables[column.table]
                if (
                    (table.label == column and table.named)
                    or "code" in keys(column.comment)
                    or "number" in keys(column.comment)
                ):
                    return column.table, claim.start
    return None


def _looked_up(s: Sentence) -> Query | None:
    """ "What is the flag of X", "when did voyage 9 depart", "who owns X", "how old is X"."""
    known = _identity(s)
    if known is None or s.asks("count", "exists") >= 0:
        return None
    table, at = known
    wanted = _wanted(s, table, at)
    if s.asks("details") >= 0:
        columns = s.world.schema.tables[table].columns.values()
        wanted = (
            [plain(Field(c), s.world) for c in columns if not s.world.schema.is_link(c)],
            {s.asks("details")},
        )
    if not wanted:
        return None
    values, items = wanted
    items |= {i for i in s.all("unit") if any(s.items[i]["unit"] == v.unit for v in values)}
    s.used |= items | set(s.all("ask"))
    if s.asks("long") >= 0 or any("lasting" in i for i in s.items):
        s.claims = [c for c in s.claims if c.start == at]  # "how long was it at sea"
    log = next(
        (
            v.field.column.table
            for v in values
            if v.field.many and newest(s.world, v.field.column.table)
        ),
        "",
    )
    if log:
        return _last_seen(s, log, values)
    if all(v.field.many for v in values):
        return _under_way(s, values)
    where = settle(s, table)
    return Query(table, "list", where, select=tuple(dict.fromkeys(values)), word="lookup")


def _last_seen(s: Sentence, log: str, values: list[Value]) -> Query:
    """Of a log, the newest row."""
    own = tuple(
        replace(v, fields=tuple(Field(f.column) for f in v.fields))
        for v in values
        if v.field.column.table == log
    )
    when = newest(s.world, log)
    assert when is not None
    s.notes.append(f"The latest by {when.name}.")
    return Query(
        log,
        "list",
        (*settle(s, log), newest_test(s.world, log, when)),
        select=(when, *own),
        word="lookup",
    )


def _under_way(s: Sentence, values: list[Value]) -> Query | None:
    """ "When will that ship arrive": of its rows, the one that is under way."""
    table = values[0].field.column.table
    own = tuple(
        replace(v, fields=tuple(Field(f.column) for f in v.fields))
        for v in values
        if v.field.column.table == table
    )
    found = put(Claim("underway", "underway", 0, 0, "under way"), table, s.world)
    assert found is not None
    return Query(table, "list", (*settle(s, table), found[1]), select=own, word="lookup")


def _wanted(s: Sentence, table: str, known: int) -> tuple[list[Value], set[int]] | None:
    """The values that are asked of a known row."""
    values: list[Value] = []
    items: set[int] = set()
    for i, _item in enumerate(s.items):
        if i == known or i in {c.start for c in s.claims}:
            continue
        found = _asked_value(s, i, table)
        if found:
            values += found
            items.add(i)
    return (values, items) if values else None


def _asked_value(s: Sentence, i: int, table: str) -> list[Value]:
    item, world = s.items[i], s.world
    if "verb" in item or ("ask" in item and item["ask"] == "who"):
        return _by_verb(s, i, table)
    if "role" in item:
        reference = item["role"][0]
        group = group_of(s, i, table)
        return [replace(group.value, name=role_name(reference))] if group else []
    if ("ask" in item and item["ask"] == "when") or ("event" in item and s.asks("when") >= 0):
        return _times_of(s, i, table)
    if ("ask" in item and item["ask"] == "long") or "lasting" in item:
        value = figure_column(s, i, table)
        return [value] if value else []
    if "ask" in item and item["ask"] == "where":
        return _ends_of(s, table)
    if "event" in item and item["event"] == "built" and "val" not in item:
        built = figure_for((str(playbook()["events"]["built"]["of"]),), (), table, world)
        s.used |= set(s.all("unit_of_time"))
        return [built[1]] if built else []
    if "howscale" in item:
        value = figure_column(s, i, table)
        return [value] if value else []
    if "col" in item:
        found = nearest(
            world.schema, table, [c for c in item["col"] if not world.schema.is_link(c)]
        )
        return [plain(found[1], world)] if found and not found[1].many else []
    if "noun" in item and item["noun"] != table:
        path = path_to(s, table, Noun(i, item["noun"]))
        label = world.schema.tables[item["noun"]].label
        if label is not None and path and not any(e.many for e in path):
            return [
                replace(
                    plain(Field(label, path), world),
                    name=short(item["noun"])[:-1]
                    if short(item["noun"]).endswith("s")
                    else short(item["noun"]),
                )
            ]
    return []


def _by_verb(s: Sentence, i: int, table: str) -> list[Value]:
    """Who owns or operates it: the reference whose comment has that verb."""
    verb = s.items[i].senses.get("verb") or next((s.items[j]["verb"] for j in s.all("verb")), "")
    words = verb_forms(verb)
    made = []
    for reference in s.world.schema.references:
        column = s.world.schema.column(reference.table, reference.column)
        label = (
            s.world.schema.tables[reference.target].label
            if reference.target in s.world.schema.tables
            else None
        )
        if column is None or label is None or not words & set(column.clause.lower().split()):
            continue
        found = nearest(s.world.schema, table, [column])
        if found and not found[1].many:
            edge = Edge(
                reference.table, reference.column, reference.target, reference.target_column
            )
            made.append(
                (
                    len(found[1].path),
                    replace(
                        plain(Field(label, (*found[1].path, edge)), s.world),
                        name=role_name(reference),
                    ),
                )
            )
    return [min(made, key=lambda each: each[0])[1]] if made else []


def verb_forms(verb: str) -> set[str]:
    """The forms of a verb that a comment may have."""
    return {str(form).split()[0] for form in playbook()["verbs"].get(verb, ())}


def _times_of(s: Sentence, i: int, table: str) -> list[Value]:
    events = [s.items[j]["event"] for j in s.all("event")]
    s.used |= set(s.all("event"))
    word = playbook()["events"][events[0]]["of"] if events else ""
    columns = [c for c in time_columns(s.world.schema, table, word) if c.table == table]
    if word == playbook()["finishes"]:
        columns = sorted(columns, key=lambda c: not c.nullable)[:2]
    elif word:
        columns = columns[:1]
    if not columns:
        return _current_times(s, table, word)
    return [plain(Field(c), s.world) for c in columns]


def _current_times(s: Sentence, table: str, word: str) -> list[Value]:
    """ "When will that ship arrive": the times of its rows that are under way."""
    for column in time_columns(s.world.schema, table, word):
        found = nearest(s.world.schema, table, [column]) if not column.nullable else None
        if found is not None and found[1].many:
            return [plain(found[1], s.world)]
    return []


def _ends_of(s: Sentence, table: str) -> list[Value]:
    """ "Where does voyage 9 end"."""
    end = next((playbook()["events"][s.items[j]["event"]]["end"] for j in s.all("event")), "")
    s.used |= set(s.all("event"))
    made = []
    for reference in s.world.schema.references:
        own = end_of(s.world.schema, reference)
        if reference.table == table and own and own == (end or own):
            path = path_to(s, table, Noun(-1, reference.target, own))
            label = s.world.schema.tables[reference.target].label
            made += (
                [replace(plain(Field(label, path), s.world), name=role_name(reference))]
                if label
                else []
            )
    return made
