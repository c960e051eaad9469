"""A turn that folds open, step by step."""

import json
from collections.abc import Iterable
from typing import Any

from harness.ui.answer_tables import answer_html, answer_text
from harness.ui.html import Tone, card, escape, faint, fold, marked, milliseconds, pre
from harness.ui.terminal import many

Event = dict[str, Any]

_GOOD, _ASKED = ("completed",), ("refused", "needs_approval")
_SHOWN = 6_000  # characters of one text


def tone_of(status: str) -> Tone:
    """Completed is good, a cap or a trip a warning, a failure bad."""
    if status in _GOOD:
        return "good"
    return "bad" if status in ("provider_error", "interrupted") else "warn"


def turn_html(
    answer: str, status: str, events: Iterable[Event], trip: str | None = None, why: str = ""
) -> str:
    """The answer, and below it each step: arguments, observation, tokens, milliseconds.

    `why` says what stopped the turn, if something did.
    """
    events = list(events)
    title = _title(status, events, trip, why)
    steps = "".join(_step(number, these) for number, these in by_iteration(events).items())
    return card(title, answer_html(answer) + steps, tone_of(status))


def turn_text(
    answer: str, status: str, events: Iterable[Event], trip: str | None = None, why: str = ""
) -> str:
    """The same as lines."""
    events = list(events)
    lines = [_title(status, events, trip, why)]
    for number, these in by_iteration(events).items():
        seen = (event for event in these if event["phase"] == "OBSERVING")
        lines += [f"  {number} {event['tool']}: {event['status']}" for event in seen]
    return "\n".join([*lines, answer_text(answer)])


def _title(status: str, events: list[Event], trip: str | None, why: str) -> str:
    said = f"{status}{f' ({trip})' if trip else ''}: {totals(events)}"
    return f"{said}; {why}" if why else said


def by_iteration(events: Iterable[Event]) -> dict[int, list[Event]]:
    """The events of each round, in order; what came before the first request is left out."""
    rounds: dict[int, list[Event]] = {}
    for event in events:
        if event["iteration"] and event["operation"] != "invoke_agent":
            rounds.setdefault(int(event["iteration"]), []).append(event)
    return rounds


def totals(events: list[Event]) -> str:
    """Rounds, calls, tokens and time of a turn in a few words."""
    calls = sum(event["phase"] == "OBSERVING" for event in events)
    rounds = by_iteration(events)
    tokens = sum(_tokens(event) for event in events if event["operation"] == "chat")
    ends = [e for e in events if e["operation"] == "invoke_agent" and e["latency_ms"] is not None]
    took = milliseconds(ends[-1]["latency_ms"]) if ends else ""
    said = [many(len(rounds), "request"), many(calls, "tool call"), f"{tokens:,} tokens"]
    return ", ".join([*said, *([took] if took else [])])


def cost(event: Event) -> str:
    """Tokens and milliseconds of one event."""
    tokens = f"{_tokens(event):,} tokens" if event["tokens"] else ""
    return ", ".join(filter(None, [tokens, milliseconds(event["latency_ms"])]))


def as_text(value: Any) -> str:
    """A payload as text to read: JSON on lines of its own, and not more than a screenful or two."""
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    left = len(value) - _SHOWN
    return value if left <= 0 else f"{value[:_SHOWN]}\n... and {left:,} characters more"


def _step(number: int, events: list[Event]) -> str:
    replies = [event for event in events if event["operation"] == "chat"]
    decision = replies[-1]["model_decision"] if replies else ""
    summary = f"{number}. {escape(decision)} {faint(cost(replies[-1]) if replies else '')}"
    body = ""
    for reply in replies:
        if reply["output"]:
            body += f"<div>The model said</div>{pre(as_text(reply['output']))}"
    return fold(summary, body + "".join(_call(these) for these in _by_call(events)))


def _by_call(events: list[Event]) -> list[list[Event]]:
    calls: dict[str, list[Event]] = {}
    for event in events:
        if event["tool"]:
            calls.setdefault(str(event["tool_call_id"]), []).append(event)
    return list(calls.values())


def _call(events: list[Event]) -> str:
    by_phase = {event["phase"]: event for event in events}
    chosen, ran = by_phase.get("TOOL_SELECTION"), by_phase.get("EXECUTION")
    seen = by_phase.get("OBSERVING")
    status = str(seen["status"]) if seen else "no result"
    tone: Tone = "good" if status == "ok" else "warn" if status == "repeated" else "bad"
    times = [milliseconds(ran["latency_ms"])] if ran else []
    sizes = [f"{_tokens(seen):,} tokens"] if seen else []
    words = marked(f"{events[0]['tool']}: {status}", tone)
    body = f"<div>Arguments</div>{pre(as_text(chosen['input']))}" if chosen else ""
    body += f"<div>Observation</div>{pre(as_text(seen['output']))}" if seen else ""
    return fold(f"{words} {faint(', '.join(filter(None, [*sizes, *times])))}", body)


def _tokens(event: Event) -> int:
    counts = event["tokens"] or {}
    return int(counts.get("prompt", 0)) + int(counts.get("completion", 0))
