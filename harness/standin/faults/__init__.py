"""Models that misbehave, by name: "standin/repeats", "standin/slow=0.5", "standin/parallel+html".

A fault is a function of (request, think, option): `think(request)` is the stand-in's own answer,
which most faults twist only a little, so that a good harness still gets to the right answer.
`option` is what follows "=" in the name. Faults joined by "+" are applied from left to right.
Nothing here depends on chance, and the only state is which requests have failed once already.
"""

from collections.abc import Callable
from typing import Any

from harness.standin.turns import Message

Think = Callable[[dict[str, Any]], Message]
Fault = Callable[[dict[str, Any], Think, str], Any]

PREFIX = "standin/"
_FAULTS: dict[str, tuple[str, Fault]] = {}


def fault(name: str, description: str) -> Callable[[Fault], Fault]:
    """Register a misbehaviour under `name`, with the line that `standin --list` shows."""

    def keep(function: Fault) -> Fault:
        _FAULTS[name] = (description, function)
        return function

    return keep


def catalogue() -> list[tuple[str, str]]:
    """(name, description) of every fault, by name."""
    _load()
    return sorted((name, description) for name, (description, _) in _FAULTS.items())


def is_known(model: str) -> bool:
    """Whether `model` names the stand-in with faults that exist."""
    _load()
    return model.startswith(PREFIX) and all(name in _FAULTS for name, _ in _parts(model))


def misbehave(model: str, request: dict[str, Any]) -> Any:
    """The turn of a misbehaving model, for `is_known` names."""
    from harness.standin.service import think

    _load()
    *inner, (last, option) = _parts(model)
    step: Think = think
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


def _parts(model: str) -> list[tuple[str, str]]:
    parts = [part.partition("=") for part in model.removeprefix(PREFIX).split("+")]
    return [(name, option) for name, _, option in parts]


def _load() -> None:
    from harness.standin.faults import behaviour, calls, envelope, loops  # noqa: F401
