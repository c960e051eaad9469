"""Every TODO of the workshop that has a check: where the check is, and where our solution is."""

import importlib
from dataclasses import dataclass
from typing import Any

from harness.errors import WorkshopError


@dataclass(frozen=True)
class Todo:
    """One TODO. `check` is a module with `staged`, `findings` and three `HINTS`; `ours` is a place
    of the form "module:name".
    """

    name: str
    part: str
    check: str
    ours: str

    @property
    def hints(self) -> tuple[str, ...]:
        """Three hints, each telling more than the one before."""
        return tuple(importlib.import_module(self.check).HINTS)

    def solution(self) -> Any:
        """Our solution."""
        module, _, name = self.ours.partition(":")
        return getattr(importlib.import_module(module), name)


_ALL = (
    Todo(
        "answer_tool_calls",
        "01",
        "harness.checks.answer_tool_calls",
        "harness.checks.solutions:answer_tool_calls",
    ),
    Todo("tiny_loop", "01", "harness.checks.tiny_loop", "harness.checks.solutions:tiny_loop"),
    Todo("agent_turn", "07", "harness.checks.agent_turn", "harness.loop:agent_turn"),
)
TODOS = {todo.name: todo for todo in _ALL}


def todo(name: str) -> Todo:
    """The TODO of this name. Raises WorkshopError for a name that has no check."""
    if name not in TODOS:
        raise WorkshopError(f"There is no check of {name!r}.", f"There are: {', '.join(TODOS)}.")
    return TODOS[name]
