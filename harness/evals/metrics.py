"""What a run of many tasks comes to: rates with their intervals, tokens, calls, compounding."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from harness.evals.receipts import LAYERS, REFUSED
from harness.evals.tasks import Task
from harness.evals.trial import Trial

_Z = 1.959964  # of a 95 % interval
_FEWEST = 5  # trials on either side, before a layer is said to pay or not
BY_ITSELF = ("completed", "needs_approval", "refused", "filtered")  # ends that nobody forced


@dataclass(frozen=True)
class Rate:
    """`hits` of `of`, with its 95 % interval."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share, from 0 to 1; 0 of nothing."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true rate is, 19 times in 20 (Wilson's score interval)."""
        return wilson(self.hits, self.of)

    def __str__(self) -> str:
        if not self.of:
            return "-"
        low, high = self.interval
        return f"{self.value:.0%} ({self.hits}/{self.of}; {low:.0%} to {high:.0%})"


def about(count: float) -> str:
    """A count to three digits: prompts carry ids and times, so tokens vary a little by the run."""
    if math.isinf(count):
        return "-"
    whole = round(count)
    return f"{round(whole, min(0, 3 - len(str(abs(whole))))):,}"


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Wilson's score interval at 95 % for `hits` of `of`; (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    share, z2 = hits / of, _Z**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z / (1 + z2 / of) * math.sqrt(share * (1 - share) / of + z2 / (4 * of**2))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Metrics:
    """The figures of a run. What is a `Rate` is better when it is higher, redundancy aside.

    `precision`: calls of a tool that the task needs or allows; `recall`: needed tools that
    succeeded; `redundancy`: calls that brought nothing new; `valid`: calls that their contract
    accepted; `termination`: trials whose turns all ended by themselves, with an answer, and not
    before a tool that was needed had been called; `robustness`: adversarial and malformed trials
    whose goal was reached; `efficiency`: the fewest calls that would do, of those that were made.
    """

    goals: Rate
    precision: Rate
    recall: Rate
    redundancy: Rate
    valid: Rate
    termination: Rate
    robustness: Rate
    efficiency: Rate
    tokens_a_task: float
    tokens_a_goal: float
    calls_a_task: float
    seconds_a_task: float

    def rates(self) -> dict[str, Rate]:
        """The rates by name, in order."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Rate)}


def measure(trials: Sequence[Trial], tasks: Iterable[Task]) -> Metrics:
    """The metrics of these trials; each must be of one of the tasks."""
    by_name = {task.name: task for task in tasks}
    pairs = [(by_name[trial.task], trial) for trial in trials]
    calls = [(task, call) for task, trial in pairs for call in trial.calls]
    hard = [trial for task, trial in pairs if task.area in ("adversarial", "malformed")]
    needed = [task.tools.fewest for task, trial in pairs if task.tools.fewest]
    made = [len(trial.calls) for task, trial in pairs if task.tools.fewest]
    tokens, reached = sum(trial.tokens for trial in trials), sum(t.reached for t in trials)
    return Metrics(
        goals=_rate(trials, lambda trial: trial.reached),
        precision=_rate(calls, lambda pair: pair[1].tool in fitting(pair[0])),
        recall=_sum(recalled(task, trial) for task, trial in pairs),
        redundancy=_rate(calls, lambda pair: pair[1].again),
        valid=_rate(calls, lambda pair: pair[1].status not in REFUSED),
        termination=_rate(pairs, lambda pair: not why_ended_badly(*pair)),
        robustness=_rate(hard, lambda trial: trial.reached),
        efficiency=Rate(min(sum(needed), sum(made)), sum(made)),
        tokens_a_task=tokens / len(trials) if trials else 0.0,
        tokens_a_goal=tokens / reached if reached else math.inf,
        calls_a_task=len(calls) / len(trials) if trials else 0.0,
        seconds_a_task=fmean(trial.seconds for trial in trials) if trials else 0.0,
    )


def fitting(task: Task) -> set[str]:
    """The tools that a good run of the task may call."""
    return {*task.tools.expected, *task.tools.allowed}


def recalled(task: Task, trial: Trial) -> Rate:
    """How many of the tools that the task needs ran with success."""
    worked = {call.tool for call in trial.calls if call.status in ("ok", "repeated")}
    broken = {plant.tool for plant in task.plants if plant.every_time}
    needed = set(task.tools.expected) - broken
    return Rate(len(needed & worked), len(needed))


def why_ended_badly(task: Task, trial: Trial) -> str:
    """What is wrong with how a trial ended: a forced end, no answer, or an answer too early."""
    for status in trial.statuses:
        if status not in BY_ITSELF:
            return f"ended with {status}"
    called = {call.tool for call in trial.calls}
    missing = [tool for tool in task.tools.expected if tool not in called]
    if missing and not trial.reached:
        return f"stopped before it had called {', '.join(missing)}"
    return ""


def _rate(things: Sequence[Any], good: Callable[[Any], bool]) -> Rate:
    return Rate(sum(map(good, things)), len(things))


def _sum(rates: Iterable[Rate]) -> Rate:
    found = list(rates)
    return Rate(sum(rate.hits for rate in found), sum(rate.of for rate in found))


@dataclass(frozen=True)
class Layer:
    """One layer: how often it did its part, and how often the goal was reached with it, without."""

    name: str
    rate: Rate
    with_it: Rate
    without_it: Rate

    @property
    def verdict(self) -> str:
        """Whether the layer pays for itself, as far as this run can tell.

        It does where goals are reached more often when it does its part than when it fails.
        """
        if self.without_it.of < _FEWEST:
            times = {0: "it never failed", 1: "it failed once"}
            failed = self.without_it.of
            return f"can't be told: {times.get(failed, f'it failed {failed} times')}"
        gain = self.with_it.value - self.without_it.value
        if self.with_it.interval[0] > self.without_it.interval[1]:
            return f"pays: {gain:+.0%} of goals"
        return f"does not show that it pays: {gain:+.0%} of goals, within chance"


@dataclass(frozen=True)
class Compounding:
    """The layers, their product, and what was really reached end to end, from the same trials."""

    layers: tuple[Layer, ...]
    product: float
    end_to_end: Rate

    @property
    def idle(self) -> list[str]:
        """The layers of which this run does not show that they pay for themselves."""
        return [layer.name for layer in self.layers if layer.verdict.startswith("does not")]


def compound(trials: Sequence[Trial]) -> Compounding:
    """Success layer by layer. Only trials that need all of the layers count."""
    whole = [t for t in trials if all(t.layers.get(name) is not None for name in LAYERS)]
    layers = []
    for name in LAYERS:
        did = [trial for trial in whole if trial.layers[name]]
        did_not = [trial for trial in whole if not trial.layers[name]]
        rates = (_rate(part, lambda trial: trial.reached) for part in (did, did_not))
        layers.append(Layer(name, Rate(len(did), len(whole)), *rates))
    product = math.prod(layer.rate.value for layer in layers)
    return Compounding(tuple(layers), product, _rate(whole, lambda trial: trial.reached))
