"""Every TODO of the workshop: its part, its check, its hints, and our solution.

Which there are is read from the sources of the notebooks by the build (`answers/`). The check of
`LoopGuard` is `exercises/loop_guard.py`, and so on.
"""

import importlib
import re
from dataclasses import dataclass
from typing import Any

from harness.course.answers import PART_OF
from harness.errors import WorkshopError

# What is lent where the harness has more to lend than the solution: the loop with its receipts.
_LENT = {"agent_turn": "harness.loop"}


@dataclass(frozen=True)
class Todo:
    """One TODO: the name of the function or class, and the part it is in."""

    name: str
    part: str

    @property
    def check(self) -> str:
        """The module of its check, with `staged`, `findings` and three `HINTS`."""
        return "harness.course.exercises." + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()

    @property
    def hints(self) -> tuple[str, ...]:
        """Three hints, each telling more than the one before."""
        return tuple(importlib.import_module(self.check).HINTS)

    @property
    def answers(self) -> str:
        """The module of our solution, generated from the part's source."""
        return f"harness.course.answers.answers_{self.part}"

    def written(self) -> Any:
        """Our solution, as it is in solutions/."""
        return getattr(importlib.import_module(self.answers), self.name)

    def solution(self) -> Any:
        """What is lent to a learner: our solution, or what the harness has in its place."""
        return getattr(importlib.import_module(_LENT.get(self.name, self.answers)), self.name)


TODOS = {name: Todo(name, part) for name, part in PART_OF.items()}


def todo(name: str) -> Todo:
    """The TODO of this name. Raises WorkshopError for a name that has no check."""
    if name not in TODOS:
        raise WorkshopError(f"There is no check of {name!r}.", f"There are: {', '.join(TODOS)}.")
    return TODOS[name]
