"""Which tree a sentence makes: counts, figures, lists, look-ups; the other kinds are beside it."""

from dataclasses import fields, is_dataclass, replace

from harness.standin.brain.amounts import _figured
from harness.standin.brain.bundle import bundle, leaves
from harness.standin.brain.counting import _counted
from harness.standin.brain.link import World
from harness.standin.brain.listing import _listed
from harness.standin.brain.lookup import _looked_up, verb_forms
from harness.standin.brain.pairs import compared
from harness.standin.brain.present import at_present
from harness.standin.brain.ranks import ranked
from harness.standin.brain.schema import Edge
from harness.standin.brain.sentence import Sentence, leftover
from harness.standin.brain.shares import shared
from harness.standin.brain.special import distance, located, truth
from harness.standin.brain.spoken import sentence_of
from harness.standin.brain.tree import Condition, Problem, Query, Related, Test
from harness.standin.brain.ways import nearest, plain, short, time_columns
from harness.standin.brain.words import playbook


def parse(text: str, world: World) -> Query:
    """The tree of a question. Raises Problem where it can't be read or a word is left over."""
    s = sentence_of(text, world)
    _not_all(s)
    for reader in (
        distance,
        located,
        shared,
        compared,
        truth,
        ranked,
        _figured,
        _looked_up,
        _counted,
        _listed,
    ):
        query = reader(s)
        if query is not None:
            query = _by_right_verb(s, _timely(s, _now(s, _happened(s, query))))
            leftover(s)
            return replace(query, notes=(*s.notes, *query.notes))
    raise Problem("clarify", [text.strip()], "what is asked")


def _not_all(s: Sentence) -> None:
    """ "Are all of them ...": no one row says that."""
    if (
        len(s.items) > 1
        and set(s.items[0].senses) & {"be", "do"}
        and {"all", "every"} & set(s.items[1].dropped)
    ):
        raise Problem(
            "clarify", [s.text.strip()], "all of them: ask how many are, and how many are not"
        )


def _happened(s: Sentence, query: Query) -> Query:
    """ "voyages that departed", "never sailed": a verb of the past needs its time."""
    made: list[Condition] = []
    for i in s.all("event"):
        item = s.items[i]
        event = playbook()["events"][item["event"]]
        if i in s.used:
            continue
        timed = any(c.event == item["event"] and c.kind in ("window", "weekday") for c in s.claims)
        noun = item.words.lower() in ("arrivals", "departures", "arrival", "departure")
        s.used.add(i)
        if (
            timed
            or not (event.get("past") or noun)
            or query.shape in ("share", "truth")
            or query.word == "lookup"
        ):
            continue
        if item["event"] == "sailed" or event["of"] not in (
            playbook()["starts"],
            playbook()["finishes"],
        ):
            continue
        columns = [c for c in time_columns(s.world.schema, "", event["of"]) if c.nullable]
        found = nearest(s.world.schema, query.source, columns[:1])
        if found:
            made.append(
                Test(plain(found[1], s.world), "given", (), f"{found[1].column.name} given")
            )
    if not made:
        return query
    return replace(query, where=bundle([*query.where, *made]))


def _timely(s: Sentence, query: Query) -> Query:
    """Say which time was taken where the question named none."""
    for claim in s.claims:
        if claim.kind == "window" and not claim.event:
            test = next((t for t in _tests(query) if t.op == "range"), None)
            if test is not None:
                column = test.value.field.column
                if column.nullable and any(
                    c.kind in ("val", "term", "sense")
                    and any(
                        "(" in col.comment
                        for col, _ in (c.data if isinstance(c.data, tuple) else ())
                    )
                    for c in s.claims
                ):
                    times = [
                        c.name
                        for c in s.world.schema.tables[column.table].columns.values()
                        if c.is_time
                    ]
                    raise Problem(
                        "clarify", [claim.words], f"name the time that counts: {', '.join(times)}"
                    )
                s.notes.append(f"The time is that of {column.name}.")
    return query


def _tests(query: Query) -> list[Test]:
    made: list[Test] = []
    for condition in query.where:
        for leaf in leaves(condition):
            made += (
                [t for c in leaf.where for t in leaves(c) if isinstance(t, Test)]
                if isinstance(leaf, Related)
                else [leaf]
            )
    return made


def _now(s: Sentence, query: Query) -> Query:
    """ "currently heading to", "right now": at sea, or the latest observation."""
    s.used |= set(s.all("now"))
    return at_present(s, query) if any("now" in i for i in s.items) else query


def _by_right_verb(s: Sentence, query: Query) -> Query:
    """ "vessels that X operates": not along a reference whose comment says "owns"."""
    for i in s.all("verb"):
        if i in s.used:
            continue
        forms = verb_forms(s.items[i]["verb"])
        known = [
            r
            for r in s.world.schema.references
            if (c := s.world.schema.column(r.table, r.column))
            and forms & set(c.clause.lower().split())
        ]
        on_way = {e.reference for path in _paths(query) for e in path}
        targets = {r.target for r in known}
        used = [
            r
            for r in s.world.schema.references
            if (r.table, r.column) in on_way and r.target in targets
        ]
        if used and known and not any((r.table, r.column) in on_way for r in known):
            raise Problem(
                "clarify",
                [s.words(i)],
                f'who "{s.words(i)}" what; the data says {used[0].column} of '
                f"{short(used[0].table)} otherwise",
            )
        s.used.add(i)
    return query


def _paths(tree: object) -> list[tuple[Edge, ...]]:
    """Every join path in a tree."""
    if isinstance(tree, tuple):
        if tree and all(isinstance(e, Edge) for e in tree):
            return [tree]
        return [p for part in tree for p in _paths(part)]
    if is_dataclass(tree) and not isinstance(tree, type):
        return [p for f in fields(tree) for p in _paths(getattr(tree, f.name))]
    return []
