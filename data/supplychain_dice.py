"""The one source of chance in the generated data."""

from collections.abc import Iterable
from random import Random
from typing import Any


class Dice:
    """Random whole numbers; randrange is the same in every version of Python."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return self._random.randrange(low, high + 1)

    def chance(self, percent: int) -> bool:
        """True in that many of a hundred throws."""
        return self._random.randrange(100) < percent

    def pick(self, items: Iterable[Any], weights: Iterable[int] | None = None) -> Any:
        """One of the items, by whole-number weights (even ones by default)."""
        items = list(items)
        weights = list(weights) if weights is not None else [1] * len(items)
        throw = self._random.randrange(sum(weights))
        for item, weight in zip(items, weights, strict=True):
            throw -= weight
            if throw < 0:
                return item
        raise AssertionError("weights do not add up")
