"""What an answered call did for its turn: did it get it further, may it have changed the world?"""

import itertools
import re
from collections.abc import Iterator
from typing import Any

from harness.model.tool_calls import ToolCall
from harness.run.turn import Turn

_ECHOED = 50  # values of a call that are looked for in its error


def weigh(turn: Turn, call: ToolCall, result: str) -> None:
    """Note whether an answered call got the turn any further; see guards/termination.py."""
    turn.count.update({call.status, f"{call.kind} {call.name}"})
    call.changed = call.ran and (call.unknown or not call.reads)
    call.round = call.round or turn.rounds
    if call.status == "repeated":
        if not result.startswith("ERROR"):
            turn.last_other = call.round
        return
    error = same_error(call) if call.status == "error" else ""
    kinds = {error, _without_its_name(call, error)} - {""}
    known = not kinds.isdisjoint(turn.errors)
    call.progress = call.repeatable or (turn.results.get(call.key) != result and not known)
    call.news = call.status == "ok" and (call.name, result) not in turn.known
    turn.results[call.key] = result
    if call.status == "ok":
        turn.known.add((call.name, result))
    if call.progress:
        turn.last_progress = call.round
    if error not in turn.errors:
        turn.last_other = max(turn.last_other, call.round - bool(error))
    turn.errors |= kinds


def same_error(call: ToolCall) -> str:
    """An error without what it echoes of its own call: equal for the same fault, made otherwise."""
    leaves = _leaves(call.arguments if call.arguments is not None else call.fault)
    echoed = {call.name, *itertools.islice(filter(None, leaves), _ECHOED)}
    text = call.observation
    short = [each for each in echoed if len(each) <= len(text)]  # a longer one can't be in it
    for value in sorted(short, key=lambda each: (-len(each), each)):
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "...", text)
    return f"{call.name} {text}"


def _without_its_name(call: ToolCall, error: str) -> str:
    """The error of a call that no tool answered: one for all the names that there are not."""
    if call.kind == "unknown_tool":
        return call.kind
    return "" if call.ran or call.kind else error.removeprefix(f"{call.name} ")


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield str(value)
