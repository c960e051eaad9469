"""Reciprocal rank fusion: the one place where rankings are put together."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reciprocal_rank_fusion(rankings: Iterable[Sequence[T]], k: int = 60) -> list[tuple[T, float]]:
    """Fuse rankings (best first) into one list of (item, score), best first.

    An item scores the sum of 1 / (k + rank) over the rankings that hold it, rank counted from 1.
    An item that one ranking holds twice counts at its better place. Ties keep the order in which
    the items were first met, so the result depends on nothing but the input. Raises ValueError
    for a `k` below 0.
    """
    if k < 0:
        raise ValueError("k must be 0 or more")
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (k + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
