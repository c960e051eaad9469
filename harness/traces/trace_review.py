"""A review of many turns: what they cost, where they went in circles, which limits they crossed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from harness.config import Alerts
from harness.traces.record_format import ENDED

Event = dict[str, Any]

SWINGS = 4  # calls in a row that go to and fro between two tools
_CAPS = ("iteration_cap", "deadline", "token_cap")
_STEPS = ("PLANNING", "EXECUTION")  # the phases that take time of their own
_MOST = 5  # of each list

# What to do about each alert.
REMEDIES = {
    "cap_breaches": (
        "Look at the paths of these turns. Going in circles: make the tools' triggers clearer. "
        "Honest progress: raise max_iterations, or split the task."
    ),
    "mean_latency_ms": (
        "Look at the slowest steps. A slow tool: a narrower query or a cache. A slow model: a "
        "smaller prompt, or a smaller model for simple rounds."
    ),
    "tokens_per_task": (
        "Look at the cost by tool. Long observations: return less, or offload. Many rounds: a "
        "narrow tool that does in one call what now takes five. A long prompt: move rules into "
        "the tools' instructions."
    ),
}


@dataclass(frozen=True)
class Alert:
    """A threshold that was crossed; `worst` is the id of a turn to begin with."""

    name: str
    value: float
    threshold: float
    worst: str = ""

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return REMEDIES[self.name]


@dataclass
class ToolCost:
    """What one tool cost in all of the turns: calls, milliseconds, tokens of its observations."""

    calls: int = 0
    errors: int = 0
    repeats: int = 0
    tokens: int = 0
    milliseconds: list[float] = field(default_factory=list)

    @property
    def mean_ms(self) -> float:
        """Of the calls that ran."""
        return fmean(self.milliseconds) if self.milliseconds else 0.0


@dataclass(frozen=True)
class Task:
    """A turn in a review."""

    trace_id: str
    question: str
    status: str
    tokens: int
    tools: tuple[str, ...]


@dataclass(frozen=True)
class Slow:
    """A step that took long."""

    what: str
    milliseconds: float
    trace_id: str


@dataclass(frozen=True)
class Review:
    """What a review found; `swings` are (trace id, the two tools, how many calls)."""

    tasks: list[Task]
    tools: dict[str, ToolCost]
    mean_latency_ms: float
    slowest: list[Slow]
    swings: list[tuple[str, tuple[str, str], int]]
    alerts: list[Alert]

    @property
    def statuses(self) -> Counter[str]:
        """How the turns ended."""
        return Counter(task.status for task in self.tasks)

    @property
    def patterns(self) -> list[tuple[tuple[str, ...], int]]:
        """The most frequent orders in which tools were selected."""
        return Counter(task.tools for task in self.tasks).most_common(_MOST)

    @property
    def dearest(self) -> list[Task]:
        """The turns that took the most tokens."""
        return sorted(self.tasks, key=lambda task: -task.tokens)[:_MOST]


def review(turns: Iterable[Sequence[Event]], thresholds: Alerts | None = None) -> Review:
    """Look at many turns, each a list of its events in order."""
    tasks, tools, steps, swings = [], defaultdict[str, ToolCost](ToolCost), [], []
    for events in turns:
        if not events:
            continue
        task = _task(events)
        tasks.append(task)
        steps += [_slow(event) for event in events if _is_step(event)]
        for event in events:
            if event["tool"]:
                _count(tools[event["tool"]], event)
        if found := oscillation(task.tools):
            swings.append((task.trace_id, *found))
    mean = fmean(step.milliseconds for step in steps) if steps else 0.0
    slowest = sorted(steps, key=lambda step: -step.milliseconds)[:_MOST]
    alerts = find_alerts(tasks, mean, slowest, thresholds or Alerts())
    return Review(tasks, dict(sorted(tools.items())), mean, slowest, swings, alerts)


def oscillation(tools: Sequence[str]) -> tuple[tuple[str, str], int] | None:
    """The longest stretch of calls that goes to and fro between two tools, from four calls on."""
    best: tuple[tuple[str, str], int] | None = None
    length = 1
    for i in range(1, len(tools)):
        swings = tools[i] != tools[i - 1] and (i < 2 or length < 2 or tools[i] == tools[i - 2])
        length = length + 1 if swings else (2 if tools[i] != tools[i - 1] else 1)
        if length >= SWINGS and (best is None or length > best[1]):
            best = ((tools[i - 1], tools[i]), length)
    return best


def find_alerts(
    tasks: Sequence[Task], mean_latency_ms: float, slowest: Sequence[Slow], thresholds: Alerts
) -> list[Alert]:
    """The thresholds that are crossed: a value above its threshold is an alert."""
    capped = [task for task in tasks if task.status in _CAPS]
    dearest = max(tasks, key=lambda task: task.tokens, default=None)
    measured = [
        ("cap_breaches", len(capped), capped[-1].trace_id if capped else ""),
        ("mean_latency_ms", mean_latency_ms, slowest[0].trace_id if slowest else ""),
        ("tokens_per_task", dearest.tokens if dearest else 0, dearest.trace_id if dearest else ""),
    ]
    limits = thresholds.model_dump()
    return [
        Alert(name, value, limits[name], worst)
        for name, value, worst in measured
        if value > limits[name]
    ]


def _task(events: Sequence[Event]) -> Task:
    last = events[-1]
    ended = last["phase"] in ENDED
    questions = (event.get("question") for event in events)
    tokens = [e["tokens"] for e in events if e["operation"] == "chat" and e["tokens"]]
    return Task(
        str(last["trace_id"]),
        next(filter(None, questions), ""),
        str(last["status"]) if ended else "open",
        sum(each["prompt"] + each["completion"] for each in tokens),
        tuple(str(e["tool"]) for e in events if e["phase"] == "OBSERVING"),
    )


def _is_step(event: Event) -> bool:
    return event["phase"] in _STEPS and event["latency_ms"] is not None


def _slow(event: Event) -> Slow:
    what = event["tool"] or ("the model" if event["operation"] == "chat" else event["operation"])
    return Slow(what, float(event["latency_ms"]), str(event["trace_id"]))


def _count(cost: ToolCost, event: Event) -> None:
    if event["phase"] == "EXECUTION" and event["latency_ms"] is not None:
        cost.milliseconds.append(float(event["latency_ms"]))
    if event["phase"] == "OBSERVING":
        cost.calls += 1
        cost.repeats += event["status"] == "repeated"
        cost.errors += event["status"] not in ("ok", "repeated", None)
        cost.tokens += (event["tokens"] or {}).get("prompt", 0)
