"""Ours, lent in the place of a function that does not pass yet, and recognisable as that.

A lent function says at its call whose it is, once a cell, so that nobody takes its success for
their own. The learner's version stays in the notebook as `my_<name>`.
"""

import functools
import sys
from collections.abc import Callable
from typing import Any

_told: dict[str, int] = {}  # name -> the cell in which it was last said


def lend(name: str, solution: Any) -> Any:
    """Our solution under a thin cover that says so when it is called."""
    if isinstance(solution, type):
        return _lent_class(name, solution)

    @functools.wraps(solution)
    def lent(*arguments: Any, **named: Any) -> Any:
        _tell(name)
        return solution(*arguments, **named)

    lent.__lent__ = True  # type: ignore[attr-defined]
    return lent


def is_lent(value: Any) -> bool:
    """Whether this is ours, lent."""
    return bool(getattr(value, "__lent__", False))


def keep_theirs(name: str, fn: Any, namespace: dict[str, Any]) -> None:
    """Leave the learner's version in the notebook under a name of its own."""
    namespace[f"my_{name}"] = fn


def _lent_class(name: str, solution: type) -> type:
    def begin(self: Any, *arguments: Any, **named: Any) -> None:
        _tell(name)
        make: Callable[..., None] = solution.__init__  # type: ignore[misc]
        make(self, *arguments, **named)

    about = {"__init__": begin, "__lent__": True, "__doc__": solution.__doc__}
    return type(name, (solution,), {**about, "__module__": solution.__module__})


def _tell(name: str) -> None:
    """Once a cell, and in a notebook only."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or _told.get(name) == shell.execution_count:
        return
    _told[name] = shell.execution_count
    print(f"({name}: ours, lent to you. Yours is my_{name}.)")
