"""Threads and their messages, as `oracleagentmemory` asks a store for them."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from harness.errors import WorkshopError
from harness.memory.oamp_shapes import MEMORY_TYPES, RUNTIME, is_unset, their_record
from harness.memory.shapes import UNSET

if TYPE_CHECKING:
    from harness.memory.client import MemoryClient
    from harness.memory.thread import Thread


class GovernedThreads:
    """The part of the store that knows threads, with what their client keeps of each."""

    ours: "MemoryClient"

    def list_thread_messages(
        self,
        thread_id: str,
        *,
        last_n: int | None = None,
        range_start_seq_no: int | None = None,
        range_end_seq_no: int | None = None,
        include_bytes: Any = UNSET,
    ) -> list[Any]:
        """The messages of a thread, oldest first."""
        thread = self._thread(thread_id)
        found = self.ours.list_messages(user_id=thread.user_id, thread_id=thread_id)
        low, high = range_start_seq_no or 0, range_end_seq_no
        chosen = [m for m in found if m.seq_no >= low and (high is None or m.seq_no < high)]
        return [their_record(each) for each in (chosen[-last_n:] if last_n else chosen)]

    def _create_thread_record(
        self,
        thread_id: str,
        user_id: str | None,
        agent_id: str | None,
        metadata: Any,
        runtime_config: Any,
        runtime_state: Any = None,
    ) -> Any:
        kept = {**(metadata or {}), RUNTIME: {"config": runtime_config, "state": runtime_state}}
        self.ours.create_thread(
            thread_id=thread_id, user_id=user_id or UNSET, agent_id=agent_id or UNSET, metadata=kept
        )
        return self._get_thread_record(thread_id)

    def _update_thread_record(
        self,
        thread_id: str,
        metadata: Any = UNSET,
        runtime_config: Any = UNSET,
        runtime_state: Any = UNSET,
    ) -> int:
        old = self._get_thread_record(thread_id)
        if old is None:
            return 0
        config = old.runtime_config if is_unset(runtime_config) else runtime_config
        state = old.runtime_state if is_unset(runtime_state) else runtime_state
        data = old.metadata if is_unset(metadata) else metadata
        kept = {**(data or {}), RUNTIME: {"config": config, "state": state}}
        self.ours.update_thread(thread_id, kept)
        return 1

    def _get_thread_record(self, thread_id: str) -> Any:
        try:
            thread = self._thread(thread_id)
        except WorkshopError:
            return None
        threads = self.ours.list_threads(user_id=thread.user_id)
        return their_record(next(each for each in threads if each.id == thread_id))

    def _get_record_expiration(self, record_type: str, record_id: str) -> datetime | None:
        if record_type in MEMORY_TYPES:
            ends = self.ours.get_memory(record_id).governed.expires_at
        else:
            sql = "SELECT expires_at FROM messages WHERE message_id = ?"
            rows = self.ours.database.read(sql, (record_id,))
            ends = rows[0][0] if rows else None
        return datetime.fromisoformat(ends) if ends else None

    def _list_owned_thread_ids_for_actor_profile(
        self, actor_id: str, profile_record_type: str
    ) -> Sequence[str]:
        column = "user_id" if profile_record_type == "user_profile" else "agent_id"
        sql = f"SELECT thread_id FROM threads WHERE {column} = ? ORDER BY thread_id"
        return [row[0] for row in self.ours.database.read(sql, (actor_id,))]

    def _thread(self, thread_id: Any) -> "Thread":
        return self.ours.get_thread(thread_id)
