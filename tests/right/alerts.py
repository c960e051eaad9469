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
}
