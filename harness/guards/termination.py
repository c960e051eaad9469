"""When a turn must stop though the model would go on: the safety terminators, each with a name."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.config import TurnConfig
    from harness.turn import Turn

REASONS = {
    "repeated_call": "the same call was made three times in a row",
    "no_progress": "several rounds brought nothing new",
    "tool_hopping": "one tool after another was tried without a result",
    "error_rate": "most calls failed",
    "silent_failure": "a tool returned nothing, twice",
    "premature_stop": "the model answered without doing what the task requires",
}


def trip(turn: "Turn", config: "TurnConfig") -> str | None:
    """The name of the terminator that the turn has run into, or None. Called after each round."""
    if turn.tripped:
        return turn.tripped
    calls = turn.calls
    useless = [call.status != "ok" for call in calls]
    if sum(call.kind == "empty" for call in calls) >= 2:
        return "silent_failure"
    last = calls[-config.hop_tools :]
    if len({call.name for call in last}) == config.hop_tools and all(useless[-config.hop_tools :]):
        return "tool_hopping"
    if turn.idle_rounds >= config.idle_rounds:
        return "no_progress"
    failed = sum(call.status == "error" for call in calls)
    if len(calls) >= config.error_calls and failed / len(calls) >= config.error_rate:
        return "error_rate"
    return None


def missing_tools(turn: "Turn", config: "TurnConfig") -> list[str]:
    """The tools that the task requires and that have not been called with success."""
    done = {call.name for call in turn.calls if call.status in ("ok", "repeated")}
    return [name for name in config.require_tools if name not in done]
