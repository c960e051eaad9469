"""Which agent is measured: the harness, a configuration of it, or anybody's function."""

import importlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from harness.config import TurnConfig
from harness.errors import WorkshopError
from harness.evals.ablations import ablations
from harness.evals.prompt_first import prompt_first
from harness.evals.trial import Agent


@dataclass(frozen=True)
class Harness:
    """A way to answer questions. `around` is entered once, for a whole run."""

    name: str
    about: str
    agent: Callable[[], Agent]
    config: TurnConfig = field(default_factory=TurnConfig)
    around: Callable[[], Any] | None = None


def _reference() -> Agent:
    from harness.loop import run_turn  # what an agent of one's own needs nothing of

    def reference(question: str, thread_id: str) -> Any:
        return run_turn(question, thread_id)

    return reference


def _mine() -> Agent:
    from harness.course.api import mine  # an agent without a course has none

    return mine("agent_turn")


REFERENCE, ABLATIONS = "reference", "ablations"  # the second: the first and each row without a part
_NAMED = {
    each.name: each
    for each in (
        Harness(REFERENCE, "the loop as it is: contracts, retrieved tools, memory", _reference),
        Harness("mine", "your agent_turn, as it passed its check", _mine),
        Harness("tool-first", "the reference again: rules stand in contracts", _reference),
        Harness(
            "prompt-first",
            "the same loop, its rules in the prompt: all tools, vague contracts, errors hidden",
            _reference,
            around=prompt_first,
        ),
    )
}


def harnesses() -> dict[str, Harness]:
    """Every harness that has a name: the ways above, and the reference without one of its parts."""
    without = {
        name: Harness(name, row.about, _reference, row.turn_config(), row.in_place)
        for name, row in ablations().items()
    }
    return _NAMED | without


def all_of(names: Iterable[str]) -> list[str]:
    """The names, each once; "ablations" is the reference and all that leave a part out."""
    wanted: list[str] = []
    for name in names:
        wanted += [REFERENCE, *ablations()] if name == ABLATIONS else [name]
    return list(dict.fromkeys(wanted))


def harness_of(name: str) -> Harness:
    """The harness of a name, or a function as module:function. Raises WorkshopError without it."""
    known = harnesses()
    if name in known:
        return known[name]
    module, colon, function = name.partition(":")
    if not colon:
        raise WorkshopError(
            f"No harness is called {name!r}.",
            f"There are {', '.join(known)}, or a function of yours: my_module:my_agent.",
        )
    try:
        found = getattr(importlib.import_module(module), function)
    except (Exception, SystemExit) as error:  # whatever somebody's module does
        raise WorkshopError(
            f"{name} can't be imported: {type(error).__name__}: {error}.",
            "Write it as module:function, from this folder.",
        ) from None
    if not callable(found):
        raise WorkshopError(
            f"{name} is no function, but a {type(found).__name__}.",
            "It is called with a question and returns the answer.",
        )
    return Harness(name, "a function of yours", lambda: found)


def in_place(harness: Harness) -> AbstractContextManager[Any]:
    """What a harness needs around its turns, such as another toolbox."""
    return harness.around() if harness.around else nullcontext()
