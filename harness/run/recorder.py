"""The recorder of a turn: opens it, announces its calls, keeps their observations, ends it.

It alone writes a turn into the thread's journal and into the trace. `chat` announces the calls of
a reply, the guarded call claims and answers them. So the harness knows the id of a call, and
whether it was made before, even under a loop that passes neither on.
"""

import sqlite3
from typing import Any

from harness import clock
from harness.memory import journal, state_sync
from harness.model.tool_calls import ToolCall, canonical, read_call
from harness.run import trace, turn_events
from harness.run.turn import INTERRUPTED, Summariser, Turn
from harness.run.weighing import weigh
from harness.session import (
    Question,
    answered,
    ask,
    current_question,
    current_session,
    here,
    is_open,
)

_turns: dict[str, Turn] = {}  # the open turns of this process, by id


def open_turn(thread_id: str, text: str, summariser: Summariser | None = None) -> Turn:
    """Begin to answer a question. What was left open here, or on that thread, is interrupted."""
    state_sync.take_over()
    user, before = current_session().user, current_turn()
    for turn in list(_turns.values()):
        left = turn.question.place[0] == here()[0] and turn.question.user == user
        again = left and (turn is before or turn.thread_id == thread_id)
        if again or not is_open(turn.question):
            abandon(turn)
    question = ask(thread_id, text)
    turn = Turn(question, clock.now(), current_session().deadline, summariser=summariser)
    _turns[question.id] = turn
    turn_events.asked(turn)
    return turn


def take_up(turn: Turn) -> None:
    """Go on with a turn that was paused; its question is open again."""
    _turns[turn.id] = turn


def call_of(turn: Turn, plain: dict[str, Any]) -> ToolCall:
    """The record of a call of the last reply, made where there is none."""
    function = plain["function"]
    return turn.find(plain["id"]) or read_call(plain["id"], function["name"], function["arguments"])


def current_turn() -> Turn | None:
    """The turn under way, None outside of one: what is run by hand belongs to no turn."""
    question = current_question()
    return _turns.get(question.id) if question else None


def turn_of_context(thread_id: str, text: str) -> Turn | None:
    """The open turn that a context is built for.

    A turn that already has rounds is continued only by the cell that began it: when a cell is
    run again, its question is asked anew.
    """
    turn = current_turn()
    if turn is None or (turn.thread_id, turn.question.text) != (thread_id, text):
        return None
    return turn if not turn.rounds or turn.question.place == here() else None


def turn_of_request(messages: list[dict[str, Any]]) -> Turn | None:
    """The open turn that a request belongs to.

    Where the question was asked, every request is part of its turn. Elsewhere, as in a later cell,
    one is that carries the question.
    """
    turn = current_turn()
    if turn is None or turn.question.place == here():
        return turn
    words = [text for text in (turn.question.text, turn.context) if text]
    said = (m.get("content") for m in messages if m.get("role") == "user")
    return turn if any(word in text for text in map(str, said) for word in words) else None


def announce(turn: Turn, asked: list[dict[str, Any]], calls: list[ToolCall]) -> None:
    """A reply with tool calls came in, `asked` as they came: remember them."""
    started = trace.timer()
    turn.rounds += 1
    turn.pending = calls
    for call in calls:
        call.round = turn.rounds
    turn.unwritten = asked
    turn_events.selected(turn, calls, started)


def write_down(turn: Turn, connection: sqlite3.Connection | None = None) -> None:
    """Put the calls of the last reply into the journal, within a transaction where one is given.

    The guarded call sees to it before the first of them runs: in the transaction that charges it.
    """
    if turn.unwritten:
        asked, turn.unwritten = turn.unwritten, []
        journal.record_tool_calls(turn.thread_id, turn.id, {"tool_calls": asked}, connection)


def claim(turn: Turn, name: str, arguments: Any) -> ToolCall | None:
    """The unanswered call that is now being run: by name and arguments.

    A loop may also have changed the arguments; so, where the question was asked, the name is
    enough.
    """
    waiting = [call for call in turn.open_calls if call.name == name]
    key = f"{name} {canonical(dict(arguments))}"
    same = next((call for call in waiting if call.key == key), None)
    if same is None and waiting and turn.question.place == here():
        return waiting[0]
    return same


def is_of(turn: Turn, call: ToolCall) -> bool:
    """Whether a call is one of this turn's: announced, or made where the question was asked."""
    return turn.find(call.id) is call or turn.question.place == here()


def settle(turn: Turn, messages: list[dict[str, Any]]) -> None:
    """Note the results that a loop gave without a tool, such as one for an unknown name."""
    waiting = {call.id: call for call in turn.open_calls}
    for message in reversed(messages if waiting else []):
        if message.get("role") == "assistant":
            break
        call = waiting.get(message.get("tool_call_id") or "")
        if call is not None:
            text = str(message.get("content"))
            bad = text.lstrip().startswith(("ERROR", '{"error"'))
            observe(turn, call, text, "error" if bad else "ok")


def observe(
    turn: Turn,
    call: ToolCall,
    text: str,
    status: str,
    started: float | None = None,
    kind: str = "",
    whole: str | None = None,
) -> None:
    """Store what a call came to: in the turn, in the thread, and in the trace.

    `text` is what the model reads; the thread keeps `whole` where that is longer. `started` is
    when the tool began; without it none ran.
    """
    call.observation, call.status, call.kind = text, status, kind
    weigh(turn, call, whole or text)
    if started is not None:
        turn_events.executed(turn, call, whole or text, started)
    stored = trace.timer()
    turn.calls.append(call)
    write_down(turn)
    journal.record_observation(turn.thread_id, turn.id, call.id, call.name, whole or text, status)
    turn_events.observed(turn, call, stored)


def repeat(turn: Turn, call: ToolCall, earlier: ToolCall) -> str:
    """Answer a call with the observation of an equal one."""
    observe(turn, call, earlier.observation, "repeated")
    return earlier.observation


def interrupt(turn: Turn) -> None:
    """Answer what is still open, so that the thread can be continued."""
    for call in turn.open_calls:
        observe(turn, call, INTERRUPTED, "interrupted")


def abandon(turn: Turn) -> None:
    """Nobody goes on with this turn: another question took its place, or its loop failed."""
    interrupt(turn)
    turn.status = turn.status or "interrupted"
    end(turn)


def end(turn: Turn, answer: str = "") -> None:
    """The turn was answered. A cap that was reached is a warning in the trace, no error."""
    _close(turn.question)
    if turn.finished:
        return
    turn.finished = True
    write_down(turn)
    status = turn.status or ("safety_trip" if turn.tripped else "completed")
    turn_events.ended(turn, str(status), answer)


def forget_turns() -> None:
    """Leave every open turn without a word; for tests and for the start of a notebook."""
    for turn in list(_turns.values()):
        _close(turn.question)


def _close(question: Question) -> None:
    _turns.pop(question.id, None)
    answered(question)
