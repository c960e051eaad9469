"""Which tree a sentence makes: each reader looks for one kind of question, the first that fits."""

from dataclasses import replace

from harness.standin.brain.counting import counted, listed
from harness.standin.brain.factlines import Reference, short
from harness.standin.brain.link import World
from harness.standin.brain.lookup import distance, located, looked_up, truth
from harness.standin.brain.ranks import ranked
from harness.standin.brain.schema import Edge
from harness.standin.brain.sentence import Sentence, leftover
from harness.standin.brain.settling import at_present
from harness.standin.brain.spoken import sentence_of
from harness.standin.brain.tables import compared, figured, shared
from harness.standin.brain.tree import (
    Condition,
    Problem,
    Query,
    Test,
    all_tests,
    bundle,
    nodes,
)
from harness.standin.brain.ways import nearest, plain, said_by, time_columns
from harness.standin.brain.words import playbook

_READERS = (
    distance,
    located,
    shared,
    compared,
    truth,
    ranked,
    figured,
    looked_up,
    counted,
    listed,
)


def parse(text: str, world: World) -> Query:
    """The tree of a question. Raises Problem where it can't be read or a word is left over."""
    whole = s = sentence_of(text, world)
    every = len(s.items) > 1 and {"all", "every"} & set(s.items[1].dropped)
    if every and s.has(0, "be", "do"):  # "are all of them ...": no one row says that
        why = "all of them: ask how many are, and how many are not"
        raise Problem("clarify", [s.text.strip()], why)
    for reader in _READERS:
        s = whole.copy()
        query = reader(s)
        if query is not None:
            query = _happened(s, query)
            query = at_present(s, query) if s.all("now") else query
            s.use("now")
            _timely(s, query)
            query = _by_right_verb(s, query)
            leftover(s)
            return replace(query, notes=(*s.notes, *query.notes))
    raise Problem("clarify", [text.strip()], "what is asked")


def _happened(s: Sentence, query: Query) -> Query:
    """ "Voyages that departed": a verb of the past needs its time."""
    book = playbook()
    moves = any(s.is_move(i) for i in s.all("event"))
    given = query.shape == "truth" or query.word == "lookup"
    given = given or (query.shape == "share" and not moves)
    made: list[Condition] = []
    for i in s.all("event"):
        name = s.items[i]["event"]
        timed = any(c.event == name for c in s.of("window", "weekday"))
        over = s.is_past_event(i) or s.is_move(i)
        ends = name != "sailed" and book["events"][name]["of"] in (book["starts"], book["finishes"])
        if i not in s.used and ends and over and not timed and not given:
            columns = time_columns(s.world.schema, "", book["events"][name]["of"])
            found = nearest(s.world.schema, query.source, [c for c in columns if c.nullable][:1])
            if found:
                denied = s.has(i - 1, "not", "neither")
                s.use(i - 1 if denied else -1)
                op, said = ("null", "missing") if denied else ("given", "given")
                made.append(Test(plain(found[1]), op, (), f"{found[1].column.name} {said}"))
        s.use(i)
    return replace(query, where=bundle([*query.where, *made])) if made else query


def _timely(s: Sentence, query: Query) -> None:
    """Say which time was taken where the question named none."""
    stated = [c for c in s.of("val", "term", "sense") if isinstance(c.data, tuple)]
    state = any("(" in column.comment for c in stated for column, _ in c.data)
    for claim in s.of("window"):
        test = next((t for t in all_tests(query.where) if t.op == "range"), None)
        if claim.event or test is None:
            continue
        column = test.value.field.column
        if column.nullable and state:
            columns = s.world.schema.tables[column.table].columns.values()
            times = ", ".join(c.name for c in columns if c.is_time)
            raise Problem("clarify", [claim.words], f"name the time that counts: {times}")
        s.notes.append(f"The time is that of {column.name}.")


def _by_right_verb(s: Sentence, query: Query) -> Query:
    """ "vessels that X operates": not along a reference whose comment says "owns"."""
    schema = s.world.schema
    on_way = {each.reference for each in nodes(query) if isinstance(each, Edge)}
    for i in s.all("verb"):
        known = [r for r, _ in said_by(schema, s.items[i]["verb"])]
        targets, own = {r.target for r in known}, {(r.table, r.column) for r in known}
        passed = [r for r in schema.references if (r.table, r.column) in on_way]
        others = [r for r in passed if r.target in targets]
        if i not in s.used and others and (compared := _own_or_not(s, i, query, known, others)):
            query = compared
        elif i not in s.used and others and not own & on_way:
            word, way = s.words(i), f"{others[0].column} of {short(others[0].table)}"
            why = f'who "{word}" what; the data says {way} otherwise'
            raise Problem("clarify", [word], why)
        s.use(i)
    return query


def _own_or_not(
    s: Sentence, i: int, query: Query, known: list[Reference], others: list[Reference]
) -> Query | None:
    """ "... on vessels it doesn't own": whether two references lead to the same row."""
    noun = next((n for n in s.nouns if n.at < i and n.table == known[0].table), None)
    column = s.world.schema.column(known[0].table, known[0].column)
    other = s.world.schema.column(others[0].table, others[0].column)
    said = range(noun.at, i) if noun else range(0)
    if noun is None or not column or not other or not any(s.has(j, "pronoun") for j in said):
        return None
    denied = [j for j in said if s.has(j, "not")]
    found = [nearest(s.world.schema, query.source, [each]) for each in (column, other)]
    first, second = (plain(each[1]) for each in found if each)
    s.use(*denied)
    op = "<>" if denied else "="
    own = f"{'not ' if denied else ''}that of {short(other.table)}"
    test = Test(first, op, (second,), f"{column.name} of {short(column.table)} is {own}")
    return replace(query, where=bundle([*query.where, test]))
