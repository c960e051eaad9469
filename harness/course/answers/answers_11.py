"""Our solutions of part 11, generated from authoring/11_seeing_inside.py."""

# mypy: ignore-errors
from collections import defaultdict
from statistics import fmean

from harness.config import Alerts


def decision_path(events: list[dict]) -> str:
    """The route of a turn on one line: a piece for each iteration in which something is said, then
    how the turn ended.

    Pieces are joined by " | ", in the order of their numbers.
    """
    steps, end = defaultdict(list), []
    for event in events:
        phase, status = event["phase"], event["status"]
        if phase == "OBSERVING":
            said = event["tool"] if status in ("ok", None) else f"{event['tool']} ({status})"
            steps[event["iteration"]].append(said)
        elif phase == "PLANNING" and event["model_decision"] in ("answer", "no reply"):
            steps[event["iteration"]].append(event["model_decision"])
        elif phase in ("COMPLETED", "CAP_REACHED", "SAFETY_TRIP"):
            end = [status]
    return " | ".join([*(f"{n} {', '.join(steps[n])}" for n in sorted(steps)), *end])


def alerts(turns: list[list[dict]], limits: Alerts) -> dict[str, float]:
    """The alerts that are due over many turns (each the list of its events), with their values.

    At a limit is not above it.
    """
    everything = [event for events in turns for event in events]
    steps = [
        event["latency_ms"]
        for event in everything
        if event["phase"] in ("PLANNING", "EXECUTION") and event["latency_ms"] is not None
    ]
    tokens = [
        sum(sum(e["tokens"].values()) for e in events if e["operation"] == "chat" and e["tokens"])
        for events in turns
    ]
    measured = {
        "cap_breaches": sum(any(e["phase"] == "CAP_REACHED" for e in events) for events in turns),
        "mean_latency_ms": fmean(steps) if steps else 0.0,
        "tokens_per_task": max(tokens, default=0),
    }
    return {name: value for name, value in measured.items() if value > getattr(limits, name)}
