"""Where a turn begins and ends: the person's question, and the answer that they got."""

from typing import Any

from harness.databases.state import state
from harness.guards.secrets import redact
from harness.memory import state_sync, threads
from harness.run import recorder
from harness.run.summaries import summariser
from harness.run.turn import Turn


def log_message(thread_id: str, role: str, content: Any) -> None:
    """Add a message to a thread of the session's user; the thread is made if it is new.

    A user's message opens a turn, unless `build_context` has opened it; an assistant's message ends
    the turn. Raises WorkshopError for an empty thread id or role.
    """
    thread_id = threads.check_thread_id(thread_id)
    text = redact(threads.check_message(role, content))
    turn = recorder.current_turn()
    if turn is not None and turn.thread_id != thread_id:
        turn = None
    if role == "user":
        if turn is None or turn.logged or turn.question.text != text:
            turn = recorder.open_turn(thread_id, text, summariser())
        turn.logged = True
    threads.add_message(thread_id, role, text, turn.id if turn else None)
    if role == "assistant":
        if turn is not None:
            recorder.end(turn, text)
        write = turn.summariser if turn else summariser()
        threads.summarise_if_due(state(), thread_id, write.of_thread if write else None)
        state_sync.hand_on()


def turn_for(thread_id: str, user_query: str) -> Turn:
    """The turn that answers this question: the open one, or a new one."""
    thread_id = threads.check_thread_id(thread_id)
    text = redact(threads.check_message("user", user_query))
    turn = recorder.turn_of_context(thread_id, text)
    return turn or recorder.open_turn(thread_id, text, summariser())
