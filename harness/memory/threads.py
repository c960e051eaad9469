"""Threads and their messages: the conversation as it was, and its rolling summary."""

import sqlite3
import warnings
from collections.abc import Sequence
from typing import Any

from harness.databases.business import limits
from harness.databases.state import StateDatabase, state
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.guards.secrets import redact
from harness.memory import store, times
from harness.memory.default_user import session_user
from harness.memory.records import dump_json, load_json
from harness.memory.shapes import Message, MessageRecord
from harness.memory.signature import UnreadableSeals
from harness.memory.storable_text import storable, without_secret
from harness.memory.summary import Summariser, summarise_by_rule
from harness.memory.visibility import visible
from harness.memory.withdrawn import withdrawn

KEEP = 6  # messages that a summary leaves as they are
EVERY = 12  # unsummarised messages that make a new summary due

INSERT_MESSAGE = (
    "INSERT INTO messages (message_id, user_id, thread_id, turn_id, role, content, metadata,"
    " expires_at, created_at, seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def check_thread_id(thread_id: Any) -> str:
    """A usable thread id; any non-empty text is one. Raises WorkshopError otherwise."""
    if not isinstance(thread_id, str) or not thread_id.strip():
        raise WorkshopError(
            f"A thread id must be a text that is not empty, not {short_repr(thread_id)}.",
            'Name the conversation, for example thread_id="default".',
        )
    return without_secret(storable(thread_id), "The thread id")


def check_message(role: Any, content: Any) -> str:
    """The text of a message as it is stored. Raises WorkshopError for a message without a role."""
    if not isinstance(role, str) or not role.strip():
        raise WorkshopError("A message needs a role.", 'Use "user" or "assistant".')
    without_secret(role, "The role")
    return storable("" if content is None else content)


def add_message(thread_id: str, role: str, text: str, turn_id: str | None = None) -> None:
    """Write a message of the session's user down; the thread is made if it is new.

    The id of the user's message follows from that of the turn which answers it.
    """
    database, user = state(), session_user()
    kept = redact(text)  # what looks like a key or a password is not written down
    message_id = _message_id(turn_id) if role == "user" and turn_id else store.new_id("msg")
    with database.write() as connection:
        ensure_thread(connection, user, thread_id)
        connection.execute(
            INSERT_MESSAGE,
            (
                message_id,
                user,
                thread_id,
                turn_id,
                role,
                kept,
                None,
                None,
                times.utc_now(),
                limits(),
            ),
        )


def _message_id(turn_id: str) -> str:
    return "msg" + turn_id.removeprefix("turn")


def ensure_thread(
    connection: sqlite3.Connection,
    user_id: str,
    thread_id: str,
    agent_id: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> bool:
    """Make the thread unless it is there; returns whether it was made."""
    made = connection.execute(
        "INSERT INTO threads (user_id, thread_id, agent_id, metadata, created_at)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (user_id, thread_id, agent_id, dump_json(metadata), times.utc_now()),
    )
    return made.rowcount > 0


def recent_messages(
    database: StateDatabase, user_id: str, thread_id: str, count: int, after: int = 0
) -> list[MessageRecord]:
    """The last `count` messages of a thread whose number is above `after`, oldest first."""
    here, limited = visible()
    rows = database.read(
        f"{_SELECT} WHERE thread_id = ? AND user_id = ? AND seq > ?"
        f" AND {_LIVE} AND {here} ORDER BY seq DESC LIMIT ?",
        (thread_id, user_id, after, times.utc_now(), *limited, count),
    )
    return [message_record(row) for row in reversed(rows)]


def message_of_turn(database: StateDatabase, turn_id: str) -> str | None:
    """The id of the user's message that started a turn."""
    message_id = _message_id(turn_id)
    found = database.read("SELECT 1 FROM messages WHERE message_id = ?", (message_id,))
    return message_id if found else None


def message_record(row: sqlite3.Row) -> MessageRecord:
    """A row of `messages` in the public shape."""
    return MessageRecord(
        id=row["message_id"],
        content=row["content"],
        timestamp=row["created_at"],
        metadata=load_json(row["metadata"]),
        thread_id=row["thread_id"],
        user_id=row["user_id"],
        role=row["role"],
        seq_no=row["seq"],
    )


def as_message(record: MessageRecord) -> Message:
    """A stored message as the client's threads return it."""
    return Message(
        record.role or "", record.content or "", record.timestamp, record.metadata, record.id
    )


def summarise_if_due(
    database: StateDatabase,
    thread_id: str,
    summariser: Summariser | None = None,
    user_id: str | None = None,
) -> None:
    """Fold all but the last messages into the thread's summary when enough have gathered.

    `summariser(summary so far, messages)` writes it; without one, or when it raises or returns
    nothing, it is made by rule.
    """
    user_id = user_id or session_user()
    summary, through, _ = summary_of(database, user_id, thread_id)
    here, limited = visible()
    waiting = database.read(
        f"SELECT count(*) FROM messages WHERE thread_id = ? AND user_id = ? AND seq > ? AND {here}",
        (thread_id, user_id, through, *limited),
    )[0][0]
    if waiting < EVERY:
        return
    due = recent_messages(database, user_id, thread_id, waiting, through)[:-KEEP]
    try:
        due = withdrawn(database, user_id).shown(due)
    except UnreadableSeals:  # nobody knows now what was withdrawn: the next message does it
        return
    if not due:
        return
    text, by_model = _summarise(summariser, summary, [as_message(record) for record in due])
    seen = limits()
    with database.write() as connection:  # another kernel may have been here first
        connection.execute(
            "UPDATE threads SET summary = ?, summary_through = ?, summary_by_model = ?,"
            " summary_seen = ? WHERE user_id = ? AND thread_id = ?"
            " AND (summary_through = ? OR summary_seen != ?)",
            (text, due[-1].seq_no, int(by_model), seen, user_id, thread_id, through, seen),
        )


def summary_of(database: StateDatabase, user_id: str, thread_id: str) -> tuple[str, int, bool]:
    """The rolling summary, the number of the last message in it, whether a model wrote it.

    One that was made of what another role saw is none.
    """
    rows = database.read(
        "SELECT summary, summary_through, summary_by_model FROM threads"
        " WHERE user_id = ? AND thread_id = ? AND summary_seen = ?",
        (user_id, thread_id, limits()),
    )
    return (rows[0][0] or "", rows[0][1], bool(rows[0][2])) if rows else ("", 0, False)


def _summarise(
    summariser: Summariser | None, summary: str, messages: Sequence[Message]
) -> tuple[str, bool]:
    if summariser is not None:
        try:
            text = summariser(summary, messages)
            if isinstance(text, str) and text.strip():
                return storable(text.strip()), True
        except Exception as error:  # a summary is a convenience: no answer is lost for it
            why = redact(f"{type(error).__name__}: {error}"[:300])
            warnings.warn(f"A thread's summary was made by rule: {why}", stacklevel=3)
    return summarise_by_rule(summary, messages), False


_SELECT = "SELECT * FROM messages"
_LIVE = "(expires_at IS NULL OR expires_at > ?)"
