"""Evaluation in one call, as a notebook wants it: run, report, leave nothing behind."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from harness.evals.eval_report import EvalReport
from harness.evals.eval_run import run_plan
from harness.evals.run_folder import Plan, RunFolder
from harness.evals.tasks import Task, chosen
from harness.evals.trial import Agent
from harness.settings import settings


def measure_agent(
    agent: Agent | None = None,
    tasks: Sequence[Task | str] | str = "slice",
    *,
    model: str | None = None,
    harness: str = "reference",
    times: int = 1,
) -> EvalReport:
    """Put tasks to an agent, or to a harness by name, on a state of their own; returns the report.

    `tasks` are tasks, or words that pick them (`python -m harness eval --list` names them). Raises
    WorkshopError for a harness or a task that there is not.
    """
    words = [tasks] if isinstance(tasks, str) else list(tasks)
    picked: list[Task] = [task for task in words if isinstance(task, Task)]
    names = [word for word in words if isinstance(word, str)]
    picked += chosen(names) if names else []
    plan = Plan(
        model=model or settings().model,
        harness=harness,
        tasks=tuple(task.name for task in picked),
        times=times,
    )
    where = Path(tempfile.mkdtemp(prefix="workshop-eval-"))
    folder = RunFolder(where)
    try:
        trials = run_plan(plan, picked, folder, agent=agent)
    finally:
        folder.close()
        shutil.rmtree(where, ignore_errors=True)
    return EvalReport(plan, tuple(picked), tuple(trials), times * len(picked))
