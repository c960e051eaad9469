"""A turn run again from one of its steps: with another result, another model, or just again."""

from typing import Any

from harness.config import base_config, in_force
from harness.errors import WorkshopError
from harness.loop import go_on
from harness.run.conversation import log_message, turn_for
from harness.run.outcome import TurnResult
from harness.run.turn import Opening
from harness.session import deadline
from harness.tools.toolbox import TOOLS
from harness.traces.record_format import messages_added

Event = dict[str, Any]
Message = dict[str, Any]


def requests_of(events: list[Event]) -> list[list[Message]]:
    """The messages of each request of a turn, as the model saw them."""
    requests: list[list[Message]] = []
    now: list[Message] = []
    for event in events:
        sent = event["input"]
        if event["operation"] == "chat" and isinstance(sent, dict):
            kept = sent.get("kept", 0)
            now = [*now[: kept if isinstance(kept, int) else 0], *messages_added(event)]
            requests.append(now)
    return requests


def run_again(
    events: list[Event],
    step: int,
    *,
    result: str | None = None,
    model: str | None = None,
    budget_seconds: float = 120.0,
) -> TurnResult:
    """Go on from request number `step` (from 1) of a recorded turn, as a turn of its own.

    `result` takes the place of the last tool result before it. Raises WorkshopError where the turn
    has no such request, or no result to change.
    """
    requests = requests_of(events)
    if not 1 <= step <= len(requests):
        raise WorkshopError(f"The turn has no request {step}.", f"It has {len(requests)}.")
    messages = [dict(message) for message in requests[step - 1]]
    if result is not None:
        if messages[-1].get("role") != "tool":
            raise WorkshopError(
                f"No tool result comes before request {step}.", "Choose a later step."
            )
        messages[-1]["content"] = result
    asked = [event for event in events if event["operation"] == "chat"][step - 1]
    offered = [TOOLS[name][1] for name in asked.get("offered") or () if name in TOOLS]
    question = next((e["question"] for e in events if e.get("question")), "(again)")
    thread = f"{events[0]['thread_id']} again"
    filled = base_config().filled(max_iterations=8, model=model or asked.get("model"))
    config = filled.model_copy(update={"model": model or filled.model})
    with in_force(config), deadline(budget_seconds):
        log_message(thread, "user", question)
        turn = turn_for(thread, question)
        return go_on(
            turn, lambda: Opening(messages, offered), budget_seconds, lambda _: None, False
        )
