"""The events of a turn, as its recorder and `chat` tell them to the trace."""

from typing import Any

from openai.types.chat import ChatCompletion

from harness.model.tokens import count_tokens
from harness.model.tool_calls import ToolCall
from harness.run import trace
from harness.run.turn import Turn
from harness.traces.record_format import CHAT, CONTEXT, TOOL, TURN, Phase, clean
from harness.traces.turn_path import decision_path

_PHASES: dict[str, Phase] = {
    "iteration_cap": "CAP_REACHED",
    "deadline": "CAP_REACHED",
    "token_cap": "CAP_REACHED",
    "safety_trip": "SAFETY_TRIP",
}


def asked(turn: Turn) -> None:
    """A question was asked."""
    trace.record(turn, "PLANNING", TURN, decision="asked", question=clean(turn.question.text))


def contextualised(turn: Turn, tokens: dict[str, int], started: float) -> None:
    """The context of the question was built; `tokens` of each of its layers."""
    total = sum(tokens.values()), 0
    trace.record(
        turn, "PLANNING", CONTEXT, decision="context", started=started, tokens=total, layers=tokens
    )


def replied(
    turn: Turn,
    body: dict[str, Any],
    reply: ChatCompletion,
    calls: list[ToolCall],
    tokens: tuple[int, int],
    started: float,
    **more: Any,
) -> None:
    """The model answered a request: what it was sent, what it decided, what that cost."""
    choice = reply.choices[0]
    _chat(
        turn,
        body,
        decision=f"call {', '.join(call.name for call in calls)}" if calls else "answer",
        output=choice.message.content or choice.message.refusal,
        started=started,
        tokens=tokens,
        finish_reason=getattr(choice, "raw_finish_reason", choice.finish_reason),
        answered_by=reply.model,
        held=bool(calls),  # `selected` follows
        **more,
    )


def failed(turn: Turn, body: dict[str, Any], error: BaseException, started: float) -> None:
    """A request brought no reply."""
    _chat(
        turn,
        body,
        decision="no reply",
        output=str(error),
        started=started,
        tokens=(0, 0),
        error=type(error).__name__,
    )


def _chat(turn: Turn, body: dict[str, Any], **more: Any) -> None:
    turn.requests += 1
    offered = [tool.get("function", {}).get("name") for tool in body.get("tools") or ()]
    sent = _new_messages(turn, body["messages"])
    trace.record(
        turn, "PLANNING", CHAT, input=sent, model=body["model"], offered=offered or None, **more
    )


def _new_messages(turn: Turn, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """What a request adds to the one before: how many messages it keeps, and the ones after."""
    kept = min(len(messages), len(turn.sent))
    if messages[:kept] != turn.sent[:kept]:
        pairs = enumerate(zip(messages, turn.sent, strict=False))
        kept = next(i for i, (now, then) in pairs if now is not then and now != then)
    turn.sent = list(messages)
    return {"kept": kept, "added": messages[kept:]}


def selected(turn: Turn, calls: list[ToolCall], started: float) -> None:
    """The model chose these calls."""
    for call in calls:
        given = call.fault if call.arguments is None else call.arguments
        trace.record(
            turn,
            "TOOL_SELECTION",
            TOOL,
            decision=call.name,
            tool=call.name,
            input=given,
            started=started,
            tool_call_id=call.id,
            held=call is not calls[-1],
        )


def executed(turn: Turn, call: ToolCall, whole: str, started: float) -> None:
    """A tool ran; `whole` is all that it returned."""
    trace.record(
        turn,
        "EXECUTION",
        TOOL,
        input=call.arguments,
        output=whole,
        started=started,
        held=True,  # `observed` follows
        **_told(call),
    )


def observed(turn: Turn, call: ToolCall, started: float) -> None:
    """The model is shown what a call came to."""
    tokens = count_tokens(call.observation), 0
    told = _told(call)
    trace.record(
        turn, "OBSERVING", TOOL, output=call.observation, started=started, tokens=tokens, **told
    )


def _told(call: ToolCall) -> dict[str, Any]:
    named = {"decision": call.name, "tool": call.name, "tool_call_id": call.id}
    return {**named, "status": call.kind or call.status, "error": call.kind or None}


def ended(turn: Turn, status: str, answer: str) -> None:
    """The turn was answered. A cap that was reached is a warning, no error."""
    phase: Phase = _PHASES.get(status, "COMPLETED")
    level = "info" if phase == "COMPLETED" else "warning"
    trace.record(
        turn,
        phase,
        TURN,
        decision=status,
        output=answer,
        started=turn.opened,
        tokens=(turn.prompt_tokens, turn.completion_tokens),
        status=status,
        trip=turn.tripped,
        level="error" if status == "provider_error" else level,
        **_in_short(turn, status),
    )


def _in_short(turn: Turn, status: str) -> dict[str, Any]:
    """What a list of turns shows, so that it has to read this one event only."""
    models = [event["model"] for event in turn.events if event.get("model")]
    return {
        "began": turn.events[0]["timestamp"] if turn.events else None,
        "question": clean(turn.question.text),
        "calls": len(turn.calls),
        "errors": turn.count["error"],
        "model": models[-1] if models else None,
        "path": f"{decision_path(turn.events)} | {status}".removeprefix(" | "),
    }
