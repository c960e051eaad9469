"""When a turn must stop though the model would go on: the safety terminators, each with a name.

Work is what the turn had not seen yet: another call, or another result of the same call; an error
that it knows is none. Only what brings nothing of that is counted here, and what goes round in a
circle; everything else is left to the budgets.
"""

import itertools
from collections.abc import Iterator

from harness.config import TurnConfig
from harness.model.tool_calls import ToolCall
from harness.run.turn import Turn

REPEAT_LIMIT = 3  # rounds: the same call in so many, one after the other
_CIRCLE = range(2, 7)  # rounds of a circle
_TIMES = 3  # that it is gone round before it ends the turn
_SILENT = 2  # times that a tool may return nothing
REASONS = {
    "repeated_call": "the same call was made three times in a row",
    "no_progress": "several rounds brought only what was known already",
    "oscillation": "two calls were made in turn, over and over, with the same results",
    "empty_reply": "the model's replies were empty",
    "tool_hopping": "one tool after another was tried without a result",
    "same_error": "round after round brought the same error",
    "silent_failure": "a tool returned nothing, twice",
    "premature_stop": "the model answered without doing what the task requires",
}


def trip(turn: Turn, config: TurnConfig) -> str | None:
    """The name of the terminator that the turn has run into, which the turn keeps, or None.

    Called between rounds. It looks at the last rounds only, so its cost does not grow.
    """
    turn.tripped = turn.tripped or _trip(turn, config)
    return turn.tripped


def _trip(turn: Turn, config: TurnConfig) -> str | None:
    if turn.most_silent >= _SILENT:
        return "silent_failure"
    if _repeated(turn):
        return "repeated_call"
    if _hopped(list(itertools.islice(_backwards(turn), config.hop_tools)), config.hop_tools):
        return "tool_hopping"
    one_error = turn.last_other <= turn.last_progress  # since then; its rounds are counted below
    if not one_error and turn.rounds - turn.last_progress >= config.idle_rounds:
        keys = {call.key for call in _backwards(turn) if call.round > turn.last_progress}
        return "oscillation" if len(keys) == 2 else "no_progress"
    if turn.rounds - turn.last_other >= config.error_rounds:
        return "same_error"
    return "no_progress" if _goes_round(turn) else None


def _backwards(turn: Turn) -> Iterator[ToolCall]:
    """The calls, latest first; of equal calls in one reply only one, for they count once."""
    seen: set[tuple[int, str]] = set()
    for call in reversed(turn.calls):
        if (call.round, call.key) not in seen:
            seen.add((call.round, call.key))
            yield call


def _repeated(turn: Turn) -> bool:
    """Whether the last calls were one and the same, and the last of them brought nothing new."""
    last = list(itertools.islice(_backwards(turn), REPEAT_LIMIT))
    same = len(last) == REPEAT_LIMIT and len({call.key for call in last}) == 1
    return same and not any(call.progress for call in last[:-1])


def _goes_round(turn: Turn) -> bool:
    """Whether the last rounds are the same few, with the same results, over and over.

    Each of them changes what the next one finds, so no result is the last one of its call.
    """
    if not _came_lately(turn):
        return False
    rounds: list[list[tuple[str, str]]] = []
    number = 0
    for call in reversed(turn.calls):
        if call.repeatable:
            break
        if call.round != number:
            if len(rounds) == max(_CIRCLE) * _TIMES:
                break
            rounds.append([])
            number = call.round
        rounds[-1].append((call.key, call.observation))
    return any(
        len(rounds) >= _TIMES * length
        and rounds[:length] == rounds[length : 2 * length] == rounds[2 * length : 3 * length]
        and len({key for calls in rounds[:length] for key, _ in calls}) > 1
        for length in _CIRCLE
    )


def _came_lately(turn: Turn) -> bool:
    """Whether the last call was also made a few rounds before: mostly not, and that is quick."""
    calls = reversed(turn.calls)
    last = next(calls, None)
    for call in calls:
        if last is None or call.round < last.round - max(_CIRCLE):
            return False
        if call.key == last.key and call.round < last.round:
            return True
    return False


def _hopped(last: list[ToolCall], least: int) -> bool:
    """Whether these are calls of so many different tools, of which at most one brought a result.

    The latest must have brought none: what has just found something is not lost.
    """
    different = len({call.name for call in last}) == len(last) == least
    return different and not last[0].news and sum(call.news for call in last) <= 1


def missing_tools(turn: Turn, config: TurnConfig) -> list[str]:
    """The tools that the task requires and that have not been called with success."""
    done = {call.name for call in turn.calls if call.status in ("ok", "repeated")}
    return [name for name in config.require_tools if name not in done]
