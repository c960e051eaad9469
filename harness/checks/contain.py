"""Running a learner's function inside the child: prints kept, input refused, damage noticed."""

import base64
import builtins
import importlib
import io
import json
import linecache
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from harness.checks.fakeclock import fake_time
from harness.checks.report import Finding
from harness.checks.transfer import loads

if TYPE_CHECKING:
    from harness.checks.child import Watch

_KEPT_CHARACTERS = 4_000
_WATCHED = (builtins, json, os, sys, time, threading)
_CHANGES_BY_ITSELF = {"_", "last_exc", "last_type", "last_value", "last_traceback", "stdout"}
_CHANGES_BY_ITSELF |= {"stderr", "stdin"}
_ABSENT = object()


class Kept(io.TextIOBase):
    """A stdout that keeps the first few thousand characters and lets the rest go."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keep what there is room for."""
        if len(self.text) < _KEPT_CHARACTERS:
            self.text += text[: _KEPT_CHARACTERS - len(self.text)]
        return len(text)


def contained(job: dict[str, Any], watch: "Watch") -> dict[str, Any]:
    """Run one job. The answer is plain data: `findings`, `output`, and whether this process is
    `dirty`, that is, must not run another job.

    job: `module` (a check module with `staged(clock, watch, restore)` and `findings(fn, stage)`),
    `function` (pickled, base64) and `sources` (its lines).
    """
    check = importlib.import_module(job["module"])
    _remember_lines(job["sources"])
    kept, threads = Kept(), set(threading.enumerate())
    with _captured(kept), fake_time() as clock:
        surroundings = Surroundings()
        with check.staged(clock, watch, surroundings.restore) as stage:
            try:
                fn = loads(base64.b64decode(job["function"]))
            except BaseException as error:
                found = [_unloadable(error)]
            else:
                found = check.findings(fn, stage)
    if surroundings.changed:
        found = [_meddled(surroundings.changed)]
    left = [t for t in set(threading.enumerate()) - threads if t.name != "bounded" and t.is_alive()]
    return {
        "findings": [finding.as_dict() for finding in found],
        "output": kept.text,
        "dirty": bool(left),
    }


def _remember_lines(sources: dict[str, Any]) -> None:
    """Lines of a notebook's cell, which is no file that this process could read."""
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


class Surroundings:
    """What a function must leave as it was; `changed` names what one did not."""

    def __init__(self) -> None:
        self._before = [(module, dict(vars(module))) for module in _WATCHED]
        self._folder = Path.cwd()
        self.changed: list[str] = []

    def restore(self) -> None:
        """Put everything back. Called each time the function has ended."""
        if Path.cwd() != self._folder:
            os.chdir(self._folder)
        for module, before in self._before:
            now = vars(module)
            for name in sorted((now.keys() | before.keys()) - _CHANGES_BY_ITSELF):
                if now.get(name, _ABSENT) is before.get(name, _ABSENT):
                    continue
                self.changed.append(f"{module.__name__}.{name}")
                if name in before:
                    setattr(module, name, before[name])
                else:
                    delattr(module, name)


def _meddled(names: list[str]) -> Finding:
    return Finding(
        "changes_python",
        f"It changed {', '.join(dict.fromkeys(names))}, which everything in the process uses.",
        "Give your own function another name, and leave Python's as they are.",
    )
