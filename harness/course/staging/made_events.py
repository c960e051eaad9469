"""Events of turns that never happened, in the form in which traces are read."""

from typing import Any

Event = dict[str, Any]
Tokens = dict[str, int]


def event(iteration: int, phase: str, **more: Any) -> Event:
    """One event, with nothing in the fields that are not given."""
    blank = dict.fromkeys(
        "model_decision tool status latency_ms tokens operation input output".split()
    )
    return {"trace_id": "made", "iteration": iteration, "phase": phase, **blank, **more}


def asked(context_ms: float | None = None) -> list[Event]:
    """A question, and the context that was built for it."""
    return [
        event(0, "PLANNING", model_decision="asked", operation="invoke_agent"),
        event(
            0,
            "PLANNING",
            model_decision="context",
            operation="build_context",
            latency_ms=context_ms,
            tokens={"prompt": 300, "completion": 0},
        ),
    ]


def planned(
    iteration: int, decision: str, ms: float | None = None, tokens: Tokens | None = None
) -> list[Event]:
    """A request to the model, and what it decided."""
    return [
        event(
            iteration,
            "PLANNING",
            model_decision=decision,
            operation="chat",
            latency_ms=ms,
            tokens=tokens,
        )
    ]


said = planned


def called(
    iteration: int, *tools: str, status: str | None = "ok", ms: float | None = None
) -> list[Event]:
    """Calls: each is selected, runs unless it was refused or repeated, and is observed."""
    ran = status in ("ok", "failed", None)
    found: list[Event] = []
    for tool in tools:
        common = {"tool": tool, "operation": "execute_tool", "status": status}
        found += [
            event(iteration, "TOOL_SELECTION", **{**common, "status": None}),
            *([event(iteration, "EXECUTION", **common, latency_ms=ms)] if ran else []),
            event(iteration, "OBSERVING", **common, tokens={"prompt": 50, "completion": 0}),
        ]
    return found


def ended(
    status: str = "completed",
    phase: str = "COMPLETED",
    ms: float | None = None,
    tokens: Tokens | None = None,
) -> list[Event]:
    """The end of a turn, with the time and the tokens of all of it."""
    return [event(2, phase, status=status, operation="invoke_agent", latency_ms=ms, tokens=tokens)]


def straight(tool: str) -> list[Event]:
    """One call, then the answer."""
    return [*asked(), *planned(1, f"call {tool}"), *called(1, tool), *said(2, "answer"), *ended()]


def open_turn(tool: str) -> list[Event]:
    """A turn in the middle of its work."""
    return [*asked(), *planned(1, f"call {tool}"), *called(1, tool)]
