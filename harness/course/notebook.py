"""What a notebook does first: a clean slate of its own, and a word about which model answers."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.course import progress
from harness.course.todos import TODOS
from harness.memory import memory
from harness.retrieval.embedding import warm
from harness.session import DEFAULT_USER, current_session, session
from harness.settings import model_in_words, settings
from harness.ui.html import View, show
from harness.ui.report_card import todo_row

_held: list[Any] = []  # open lock files: closing one would give the name away


def start_part(part: str) -> None:
    """Begin a part of the workshop: `start_part("07")`.

    The notebook asks as a user of its own, whose threads, memories and drafts are forgotten here,
    so that it runs the same the second time and touches nothing of another part. A second kernel
    on the same notebook gets another user.
    """
    user = _own_user(f"part-{part}")
    os.environ[DEFAULT_USER] = user  # also for processes that the notebook starts
    forget_user(user)
    _warm()
    print(f"Part {part}. {model_in_words()}")
    if not progress.in_solutions():  # there all of them are ours
        states = [(todo.part, name, progress.state(name)) for name, todo in TODOS.items()]
        show(View(*todo_row(sorted(states, key=lambda each: each[0]), part)))


def forget_user(user: str) -> None:
    """Delete a user's memories, threads, tool outputs and drafts."""
    memory.delete_user(user)


@contextmanager
def fresh_user(name: str) -> Iterator[str]:
    """A session of another user, who belongs to this notebook and of whom nothing is remembered.

    What the session leaves behind stays until the next one of this name.
    """
    user = f"{current_session().user}: {name}"
    forget_user(user)
    with session(user=user):
        yield user


def _own_user(name: str) -> str:
    """`name`, or the first of name-2, name-3 ... that no other live kernel has taken."""
    folder = settings().home / "kernels"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, 100):
        user = name if number == 1 else f"{name}-{number}"
        if _take(folder / f"{user}.lock"):
            return user
    return f"{name}-{os.getpid()}"


def _take(path: Path) -> bool:
    """Lock a file until this process ends, however it ends. A lock held by us is ours already."""
    if any(held.name == str(path) for held in _held):
        return True
    file = path.open("a", encoding="utf-8")
    try:
        if sys.platform == "win32":
            import msvcrt  # which only Windows has

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # which Windows does not have

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return False
    _held.append(file)
    return True


def _warm() -> None:
    """Load what the first question needs while the learner reads."""
    warm()
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()):
        shell.events.register("post_run_cell", _expect_check)


def _expect_check(result: Any) -> None:
    """After a cell that defines a TODO: its check comes next, so have the child ready."""
    defined = re.findall(r"^(?:def|class) (\w+)", result.info.raw_cell or "", re.MULTILINE)
    if not TODOS.keys().isdisjoint(defined):
        from harness.course.runner.worker import start_ahead  # with the first TODO, no sooner

        start_ahead()
