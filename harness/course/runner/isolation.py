"""What a function must leave as it was: Python's own modules, the folder, and our code."""

import builtins
import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from operator import is_
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from harness.course.report import Finding

_WATCHED = (builtins, json, os, sys, time, threading)
_CHANGES_BY_ITSELF = {"_", "last_exc", "last_type", "last_value", "last_traceback", "stdout"}
_CHANGES_BY_ITSELF |= {"stderr", "stdin"}
_ABSENT = object()


class Surroundings:
    """Python's own modules and the folder; `changed` names what a function did not leave alone."""

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
            if _same(now, before):
                continue
            for name in sorted((now.keys() | before.keys()) - _CHANGES_BY_ITSELF):
                if now.get(name, _ABSENT) is before.get(name, _ABSENT):
                    continue
                self.changed.append(f"{module.__name__}.{name}")
                if name in before:
                    setattr(module, name, before[name])
                else:
                    delattr(module, name)


def _same(now: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Whether two namespaces hold the same objects under the same names: nearly always."""
    return now.keys() == before.keys() and all(map(is_, now.values(), before.values()))


class OurCode:
    """The functions, classes and constants of the harness: a check, too, runs on them.

    Taken once the stage is set, which puts itself in the place of some.
    """

    def __init__(self) -> None:
        self._before = [(space, dict(vars(space))) for space in _our_spaces()]
        self._inside = [
            (f, f.__code__, f.__defaults__)
            for _, names in self._before
            for f in names.values()
            if isinstance(f, FunctionType)
        ]

    def changed(self) -> list[str]:
        """What has been replaced, by name."""
        replaced = [
            f"{_name(space)}.{name}"
            for space, before in self._before
            if not _same(vars(space), before)
            for name, value in before.items()
            if _is_code(name, value) and vars(space).get(name, _ABSENT) is not value
        ]
        other_inside = [
            f"{f.__module__}.{f.__qualname__}"
            for f, code, defaults in self._inside
            if f.__code__ is not code or f.__defaults__ is not defaults
        ]
        added = [
            f"{_name(space)}.{name}"
            for space, before in self._before
            if isinstance(space, ModuleType) and not _same(vars(space), before)
            for name in list(vars(space).keys() - before.keys())
            if _is_foreign(space, name)
        ]
        return list(dict.fromkeys(replaced + other_inside + sorted(added)))


def _our_spaces() -> Iterator[ModuleType | type]:
    """The modules of the harness that are loaded, and the classes that they define."""
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] == "harness" and isinstance(module, ModuleType):
            yield module
            for value in list(vars(module).values()):
                if isinstance(value, type) and value.__module__ == module_name:
                    yield value


def _is_foreign(module: ModuleType, name: str) -> bool:
    """Whether a name that a module has now was put there by somebody else."""
    value = vars(module)[name]
    if isinstance(value, ModuleType) or name.startswith("__"):
        return False
    later: Any = vars(module).get("__getattr__")  # what a module gives when it is first asked for
    try:
        real = later(name) if later else _ABSENT
    except AttributeError:
        return True
    return real is not value and not (isinstance(value, str) and real == value)


def _name(space: ModuleType | type) -> str:
    if isinstance(space, ModuleType):
        return space.__name__
    return f"{space.__module__}.{space.__qualname__}"


def _is_code(name: str, value: Any) -> bool:
    """Whether it should stay as it is: other values of a module are its state."""
    return isinstance(value, FunctionType | type) or name.strip("_").isupper()


def meddled(names: list[str]) -> Finding:
    """The finding about what was changed."""
    several = list(dict.fromkeys(names))
    more = f" and {len(several) - 5} more" if len(several) > 5 else ""
    return Finding(
        "changes_python",
        f"It changed {', '.join(several[:5])}{more}, which everything in the process uses.",
        "Give your own function another name, and leave Python's and the harness's as they are.",
    )
