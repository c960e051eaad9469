"""The part of the client that makes, finds, lists and deletes threads."""

from typing import TYPE_CHECKING, Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.memory import retirement, store, threads, times
from harness.memory.arguments import at_most, cleaned_metadata, identity
from harness.memory.default_user import owned, session_user
from harness.memory.profiles import holds
from harness.memory.records import dump_json, load_json
from harness.memory.shapes import UNSET, MessageRecord, ThreadRecord
from harness.memory.thread import Thread
from harness.memory.visibility import visible


class ThreadCalls:
    """The part of the client that knows threads."""

    if TYPE_CHECKING:

        @property
        def database(self) -> StateDatabase:  # noqa: D102
            ...

    def create_thread(
        self,
        *,
        thread_id: str = UNSET,
        user_id: str = UNSET,
        agent_id: str = UNSET,
        metadata: dict[str, Any] | None = UNSET,
    ) -> "Thread":
        """Start a thread of a user, the session's if omitted. Raises WorkshopError if it exists."""
        thread_id = store.new_id("thread") if thread_id is UNSET else thread_id
        thread_id = threads.check_thread_id(thread_id)
        user = identity(user_id, "user_id") or session_user()
        data = cleaned_metadata(metadata or None)
        with self.database.write() as connection:
            made = threads.ensure_thread(
                connection, user, thread_id, identity(agent_id or None, "agent_id"), data
            )
        if not made:
            raise WorkshopError(
                f"There is already a thread {short_repr(thread_id, 80)}.", "get_thread() opens it."
            )
        return Thread(self, user, thread_id)

    def get_thread(self, thread_id: str, *, user_id: str = UNSET) -> "Thread":
        """A thread of a user, the session's if omitted. Raises WorkshopError if there is none."""
        thread_id = threads.check_thread_id(thread_id)
        user = identity(user_id, "user_id") or session_user()
        found = "SELECT 1 FROM threads WHERE thread_id = ? AND user_id = ?"
        if not self.database.read(found, (thread_id, user)):
            raise WorkshopError(
                f"There is no thread {short_repr(thread_id, 80)}.", "create_thread() starts one."
            )
        return Thread(self, user, thread_id)

    def update_thread(
        self,
        thread_id: str,
        metadata: dict[str, Any] | None = UNSET,
        *,
        user_id: str = UNSET,
    ) -> "Thread":
        """Replace the metadata of a user's thread."""
        thread = self.get_thread(thread_id, user_id=user_id)
        if metadata is not UNSET:
            with self.database.write() as connection:
                connection.execute(
                    "UPDATE threads SET metadata = ? WHERE user_id = ? AND thread_id = ?",
                    (dump_json(cleaned_metadata(metadata)), thread.user_id, thread.thread_id),
                )
        return thread

    def delete_thread(self, thread_id: str, *, user_id: str = UNSET) -> int:
        """Delete a user's thread with its messages, outputs and memories; returns how many."""
        user = identity(user_id, "user_id") or session_user()
        return retirement.delete_thread(self.database, user, threads.check_thread_id(thread_id))

    def list_threads(
        self,
        user_id: str = UNSET,
        agent_id: str | None = UNSET,
        metadata_filter: dict[str, Any] | None = UNSET,
        limit: int | None = UNSET,
    ) -> list[ThreadRecord]:
        """The threads of a user (the session's if omitted; or EVERY_USER), oldest first."""
        whose, user = owned(user_id, "user_id")
        rows = self.database.read(f"SELECT * FROM threads WHERE {whose} ORDER BY rowid", user)
        found = [
            ThreadRecord(
                id=row["thread_id"],
                timestamp=row["created_at"],
                metadata=load_json(row["metadata"]),
                thread_id=row["thread_id"],
                user_id=row["user_id"],
                agent_id=row["agent_id"],
            )
            for row in rows
            if agent_id is UNSET or row["agent_id"] == agent_id
        ]
        if metadata_filter is not UNSET:
            wanted = metadata_filter
            found = [one for one in found if _has_metadata(one.metadata, wanted)]
        return found[: at_most(limit)]

    def list_messages(
        self,
        user_id: str | None = UNSET,
        agent_id: str | None = UNSET,
        thread_id: str | None = UNSET,
        metadata_filter: dict[str, Any] | None = UNSET,
        limit: int | None = UNSET,
    ) -> list[MessageRecord]:
        """A user's messages over threads (the session's if omitted; or EVERY_USER), oldest first.

        An omitted agent or thread is not looked at.
        """
        whose, user = owned(user_id)
        sql = "SELECT m.* FROM messages m JOIN threads t USING (user_id, thread_id)"
        here, limited = visible("m.seen")
        sql += f" WHERE (m.expires_at IS NULL OR m.expires_at > ?) AND {whose} AND {here}"
        params: list[Any] = [times.utc_now(), *user, *limited]
        scopes = (("t.agent_id", agent_id), ("m.thread_id", thread_id))
        for column, wanted in scopes:
            if wanted is not UNSET:
                sql, params = f"{sql} AND {column} IS ?", [*params, wanted]
        rows = self.database.read(f"{sql} ORDER BY m.seq", params)
        found = [threads.message_record(row) for row in rows]
        if metadata_filter is not UNSET:
            found = [one for one in found if _has_metadata(one.metadata, metadata_filter)]
        return found[: at_most(limit)]


def _has_metadata(metadata: Any, wanted: Any) -> bool:
    return metadata is None if wanted is None else holds(metadata, wanted)
