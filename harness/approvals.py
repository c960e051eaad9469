"""Approvals as a person meets them: what waits, yes or no, and the turn goes on.

for each in waiting():
    print(each.id, each.words)
approve("ap-...")
result = resume("ap-...")          in this process or in another one
"""

from collections.abc import Callable
from typing import Any

from harness.config import TurnConfig, base_config, in_force
from harness.errors import WorkshopError
from harness.guards.approval import Approval, find, settle, waiting
from harness.loop import go_on
from harness.run import outcome, pause, recorder
from harness.run.conversation import log_message
from harness.run.outcome import TurnResult, TurnStatus
from harness.run.turn import Opening, Turn
from harness.session import deadline, session
from harness.tools.dispatch import dispatch
from harness.tools.guard import runs_for_a_turn

__all__ = ["Approval", "approve", "attend", "find", "refuse", "resume", "waiting"]
_REFUSED = "ERROR: the user refused this call. Don't make it again; tell them that it was not done."
_EXPIRED = "ERROR: the user's approval came too late. It was not done; ask them whether to go on."


def approve(approval_id: str) -> Approval:
    """The session's user says yes. Raises WorkshopError for what they were not asked, for what is
    decided already, for what has expired, and where a tool says it in their place.
    """
    if runs_for_a_turn():
        raise WorkshopError("A tool can't approve what the agent does.", "The user has to say it.")
    return settle(approval_id, yes=True)


def refuse(approval_id: str) -> Approval:
    """The session's user says no; raises what `approve` raises."""
    return settle(approval_id, yes=False)


def resume(
    approval_id: str,
    *,
    stream: bool = False,
    verbose: bool = False,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    config: TurnConfig | None = None,
) -> TurnResult:
    """Go on with the very turn that waits for a decided approval, once.

    The call that waited is made, or the model is told that it was refused; then the rounds go on
    with the budgets that were left. `config` is needed only where the turn had an answer_model.
    Raises WorkshopError where no turn waits for it, or this is another user's or role's session.
    """
    found, paused = find(approval_id), pause.take(approval_id)
    saved = {name: value for name, value in paused.config.items() if value is not None}
    answer_model = (config or base_config()).answer_model
    settings = TurnConfig(**saved, answer_model=answer_model)
    say = print if verbose else lambda line: None
    with (
        session(envelope=pause.envelope_of(paused), read_only=paused.session["read_only"]),
        in_force(settings),
        deadline(max(paused.seconds_left, 1.0)),
    ):
        turn, messages = pause.reopened(paused), paused.messages
        turn.on_event = on_event
        calls = pause.open_calls(messages)
        if found.status != "approved" and calls:
            call = recorder.call_of(turn, calls[0])
            text = _REFUSED if found.status == "refused" else _EXPIRED
            recorder.observe(turn, call, text, "error", kind="not_allowed")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
            calls = calls[1:]
        if settings.until_confirmed and found.status == "approved" and calls:
            done = dispatch(calls[0])
            messages, calls = [*messages, done.message], calls[1:]
            if done.status == "ok" and not calls:
                return _finished(turn, messages, found)
        opening = Opening(messages, paused.tools, calls)
        return go_on(turn, lambda: opening, paused.seconds_left, say, stream)


def _finished(turn: Turn, messages: list[dict[str, Any]], found: Approval) -> TurnResult:
    """A turn whose goal was that the user confirms it: done, and nothing left to ask the model."""
    answer, turn.status = f"Done, as you confirmed: {found.words}", TurnStatus.COMPLETED
    log_message(turn.thread_id, "assistant", answer)
    return outcome.result_of(turn, turn.status, answer, messages)


def attend(
    result: TurnResult, ask: Callable[[Approval], bool | None], **options: Any
) -> TurnResult:
    """Put every approval of a turn to a person, and go on until it needs none.

    `ask` gets an Approval and returns True, False, or None to leave it undecided. `options` are
    those of `resume`.
    """
    while result.status == TurnStatus.NEEDS_APPROVAL and result.approval_id:
        answer = ask(find(result.approval_id))
        if answer is None:
            return result
        (approve if answer else refuse)(result.approval_id)
        result = resume(result.approval_id, **options)
    return result
