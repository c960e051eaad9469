"""Every TODO of the workshop that has a check: where the check is, and where our solution is."""

import importlib
import re
from dataclasses import dataclass
from typing import Any

from harness.errors import WorkshopError


@dataclass(frozen=True)
class Todo:
    """One TODO. `ours` is the module of harness that holds our solution, under the same name."""

    name: str
    part: str
    ours: str

    @property
    def check(self) -> str:
        """The module of its check, with `staged`, `findings` and three `HINTS`."""
        return "harness.course.exercises." + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()

    @property
    def hints(self) -> tuple[str, ...]:
        """Three hints, each telling more than the one before."""
        return tuple(importlib.import_module(self.check).HINTS)

    def solution(self) -> Any:
        """Our solution."""
        return getattr(importlib.import_module(f"harness.{self.ours}"), self.name)


_ALL = (
    Todo("answer_tool_calls", "01", "course.answers.answers_01"),
    Todo("tiny_loop", "01", "course.answers.answers_01"),
    Todo("helpdesk_contract", "02", "course.answers.answers_02"),
    Todo("dispatch_one", "02", "course.answers.answers_02"),
    Todo("scan_tables", "03", "course.answers.answers_03"),
    Todo("rrf_fuse", "03", "course.answers.answers_03"),
    Todo("admit", "04", "course.answers.answers_04"),
    Todo("retire", "04", "course.answers.answers_04"),
    Todo("run_sql", "05", "course.answers.answers_05"),
    Todo("late_arrivals", "05", "course.answers.answers_05"),
    Todo("retrieve_tools", "06", "course.answers.answers_06"),
    Todo("agent_turn", "07", "loop"),
    Todo("LoopGuard", "08", "course.answers.answers_08"),
    Todo("finish", "08", "course.answers.answers_08"),
    Todo("fit_window", "09", "course.answers.answers_09"),
    Todo("offload", "09", "course.answers.answers_09"),
)
TODOS = {todo.name: todo for todo in _ALL}


def todo(name: str) -> Todo:
    """The TODO of this name. Raises WorkshopError for a name that has no check."""
    if name not in TODOS:
        raise WorkshopError(f"There is no check of {name!r}.", f"There are: {', '.join(TODOS)}.")
    return TODOS[name]
