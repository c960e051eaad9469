"""A turn that waits for the user's yes: kept as data, and taken up again where it was."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from harness import clock
from harness.config import TurnConfig, current_config
from harness.errors import WorkshopError
from harness.guards import approval
from harness.guards.envelope import Envelope
from harness.model.tool_calls import ToolCall
from harness.run import recorder
from harness.run.summaries import summariser
from harness.run.turn import Turn
from harness.run.weighing import weigh
from harness.session import Session, current_session, reopen

Message = dict[str, Any]
_COUNTERS = ("rounds", "prompt_tokens", "completion_tokens", "context", "limit")


@dataclass(frozen=True)
class Paused:
    """What is needed to go on: the conversation, the tools on offer, whose turn it was, and how."""

    messages: list[Message]
    tools: list[Message]
    turn: dict[str, Any]
    session: dict[str, Any]
    config: dict[str, Any]
    seconds_left: float


def hold(turn: Turn, messages: list[Message], tools: list[Message], approval_id: str) -> str:
    """Keep a turn until its approval is decided; returns what the user is told."""
    session = current_session()
    paused = Paused(
        messages,
        tools,
        _turn_data(turn),
        {
            "role": session.role,
            "read_only": session.read_only,
            "envelope": session.envelope.model_dump(mode="json") if session.envelope else None,
        },
        _config_data(current_config()),
        session.seconds_left(),
    )
    turn.approval_id = approval_id
    approval.keep_paused(approval_id, json.dumps(asdict(paused), default=str))
    asked = approval.find(approval_id)
    return f"This waits for your approval ({asked.id}): {asked.words}"


def take(approval_id: str) -> Paused:
    """The turn that waits for this approval, for one taker.

    Raises WorkshopError where it is not decided, or the turn is somebody else's or taken.
    """
    asked = approval.find(approval_id)  # refuses another user's
    if asked.status == "asked":
        raise WorkshopError(f"Approval {approval_id} is not decided yet.", "Approve or refuse it.")
    kept = approval.paused(approval_id)
    if kept:
        _fits(Paused(**json.loads(kept)), current_session())
    text = approval.take_paused(approval_id)
    if text is None:
        raise WorkshopError(
            f"No turn waits for the approval {approval_id}.",
            "It has been resumed already, or the call was made outside of run_turn.",
        )
    return Paused(**json.loads(text))


def envelope_of(paused: Paused) -> Envelope | None:
    """The envelope of the session that paused."""
    data = paused.session["envelope"]
    return Envelope.model_validate(data) if data else None


def _fits(paused: Paused, session: Session) -> None:
    if session.role != paused.session["role"]:
        raise WorkshopError(
            f"That turn was a {paused.session['role']}'s, and this session is a {session.role}'s.",
            f"Open session(user={session.user!r}, role={paused.session['role']!r}) around it.",
        )


def reopened(paused: Paused) -> Turn:
    """The very turn, open again: the same id, thread, calls and counts."""
    data = paused.turn
    question = reopen(**data["question"])
    turn = Turn(question, clock.now(), current_session().deadline, summariser=summariser())
    turn.logged = True
    for name in _COUNTERS:
        setattr(turn, name, data[name])
    turn.disclosed, turn.nudged = set(data["disclosed"]), set(data["nudged"])
    turn.calls = [ToolCall(**call) for call in data["calls"]]
    answered = {call.id: call for call in turn.calls}
    turn.pending = [
        answered.get(call["id"]) or ToolCall(**call) for call in data["pending"]
    ]  # the same objects: a call is answered once
    for call in turn.calls:
        weigh(turn, call, call.observation)
    recorder.take_up(turn)
    return turn


def open_calls(messages: list[Message]) -> list[Message]:
    """The calls of the last reply that have no result yet."""
    answered = {m.get("tool_call_id") for m in messages if m.get("role") == "tool"}
    last = next((m for m in reversed(messages) if m.get("tool_calls")), {})
    return [call for call in last.get("tool_calls", ()) if call["id"] not in answered]


def _turn_data(turn: Turn) -> dict[str, Any]:
    question = turn.question
    return {
        "question": {
            "identity": question.id,
            "thread_id": question.thread_id,
            "text": question.text,
        },
        **{name: getattr(turn, name) for name in _COUNTERS},
        "disclosed": sorted(turn.disclosed),
        "nudged": sorted(turn.nudged),
        "calls": [asdict(call) for call in turn.calls if call.kind != approval.KIND],
        "pending": [_as_asked(call) for call in turn.pending],
    }


def _as_asked(call: ToolCall) -> dict[str, Any]:
    """A call of the last reply; the one that waits is as it was before it was made."""
    fresh = {"observation": "", "status": "", "kind": ""} if call.kind == approval.KIND else {}
    return {**asdict(call), **fresh}


def _config_data(config: TurnConfig) -> dict[str, Any]:
    """What JSON can carry; a model for the answer is given again by whoever goes on."""
    return config.model_dump(mode="json", exclude={"answer_model", "alerts"})
