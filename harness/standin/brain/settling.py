"""Claims and nouns as conditions on the rows of a source, and what "now" adds to them."""

from collections.abc import Sequence
from dataclasses import replace

from harness.standin.brain.claims import Claim
from harness.standin.brain.factlines import short
from harness.standin.brain.link import World
from harness.standin.brain.place import put
from harness.standin.brain.sentence import Noun, Sentence
from harness.standin.brain.tree import (
    Both,
    Condition,
    Either,
    Field,
    Not,
    Path,
    Problem,
    Query,
    Related,
    Test,
    Value,
    all_tests,
    bundle,
    leaves,
    lift,
)
from harness.standin.brain.ways import (
    ambiguous,
    end_of,
    is_place,
    moves,
    plain,
    ways,
)
from harness.standin.brain.words import key, keys, playbook

_PREPOSITIONS = frozenset("on in of with at aboard inside".split())
_ADJECTIVES = frozenset("val null empty bound term sense and or zero light col".split())


def settle(
    s: Sentence, source: str, claims: Sequence[Claim] | None = None, alone: bool = False
) -> tuple[Condition, ...]:
    """Claims, and every other noun (unless alone), as conditions on the rows of a source."""
    claims = s.claims if claims is None else claims
    homes = [] if alone else [n for n in s.nouns if n.table == source or not _measured(s, n)]
    if not any(n.table == source for n in homes):
        homes = [Noun(-1, source), *homes]
    placed = [(claim, *_house(s, claim, homes)) for claim in claims]
    made: list[Condition] = []
    _one_of_them(placed)
    for noun in homes:
        own = [(claim, condition) for claim, home, condition in placed if home is noun]
        if not own:
            _says_something(s, noun, source)
        made += _related(s, noun, source, _tied(own))
        s.use(noun.at)
    return bundle(made)


def _measured(s: Sentence, noun: Noun) -> bool:
    """ "More than 5000 tons of cargo": the noun says only what weighs so much together."""
    if "of" not in s.items[noun.at].dropped or noun.role or noun.no:
        return False
    weighed = any(c.end == noun.at and c.data.unit for c in s.of("bound"))
    s.use(noun.at if weighed else -1)
    return weighed


def _one_of_them(placed: list[tuple[Claim, Noun, Condition]]) -> None:
    """ "More than 10 tons of rice": of all that there is, or of that alone, nothing says."""
    sums = [(claim, leaf) for claim, _, c in placed for leaf in leaves(c)]
    for claim, leaf in sums:
        if not isinstance(leaf, Related) or leaf.of is None:
            continue
        for other, _, condition in placed:
            paths = [t.value.field.path for t in all_tests([condition])]
            if other is not claim and any(path[:1] == leaf.path[:1] for path in paths):
                why = f"all together, or of {other.words} alone"
                raise Problem("clarify", [claim.words], why)


def _says_something(s: Sentence, noun: Noun, source: str) -> None:
    """ "ships in port": a place of which nothing else is said restricts nothing that is known."""
    restricts = noun.table == source or noun.no or noun.bound
    if noun.at < 0 or noun.at in s.used or restricts or not is_place(s.world.schema, noun.table):
        return
    if {"in", "at", "near", "around"} & set(s.items[noun.at].dropped):
        word = s.words(noun.at)
        raise Problem("clarify", [word], f"which {word}, and whether it begins or ends there")


def _house(s: Sentence, claim: Claim, homes: list[Noun]) -> tuple[Noun, Condition]:
    """The noun that a claim speaks of, and the condition."""
    best: tuple[float, Noun, Condition] | None = None
    trouble: Problem | None = None
    for noun in homes:
        try:
            found = put(claim, noun.table, s.world)
        except Problem as problem:
            trouble = trouble or problem
            continue
        if found is not None and _unsaid_move(s, claim, found[1]):
            trouble = trouble or Problem("clarify", [claim.words], _by_its_rows(found[1]))
        elif found is not None and not (s.has(noun.at - 1, "each") and _by_many(found[1])):
            cost = found[0] + _distance(s, claim, noun, homes)
            if best is None or cost < best[0] - 1e-9:
                best = cost, noun, found[1]
    if best is not None:
        return best[1], best[2]
    if trouble is None and claim.kind == "val" and claim.role:
        raise Problem("unknown", [claim.words])  # another thing may have that name
    raise trouble or Problem("clarify", [claim.words], f'what "{claim.words}" is about')


def _unsaid_move(s: Sentence, claim: Claim, condition: Condition) -> bool:
    """ "ships in the Pacific": where ships are is said only by rows that nobody spoke of."""
    moving = any(s.all(kind) for kind in ("event", "visit", "verb", "now"))
    leaf = next(iter(leaves(condition)))
    if not isinstance(leaf, Test) or not leaf.value.field.many:
        return False
    if claim.kind not in ("val", "half") or claim.role or moving:
        return False
    if claim.kind == "half":
        return True  # where ships were once is not where they are
    column = leaf.value.field.column
    state = any(f"{value} (" in column.comment for _, value in claim.data)  # and not a place
    named = leaf.value.field.path[-1].target in s.tables
    words = {key(w) for end in playbook()["role_words"].values() for w in end}
    placed = is_place(s.world.schema, column.table) or bool(words & set(keys(column.comment)))
    return placed and not named and not state


def _by_many(condition: Condition) -> bool:
    """Whether related rows say so: "ships that each carrier has at sea" is of the ships."""
    return any(isinstance(x, Related) or x.value.field.many for x in leaves(condition))


def _by_its_rows(condition: Condition) -> str:
    leaf = next(iter(leaves(condition)))
    many = next(e.target for e in leaf.value.field.path if e.many) if isinstance(leaf, Test) else ""
    return f"only its {short(many)} say that; name the {short(many)} if you mean them"


def _distance(s: Sentence, claim: Claim, noun: Noun, homes: list[Noun]) -> float:
    """How far a claim is from a noun in the sentence: adjectives belong to what follows."""
    if noun.at < 0:
        return 0.5
    if claim.end <= noun.at:
        between = range(claim.end, noun.at)
        adjective = all(s.has(i, *_ADJECTIVES) and not s.has(i, "from", "to") for i in between)
        behind = {w for i in range(claim.end, noun.at + 1) for w in s.items[i].dropped}
        adjective = adjective and not behind & _PREPOSITIONS  # "reefers on delayed voyages"
        return -1.0 if adjective and not claim.role else 1.2
    if claim.role and noun.at == claim.start - 2 and moves(s.world.schema, noun.table):
        return -2.0  # "no voyage from Singapore"
    others = [other.at for other in homes if noun.at < other.at < claim.start]
    verbs = [j for j in range(noun.at, claim.start) if s.has(j, "be", "do") and not s.has(j, "not")]
    if others and verbs and max(others) < verbs[-1]:
        return 0.3 if noun is homes[0] else 0.6  # a predicate speaks of the subject
    return 0.35 * len(others)


def _tied(own: list[tuple[Claim, Condition]]) -> list[Condition]:
    """Conditions with "or" between them as one; "never" over all that follow it."""
    made: list[Condition] = []
    last = ""
    for claim, condition in own:
        old = made[-1] if made else None
        if old is not None and claim.join == "or" and not (claim.no and last):
            parts = old.parts if isinstance(old, Either) else (old,)
            made[-1] = Either((*parts, condition))
        elif claim.no == last == "never" and isinstance(old, Not) and isinstance(condition, Not):
            made[-1] = Not(Both((old.part, condition.part)))
        else:
            made.append(condition)
        last = claim.no
    return made


def _related(s: Sentence, noun: Noun, source: str, own: list[Condition]) -> list[Condition]:
    """What a noun and its conditions say of the source's rows."""
    counted = noun.no or noun.bound is not None
    if noun.table == source and not counted:
        return own
    idle = noun.at in s.used or noun.at < 0 or not _reached_by_many(s, source, noun)
    if not own and not counted and idle:
        return []  # "containers of voyages": nothing is said of them
    path = path_to(s, source, noun)
    if not any(edge.many for edge in path) and not noun.bound:
        conditions = [lift(c, path) for c in bundle(own)]
        if noun.no and not conditions and not path:  # another table may be what it is about
            raise Problem("need", [short(noun.table)], f"what has no {short(noun.table)}")
        if noun.no and not conditions:
            first = s.world.schema.column(path[0].table, path[0].column)
            said = f"without {short(noun.table)}"
            return [Test(plain(Field(first)), "null", (), said)] if first else []
        return [Not(c) for c in conditions] if noun.no else conditions
    if not counted and _clash(own):
        return [Related(path, bundle([c]), said=short(noun.table)) for c in own]
    related = Related(path, bundle(own), said=short(noun.table))
    if noun.bound is not None:
        return [replace(related, op=noun.bound.op, numbers=noun.bound.numbers)]
    return [replace(related, op="none") if noun.no else related]


def _clash(own: list[Condition]) -> bool:
    """ "both cancelled and delayed ones": two values of one column are two rows."""
    values = [c.value for c in own if isinstance(c, Test) and c.op == "in"]
    return len(values) > len(set(values))


def _reached_by_many(s: Sentence, source: str, noun: Noun) -> bool:
    """ "carriers with vessels": there have to be some."""
    found = ways(s.world.schema, source, noun.table)
    several = bool(found) and any(edge.many for edge in found[0][1])
    return several and not is_place(s.world.schema, noun.table)


def path_to(s: Sentence, source: str, noun: Noun) -> Path:
    """The way to a noun's table; by the end that a preposition names, where there are two."""
    schema = s.world.schema
    every = ways(schema, source, noun.table)
    ends = {(r.table, r.column): end_of(schema, r) for r in schema.references} if noun.role else {}
    by_end = [f for f in every if noun.role in {ends.get(e.reference) for e in f[1]}]
    found = by_end or ways(schema, source, noun.table, noun.role) or every
    if not found:
        both = [short(source), short(noun.table)]
        raise Problem("need", both, f"how {' and '.join(both)} are related")
    if noun.role or not ambiguous(schema, found[0][1]):
        return found[0][1]
    end = next((end for i in s.all("event") if (end := s.event_end(i))), "")
    if not end:
        raise Problem("role", [s.words(noun.at)] if noun.at >= 0 else [])
    return path_to(s, source, replace(noun, role=end))  # "ports where no voyage arrived"


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
        replace(c, where=(*c.where, *_now(s.world, c))) if isinstance(c, Related) else c
        for c in query.where
    ]
    logged = replace(query, where=(*where, *newest_rows(s.world, query.source)))
    if logged != query:
        return logged
    said, known = [(v, c) for v in s.of("val") for c, _ in v.data], s.world.schema.tables
    stated = s.of(*_STATES) or any("(" in c.comment for _, c in said)
    moving = any(v.role or not known[c.table].named for v, c in said) or any(
        isinstance(c, Related) and moves(s.world.schema, c.path[-1].target) for c in query.where
    )  # "ships in the Pacific right now": by their voyages; what is on lines is on the way
    if stated or not moving:
        return query
    return replace(query, where=bundle([*query.where, *under_way(s.world, query.source)]))


def _now(world: World, rows: Related) -> list[Condition]:
    """What makes related rows those of now; "not on a voyage right now": on none that goes on."""
    table = rows.path[-1].target
    denied = rows.op == "none" and not rows.where and moves(world.schema, table)
    return newest_rows(world, table) or (under_way(world, table) if denied else [])
