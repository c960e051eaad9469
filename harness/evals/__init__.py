"""Measuring an agent: tasks whose goals a program checks, and a scoreboard."""

from typing import Any

from harness.evals.goals import Run
from harness.evals.measuring import measure_agent
from harness.evals.metrics import compound, measure, wilson
from harness.evals.pitfalls import show_pitfalls
from harness.evals.scoreboard import Scoreboard, scoreboard
from harness.evals.tasks import Goal, Task, all_tasks, chosen, five
from harness.evals.two_ways import compare_ways

__all__ = [
    "TASKS",
    "Goal",
    "Run",
    "Scoreboard",
    "Task",
    "all_tasks",
    "chosen",
    "compare_ways",
    "compound",
    "five",
    "measure",
    "measure_agent",
    "scoreboard",
    "show_pitfalls",
    "wilson",
]


def __getattr__(name: str) -> Any:
    """TASKS, the five of the scoreboard, read when they are asked for."""
    if name == "TASKS":
        return five()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
