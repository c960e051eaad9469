"""Prompt-first against tool-first: the same tasks, model and loop, with the rules in two places."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.evals.eval_report import WIDTH, EvalReport
from harness.evals.measuring import measure_agent
from harness.evals.metrics import Rate, about
from harness.evals.tasks import Task
from harness.evals.trial import Trial
from harness.ui.html import bundle, card, escape, table

WAYS = ("prompt-first", "tool-first")

SOURCE = "Architecting Reliable AI Agents: The Tool-Centric Execution Loop"
# What that article reports of "production agent deployments"; not measured here.
REPORTED = {
    "first-run success": ("34 %", "78 %"),
    "tokens a task": ("12,400", "6,100"),
    "debug cycle": ("4.2 hours", "1.1 hours"),
    "error recovery": ("18 %", "89 %"),
}
WHAT_IT_MEANS = (
    "Ours are counts of this run. The debug cycle is how many calls one reads, from the end of a "
    "failed run, until an error names the tool that failed. With the stand-in they show what a "
    "changed contract does to a model that takes contracts literally, not how much of a long "
    f'prompt a real model would heed. The reported ones are from the article "{SOURCE}", which '
    'calls them "aggregated telemetry from production agent deployments" and gives no sample and '
    "no method: other agents, other tasks, not to be checked here."
)


@dataclass(frozen=True)
class TwoWays:
    """The reports of both ways, over the same tasks."""

    reports: dict[str, EvalReport]

    def figures(self) -> dict[str, tuple[str, ...]]:
        """Each measure: ours for prompt-first and tool-first, then the reported ones."""
        ours = [_figures(self.reports[way]) for way in WAYS]
        return {name: (ours[0][name], ours[1][name], *REPORTED[name]) for name in REPORTED}

    def __str__(self) -> str:
        lines = [f"{'':<18}{'ours':>22}{'reported':>20}"]
        lines.append(f"{'':<18}{'prompt':>10}{'tool':>12}{'prompt':>10}{'tool':>10}")
        for name, (a, b, c, d) in self.figures().items():
            lines.append(f"{name:<18}{a:>10}{b:>12}{c:>10}{d:>10}")

        return "\n".join([*lines, *textwrap.wrap(WHAT_IT_MEANS, WIDTH)])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        head = ("", "ours, prompt-first", "ours, tool-first", "reported, prompt", "reported, tool")
        rows = [(name, *values) for name, values in self.figures().items()]
        shown = table(head, rows, (1, 2, 3, 4)) + f"<p>{escape(WHAT_IT_MEANS)}</p>"
        return bundle(str(self), card("Prompt-first against tool-first", shown))


def compare_ways(
    tasks: Sequence[Task | str] | str = "slice", *, model: str | None = None
) -> TwoWays:
    """Run the same tasks under both configurations of the harness."""
    return TwoWays({way: measure_agent(None, tasks, model=model, harness=way) for way in WAYS})


def recovered(report: EvalReport) -> Rate:
    """Of the trials in which a call failed, how many reached their goal all the same.

    A planted fault counts as a failed call, also where the harness hid it.
    """
    failed = [trial for trial in report.trials if _had_a_failure(report.task(trial.task), trial)]
    return Rate(sum(trial.reached for trial in failed), len(failed))


def _had_a_failure(task: Task, trial: Trial) -> bool:
    broken = {plant.tool for plant in task.plants if plant.adds is None}
    return any(c.status not in ("ok", "repeated") or c.tool in broken for c in trial.calls)


def debug_steps(trial: Trial) -> int:
    """The calls to read, from the end of a failed run, until an error names the faulty tool."""
    for read, call in enumerate(reversed(trial.calls), start=1):
        if call.status not in ("ok", "repeated"):
            return read
    return len(trial.calls)


def _figures(report: EvalReport) -> dict[str, str]:
    found = report.metrics
    missed = [trial for trial in report.missed if trial.calls]
    steps = sum(map(debug_steps, missed)) / len(missed) if missed else 0.0
    back = recovered(report)
    return {
        "first-run success": f"{found.goals.value:.0%}",
        "tokens a task": about(found.tokens_a_task),
        "debug cycle": f"{steps:.1f} calls" if missed else "none failed",
        "error recovery": f"{back.hits} of {back.of}",
    }
