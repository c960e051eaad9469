"""Models that misbehave, by name: "standin/repeats", "standin/slow=0.5", "standin/parallel+html".

A fault is a function of (request, think, option): `think(request)` is the stand-in's own answer,
which most faults twist only a little, so that a good harness still gets to the right answer.
`option` is what follows "=" in the name. Faults joined by "+" are applied from left to right.
Nothing here depends on chance, and the only state is which requests have failed once already.
"""

import functools
import importlib
import pkgutil
import re
from collections.abc import Callable
from typing import Any

from harness.standin.turns import Delegate, Message

Think = Callable[[dict[str, Any]], Message]
Fault = Callable[[dict[str, Any], Think, str], Any]

PREFIX = "standin/"
ALWAYS = "always"  # the option of what otherwise happens once
_FAULTS: dict[str, tuple[str, Fault]] = {}


def named(name: str, description: str) -> Callable[[Fault], Fault]:
    """Register a fault under `name`, with the line that `standin --list` shows."""

    def keep(function: Fault) -> Fault:
        _FAULTS[name] = (description, function)
        return function

    return keep


def fault(name: str, over: Any = None) -> Delegate:
    """Let a fault answer a scripted turn: fault("bad-json"), fault("parallel", over=call(...)).

    Raises ValueError for an unknown fault.
    """
    if not is_known(f"{PREFIX}{name}"):
        raise ValueError(f"no fault is called {name!r}: see `python -m harness standin --list`")
    return Delegate(f"{PREFIX}{name}", over)


def catalogue() -> list[tuple[str, str]]:
    """(name, description) of every fault, by name."""
    _load()
    return sorted((name, description) for name, (description, _) in _FAULTS.items())


def is_known(model: str) -> bool:
    """Whether `model` names the stand-in with faults that exist."""
    _load()
    if not model.startswith(PREFIX):
        return False
    return all(name in _FAULTS and _is_option(option) for name, option in _parts(model))


def number(option: str, default: float) -> float:
    """The number that an option gives, or the default."""
    return float(option) if option not in ("", ALWAYS) else default


def misbehave(model: str, request: dict[str, Any], think: Think) -> Any:
    """The turn of a misbehaving model, for `is_known` names; `think` is the model underneath."""
    _load()
    *inner, (last, option) = _parts(model)
    step = think
    for name, inner_option in inner:
        step = _wrapped(name, inner_option, step)
    try:
        return _FAULTS[last][1](request, step, option)
    except _InsteadOfMessage as other:
        return other.turn


class _InsteadOfMessage(Exception):
    """An inner fault answered with something that an outer one can't twist."""

    def __init__(self, turn: Any) -> None:
        super().__init__("not a message")
        self.turn = turn


def _wrapped(name: str, option: str, inner: Think) -> Think:
    def step(request: dict[str, Any]) -> Message:
        turn = _FAULTS[name][1](request, inner, option)
        if not isinstance(turn, Message):
            raise _InsteadOfMessage(turn)
        return turn

    return step


def _is_option(option: str) -> bool:
    return option in ("", ALWAYS) or re.fullmatch(r"\d{1,6}(\.\d{1,6})?", option) is not None


def _parts(model: str) -> list[tuple[str, str]]:
    parts = [part.partition("=") for part in model.removeprefix(PREFIX).split("+")]
    return [(name, option) for name, _, option in parts]


@functools.lru_cache(maxsize=1)
def _load() -> None:
    """Let each module of this folder enter what it has."""
    package = importlib.import_module("harness.standin.faults")
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"{package.__name__}.{module}")
