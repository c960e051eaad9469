"""Pictures of what turns took: tokens a request by layer, time by what it went into."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.model.tokens import count_message
from harness.ui.bar_chart import bars
from harness.ui.html import View
from harness.ui.run_again import requests_of

Event = dict[str, Any]

LAYERS = ("system", "context", "assistant", "tool")


def layer_tokens(events: list[Event]) -> list[dict[str, int]]:
    """The tokens of each request of a turn, by the role of its messages."""
    rows = []
    for messages in requests_of(events):
        sums = dict.fromkeys(LAYERS, 0)
        for message in messages:
            role = "context" if message.get("role") == "user" else str(message.get("role"))
            sums[role] = sums.get(role, 0) + count_message(message)
        rows.append(sums)
    return rows


def tokens_by_step(events: list[Event]) -> View:
    """A bar a request, from what the system prompt, the context, calls and results are."""
    rows: dict[str, Mapping[str, float]] = {}
    for number, sums in enumerate(layer_tokens(events), 1):
        rows[f"request {number}"] = {name: count for name, count in sums.items() if count}
    return bars("Tokens of the messages, request by request", rows, unit="tokens")


def latency_by_phase(turns: Iterable[Sequence[Event]]) -> View:
    """Where the milliseconds of turns went: building the context, the model, each tool."""
    spent: dict[str, float] = defaultdict(float)
    for events in turns:
        for event in events:
            if event["phase"] in ("PLANNING", "EXECUTION") and event["latency_ms"] is not None:
                model = "the model" if event["operation"] == "chat" else "the context"
                spent[event["tool"] or model] += float(event["latency_ms"])
    longest_first = dict(sorted(spent.items(), key=lambda pair: -pair[1]))
    return bars("Where the time went", longest_first, unit="ms")
