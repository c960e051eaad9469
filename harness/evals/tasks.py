"""Tasks: what is asked, what must be true afterwards, and what is planted on the way.

They stand in `data/evals/*.yaml`, one row a task. A goal looks at receipts: the business data, the
stores, the calls that were recorded. What an answer claims counts only where the claim is what was
asked for.
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import WorkshopError
from harness.settings import root

Kind = Literal["single-turn", "multi-step", "long-horizon"]
Area = Literal["data", "memory", "knowledge", "effects", "honesty", "adversarial", "malformed"]

SAME_SHAPE = 5  # tasks of one shape, at most


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Effect(_Row):
    """What a query of the agent's state must bring. A `?` in it is the user of the run."""

    state: str
    equals: Any


class Goal(_Row):
    """What must be true at the end. Every field that is given counts.

    `rows` is SQL over the business data: each row of its result is in one line of the answer
    (`in_order`: the lines in that order). `says` and `says_not` are words or numbers of the answer,
    `says_one_of` wants any of them, `admits` an answer without a figure of its own. `ran` and
    `not_ran` are tools that succeeded and that were not even tried; `status` is how every turn may
    have ended. `judge` is a function of the run, for goals that are written in Python.
    """

    rows: str = ""
    in_order: bool = False
    says: tuple[str | int | float, ...] = ()
    says_one_of: tuple[str | int | float, ...] = ()
    says_not: tuple[str | int | float, ...] = ()
    admits: bool = False
    ran: tuple[str, ...] = ()
    not_ran: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    status: tuple[str, ...] = ("completed",)
    judge: Callable[[Any], Any] | None = None


class Tools(_Row):
    """Which tools a good run uses: those it needs, others that are fine, the fewest calls."""

    expected: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    fewest: int = Field(default=0, ge=0)


class Plant(_Row):
    """What one tool does instead of its work: the first time, or every time.

    `gives` is returned in its place, whatever it is; `adds` is put beside what it returns;
    `raises` is the message of an exception.
    """

    tool: str
    every_time: bool = False
    gives: Any = None
    adds: dict[str, Any] | None = None
    raises: str | None = None


class Task(_Row):
    """Questions asked one after another on a thread of their own, and the goal at the end.

    `shape` names its form, `area` what it tries; `memories` are stored before it begins. `standin`
    says why the offline stand-in can't do it, where it can't. `board` marks the five of the
    scoreboard, `slice` those of a quick run.
    """

    name: str
    questions: tuple[str, ...] = Field(min_length=1)
    goal: Goal = Goal()
    needs: str = ""
    shape: str = ""
    kind: Kind = "single-turn"
    area: Area = "data"
    tools: Tools = Tools()
    plants: tuple[Plant, ...] = ()
    memories: tuple[str, ...] = ()
    role: str = "analyst"
    read_only: bool = False
    standin: str = ""
    board: bool = False
    slice: bool = False


def folder() -> Path:
    """Where the tasks are."""
    return root() / "data" / "evals"


@cache
def all_tasks() -> tuple[Task, ...]:
    """Every task of `data/evals/`, in the order of its files."""
    return tuple(task for path in sorted(folder().glob("*.yaml")) for task in read_tasks(path))


def read_tasks(path: Path) -> list[Task]:
    """The tasks of a file. Raises WorkshopError, naming the row, for one that can't be."""
    try:
        rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise WorkshopError(
            f"{path.name} can't be read: {error}", "It is a list in YAML."
        ) from None
    found = []
    for number, row in enumerate(rows or [], start=1):
        try:
            found.append(Task(**row))
        except (ValidationError, TypeError) as error:
            name = row.get("name", "") if isinstance(row, dict) else ""
            first = error.errors()[0] if isinstance(error, ValidationError) else None
            what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
            raise WorkshopError(
                f"{path.name}, task {number} {name}: {what}.",
                "harness/evals/tasks.py says what a task has.",
            ) from None
    return found


def chosen(words: Iterable[str], among: Iterable[Task] | None = None) -> list[Task]:
    """The tasks that words pick: a name, a kind, an area, a shape, `slice`, `board` or `all`.

    Raises WorkshopError for a word that picks nothing.
    """
    tasks, words = list(among or all_tasks()), list(words) or ["all"]
    picked: dict[str, Task] = {}
    for word in words:
        found = [task for task in tasks if word == "all" or word in _marks(task)]
        if not found:
            known = sorted({mark for task in tasks for mark in (task.kind, task.area)})
            raise WorkshopError(
                f"No task is called {word!r}.",
                f"A name, a shape, or one of: all, slice, board, {', '.join(known)}.",
            )
        picked |= {task.name: task for task in found}
    return [task for task in tasks if task.name in picked]


def _marks(task: Task) -> set[str]:
    flags = {"slice": task.slice, "board": task.board}
    return {task.name, task.kind, task.area, task.shape, *(f for f, on in flags.items() if on)}


def five() -> tuple[Task, ...]:
    """The tasks of the scoreboard."""
    return tuple(task for task in all_tasks() if task.board)
