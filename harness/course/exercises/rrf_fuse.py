"""The check of `rrf_fuse`: rankings put together by reciprocal rank, whatever they hold."""

import itertools
import zlib
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from harness.course.report import Finding
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Give each id a score, beginning at 0. Each ranking that holds it adds 1 / (k + rank); the "
    "best has rank 1.",
    "scores = {}, then for ranking in rankings: for rank, item in "
    "enumerate(dict.fromkeys(ranking), start=1): ... dict.fromkeys drops what comes twice and "
    "keeps the order.",
    "scores[item] = scores.get(item, 0) + 1 / (k + rank), and at the end "
    "sorted(scores, key=lambda item: -scores[item]): sorted keeps the order of equals.",
)

Rankings = list[list[Any]]


class _Id(str):
    """A text whose hash depends on the run, so that an order taken from a set shows."""

    salt = 0

    def __hash__(self) -> int:
        return hash((self.salt, str(self)))


class _Fusions(Calls):
    """The findings, and every id that was handed in so far."""

    def __init__(self, fn: Callable[..., Any], stage: Stage) -> None:
        super().__init__(fn, stage)
        self.earlier: set[str] = set()


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """What `fn` does wrong: the first cause, which explains what would follow."""
    notes = _Fusions(fn, stage)
    steps = (_one_ranking, _several, _constant, _rank, _twice, _odd, _ties, _again, _any, _default)
    for step in (*steps, _long):
        step(notes)
        if notes.hopeless or notes.found:
            break
    return notes.found


def _fuse(notes: _Fusions, situation: str, rankings: Rankings, *k: int) -> list[Any] | None:
    """What it returned, once it is a list of exactly the ids that were given; else None."""
    fused = notes.call(situation, rankings, *k)
    if notes.hopeless or notes.found:
        return None
    if not isinstance(fused, list):
        what = "nothing" if fused is None else type(fused).__name__
        notes.add("not_a_list", f"It returned {what}, not a list of ids, when {situation}.")
        return None
    ids = list(dict.fromkeys(item for ranking in rankings for item in ranking))
    if fused and all(isinstance(each, (tuple, list)) and len(each) == 2 for each in fused):
        notes.add("pairs", "It returned pairs of id and score.", "Only the ids, best first.")
        return None
    unknown = [i for i in fused if i not in ids or not isinstance(i, type(ids[ids.index(i)]))]
    if unknown and str(unknown[0]) in notes.earlier - set(map(str, ids)):
        notes.add(
            "remembers",
            f"It returned {unknown[0]!r}, which was in the call before.",
            "Make the dict of scores inside the function: a default value is made only once.",
        )
    elif unknown:
        notes.add("id_unknown", f"It returned {unknown[0]!r}, which is in no ranking.", HINTS[0])
    notes.earlier |= set(map(str, ids))
    if unknown:
        return None
    lost = [item for item in ids if item not in fused]
    if lost:
        notes.add(
            "id_dropped",
            f"{lost[0]!r} is in {_holders(lost[0], rankings)} of {len(rankings)} rankings and was "
            "left out.",
            "An id that one ranking misses still scores in the others.",
        )
        return None
    if len(fused) != len(ids):
        twice = next(item for item in fused if fused.count(item) > 1)
        notes.add("duplicates", f"{twice!r} comes twice in the result.", HINTS[1])
        return None
    return fused


def _holders(item: Any, rankings: Rankings) -> int:
    return sum(item in ranking for ranking in rankings)


def scores_of(rankings: Sequence[Sequence[Hashable]], k: int) -> dict[Any, Fraction]:
    """The exact score of every id."""
    scores: dict[Any, Fraction] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, Fraction(0)) + Fraction(1, k + rank)
    return scores


def _in_order(fused: list[Any], rankings: Rankings, k: int) -> bool:
    """Whether no id comes before one with a higher score; equal ones may come in either order."""
    scores = [scores_of(rankings, k)[item] for item in fused]
    return scores == sorted(scores, reverse=True)


def _one_ranking(notes: _Fusions) -> None:
    ranking = ["quay", "pier", "dock", "lock", "buoy"]
    fused = _fuse(notes, "there is one ranking", [list(ranking)])
    if fused == ranking[::-1]:
        notes.add("worst_first", "It returned the worst first.", "Best first: highest score first.")
    elif fused is not None and fused != ranking:
        notes.add("order_wrong", f"One ranking {ranking} came out as {fused}.", HINTS[0])


def _several(notes: _Fusions) -> None:
    """First and second beats first in one; second in two or all three beats it too."""
    for rankings in (
        [["a", "x", "b"], ["x", "c", "d"]],
        [["p", "s"], ["q", "s"], ["r", "s"]],
        [["e"], ["f"], ["f"]],  # equal rankings are two all the same
    ):
        situation = f"there are {len(rankings)} rankings"
        fused = _fuse(notes, situation, [list(ranking) for ranking in rankings])
        if fused is not None and not _in_order(fused, rankings, 60):
            best = max(scores_of(rankings, 60).items(), key=lambda pair: pair[1])[0]
            notes.add(
                "not_summed",
                f"{rankings} came out as {fused}. {best!r} is in several and scores the sum.",
                HINTS[0],
            )


# A is first in one ranking and far down in the other; B is fourth in both.
_SPLIT: Rankings = [["A", "n1", "n2", "B"], ["m1", "m2", "m3", "B", *"efghi", "A"]]


def _constant(notes: _Fusions) -> None:
    """With k = 60 agreement counts for more, with k = 1 the first place does."""
    far = _fuse(notes, "k is 60", [list(ranking) for ranking in _SPLIT], 60)
    near = _fuse(notes, "k is 1", [list(ranking) for ranking in _SPLIT], 1)
    default = _fuse(notes, "k is left out", [list(ranking) for ranking in _SPLIT])
    if far is None or near is None or default is None:
        return
    far_agrees, near_agrees, by_default = (
        f.index("B") < f.index("A") for f in (far, near, default)
    )
    if far_agrees == near_agrees:
        notes.add("k_ignored", "k = 1 and k = 60 give the same order.", "1 / (k + rank)")
    elif near_agrees:
        notes.add("order_wrong", f"With k = 60, {_SPLIT} came out as {far}.", HINTS[0])
    elif not by_default:
        notes.add("default_k", "Without k the order is not that of k = 60.", "k: int = 60")


def _default(notes: _Fusions) -> None:
    """A place in two rankings outweighs the first place in one, down to about the k-th."""
    for place, twice_wins in ((61, True), (64, False)):
        others = [[f"{leg}{number}" for number in range(place - 1)] for leg in "mn"]
        fused = _fuse(notes, "k is left out", [["A"], *[[*leg, "B"] for leg in others]])
        if fused is not None and (fused.index("B") < fused.index("A")) != twice_wins:
            notes.add("default_k", "Without k the order is not that of k = 60.", "k: int = 60")


def _rank(notes: _Fusions) -> None:
    """The best has rank 1: with k = 1, first in one ranking is less than second and third."""
    rankings = [["A", "B"], ["n", "m", "B"]]
    fused = _fuse(notes, "k is 1", [list(ranking) for ranking in rankings], 1)
    if fused is None or _in_order(fused, rankings, 1):
        return
    from_zero = _in_order(fused, rankings, 0)
    notes.add(
        "rank_from_zero" if from_zero else "order_wrong",
        f"With k = 1, {rankings} came out as {fused}; 1/3 + 1/4 is more than 1/2.",
        "The best has rank 1: enumerate(..., start=1)." if from_zero else HINTS[0],
    )


def _twice(notes: _Fusions) -> None:
    rankings = [["A", "C", "B", "B", "B"], ["C", "A"]]
    fused = _fuse(notes, "a ranking holds an id several times", [list(r) for r in rankings])
    if fused is not None and fused[-1] != "B":
        notes.add(
            "repeats_counted",
            f"{rankings} came out as {fused}: the id that comes three times counted three times.",
            "Once a ranking, at its best place.",
        )

    rankings = [["B", "A", "D", "C", "B"], ["A"]]
    fused = _fuse(notes, "an id comes first and last", [list(r) for r in rankings])
    if fused is not None and fused.index("B") > fused.index("D"):
        notes.add(
            "last_place",
            f"{rankings} came out as {fused}: 'B' is first in a ranking, and its last place there "
            "was counted.",
            "What comes again in a ranking adds nothing and takes nothing away.",
        )

    rankings = [["A", "B", "C", "B"]]
    fused = _fuse(notes, "an id comes again, with others between", [list(r) for r in rankings])
    if fused is not None and fused[0] != "A":
        notes.add(
            "repeats_counted",
            f"{rankings} came out as {fused}: 'B' comes twice in one ranking and counted twice.",
            "Once a ranking, at its best place, also where others stand between.",
        )


def _long(notes: _Fusions) -> None:
    """Far down, scores lie close together: the exact ones decide."""
    legs: Rankings = [[f"{leg}{number}" for number in range(400)] for leg in "pq"]
    fused = _fuse(notes, "rankings are long", legs)
    if fused is None:
        return
    scores = scores_of(legs, 60)
    wrong = next(((a, b) for a, b in itertools.pairwise(fused) if scores[a] < scores[b]), None)
    if wrong:
        told = " and ".join(f"{i!r} scores {float(scores[i]):.8f}" for i in wrong)
        notes.add(
            "scores_rounded",
            f"{wrong[0]!r} came before {wrong[1]!r}, and {told}.",
            "Sort by the sums as they are, not rounded.",
        )


def _odd(notes: _Fusions) -> None:
    """Empty rankings, none at all, and ids that are numbers."""
    for situation, rankings in (
        ("there is no ranking", []),
        ("all rankings are empty", [[], []]),
        ("one of the rankings is empty", [[], ["b", "a"], []]),
        ("ids are numbers", [[7, 0, 3], [7, 3]]),
    ):
        fused = _fuse(notes, situation, [list(ranking) for ranking in rankings])
        if fused is not None and not _in_order(fused, rankings, 60):
            notes.add("order_wrong", f"{rankings} came out as {fused}.", HINTS[0])


def _ties(notes: _Fusions) -> None:
    """Equal scores come out in the same order every time, whatever the hashes are."""
    names = [f"berth {number}" for number in range(24)]
    orders = []
    for salt in (1, 2, 3):
        _Id.salt = salt
        rankings: Rankings = [[_Id(name)] for name in names]
        fused = _fuse(notes, "all ids have the same score", rankings)
        if fused is None:
            return
        orders.append([str(item) for item in fused])
    if orders[0] != orders[1] or orders[0] != orders[2]:
        notes.add(
            "ties_unstable",
            "Ids with the same score come out in another order each time.",
            "Don't go through a set: its order changes from run to run. A dict keeps the order, "
            "and sorted keeps that of equals.",
        )


def _again(notes: _Fusions) -> None:
    """Nothing is kept from one call to the next, and k = 0 is allowed."""
    rankings = [["a", "c", "b"], ["d", "e", "b"]]  # 1 is more than 1/3 + 1/3
    fused = _fuse(notes, "k is 0", [list(ranking) for ranking in rankings], 0)
    if fused is not None and not _in_order(fused, rankings, 0):
        notes.add("order_wrong", f"With k = 0, {rankings} came out as {fused}.", HINTS[0])


def _any(notes: _Fusions) -> None:
    """Rankings of no special kind, by which formula and ranks show; the same ones every time."""
    ids = "abcdefghij"
    for number in range(24):
        k = (60, 1, 5, 200, 0, 23)[number % 6]
        rankings = [
            _shuffled(ids[: 4 + (number + n) % 7], number, n) for n in range(2 + number % 3)
        ]
        fused = _fuse(notes, f"k is {k}", [list(ranking) for ranking in rankings], k)
        if fused is None or notes.found:
            return
        scores = scores_of(rankings, k)
        wrong = next(((a, b) for a, b in itertools.pairwise(fused) if scores[a] < scores[b]), None)
        if wrong:
            told = " and ".join(f"{i!r} scores {float(scores[i]):.5f}" for i in wrong)
            notes.add(
                "order_wrong",
                f"With k = {k}, {rankings} came out as {fused}; {told}.",
                "1 / (k + rank), summed over the rankings; the best has rank 1.",
            )


def _shuffled(ids: str, *seed: int) -> list[str]:
    """These ids in an order of no special kind."""
    return sorted(ids, key=lambda each: zlib.crc32(f"{each}{seed}".encode()))
