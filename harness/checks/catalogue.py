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
        return "harness.checks." + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()

    @property
    def hints(self) -> tuple[str, ...]:
        """Three hints, each telling more than the one before."""
        return tuple(importlib.import_module(self.check).HINTS)

    def solution(self) -> Any:
        """Our solution."""
        return getattr(importlib.import_module(f"harness.{self.ours}"), self.name)


_ALL = (
    Todo("answer_tool_calls", "01", "checks.solutions"),
    Todo("tiny_loop", "01", "checks.solutions"),
    Todo("helpdesk_contract", "02", "checks.solutions_02"),
    Todo("dispatch_one", "02", "checks.solutions_02"),
    Todo("scan_tables", "03", "checks.solutions_03"),
    Todo("rrf_fuse", "03", "checks.solutions_03"),
    Todo("admit", "04", "checks.solutions_04"),
    Todo("retire", "04", "checks.solutions_04"),
    Todo("run_sql", "05", "checks.solutions_05"),
    Todo("late_arrivals", "05", "checks.solutions_05"),
    Todo("retrieve_tools", "06", "checks.solutions_06"),
    Todo("agent_turn", "07", "loop"),
    Todo("LoopGuard", "08", "checks.solutions_08"),
    Todo("finish", "08", "checks.solutions_08"),
    Todo("fit_window", "09", "checks.solutions_09"),
    Todo("offload", "09", "checks.solutions_09"),
)
TODOS = {todo.name: todo for todo in _ALL}


def todo(name: str) -> Todo:
    """The TODO of this name. Raises WorkshopError for a name that has no check."""
    if name not in TODOS:
        raise WorkshopError(f"There is no check of {name!r}.", f"There are: {', '.join(TODOS)}.")
    return TODOS[name]
