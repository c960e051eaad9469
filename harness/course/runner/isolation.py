"""What a function must leave as it was: Python's own modules, the folder, and our code."""

import builtins
import json
import os
import sys
import threading
import time
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
            for name in sorted((now.keys() | before.keys()) - _CHANGES_BY_ITSELF):
                if now.get(name, _ABSENT) is before.get(name, _ABSENT):
                    continue
                self.changed.append(f"{module.__name__}.{name}")
                if name in before:
                    setattr(module, name, before[name])
                else:
                    delattr(module, name)


class OurCode:
    """The functions, classes and constants of the harness: a check, too, runs on them.

    Taken once the stage is set, which puts itself in the place of some.
    """

    def __init__(self) -> None:
        self._before = _our_code()

    def changed(self) -> list[str]:
        """What has been replaced, by name."""
        now = _our_code()
        return [
            ".".join(place)
            for place, parts in self._before.items()
            if any(a is not b for a, b in zip(parts, now.get(place, (_ABSENT,)), strict=False))
        ]


def _our_code() -> dict[tuple[str, ...], tuple[Any, ...]]:
    found: dict[tuple[str, ...], tuple[Any, ...]] = {}
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] != "harness" or not isinstance(module, ModuleType):
            continue
        for name, value in list(vars(module).items()):
            if isinstance(value, FunctionType):
                found[module_name, name] = (value, value.__code__, value.__defaults__)
            elif isinstance(value, type):
                found[module_name, name] = (value,)
                if value.__module__ == module_name:
                    for member, held in list(vars(value).items()):
                        if isinstance(held, FunctionType):
                            found[module_name, name, member] = (held, held.__code__)
            elif name.strip("_").isupper():
                found[module_name, name] = (value,)
    return found


def meddled(names: list[str]) -> Finding:
    """The finding about what was changed."""
    several = list(dict.fromkeys(names))
    more = f" and {len(several) - 5} more" if len(several) > 5 else ""
    return Finding(
        "changes_python",
        f"It changed {', '.join(several[:5])}{more}, which everything in the process uses.",
        "Give your own function another name, and leave Python's and the harness's as they are.",
    )
