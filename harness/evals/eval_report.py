"""What an evaluation found: as text for a terminal, as a card in a notebook, as one HTML page."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.evals.metrics import (
    Compounding,
    Metrics,
    Rate,
    about,
    compound,
    measure,
    why_ended_badly,
)
from harness.evals.run_folder import Plan
from harness.evals.tasks import Task
from harness.evals.trial import Trial
from harness.ui.html import Raw, Tone, bundle, card, escape, fold, marked, pre, table
from harness.ui.terminal import many

WIDTH = 60  # columns that every terminal has

# What each metric says, in a few words.
MEANINGS = {
    "goals": "goals reached",
    "precision": "calls that the task needs or allows",
    "recall": "needed tools that ran with success",
    "redundancy": "calls that brought nothing new (less is better)",
    "valid": "calls that their contract accepted",
    "termination": "ended by itself, with an answer, not too early",
    "robustness": "goals under attack and broken tools",
    "efficiency": "fewest calls that do, of those made",
}

FIRST = ("goals", "precision", "recall", "redundancy", "termination")  # those to look at first


@dataclass(frozen=True)
class EvalReport:
    """The trials of a run and what they come to. `due` is how many there should be."""

    plan: Plan
    tasks: tuple[Task, ...]
    trials: tuple[Trial, ...]
    due: int
    folder: Path | None = None

    @property
    def metrics(self) -> Metrics:
        """The figures."""
        return measure(self.trials, self.tasks)

    @property
    def compounding(self) -> Compounding:
        """Success layer by layer."""
        return compound(self.trials)

    @property
    def missed(self) -> list[Trial]:
        """The trials that missed their goal."""
        return [trial for trial in self.trials if not trial.reached]

    def task(self, name: str) -> Task:
        """A task of the run."""
        return next(task for task in self.tasks if task.name == name)

    def groups(self) -> list[tuple[str, Rate]]:
        """Goals reached by kind of task and by area."""
        found = []
        for field in ("kind", "area"):
            names = dict.fromkeys(getattr(task, field) for task in self.tasks)
            for name in names:
                own = [t for t in self.trials if getattr(self.task(t.task), field) == name]
                found.append((name, Rate(sum(t.reached for t in own), len(own))))
        return [(name, rate) for name, rate in found if rate.of]

    @property
    def standin_note(self) -> str:
        """What the figures can mean when the stand-in answered; "" for a real model."""
        if not self.plan.model.startswith("standin"):
            return ""
        return (
            "The offline stand-in answered. It follows rules that were written beside these "
            "tasks, so its figures tell whether the harness works, and what a change of the "
            "harness does. They say nothing about how well a model answers: for that, run the "
            "same command with a model of yours."
        )

    def __str__(self) -> str:
        lines = [*wrapped(self.headline()), ""]
        for name, rate in self.metrics.rates().items():
            lines += [f"{name:<12} {rate}", *wrapped(MEANINGS[name], "             ")]
        lines += ["", *self._costs(), ""]
        lines += [f"{name:<14} {rate}" for name, rate in self.groups()]
        lines += ["", *self._layers(), "", *self._failures()]
        if self.standin_note:
            lines += ["", *wrapped(self.standin_note)]
        if self.folder:
            lines += ["", "results.jsonl and report.html are in", str(self.folder)]
        return "\n".join(lines)

    def headline(self) -> str:
        """What was run, on what, how often."""
        plan = self.plan
        left = self.due - len(self.trials)
        asked = f"{many(len(self.tasks), 'task')} x {plan.times} on {plan.model}"
        said = f"{asked}, harness {plan.harness}: {self.metrics.goals} goals reached."
        return said + (f" {left} of {self.due} trials were not run." if left else "")

    def _costs(self) -> list[str]:
        found = self.metrics
        tokens = (
            sum(t.prompt_tokens for t in self.trials),
            sum(t.completion_tokens for t in self.trials),
        )
        dollars = self.plan.cost(*tokens)
        return [
            f"tokens       {about(sum(tokens))} in all, {about(found.tokens_a_task)} a task",
            f"             {about(found.tokens_a_goal)} for each goal reached",
            f"calls        {found.calls_a_task:.1f} a task",
            *([f"cost         ${dollars:,.4f}"] if dollars is not None else []),
        ]

    def _layers(self) -> list[str]:
        found = self.compounding
        if not found.end_to_end.of:
            return ["No task of this run goes through every layer."]
        lines = ["Layer by layer, of the same trials"]
        for layer in found.layers:
            lines += [f"  {layer.name:<10} {layer.rate}", *wrapped(layer.verdict, " " * 13)]
        lines.append(f"  {'product':<10} {found.product:.0%}")
        lines.append(f"  {'end to end':<10} {found.end_to_end}")
        if found.idle:
            lines += wrapped(f"Not shown to pay for themselves: {', '.join(found.idle)}.", "  ")
        return lines

    def _failures(self) -> list[str]:
        if not self.missed:
            return ["Every goal was reached."]
        lines = ["What failed, and why"]
        for trial in self.missed:
            known = self.task(trial.task).standin
            lines.append(f"- {trial.task}" + (f" ({trial.number})" if trial.number > 1 else ""))
            for why in trial.why[:3]:
                lines += wrapped(why, "    ")
            if known and self.plan.model.startswith("standin"):
                lines += wrapped(f"known of the stand-in: {known}", "    ")
            if self.folder:
                lines += [f"    trace {turn[:18]}" for turn in trial.trace_ids[-1:]]
        return lines

    def short(self) -> list[tuple[str, str, str]]:
        """The figures to look at first: name, value, what it counts."""
        rates = self.metrics.rates()
        rows = [(name, str(rates[name]), MEANINGS[name]) for name in FIRST]
        cost = f"{about(self.metrics.tokens_a_task)} a task"
        missed = ", ".join(trial.task for trial in self.missed) or "none"
        return [*rows, ("tokens", cost, "read and written"), ("missed", missed, "look at these")]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        tone: Tone = "good" if not self.missed else "warn"
        rows = self.short()
        lines = [f"{name:<12}{value:<28}{meaning}" for name, value, meaning in rows]
        text = "\n".join([*wrapped(self.headline()), "", *lines, "", "All of it: print(report)"])
        head = ("metric", "value, 95 % interval", "what it counts")
        whole = fold("All of it: every metric, task, layer and trial", self.body())
        return bundle(text, card(self.headline(), table(head, rows) + whole, tone))

    def body(self) -> str:
        """The report as HTML, without a page around it."""
        rates = self.metrics.rates()
        rows = [
            (name, _share(rate), _interval(rate), MEANINGS[name]) for name, rate in rates.items()
        ]
        head = ("metric", "rate", "95 % interval", "what it counts")
        costs = pre("\n".join(self._costs()))
        groups = [(name, _share(rate), _interval(rate)) for name, rate in self.groups()]
        parts = [
            table(head, rows, (1,)),
            costs,
            table(("tasks", "goals reached", "95 % interval"), groups, (1,)),
            self._layers_html(),
            *(f"<p>{escape(self.standin_note)}</p>" for _ in [0] if self.standin_note),
            self._trials_html(self.missed, "What failed, and why", True),
            self._trials_html([t for t in self.trials if t.reached], "What was reached", False),
        ]
        return "".join(parts)

    def _layers_html(self) -> str:
        found = self.compounding
        if not found.end_to_end.of:
            return ""
        rows: list[Sequence[Any]] = [
            (each.name, _share(each.rate), _interval(each.rate), each.verdict)
            for each in found.layers
        ]
        rows.append(("product", f"{found.product:.0%}", "", "if the layers failed independently"))
        whole = found.end_to_end
        rows.append(("end to end", _share(whole), _interval(whole), "as it was measured"))
        return table(("layer", "rate", "95 % interval", "does it pay for itself"), rows, (1,))

    def _trials_html(self, trials: Sequence[Trial], title: str, is_open: bool) -> str:
        shown = "".join(self._trial_html(trial) for trial in trials)
        head = f"<strong>{escape(title)} ({len(trials)})</strong>"
        return fold(head, shown, is_open) if trials else ""

    def _trial_html(self, trial: Trial) -> str:
        task = self.task(trial.task)
        tone: Tone = "good" if trial.reached else "bad"
        why = "; ".join(trial.why) or "reached"
        ended = why_ended_badly(task, trial)
        calls = [
            (call.tool, call.status, "again" if call.again else "", Raw(pre(call.arguments)))
            for call in trial.calls
        ]
        turns = "".join(
            f"<p>{self._trace(turn)}{escape(path)}</p>"
            for turn, path in zip(trial.trace_ids, trial.paths, strict=False)
        )
        said = "".join(f"<p>{escape(question)}</p>" for question in task.questions)
        planted = "".join(
            f"<p>planted: {escape(p.model_dump(exclude_none=True))}</p>" for p in task.plants
        )
        body = (
            f"<p>{escape(why)}</p>"
            + (f"<p>{escape(ended)}</p>" if ended else "")
            + said
            + planted
            + pre(trial.answer)
            + table(("tool", "status", "", "arguments"), calls)
            + turns
        )
        summary = f"{marked(trial.task, tone)}: {escape(why)}"
        return fold(summary, body)

    def _trace(self, turn: str) -> str:
        """The command that shows a trace; none where the traces are gone."""
        if self.folder is None:
            return ""
        where = escape(self.folder / "home" / "traces")
        return (
            '<a href="home/traces">traces</a> (beside this page) '
            f'<code>python -m harness trace --folder "{where}" show {escape(turn[:18])}</code><br>'
        )

    def page(self) -> str:
        """One self-contained HTML page."""
        plan = self.plan
        about = [
            ("model", plan.model),
            ("harness", plan.harness),
            ("tasks", f"{len(self.tasks)}, each {many(plan.times, 'time')}"),
            ("limits", f"{plan.max_iterations} rounds and {plan.seconds:g} seconds a question"),
            ("started", plan.started),
            ("with", plan.made_with),
            ("again", plan.command()),
        ]
        title = f"Evaluation: {plan.harness} on {plan.model}"
        return html_page(title, self.headline(), table(("", ""), about) + self.body())


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 64em; margin: 2em auto; padding: 0 1em; }}
td, th {{ border-bottom: 1px solid #8884; }}
</style></head><body>
<h1>{title}</h1>
<p><strong>{headline}</strong></p>
{body}
</body></html>
"""


def html_page(title: str, headline: str, body: str) -> str:
    """A page that needs nothing else; `body` is HTML, the others are text."""
    return _PAGE.format(title=escape(title), headline=escape(headline), body=body)


def _share(rate: Rate) -> str:
    return f"{rate.value:.0%}" if rate.of else "-"


def _interval(rate: Rate) -> str:
    low, high = rate.interval
    return f"{low:.0%} to {high:.0%} ({rate.hits} of {rate.of})" if rate.of else ""


def wrapped(text: str, indent: str = "") -> list[str]:
    """A text as lines of `WIDTH`, each behind the indent."""
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
