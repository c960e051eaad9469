"""What a notebook calls: check, hint, mine, reset."""

import os
import sys
from typing import Any

from harness.course import lent, progress, todos
from harness.course.evaluation import evaluate
from harness.course.report import Finding, Report
from harness.course.runner.worker import CHECKING
from harness.errors import WorkshopError
from harness.settings import settings
from harness.ui.html import show

_kept: dict[str, tuple[Any, str]] = {}  # what passed in this process, and the mark of it


class NotYet(WorkshopError):
    """WORKSHOP_STRICT=1: a check did not pass."""


def check(name: str, caller: dict[str, Any]) -> None:
    """Check the function of this name in the notebook, print the report, and let it run on.

    What passes is kept, for this notebook and the later parts. What does not is replaced, in the
    notebook's own namespace, by ours, which says at its call that it is lent; theirs stays there as
    `my_<name>`. With WORKSHOP_STRICT=1 that raises NotYet afterwards.
    Raises WorkshopError for a name that has no check.
    """
    namespace = _namespace(name, caller)
    report = _check(name, namespace)
    show(report)
    if not report.passed and settings().strict:
        raise NotYet(f"{name}: the check did not pass ({', '.join(report.codes)}).")


def _check(name: str, namespace: dict[str, Any]) -> Report:
    ours = lent.lend(name, todos.todo(name).solution())
    if name not in namespace:
        namespace[name] = ours
        missing = Finding(
            "missing", f"There is no {name} in this notebook.", "Run the cell that defines it."
        )
        return Report(name, False, [missing], "lent")
    fn = namespace[name]
    if lent.is_lent(fn):
        again = Finding("lent", "Write yours above, run its cell, and check again.")
        return Report(name, False, [again], "lent")
    try:
        report = evaluate(name, fn)
    except WorkshopError as error:  # our fault must not stop anybody
        report = Report(name, False, [Finding("check_failed", error.message, error.hint)])
    if report.passed:
        _kept[name] = fn, progress.save(name, fn)
        return report
    lent.keep_theirs(name, fn, namespace)
    namespace[name] = ours
    progress.tell_attempt(name, report.codes)
    return Report(name, False, report.findings, "lent", report.output)


def hint(name: str = "") -> None:
    """Print one more hint each time; there are three, and how many you had is remembered.

    Raises WorkshopError, with the names that there are, for any other name.
    """
    hints = todos.todo(name).hints
    number = progress.next_hint(name)
    if number < len(hints):
        print(f"Hint {number + 1} of {len(hints)}: {hints[number]}")
        return
    print(f"Those were all {len(hints)} hints. The last one again: {hints[-1]}")
    print(f"Ours is in solutions/, part {todos.todo(name).part}.")


def _say(line: str) -> None:
    """Tell the person which version is used; in the child of a check there is none."""
    if not os.environ.get(CHECKING):
        print(line)


def mine(name: str) -> Any:
    """The learner's latest version that passed, else ours. Prints which.

    Raises WorkshopError for a name that has no check.
    """
    todo = todos.todo(name)
    live, mark = _kept.get(name, (None, ""))
    if live is not None and mark == progress.mark(name):  # no other kernel has a later one
        _say(f"{name}: yours.")
        return live
    fn, word = progress.load(name)
    if fn is None:
        _say(f"{name}: ours ({word}).")
        return todo.solution()
    _say(f"{name}: yours{'' if word == 'as it passed' else f', {word}'}.")
    return fn


def reset(name: str) -> None:
    """Forget what was kept of a TODO, or of a part ("07"), and the hints, to start over.

    Raises WorkshopError for a name that has no check.
    """
    of_part = [todo.name for todo in todos.TODOS.values() if todo.part == name]
    for each in of_part or [todos.todo(name).name]:
        _kept.pop(each, None)
        progress.forget(each)
        print(f"{each}: forgotten. Its cell can be written anew.")


def _namespace(name: str, caller: dict[str, Any]) -> dict[str, Any]:
    """Where the function is to be found: the caller's globals, else the notebook's."""
    if name in caller:
        return caller
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    user = getattr(shell, "user_ns", None)
    return user if user is not None and name in user else caller
