"""Measuring an agent: tasks whose goals a program checks, and a scoreboard."""

from harness.evals.scoreboard import Scoreboard, scoreboard
from harness.evals.tasks import TASKS, Run, Task

__all__ = ["TASKS", "Run", "Scoreboard", "Task", "scoreboard"]
