"""The scoreboard: run the tasks, judge each by its goal, print one line a task."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.course.notebook import forget_user, fresh_user
from harness.evals.tasks import TASKS, Run, Task
from harness.memory import journal
from harness.run.conversation import turn_for
from harness.session import current_session
from harness.ui.html import Raw, Tone, bundle, card, fold, marked, pre, table

Agent = Callable[..., str]


@dataclass(frozen=True)
class Row:
    """One task: whether its goal was reached, in how many tool calls, and the last answer."""

    task: Task
    reached: bool
    calls: int
    answer: str


@dataclass(frozen=True)
class Scoreboard:
    """The rows of one run; `str()` is the table that a notebook prints."""

    rows: tuple[Row, ...]

    @property
    def reached(self) -> int:
        """How many goals were reached."""
        return sum(row.reached for row in self.rows)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        rows = [
            (
                row.task.name,
                row.task.needs,
                Raw(marked("reached", "good") if row.reached else marked("missed", "bad")),
                row.calls,
                Raw(fold("answer", pre(row.answer))),
            )
            for row in self.rows
        ]
        title = f"{self.reached} of {len(self.rows)} goals reached"
        shown = table(("task", "needs", "goal", "tool calls", ""), rows, (3,))
        tone: Tone = "good" if self.reached == len(self.rows) else "warn"
        return bundle(str(self), card(title, shown, tone))

    def __str__(self) -> str:
        lines = [f"{'task':<12}{'needs':<22}{'goal':<8}tool calls"]
        lines += [
            f"{row.task.name:<12}{row.task.needs:<22}{'yes' if row.reached else 'no':<8}{row.calls}"
            for row in self.rows
        ]
        return "\n".join([*lines, f"{self.reached} of {len(self.rows)} goals reached"])


def scoreboard(agent: Agent, tasks: Sequence[Task] = TASKS) -> Scoreboard:
    """Run an agent on the tasks and judge it by what it left behind.

    `agent(question)` or `agent(question, thread_id=...)` returns the answer. It runs as a user of
    its own, whose memories are forgotten before each task, so that every run starts the same and
    none of the learner's memories is touched. An agent that raises has missed the goal.
    """
    with fresh_user("scoreboard"):
        return Scoreboard(tuple(_row(agent, task) for task in tasks))


def _row(agent: Agent, task: Task) -> Row:
    thread_id = f"scoreboard {task.name}"
    forget_user(current_session().user)
    answer = ""
    try:
        for question in task.questions:
            answer = _ask(agent, question, thread_id)
    except Exception as error:
        answer = f"(the agent raised {type(error).__name__}: {error})"
        return Row(task, False, len(journal.outputs(thread_id)), answer)
    run = Run(answer, thread_id)
    return Row(task, bool(task.goal(run)), len(journal.outputs(thread_id)), answer)


def _ask(agent: Agent, question: str, thread_id: str) -> str:
    turn_for(thread_id, question)  # so that calls are recorded under a loop that logs nothing too
    if "thread_id" in inspect.signature(agent).parameters:
        quiet = {"verbose": False} if "verbose" in inspect.signature(agent).parameters else {}
        return agent(question, thread_id=thread_id, **quiet)
    return agent(question)
