"""Running a learner's function inside the child: prints kept, input refused, damage noticed."""

import base64
import builtins
import importlib
import io
import linecache
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from harness.course.report import Finding
from harness.course.runner import lookout
from harness.course.runner.fake_clock import fake_time
from harness.course.runner.isolation import OurCode, Surroundings, meddled
from harness.course.runner.transfer import loads
from harness.course.runner.watch import Watch

_KEPT_CHARACTERS = 4_000


class Kept(io.TextIOBase):
    """A stdout that keeps the first few thousand characters and lets the rest go."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.written = 0  # characters, also of what was let go

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keep what there is room for."""
        self.written += len(text)
        if len(self.text) < _KEPT_CHARACTERS:
            self.text += text[: _KEPT_CHARACTERS - len(self.text)]
        return len(text)


def contained(job: dict[str, Any], watch: Watch) -> dict[str, Any]:
    """Run one job. The answer is plain data: `findings`, `output`, and whether this process is
    `dirty`, that is, must not run another job.

    job: `module` (a check module with `staged(clock, watch, restore)` and `findings(fn, stage)`),
    `function` (pickled, base64) and `sources` (its lines).
    """
    check = importlib.import_module(job["module"])
    _remember_lines(job["sources"])
    kept, threads = Kept(), set(threading.enumerate())
    lookout.install()
    with _captured(kept), fake_time() as clock:
        surroundings = Surroundings()
        with check.staged(clock, watch, surroundings.restore) as stage:
            our_code = OurCode()
            failure: BaseException | None = None
            looks: list[str] = []
            try:
                fn = loads(base64.b64decode(job["function"]))
            except BaseException as error:
                found = [_unloadable(error)]
            else:
                with lookout.looked_at() as looks:
                    found, failure = _judged(check, fn, stage)
            ours_changed = our_code.changed()
    if surroundings.changed or ours_changed:
        found = [meddled(surroundings.changed + ours_changed)]
    elif others := [look for look in looks if not lookout.is_answer(look)]:
        found = [lookout.found_out(others)]
    elif failure is not None:
        raise failure
    left = [t for t in set(threading.enumerate()) - threads if t.name != "bounded" and t.is_alive()]
    return {
        "findings": [finding.as_dict() for finding in found],
        "output": kept.text,
        "takes_ours": any(map(lookout.is_answer, looks)),
        "dirty": bool(left or ours_changed) or _has_children(),
    }


def _judged(check: Any, fn: Any, stage: Any) -> tuple[list[Finding], BaseException | None]:
    """The findings, or what the check itself failed of, which a function may have brought about."""
    try:
        return check.findings(fn, stage), None
    except BaseException as error:
        return [], error


def _has_children() -> bool:
    """Whether processes were started that are still there, or were never waited for."""
    try:
        return os.waitpid(-1, os.WNOHANG) is not None
    except (ChildProcessError, AttributeError):  # none; or Windows, where nothing forks
        return False


def _remember_lines(sources: dict[str, Any]) -> None:
    """Lines of a notebook's cell, which isn't a file that this process could read."""
    for file, (first, lines) in sources.items():
        padded = ["\n"] * (first - 1) + lines
        linecache.cache[file] = (sum(map(len, padded)), None, padded, file)


def _unloadable(error: BaseException) -> Finding:
    return Finding(
        "unpicklable",
        f"Your function can't be rebuilt in the checking process: {type(error).__name__}: {error}",
        "Import what it needs inside the function, and don't let it lean on live objects.",
    )


@contextmanager
def _captured(kept: Kept) -> Iterator[None]:
    before = sys.stdout, sys.stderr, sys.stdin, builtins.input
    sys.stdout = sys.stderr = kept
    sys.stdin = io.StringIO("")
    builtins.input = _no_input
    try:
        yield
    finally:
        sys.stdout, sys.stderr, sys.stdin, builtins.input = before


def _no_input(prompt: object = "") -> NoReturn:
    raise InputAsked("input() was called, and nobody sits there to answer")


class InputAsked(Exception):
    """The function asked a person for input."""
