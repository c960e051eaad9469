"""Right versions of `alerts`."""

RIGHT = {
    "a pass a number, with Counter and generators": """
from collections import Counter


def alerts(turns, limits):
    phases = [Counter(event["phase"] for event in events) for events in turns]
    took = [
        event["latency_ms"]
        for events in turns
        for event in events
        if event["phase"] in {"PLANNING", "EXECUTION"}
    ]
    took = [ms for ms in took if ms is not None]

    def cost(events):
        chats = (e["tokens"] for e in events if e["operation"] == "chat")
        return sum(t["prompt"] + t["completion"] for t in chats if t)

    due = {}
    if (capped := sum(1 for each in phases if each["CAP_REACHED"])) > limits.cap_breaches:
        due["cap_breaches"] = capped
    if took and (mean := sum(took) / len(took)) > limits.mean_latency_ms:
        due["mean_latency_ms"] = mean
    if (dearest := max([0, *map(cost, turns)])) > limits.tokens_per_task:
        due["tokens_per_task"] = dearest
    return due
""",
    "a class that sees one event after another": """
class _Day:
    def __init__(self):
        self.capped, self.total, self.steps, self.costs = set(), 0.0, 0, [0]

    def see(self, number, event):
        if event["phase"] == "CAP_REACHED":
            self.capped.add(number)
        if event["phase"] in ("PLANNING", "EXECUTION") and event["latency_ms"] is not None:
            self.total += event["latency_ms"]
            self.steps += 1
        if event["operation"] == "chat" and event["tokens"] is not None:
            self.costs[-1] += event["tokens"]["prompt"] + event["tokens"]["completion"]

    def values(self):
        yield "tokens_per_task", max(self.costs)
        yield "cap_breaches", len(self.capped)
        if self.steps:
            yield "mean_latency_ms", self.total / self.steps


def alerts(turns: list, limits: Alerts) -> dict:
    day = _Day()
    for number, events in enumerate(turns):
        day.costs.append(0)
        for event in events:
            day.see(number, event)
    return dict(pair for pair in day.values() if pair[1] > getattr(limits, pair[0]))
""",
    "itertools, and the limits as a loop": """
from itertools import chain


def alerts(turns, limits):
    def cap_breaches():
        return len([1 for events in turns if "CAP_REACHED" in [e["phase"] for e in events]])

    def mean_latency_ms():
        measured = [e["latency_ms"] for e in chain.from_iterable(turns)
                    if e["phase"] in ("PLANNING", "EXECUTION") and e["latency_ms"] is not None]
        return sum(measured) / max(len(measured), 1)

    def tokens_per_task():
        return max((sum(sum(e["tokens"].values()) for e in events
                        if e["operation"] == "chat" and e["tokens"] is not None)
                    for events in turns), default=0)

    due = {}
    for measure in (cap_breaches, mean_latency_ms, tokens_per_task):
        value = measure()
        if value > getattr(limits, measure.__name__):
            due[measure.__name__] = value
    return due
""",
    "a partial of a function with more arguments": """
import functools
import statistics


def _alerts(steps, turns, limits):
    capped = tokens = 0
    took = []
    for events in turns:
        hit, used = False, 0
        for event in events:
            match event:
                case {"phase": "CAP_REACHED"}:
                    hit = True
            if event["operation"] == "chat":
                used += sum((event["tokens"] or {}).values())
            if event["phase"] in steps and event["latency_ms"] is not None:
                took.append(event["latency_ms"])
        capped += hit
        tokens = max(tokens, used)
    found = dict(cap_breaches=capped, tokens_per_task=tokens)
    if took:
        found["mean_latency_ms"] = statistics.mean(took)
    return {key: found[key] for key in found if found[key] > getattr(limits, key)}


alerts = functools.partial(_alerts, {"PLANNING", "EXECUTION"})
""",
    "a dataclass a turn": """
from dataclasses import dataclass


@dataclass
class _Turn:
    events: list

    @property
    def capped(self):
        return any(e["phase"] == "CAP_REACHED" for e in self.events)

    @property
    def tokens(self):
        return sum(e["tokens"]["prompt"] + e["tokens"]["completion"]
                   for e in self.events if e["operation"] == "chat" and e["tokens"])

    def steps(self):
        for e in self.events:
            if e["phase"] not in ("PLANNING", "EXECUTION") or e["latency_ms"] is None:
                continue
            yield e["latency_ms"]


def alerts(turns: list[list[dict]], limits: Alerts) -> dict[str, float]:
    days = list(map(_Turn, turns))
    steps = [ms for day in days for ms in day.steps()]
    mean = sum(steps) / len(steps) if steps else 0
    most = sorted([day.tokens for day in days] + [0])[-1]
    names = "cap_breaches", "mean_latency_ms", "tokens_per_task"
    values = sum(day.capped for day in days), mean, most
    return dict((n, v) for n, v in zip(names, values) if not v <= getattr(limits, n))
""",
}
