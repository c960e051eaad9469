"""Claims and nouns as conditions on the rows of a source."""

from dataclasses import replace

from harness.standin.brain.bundle import bundle, leaves, lift
from harness.standin.brain.claims import Claim
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
    Related,
    Test,
    Value,
)
from harness.standin.brain.ways import end_of, is_place, short, ways
from harness.standin.brain.words import key, keys, playbook

_ADJECTIVES = frozenset("val null empty bound term sense and or zero light col".split())


def settle(
    s: Sentence, source: str, head: Noun | None = None, alone: bool = False
) -> tuple[Condition, ...]:
    """Every claim, and every other noun (unless alone), as conditions on the rows of a source."""
    homes = [] if alone else list(s.nouns)
    if head is None and not any(n.table == source for n in homes):
        homes = [Noun(-1, source), *homes]
    for noun in homes:
        noun.claims = []
    placed: dict[int, tuple[Noun, Condition]] = {}
    for claim in s.claims:
        placed[claim.start] = _house(s, claim, homes, source)
    made: list[Condition] = []
    for noun in homes:
        _says_something(s, noun, source, {id(placed[c.start][0]) for c in s.claims})
        own = [(c, placed[c.start][1]) for c in s.claims if placed[c.start][0] is noun]
        made += _related(s, noun, source, _tied(own))
        s.used.add(noun.at)
    return bundle(made)


def _says_something(s: Sentence, noun: Noun, source: str, spoken: set[int]) -> None:
    """ "ships in port": a place of which nothing else is said restricts nothing that is known."""
    if (
        noun.at in s.used
        or noun.at < 0
        or noun.table == source
        or id(noun) in spoken
        or noun.no
        or noun.bound
    ):
        return
    if is_place(s.world.schema, noun.table) and {"in", "at", "near", "around"} & set(
        s.items[noun.at].dropped
    ):
        raise Problem(
            "clarify",
            [s.words(noun.at)],
            f"which {s.words(noun.at)}, and whether it begins or ends there",
        )


def _house(s: Sentence, claim: Claim, homes: list[Noun], source: str) -> tuple[Noun, Condition]:
    """The noun that a claim speaks of, and the condition."""
    best: tuple[float, int, Noun, Condition] | None = None
    trouble: Problem | None = None
    for n, noun in enumerate(homes):
        try:
            found = put(claim, noun.table, s.world)
        except Problem as problem:
            trouble = trouble or problem
            continue
        if found is None:
            continue
        if _unsaid_move(s, claim, found[1]):
            trouble = trouble or Problem("clarify", [claim.words], _by_its_rows(found[1]))
            continue
        cost = found[0] + _distance(s, claim, noun, homes)
        if best is None or cost < best[0] - 1e-9:
            best = cost, n, noun, found[1]
    if best is None and trouble is None and claim.kind == "val" and claim.role:
        raise Problem("unknown", [claim.words])  # another thing may have that name
    if best is None:
        raise trouble or Problem("clarify", [claim.words], f'what "{claim.words}" is about')
    return best[2], best[3]


def _unsaid_move(s: Sentence, claim: Claim, condition: Condition) -> bool:
    """ "ships in the Pacific": where ships are is said only by rows that nobody spoke of."""
    if (
        claim.kind != "val"
        or claim.role
        or any({"event", "visit", "verb", "now"} & set(i.senses) for i in s.items)
    ):
        return False
    leaf = next(iter(leaves(condition)))
    if not isinstance(leaf, Test) or not leaf.value.field.many:
        return False
    column = leaf.value.field.column
    words = {key(w) for end in playbook()["role_words"].values() for w in end}
    if any(f"{value} (" in column.comment for _, value in claim.data):
        return False  # a state, not a place
    named = leaf.value.field.path[-1].target in {n.table for n in s.nouns}
    return not named and (
        is_place(s.world.schema, column.table) or bool(words & set(keys(column.comment)))
    )


def _by_its_rows(condition: Condition) -> str:
    leaf = next(iter(leaves(condition)))
    many = next(e.target for e in leaf.value.field.path if e.many) if isinstance(leaf, Test) else ""
    return f"only its {short(many)} say that; name the {short(many)} if you mean them"


def _distance(s: Sentence, claim: Claim, noun: Noun, homes: list[Noun]) -> float:
    """How far a claim is from a noun in the sentence: adjectives belong to what follows."""
    if noun.at < 0:
        return 0.5
    if claim.end <= noun.at:
        between = s.items[claim.end : noun.at]
        adjective = all(set(i.senses) & _ADJECTIVES for i in between) and not any(
            "from" in i or "to" in i for i in between
        )
        return -1.0 if adjective and not claim.role else 1.2
    nearer = sum(1 for other in homes if noun.at < other.at < claim.start)
    verbs = [
        j
        for j in range(noun.at, claim.start)
        if set(s.items[j].senses) & {"be", "do"} and "not" not in s.items[j]
    ]
    if nearer and verbs and not any(verbs[-1] < other.at < claim.start for other in homes):
        return 0.3 if noun is homes[0] else 0.6  # a predicate speaks of the subject
    return 0.35 * nearer


def _tied(own: list[tuple[Claim, Condition]]) -> list[Condition]:
    """Conditions with "or" between them as one; "never" over all that follow it."""
    made: list[Condition] = []
    last: Claim | None = None
    for claim, condition in own:
        if last is not None and claim.join == "or" and made and not (claim.no and last.no):
            before = made.pop()
            made.append(
                Either((*(before.parts if isinstance(before, Either) else (before,)), condition))
            )
        elif (
            last is not None
            and claim.no == "never"
            and last.no == "never"
            and isinstance(made[-1], Not)
            and isinstance(condition, Not)
        ):
            made[-1] = Not(Both((made[-1].part, condition.part)))
        else:
            made.append(condition)
        last = claim
    return made


def _related(s: Sentence, noun: Noun, source: str, own: list[Condition]) -> list[Condition]:
    """What a noun and its conditions say of the source's rows."""
    if noun.table == source and noun.bound is None and not noun.no:
        return own
    if not own and not noun.no and noun.bound is None and (noun.at in s.used or noun.at < 0):
        return []
    if not own and not noun.no and noun.bound is None and not _reached_by_many(s, source, noun):
        return []  # "containers of voyages": nothing is said of them
    path = path_to(s, source, noun)
    many = any(edge.many for edge in path)
    if not many and not noun.bound:
        conditions = [lift(c, path) for c in bundle(own)]
        if noun.no and conditions:
            return [Not(c) for c in conditions]
        if noun.no and path:
            first = s.world.schema.column(path[0].table, path[0].column)
            return (
                [
                    Test(
                        Value("column", (Field(first),), "", path[0].column),
                        "null",
                        (),
                        f"without {short(noun.table)}",
                    )
                ]
                if first
                else []
            )
        return conditions
    if len(own) > 1 and not noun.no and noun.bound is None and _clash(own):
        return [Related(path, bundle([c]), said=short(noun.table)) for c in own]
    related = Related(path, bundle(own), said=short(noun.table))
    if noun.bound is not None:
        bound = noun.bound
        return [
            replace(
                related,
                op=bound.op,
                number=bound.numbers[0] if bound.op != "between" else bound.numbers,
            )
        ]
    return [replace(related, op="none") if noun.no else related]


def _clash(own: list[Condition]) -> bool:
    """ "both cancelled and delayed ones": two values of one column are two rows."""
    values = [c.value for c in own if isinstance(c, Test) and c.op == "in"]
    return len(values) > len(set(values))


def _reached_by_many(s: Sentence, source: str, noun: Noun) -> bool:
    """ "carriers with vessels": there have to be some."""
    found = ways(s.world.schema, source, noun.table)
    return (
        bool(found)
        and any(e.many for e in found[0][1])
        and not is_place(s.world.schema, noun.table)
    )


def _by_end(s: Sentence, found: list[tuple[float, Path]], noun: Noun) -> list[tuple[float, Path]]:
    """The ways through references of the end that is meant."""
    refs = {(r.table, r.column): end_of(s.world.schema, r) for r in s.world.schema.references}
    return [
        f for f in found if noun.role and noun.role in {refs.get(e.reference, "") for e in f[1]}
    ]


def path_to(s: Sentence, source: str, noun: Noun) -> Path:
    """The way to a noun's table; by the end that a preposition names, where there are two."""
    found = _by_end(s, ways(s.world.schema, source, noun.table), noun) or ways(
        s.world.schema, source, noun.table, noun.role
    )
    if not found and noun.role:
        found = ways(s.world.schema, source, noun.table)
    if not found:
        raise Problem(
            "need",
            [short(source), short(noun.table)],
            f"how {short(source)} and {short(noun.table)} are related",
        )
    path = found[0][1]
    schema = s.world.schema
    open_end = [
        e
        for e in path
        if any(end_of(schema, r) for r in schema.references if (r.table, r.column) == e.reference)
    ]
    if open_end and not noun.role:
        raise Problem("role", [s.words(noun.at)] if noun.at >= 0 else [])
    return path
