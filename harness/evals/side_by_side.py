"""Several runs of the same tasks side by side: what each gained and lost against the first."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.evals.eval_report import EvalReport, html_page, wrapped
from harness.evals.measuring import measure_agent
from harness.evals.metrics import Rate, about
from harness.evals.tasks import Task
from harness.ui.html import bundle, card, escape, table
from harness.ui.terminal import many

_SURE = 0.05  # a difference that chance brings less often than this is called one
_NAME = 22  # columns of a run's name
_RATES = ("precision", "recall", "redundancy", "valid", "termination", "robustness")
_HEADS = (" prec", " recall", " redund", " valid", " ended", " robust")
WHAT_IT_MEANS = (
    "Lost and gained are trials that the first run reached and this one missed, or the other way "
    "round; p is how often chance alone would split them so unevenly (McNemar's exact test)."
)
STANDIN = (
    "The offline stand-in answered. It reads contracts word by word, takes what stands in its "
    "context for all there is, and follows its playbook without fail. A goal that it loses shows "
    "that the missing part carried something this task needs. A part that costs it nothing may "
    "still be what a model needs that forgets, hesitates or improvises: before you take one out, "
    "run the same command with a model of yours."
)


@dataclass(frozen=True)
class Difference:
    """One run against the first: the tasks it lost and gained, over trials that both have."""

    lost: tuple[str, ...]
    gained: tuple[str, ...]

    @property
    def chance(self) -> float:
        """How often chance alone would bring a split as uneven: McNemar's exact test, two-sided."""
        many = len(self.lost) + len(self.gained)
        fewer = min(len(self.lost), len(self.gained))
        return min(1.0, 2 * sum(math.comb(many, k) for k in range(fewer + 1)) / 2**many)

    @property
    def verdict(self) -> str:
        """The difference in a word."""
        if not self.lost and not self.gained:
            return "no task came out otherwise"
        said = "more than chance" if self.chance < _SURE else "could be chance"
        return f"{said} (p = {self.chance:.2g})"


@dataclass(frozen=True)
class SideBySide:
    """Reports over the same tasks; the others are compared with the first."""

    reports: tuple[EvalReport, ...]

    def name(self, report: EvalReport) -> str:
        """What tells a run from the others: its harness, its model, or both."""
        parts = {
            "harness": report.plan.harness,
            "model": report.plan.model,
        }
        told = [
            value
            for field, value in parts.items()
            if len({getattr(each.plan, field) for each in self.reports}) > 1
        ]
        return " on ".join(told or [report.plan.harness])

    def difference(self, report: EvalReport) -> Difference:
        """One of the runs against the first."""
        before = {(trial.task, trial.number): trial.reached for trial in self.reports[0].trials}
        own = {(trial.task, trial.number): trial.reached for trial in report.trials}
        both = [key for key in before if key in own]
        return Difference(
            tuple(task for task, n in both if before[task, n] and not own[task, n]),
            tuple(task for task, n in both if own[task, n] and not before[task, n]),
        )

    def headline(self) -> str:
        """What was compared."""
        plan = self.reports[0].plan
        models = dict.fromkeys(report.plan.model for report in self.reports)
        tasks = f"{many(len(self.reports[0].tasks), 'task')} x {plan.times} on {', '.join(models)}"
        left = sum(report.due - len(report.trials) for report in self.reports)
        return f"{tasks}: {len(self.reports)} runs side by side." + (
            f" {left} trials were not run." if left else ""
        )

    def __str__(self) -> str:
        lines = [*wrapped(self.headline()), ""]
        lines.append(f"{'':<{_NAME}}{'goals':>9}{'lost':>6}{'gained':>8}{'tokens/task':>13}")
        for report in self.reports:
            m, difference = report.metrics, self.difference(report)
            goals = f"{m.goals.hits}/{m.goals.of}"
            counts = f"{len(difference.lost) or '':>6}{len(difference.gained) or '':>8}"
            name = _named(self.name(report))
            lines.append(f"{name}{goals:>9}{counts}{about(m.tokens_a_task):>13}")
            if report is not self.reports[0]:
                lines += self._told(difference)
        lines += ["", f"{'':<{_NAME}}{''.join(_HEADS)}"]
        for report in self.reports:
            rates = report.metrics.rates()
            shares = "".join(
                f"{_share(rates[name]):>{len(head)}}"
                for name, head in zip(_RATES, _HEADS, strict=True)
            )
            lines.append(f"{_named(self.name(report))}{shares}")
        return "\n".join(
            [*lines, *(line for text in self._words() for line in ["", *wrapped(text)])]
        )

    def _told(self, difference: Difference) -> list[str]:
        words = [f"lost: {', '.join(difference.lost)}"] if difference.lost else []
        words += [f"gained: {', '.join(difference.gained)}"] if difference.gained else []
        return [line for word in [*words, difference.verdict] for line in wrapped(word, "  ")]

    def _words(self) -> list[str]:
        offline = any(report.plan.model.startswith("standin") for report in self.reports)
        return [WHAT_IT_MEANS, *([STANDIN] if offline else [])]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(str(self), card(self.headline(), self.body()))

    def body(self) -> str:
        """The comparison as HTML, without a page around it."""
        rows: list[Sequence[Any]] = []
        for report in self.reports:
            m, difference, rates = report.metrics, self.difference(report), report.metrics.rates()
            first = report is self.reports[0]
            rows.append(
                (
                    self.name(report),
                    f"{m.goals.hits} of {m.goals.of}",
                    about(m.tokens_a_task),
                    *(_share(rates[name]) for name in _RATES),
                    ", ".join(difference.lost),
                    ", ".join(difference.gained),
                    "what the others are compared with" if first else difference.verdict,
                )
            )
        head = ("", "goals", "tokens a task", *_RATES, "lost", "gained", "")
        words = "".join(f"<p>{escape(text)}</p>" for text in self._words())
        return table(head, rows, range(1, 9)) + words

    def page(self) -> str:
        """The comparison as one HTML file."""
        return html_page("Evaluations side by side", self.headline(), self.body())


def compare_harnesses(
    harnesses: Iterable[str],
    tasks: Sequence[Task | str] | str = "slice",
    *,
    model: str | None = None,
) -> SideBySide:
    """Run the same tasks under each of several harnesses, by name; the first is the measure."""
    return SideBySide(
        tuple(measure_agent(None, tasks, model=model, harness=name) for name in harnesses)
    )


def _share(rate: Rate) -> str:
    return f"{rate.value:.0%}" if rate.of else "-"


def _named(name: str) -> str:
    """A name in its column; of a long one the end, by which functions differ."""
    return f"{name if len(name) <= _NAME else f'...{name[3 - _NAME :]}':<{_NAME}}"
