"""Tools that the loop's tests call, registered for the length of a test."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Annotated, Any

from harness import TurnConfig, register, run_turn, standin
from harness.settings import settings
from harness.tools.toolbox import GuardedTool, include, spare_toolbox
from harness.traces.trace_reader import read

NAMES = ("add", "ping", "boom", "nothing", "hang", "alpha", "beta", "gamma", "delta", "omega")
CONFIG = TurnConfig(tools=NAMES, k_tools=len(NAMES))  # all of them: nothing to embed
QUESTION = "How many voyages are there?"  # its vector is shipped: no model is loaded


_ran: list[tuple[str, dict[str, Any]]] = []  # the calls of the test that is running
_hang_seconds = 3600.0


@contextmanager
def probe_tools(hang_seconds: float = 3600.0) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """Put the tools into the toolbox; yields the list of calls that really ran."""
    global _ran, _hang_seconds
    before, ran = (_ran, _hang_seconds), []
    with spare_toolbox():
        include(*_probes())
        _ran, _hang_seconds = ran, hang_seconds
        try:
            yield ran
        finally:
            _ran, _hang_seconds = before


@cache  # a contract takes longer to make than most turns of these tests
def _probes() -> tuple[GuardedTool, ...]:
    with spare_toolbox():
        return tuple(_register_probes())


def _register_probes() -> Iterator[GuardedTool]:
    @register(when="adding.", returns="'sum' is the sum.", tier="read", replace=True)
    def add(a: Annotated[int, "first"], b: Annotated[int, "second"] = 0) -> dict[str, int]:
        """Add two numbers."""
        _ran.append(("add", {"a": a, "b": b}))
        return {"sum": a + b}

    @register(when="pinging.", tier="read", replace=True)
    def ping() -> str:
        """Answer pong; takes no arguments."""
        _ran.append(("ping", {}))
        return "pong"

    @register(when="failing.", tier="read", replace=True)
    def boom(word: str = "x") -> dict[str, Any]:
        """Raise a KeyError."""
        _ran.append(("boom", {"word": word}))
        raise KeyError(word)

    @register(when="saying nothing.", tier="read", replace=True)
    def nothing(n: int = 0) -> None:
        """Return None."""
        _ran.append(("nothing", {"n": n}))

    @register(when="hanging.", tier="read", replace=True)
    def hang() -> str:
        """Sleep for an hour."""
        _ran.append(("hang", {}))
        time.sleep(_hang_seconds)
        return "woke"

    yield from (add, ping, boom, nothing, hang)
    for name in ("alpha", "beta", "gamma", "delta", "omega"):

        @register(name=name, when=f"{name}.", tier="read", replace=True)
        def failing(n: int = 0) -> None:
            """Return nothing useful."""
            raise ValueError("no result")

        yield failing


def turn_with(turns: list[Any], question: str = QUESTION, **options: Any) -> tuple[Any, Any]:
    """Run a turn on a fresh thread against a script: (TurnResult, what the script saw)."""
    options.setdefault("config", CONFIG)
    options.setdefault("thread_id", f"loop-test-{uuid.uuid4().hex}")
    with standin.script(turns) as seen:
        return run_turn(question, **options), seen


def adding() -> Callable[[dict[str, Any]], Any]:
    """A model that always finds one more thing to add, and answers when it gets no tools."""
    numbers = iter(range(1000))
    return lambda request: (
        standin.call("add", a=next(numbers)) if "tools" in request else standin.say("forced")
    )


def kinds(seen: Any) -> list[str]:
    """Of each request whether it offered tools or forced an answer."""
    return ["tools" if "tools" in request else "forced" for request in seen.requests]


def results(seen: Any) -> list[tuple[str, str]]:
    """Every tool result of the last request, as (id, content)."""
    messages = seen.requests[-1]["messages"]
    return [(m["tool_call_id"], m["content"]) for m in messages if m["role"] == "tool"]


def last_results(seen: Any) -> list[str]:
    """The contents of the tool messages in the last request."""
    return [content for _, content in results(seen)]


def traced(result: Any) -> list[dict[str, Any]]:
    """The events of the turn in today's trace file."""
    (path, *_) = sorted((settings().home / "traces").glob("*.jsonl"))[-1:]
    return [event for event in read(path) if event["trace_id"] == result.trace_id]


def assert_tripped(result: Any, name: str, answer: str = "forced") -> None:
    """The terminator of this name ended the turn, in its result and in its trace."""
    assert (result.status, result.trip, result.answer) == ("safety_trip", name, answer)
    last = traced(result)[-1]
    assert (last["phase"], last["status"], last["trip"]) == ("SAFETY_TRIP", "safety_trip", name)
    assert last["level"] == "warning"


def body(message: dict[str, Any], finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """A whole response around a message."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "r", "object": "chat.completion", "created": 1, "model": "m"} | {
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        **more,
    }


def raw_call(name: Any, arguments: Any, call_id: Any = "c1") -> dict[str, Any]:
    """A tool call exactly as a server would send it."""
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def text_of(value: Any) -> str:
    """JSON text of a value."""
    return json.dumps(value)
