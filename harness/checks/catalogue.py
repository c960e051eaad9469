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
    Todo(
        "helpdesk_contract",
        "02",
        "harness.checks.helpdesk_contract",
        "harness.checks.solutions_02:helpdesk_contract",
    ),
    Todo(
        "dispatch_one",
        "02",
        "harness.checks.dispatch_one",
        "harness.checks.solutions_02:dispatch_one",
    ),
    Todo(
        "scan_tables", "03", "harness.checks.scan_tables", "harness.checks.solutions_03:scan_tables"
    ),
    Todo("rrf_fuse", "03", "harness.checks.rrf_fuse", "harness.checks.solutions_03:rrf_fuse"),
    Todo("admit", "04", "harness.checks.admit", "harness.checks.solutions_04:admit"),
    Todo("retire", "04", "harness.checks.retire", "harness.checks.solutions_04:retire"),
    Todo("run_sql", "05", "harness.checks.run_sql", "harness.checks.solutions_05:run_sql"),
    Todo(
        "late_arrivals",
        "05",
        "harness.checks.late_arrivals",
        "harness.checks.solutions_05:late_arrivals",
    ),
    Todo(
        "retrieve_tools",
        "06",
        "harness.checks.retrieve_tools",
        "harness.checks.solutions_06:retrieve_tools",
    ),
    Todo("agent_turn", "07", "harness.checks.agent_turn", "harness.loop:agent_turn"),
    Todo(
        "LoopGuard",
        "08",
        "harness.checks.loop_guard",
        "harness.checks.solutions_08:LoopGuard",
    ),
    Todo("finish", "08", "harness.checks.finish", "harness.checks.solutions_08:finish"),
    Todo("fit_window", "09", "harness.checks.fit_window", "harness.checks.solutions_09:fit_window"),
    Todo("offload", "09", "harness.checks.offload", "harness.checks.solutions_09:offload"),
)
TODOS = {todo.name: todo for todo in _ALL}


def todo(name: str) -> Todo:
    """The TODO of this name. Raises WorkshopError for a name that has no check."""
    if name not in TODOS:
        raise WorkshopError(f"There is no check of {name!r}.", f"There are: {', '.join(TODOS)}.")
    return TODOS[name]
