"""The scoreboard: run the tasks, judge each by its goal, print one line a task."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.course.notebook import forget_user, fresh_user
from harness.evals.planting import plantable
from harness.evals.tasks import Task, five
from harness.evals.trial import Agent, run_trial
from harness.session import current_session
from harness.ui.answer_tables import answer_html
from harness.ui.html import Raw, Tone, bundle, card, fold, marked, table


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
                Raw(fold("answer", answer_html(row.answer))),
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


def scoreboard(agent: Agent, tasks: Sequence[Task] | None = None) -> Scoreboard:
    """Run an agent on the tasks, the five by default, and judge it by what it left behind.

    `agent(question)` or `agent(question, thread_id=...)` returns the answer. It runs as a user of
    its own, whose memories are forgotten before each task, so that every run starts the same and
    none of the learner's memories is touched. An agent that raises has missed the goal.
    """
    tasks = five() if tasks is None else tasks
    with fresh_user("scoreboard"), plantable(tasks):
        return Scoreboard(tuple(_row(agent, task) for task in tasks))


def _row(agent: Agent, task: Task) -> Row:
    forget_user(current_session().user)
    trial = run_trial(task, agent)
    answer = f"({trial.error})" if trial.error else trial.answer
    return Row(task, trial.reached, len(trial.calls), answer)
