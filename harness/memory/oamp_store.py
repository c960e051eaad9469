"""Our governed store beneath Oracle's own memory client (`oracleagentmemory`).

The client takes any store that implements its interface. This one is ours: what its user adds has
to be admitted, what has retired or carries no valid seal is not found, a hard delete leaves nothing
behind. `oamp_client()` is that client. Where a memory comes from goes into its metadata:

    oamp_client().add_memory("...", metadata={"governed": {"source": "document", ...}})

With `mirror`, such as their store in Oracle AI Database, every admitted memory is kept there too
and searched for there; what it finds counts only if it is live and sealed here.
"""

from collections.abc import Callable, Sequence
from typing import Any

from oracleagentmemory.apis.memorystore import PendingRecordBatch
from oracleagentmemory.core import MemoryExtractionConfig
from oracleagentmemory.core.oracleagentmemory import OracleAgentMemory
from oracleagentmemory.core.oraclememorystore import OracleMemoryStore

from harness.errors import WorkshopError
from harness.memory import shapes
from harness.memory.arguments import SEARCHED
from harness.memory.client import MemoryClient
from harness.memory.oamp_relations import GovernedRelations
from harness.memory.oamp_shapes import (
    MEMORY_TYPES,
    anchor,
    given,
    is_unset,
    text_of,
    their_record,
)
from harness.memory.oamp_threads import GovernedThreads
from harness.memory.shapes import UNSET, Message

_GOVERNED = "governed"  # in a memory's metadata: source, quote and so on, for the door


class GovernedStore(GovernedThreads, GovernedRelations, OracleMemoryStore):
    """Users, agents, threads, messages and memories of `ours`, as their client asks for them."""

    def __init__(self, ours: MemoryClient | None = None, mirror: Any = None) -> None:
        """`ours` is the client of the session's store when None."""
        self.ours = ours or MemoryClient()
        self.mirror = mirror

    # --- writing --------------------------------------------------------------------------------

    def _add_prepared_batches(
        self, batches: list[PendingRecordBatch], **store_kwargs: Any
    ) -> list[str]:
        """Raises WorkshopError for a memory that is not admitted."""
        return [
            self._add_one(batch, number, text, store_kwargs)
            for batch in batches
            for number, text in enumerate(batch.contents)
        ]

    async def _add_prepared_batches_async(
        self, batches: list[PendingRecordBatch], **store_kwargs: Any
    ) -> list[str]:
        return self._add_prepared_batches(batches, **store_kwargs)

    def _add_one(self, batch: PendingRecordBatch, number: int, text: Any, extra: Any) -> str:
        def of(values: Any) -> Any:
            value = given(values)
            return value[number] if isinstance(value, list) else value

        days = of(batch.ttl_days)
        shared = {
            "metadata": of(batch.metadata),
            "ttl_days": UNSET if days is None else days,
            "ttl_anchor": anchor(of(batch.ttl_anchor)),
        }
        if batch.record_type == "message":
            thread = self._thread(of(batch.thread_ids))
            message = Message(
                of(batch.roles) or "user",
                text_of(text),
                timestamp=of(batch.timestamps),
                id=of(batch.record_ids),
            )
            return thread.add_messages([message], **shared)[0]
        if batch.record_type not in MEMORY_TYPES:
            raise WorkshopError(f"{batch.record_type!r} records are not kept here.")
        return self._add_memory(batch, of, text, shared, extra)

    def _add_memory(
        self,
        batch: PendingRecordBatch,
        of: Callable[[Any], Any],
        text: Any,
        shared: Any,
        extra: Any,
    ) -> str:
        metadata = dict(shared.pop("metadata") or {})
        governed = metadata.pop(_GOVERNED, {})
        status = of(batch.statuses)
        added = self.ours.add_memory(
            text_of(text),
            memory_type=batch.record_type,
            user_id=of(batch.user_ids),
            agent_id=of(batch.agent_ids),
            thread_id=of(batch.thread_ids),
            memory_id=of(batch.record_ids) or UNSET,
            metadata=metadata or None,
            timestamp=of(batch.timestamps) or UNSET,
            status=shapes.RecordStatus(status.value) if status else UNSET,
            **shared,
            **{**extra, **governed},
        )
        if self.mirror is not None and (record := self._live(added)) is not None:
            self.mirror.add(
                [record.content],
                record.record_type,
                record_ids=[added],
                user_ids=[record.user_id],
                agent_ids=[record.agent_id],
                thread_ids=[record.thread_id],
                metadata=[record.metadata],
            )
        return added

    def update(self, record_type: str, record_id: str, **changes: Any) -> int:
        """Change what is given; new content of a memory passes the door like a new memory."""
        said = {name: value for name, value in changes.items() if given(value) is not None}
        content = said.get("content", said.get("text", UNSET))
        wanted: dict[str, Any] = {
            "content": content if content is UNSET else text_of(content),
            "metadata": said.get("metadata", UNSET),
        }
        if "ttl_days" in said:
            wanted |= {"ttl_days": said["ttl_days"], "ttl_anchor": anchor(said.get("ttl_anchor"))}
        if record_type == "message":
            record = self.get("message", record_id)
            if record is None:
                return 0
            self._thread(record.thread_id).update_message(record_id, **wanted)
            return 1
        if self.get(record_type, record_id) is None:
            return 0
        if "status" in said:
            wanted["status"] = shapes.RecordStatus(said["status"].value)
        self.ours.update_memory(record_id, timestamp=said.get("timestamp", UNSET), **wanted)
        if self.mirror is not None:
            self.mirror.update(record_type, record_id, **changes)
        return 1

    def delete(self, record_type: str, record_id: str, cascade: bool = False) -> int:
        """Delete one record for good; returns how many (0 or 1)."""
        if record_type == "thread":
            return self.delete_thread(record_id)
        if record_type == "user_profile":
            return self.ours.delete_user(record_id, cascade)
        if record_type == "agent_profile":
            return self.ours.delete_agent(record_id, cascade)
        record = self.get(record_type, record_id)
        if record is None:
            return 0
        if record_type == "message":
            return self._thread(record.thread_id).delete_message(record_id)
        if self.mirror is not None:
            self.mirror.delete(record_type, record_id)
        return self.ours.delete_memory(record_id)

    def delete_thread(self, thread_id: str) -> int:
        """Delete a thread with its messages and memories."""
        return self.ours.delete_thread(thread_id)

    def add_user(self, user_id: Any, information: Any, metadata: Any = None) -> str:
        """Store, or replace, what is known about a user."""
        return self.ours.add_user(user_id, information, given(metadata))

    def add_agent(self, agent_id: Any, information: Any, metadata: Any = None) -> str:
        """Store, or replace, what is known about an agent."""
        return self.ours.add_agent(agent_id, information, given(metadata))

    # --- reading --------------------------------------------------------------------------------

    def search(
        self,
        query: str | None,
        k: int,
        *,
        query_vector: Any = None,
        thread_id: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        exact_user_match: bool = False,
        exact_agent_match: bool = False,
        exact_thread_match: bool = False,
        record_types: set[str] | None = None,
        metadata_filter: Any = None,
        num_hops: int = 0,
        max_linked_results: int = 100,
        include_invalid_results: bool = True,
    ) -> list[tuple[Any, float]]:
        """The live memories, and messages where they are asked for, that fit best, best first.

        Always of one user: the session's where none is named.
        """
        self._validate_search_k(k)
        scope: dict[str, Any] = {"user_id": user_id} if user_id is not None else {}
        if agent_id is not None or exact_agent_match:
            scope |= {"agent_id": agent_id, "exact_agent_match": True}
        if thread_id is not None or exact_thread_match:
            scope |= {"thread_id": thread_id, "exact_thread_match": True}
        if self.mirror is not None:
            if user_id is None:
                raise WorkshopError("A search is always within one user.", "Name the user.")
            hits = self.mirror.search(
                query,
                k,
                query_vector=query_vector,
                exact_user_match=True,
                record_types=record_types,
                metadata_filter=metadata_filter,
                **scope,
            )
            return [(live, far) for hit, far in hits if (live := self._live(hit.id)) is not None]
        found = self.ours.search(
            query or "",
            max_results=k,
            record_types=sorted({*record_types} & {*SEARCHED}) if record_types else None,
            metadata_filter=metadata_filter or None,
            num_hops=num_hops,
            max_linked_results=max_linked_results,
            **scope,
        )
        return [(their_record(each.record), float(each.distance or 0.0)) for each in found]

    def get(self, record_type: str, record_id: str, include_bytes: Any = UNSET) -> Any:
        """One record, or None. Of memories only those that are kept, whatever their status."""
        if record_type == "thread":
            return self._get_thread_record(record_id)
        if record_type in MEMORY_TYPES:
            try:
                found = their_record(self.ours.get_memory(record_id))
            except WorkshopError:
                return None
            return found if found.record_type == record_type else None
        return next((each for each in self.list(record_type) if each.id == record_id), None)

    def list(self, record_type: str, **asked: Any) -> list[Any]:
        """The records of one type, oldest first; an omitted scope is not looked at."""
        wanted = {name: value for name, value in asked.items() if not is_unset(value)}
        record_id = wanted.pop("record_id", None)
        wanted.pop("include_bytes", None)
        found = [their_record(each) for each in self._list(record_type, wanted)]
        return [each for each in found if record_id in (None, each.id)]

    def _list(self, record_type: str, wanted: dict[str, Any]) -> Sequence[Any]:
        if record_type in MEMORY_TYPES:
            limit = wanted.pop("limit", None)
            found = self.ours.list_memories(**wanted)
            return [each for each in found if each.record_type == record_type][-(limit or 0) :]
        if record_type == "message":
            return self.ours.list_messages(**wanted)
        if record_type == "thread":
            wanted.pop("thread_id", None)
            return self.ours.list_threads(**wanted)
        for name in ("thread_id", "user_id", "agent_id"):
            wanted.pop(name, None)
        if record_type == "user_profile":
            return self.ours.list_users(**wanted)
        return self.ours.list_agents(**wanted) if record_type == "agent_profile" else []

    def _live(self, record_id: str) -> Any:
        """The memory as we keep it, if it may be recalled: active, in time, sealed."""
        try:
            record = self.ours.get_memory(record_id)
        except WorkshopError:
            return None
        governed = record.governed
        return their_record(record) if governed.status == "active" else None


def oamp_client(ours: MemoryClient | None = None, mirror: Any = None) -> Any:
    """Oracle's client over our store. It extracts no memories: our door decides what enters."""
    return OracleAgentMemory(
        store=GovernedStore(ours, mirror),
        memory_extraction_config=MemoryExtractionConfig(extract_memories=False),
    )
