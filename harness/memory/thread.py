"""Threads as the client gives them out: messages, memories, summary, context card."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.databases.business import limits
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.guards.secrets import redact
from harness.memory import card, retirement, store, threads, times
from harness.memory.arguments import check_purpose, cleaned_metadata, ends_at, identity
from harness.memory.async_twins import with_async_twins
from harness.memory.deletion import forget_turns, wipe
from harness.memory.records import ANSWERING, dump_json, load_json
from harness.memory.shapes import (
    UNSET,
    ContextCard,
    Message,
    MessageRecord,
    Summary,
    TimeToLiveAnchor,
)
from harness.memory.storable_text import storable
from harness.memory.summary import summarise_by_rule
from harness.memory.thread_memories import ThreadMemories
from harness.memory.withdrawn import withdrawn
from harness.model.tokens import count_tokens

_OWN = "message_id = ? AND thread_id = ? AND user_id = ?"
_WINDOW = 100  # messages that get_messages returns without a range


@with_async_twins
class Thread(ThreadMemories):
    """One conversation of one user. Made by `create_thread` and `get_thread`."""

    def __init__(self, client: Any, user_id: str, thread_id: str) -> None:
        self._client = client
        self._user_id = user_id
        self._thread_id = thread_id

    def __repr__(self) -> str:
        return f"Thread({self.thread_id!r}, user_id={self.user_id!r})"

    @property
    def user_id(self) -> str:
        """The user that the thread belongs to."""
        return self._user_id

    @property
    def thread_id(self) -> str:
        """The thread's name."""
        return self._thread_id

    @property
    def agent_id(self) -> str | None:
        """The agent that the thread belongs to."""
        return self._row()["agent_id"]

    @property
    def metadata(self) -> dict[str, Any] | None:
        """The thread's metadata."""
        return load_json(self._row()["metadata"])

    def add_messages(
        self,
        messages: Sequence[Message | dict[str, Any]],
        metadata: dict[str, Any] | list[dict[str, Any]] | None = UNSET,
        ttl_days: float | None = UNSET,
        ttl_anchor: TimeToLiveAnchor = UNSET,
    ) -> list[str]:
        """Append messages (role and content, as objects or dicts); returns their ids."""
        taken = [_as_message(message) for message in messages]
        each = metadata if isinstance(metadata, list) else [metadata or None] * len(taken)
        if len(each) != len(taken):
            raise WorkshopError(f"There are {len(taken)} messages and {len(each)} metadata.")
        now = times.utc_now()
        rows = []
        for message, shared in zip(taken, each, strict=True):
            stamp = times.stored(message.timestamp) if message.timestamp else now
            ends = ends_at(ttl_days, ttl_anchor, now, stamp)
            data = dump_json(cleaned_metadata(shared if shared is not None else message.metadata))
            rows.append(
                (
                    identity(message.id, "A message's id") or store.new_id("msg"),
                    self.user_id,
                    self.thread_id,
                    None,
                    message.role,
                    redact(storable(message.content)),
                    data,
                    ends,
                    stamp,
                    limits(),
                )
            )
        database = self._client.database
        with database.write() as connection:
            threads.ensure_thread(connection, self.user_id, self.thread_id)
            try:
                connection.executemany(threads.INSERT_MESSAGE, rows)
            except sqlite3.IntegrityError:
                raise WorkshopError("A message id is taken.", "Leave the ids out.") from None
        threads.summarise_if_due(database, self.thread_id, user_id=self.user_id)
        return [row[0] for row in rows]

    def get_messages(self, *, start: int = UNSET, end: int | None = UNSET) -> list[Message]:
        """Messages by position (`end` exclusive; None or -1: to the end), the last 100 without."""
        records = self._records()
        if start is UNSET and end is UNSET:
            chosen = records[-_WINDOW:]
        else:
            first = 0 if start is UNSET else start
            chosen = records[first:] if end in (UNSET, None, -1) else records[first:end]
        return [threads.as_message(record) for record in chosen]

    def get_message(self, message_id: str) -> Message:
        """One message. Raises WorkshopError if this thread has none of that id."""
        for record in self._records():
            if record.id == message_id:
                return threads.as_message(record)
        raise WorkshopError(f"This thread has no message {short_repr(message_id, 80)}.")

    def update_message(
        self,
        message_id: str,
        content: str = UNSET,
        metadata: dict[str, Any] | None = UNSET,
        ttl_days: float | None = UNSET,
        ttl_anchor: TimeToLiveAnchor = UNSET,
    ) -> str:
        """Change a message; records that rest on it are quarantined (their source was updated)."""
        old = self.get_message(message_id)
        text = old.content if content is UNSET else redact(storable(content))
        data = old.metadata if metadata is UNSET else cleaned_metadata(metadata)
        own = (message_id, self.thread_id, self.user_id)
        with self._client.database.write() as connection:
            connection.execute(
                f"UPDATE messages SET content = ?, metadata = ? WHERE {_OWN}",
                (text, dump_json(data), *own),
            )
            if ttl_days is not UNSET or ttl_anchor is not UNSET:
                ends = ends_at(ttl_days, ttl_anchor, times.utc_now(), old.timestamp)
                connection.execute(f"UPDATE messages SET expires_at = ? WHERE {_OWN}", (ends, *own))
        if text != old.content:
            retirement.source_changed(
                self._client.database, self.user_id, message_id, "source_updated"
            )
        return message_id

    def delete_message(self, message_id: str) -> int:
        """Delete one message; returns how many (0 or 1). Records that rest on it retire."""
        own = (message_id, self.thread_id, self.user_id)
        with self._client.database.write() as connection:
            connection.execute("PRAGMA secure_delete = ON")
            turn = connection.execute(f"SELECT turn_id FROM messages WHERE {_OWN}", own).fetchone()
            deleted = connection.execute(f"DELETE FROM messages WHERE {_OWN}", own).rowcount
        if turn and turn[0]:
            forget_turns(self._client.database, self.user_id, turn=turn[0])
        if deleted:
            retirement.source_changed(
                self._client.database, self.user_id, message_id, "source_deleted"
            )
            wipe(self._client.database)
        return deleted

    def get_summary(self, except_last: int = 0, token_budget: int | None = None) -> Summary:
        """The rolling summary, brought up to the last message (less `except_last`)."""
        text, through, _ = threads.summary_of(self._client.database, self.user_id, self.thread_id)
        records = self._records()
        rest = records[: len(records) - except_last] if except_last else records
        shown = withdrawn(self._client.database, self.user_id).shown(rest)
        waiting = [threads.as_message(one) for one in shown if one.seq_no > through]
        lines = summarise_by_rule(text, waiting).splitlines() if waiting else text.splitlines()
        while token_budget and len(lines) > 1 and count_tokens("\n".join(lines)) > token_budget:
            del lines[0]
        return Summary("\n".join(lines))

    def get_context_card(
        self,
        fallback_message_count: int = 5,
        max_relevant_results: int = 5,
        max_recent_messages: int = UNSET,
        except_last_messages: int = 0,
        min_relevant_results_by_type: dict[str, int] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        include_invalid_results: bool = False,
        token_budget: int | None = None,
        soft_token_budget: int | None = None,
        *,
        query: str = UNSET,
        use: str = UNSET,
    ) -> ContextCard:
        """What the next turn should know, as quoted lines; see card.py.

        `query` (ours) is the question being asked; without it the last messages are used.
        `use` (ours) is what the card is for, if not an answer: one of the purposes of a profile.
        Records that are not live never enter a card, whatever `include_invalid_results` says.
        """
        records = self._records()
        if except_last_messages:
            records = records[:-except_last_messages]
        asked = query or " ".join(r.content or "" for r in records[-fallback_message_count:])
        recent = card.RECENT if max_recent_messages is UNSET else max_recent_messages
        text = card.context_card(
            self._client.database,
            self.user_id,
            self.thread_id,
            asked,
            embed=self._client.embed,
            max_memories=max_relevant_results,
            max_messages=recent,
            token_budget=token_budget or soft_token_budget or card.TOKEN_BUDGET,
            metadata_filter=metadata_filter,
            uses=ANSWERING if use is UNSET else (check_purpose(use),),
        )
        return ContextCard(text)

    def _records(self) -> list[MessageRecord]:
        return threads.recent_messages(self._client.database, self.user_id, self.thread_id, -1)

    def _row(self) -> Any:
        rows = self._client.database.read(
            "SELECT * FROM threads WHERE user_id = ? AND thread_id = ?",
            (self.user_id, self.thread_id),
        )
        if not rows:
            raise WorkshopError(f"The thread {short_repr(self.thread_id, 80)} was deleted.")
        return rows[0]


def _as_message(message: Message | dict[str, Any]) -> Message:
    if isinstance(message, dict):
        unknown = set(message) - set(Message.__dataclass_fields__)
        if unknown or "role" not in message or "content" not in message:
            raise WorkshopError(
                "A message has a role and a content, and may have timestamp, metadata and id.",
                f"This one has {', '.join(sorted(map(str, message))) or 'nothing'}.",
            )
        message = Message(**message)
    return replace(message, content=threads.check_message(message.role, message.content))
