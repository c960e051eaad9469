"""The forced end of a turn: one more request without tools, or else a plain summary."""

from typing import Any

import openai

from harness.model.chat import chat
from harness.model.response_parsing import ProviderError
from harness.run import outcome
from harness.run.compaction import repair_history
from harness.run.outcome import TurnStatus
from harness.run.turn import Turn


def force(turn: Turn, messages: list[dict[str, Any]], status: TurnStatus, stream: bool) -> str:
    """One more request, without tools; and if that brings nothing, a plain summary."""
    messages = [*repair_history(messages), outcome.last_request(turn, status)]
    try:
        message = chat(messages, stream=stream).choices[0].message
    except (ProviderError, openai.BadRequestError):
        return outcome.summary(turn, status)
    return (message.content or message.refusal or "").strip() or outcome.summary(turn, status)
