"""A tool that returns what a test wants, and both ways of calling it."""

import json
from typing import Any

import pytest

from harness import TOOLS, ToolError, TurnConfig, dispatch, register, run_turn, standin


def tool_returning(value, **words):
    @register(name="probe", replace=True, **words)
    def probe() -> Any:
        """Return what the test wants."""
        return value() if callable(value) else value

    return probe


def both_ways(name, **arguments):
    """The observation by hand and by dispatch; they must be one text, or one error."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    result = dispatch({"id": "c1", "type": "function", "function": function})
    try:
        text = TOOLS[name][0](**arguments)
    except ToolError as error:
        assert (result.status, result.content) == (error.kind, f"ERROR: {error}")
        return error
    assert (result.status, result.content) == ("ok", text)
    return json.loads(text, parse_constant=pytest.fail)


def turn_with(turns, *tools):
    with standin.script(turns) as seen:
        result = run_turn("What is it?", config=TurnConfig(tools=tools))
    return result, seen


def observations(seen):
    return [m["content"] for m in seen.requests[-1]["messages"] if m["role"] == "tool"]
