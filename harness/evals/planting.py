"""Planting faults: a tool that returns rubbish, raises, or carries an order in its result.

The faults of a run are a context variable, so that runs side by side don't meet each other's.
"""

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from harness.evals.tasks import Plant, Task
from harness.guards.role_rights import role
from harness.tools import operations
from harness.tools.toolbox import GuardedTool, contract, include, spare_toolbox


@dataclass
class _Planted:
    """The faults of one run, and how often each has shown."""

    plants: Sequence[Plant]
    shown: dict[int, int] = field(default_factory=dict)

    def due(self, tool: str) -> Plant | None:
        """The fault that the tool shows now."""
        for number, plant in enumerate(self.plants):
            if plant.tool == tool and (plant.every_time or not self.shown.get(number)):
                self.shown[number] = self.shown.get(number, 0) + 1
                return plant
        return None


_planted: ContextVar[_Planted | None] = ContextVar("workshop_planted", default=None)


@contextmanager
def planted(plants: Sequence[Plant]) -> Iterator[None]:
    """Run a block in which these faults show. They need `plantable` around it."""
    token = _planted.set(_Planted(plants) if plants else None)
    try:
        yield
    finally:
        _planted.reset(token)


@contextmanager
def plantable(tasks: Iterable[Task]) -> Iterator[None]:
    """Make the tools that these tasks plant faults in able to show them; others stay as they are.

    Nothing changes for a call outside of `planted`. Where a task has a role with rights to operate,
    the operations tools are in the toolbox too; others are not offered them.
    """
    tasks = list(tasks)
    names = dict.fromkeys(plant.tool for task in tasks for plant in task.plants)
    with spare_toolbox():
        if any(role(task.role).permissions for task in tasks):
            include(*operations.TOOLKIT)
        for name in names:
            known = contract(name)
            if known is not None:
                include(GuardedTool(replace(known, fn=_open_to_faults(name, known.fn))))
        yield


def _open_to_faults(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def tool(*args: Any, **kwargs: Any) -> Any:
        current = _planted.get()
        plant = current.due(name) if current else None
        if plant is None:
            return fn(*args, **kwargs)
        if plant.raises is not None:
            raise RuntimeError(plant.raises)
        if plant.adds is None:
            return plant.gives
        value = fn(*args, **kwargs)
        return {**(json.loads(value) if isinstance(value, str) else value), **plant.adds}

    return tool
