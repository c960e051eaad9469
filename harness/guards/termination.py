"""When a turn must stop though the model would go on: the safety terminators, each with a name."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.config import TurnConfig
    from harness.model.tool_calls import PendingCall
    from harness.run.turn import Turn

_RECENT = 50  # calls that are looked at again after each round
_SWING = 6  # calls: three times there and back
REASONS = {
    "repeated_call": "the same call was made three times in a row",
    "no_progress": "several rounds brought nothing new",
    "oscillation": "two tools were called in turn, without getting further",
    "empty_reply": "the model's replies were empty",
    "tool_hopping": "one tool after another was tried without a result",
    "error_rate": "most calls failed",
    "silent_failure": "a tool returned nothing, twice",
    "premature_stop": "the model answered without doing what the task requires",
}


def trip(turn: "Turn", config: "TurnConfig") -> str | None:
    """The name of the terminator that the turn has run into, which the turn keeps, or None.

    Called after each round.
    """
    turn.tripped = turn.tripped or _trip(turn, config)
    return turn.tripped


def _trip(turn: "Turn", config: "TurnConfig") -> str | None:
    calls, count = turn.calls, turn.count
    if count["empty"] >= 2:
        return "silent_failure"
    if _hopped(calls[-config.hop_tools :], config.hop_tools):
        return "tool_hopping"
    if _oscillated(calls[-_SWING:]):
        return "oscillation"
    if turn.idle_rounds >= config.idle_rounds:
        idle = [c for c in calls[-_RECENT:] if c.round > turn.rounds - turn.idle_rounds]
        return "tool_hopping" if _hopped(idle, 3) else "no_progress"
    if len(calls) >= config.error_calls and count["error"] / len(calls) >= config.error_rate:
        return "error_rate"
    return None


def _hopped(calls: "list[PendingCall]", least: int) -> bool:
    """Whether these are calls of so many different tools, most of which brought nothing new."""
    different = len({call.name for call in calls}) == len(calls) >= least
    return different and 2 * sum(call.news for call in calls) < len(calls)


def _oscillated(calls: "list[PendingCall]") -> bool:
    """Whether two tools took turns in these calls, and half of the calls brought nothing new."""
    names = [call.name for call in calls]
    swings = len(names) == _SWING and names[0] != names[1] and names[2:] == names[:-2]
    return swings and 2 * sum(call.news for call in calls) <= _SWING


def missing_tools(turn: "Turn", config: "TurnConfig") -> list[str]:
    """The tools that the task requires and that have not been called with success."""
    done = {call.name for call in turn.calls if call.status in ("ok", "repeated")}
    return [name for name in config.require_tools if name not in done]
