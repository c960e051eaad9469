"""Checks of what the learner writes: what it must do, and what a wrong version did instead.

    check("agent_turn")          the notebook's function: report, then keep it or lend ours
    evaluate("agent_turn", fn)   a Report, and nothing else
    hint, mine, reset            one more hint; the version to use; start over

A check runs the function in a child process and judges what it did there, never its source.
The course loads with the first of these calls: a notebook that only imports them waits for nothing.
"""

import sys
from typing import Any

from harness.course.report import Finding, Report

__all__ = ["Finding", "Report", "check", "evaluate", "hint", "mine", "reset"]


def check(name: str = "") -> None:
    """Check the notebook's function `name`, print the report, keep it or lend ours."""
    from harness.course import api  # start-up: loads when used

    api.check(name, sys._getframe(1).f_globals)


def evaluate(name: str, fn: Any) -> Report:
    """Check `fn` as the TODO `name` and return the report. Prints nothing, binds nothing."""
    from harness.course import evaluation  # start-up: loads when used

    return evaluation.evaluate(name, fn)


def hint(name: str = "") -> None:
    """Print one more hint each time."""
    from harness.course import api  # start-up: loads when used

    api.hint(name)


def mine(name: str) -> Any:
    """The learner's latest version that passed, else ours. Prints which."""
    from harness.course import api  # start-up: loads when used

    return api.mine(name)


def reset(name: str) -> None:
    """Forget what was kept of a TODO, or of a part ("07"), and the hints."""
    from harness.course import api  # start-up: loads when used

    api.reset(name)
