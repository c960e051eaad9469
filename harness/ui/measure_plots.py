"""Pictures of what was measured: goals reached, what layers multiply to, what was found."""

import math
from collections.abc import Mapping

from harness.ui.bar_chart import bars
from harness.ui.html import View


def goal_completion(tasks: Mapping[str, tuple[int, int]]) -> View:
    """A bar a task: in how many of its runs the goal was reached, as (reached, runs)."""
    shares = {f"{name} ({k} of {n})": k / n if n else 0.0 for name, (k, n) in tasks.items()}
    return bars("Goals reached", shares, digits=2, most=1)


def compounding(layers: Mapping[str, float], end_to_end: float | None = None) -> View:
    """A bar a layer with its share of successes, then their product, then what was measured."""
    rows = {**layers, "all, multiplied": math.prod(layers.values())}
    if end_to_end is not None:
        rows["end to end, measured"] = end_to_end
    return bars("What the layers come to", rows, digits=2, most=1)


def recall_of(ways: Mapping[str, float], k: int) -> View:
    """A bar for each way of searching: the share of questions answered by the first `k`."""
    return bars(f"Found among the first {k}", ways, digits=2, most=1)
