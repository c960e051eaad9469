"""The memories of a thread: the client's calls, with the thread's own scope where none is given."""

import inspect
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from harness.memory.links import LinkCalls
from harness.memory.search_calls import SearchCalls
from harness.memory.shapes import UNSET, RecordStatus, SearchResult, TimeToLiveAnchor

P = ParamSpec("P")
R = TypeVar("R")


def _like(
    call: Callable[Concatenate[Any, P], R], without: str = ""
) -> Callable[[Callable[..., Any]], Callable[Concatenate[Any, P], R]]:
    """Give a method the named parameters of the client's call, less the one that a thread knows."""
    signature = inspect.signature(call)
    kept = [each for name, each in signature.parameters.items() if name != without]

    def signed(own: Any) -> Any:
        own.__signature__ = signature.replace(parameters=kept)
        return own

    return signed


class ThreadMemories:
    """The part of a thread that stores, finds, changes and links memories (see the client)."""

    _client: Any
    user_id: Any
    agent_id: Any
    thread_id: Any

    @_like(SearchCalls.search)
    def search(self, query: str, **asked: Any) -> list[SearchResult]:
        """Search for this thread's user; an exact match of agent or thread means this one's."""
        own = {"user_id": self.user_id}
        if asked.get("exact_agent_match"):
            own["agent_id"] = self.agent_id
        if asked.get("exact_thread_match"):
            own["thread_id"] = self.thread_id
        given = {name: value for name, value in asked.items() if value is not UNSET}
        return self._client.search(query, **(given if given.get("scope") else own | given))

    def add_memory(
        self,
        content: str,
        *,
        memory_type: str = UNSET,
        user_id: str | None = UNSET,
        agent_id: str | None = UNSET,
        thread_id: str | None = UNSET,
        memory_id: str = UNSET,
        metadata: dict[str, Any] | None = UNSET,
        timestamp: str | None = UNSET,
        ttl_days: float | None = UNSET,
        ttl_anchor: TimeToLiveAnchor = UNSET,
        status: RecordStatus = UNSET,
        autonomous_linking: bool = UNSET,
        memory_id_to_link: str = UNSET,
        link_type: str = UNSET,
        link_id: str = UNSET,
        link_timestamp: str | None = UNSET,
        link_metadata: dict[str, Any] | None = UNSET,
        **store_kwargs: Any,
    ) -> str:
        """Store a memory of this thread, its user and its agent."""
        return self._client.add_memory(
            content,
            memory_type=memory_type,
            user_id=self.user_id if user_id is UNSET else user_id,
            agent_id=self.agent_id if agent_id is UNSET else agent_id,
            thread_id=self.thread_id if thread_id is UNSET else thread_id,
            memory_id=memory_id,
            metadata=metadata,
            timestamp=timestamp,
            ttl_days=ttl_days,
            ttl_anchor=ttl_anchor,
            status=status,
            autonomous_linking=autonomous_linking,
            memory_id_to_link=memory_id_to_link,
            link_type=link_type,
            link_id=link_id,
            link_timestamp=link_timestamp,
            link_metadata=link_metadata,
            **store_kwargs,
        )

    def update_memory(
        self,
        memory_id: str,
        content: str = UNSET,
        metadata: dict[str, Any] | None = UNSET,
        timestamp: str | None = UNSET,
        ttl_days: float | None = UNSET,
        ttl_anchor: TimeToLiveAnchor = UNSET,
        status: RecordStatus = UNSET,
        **kwargs: Any,
    ) -> str:
        """Change a memory; what is omitted stays."""
        return self._client.update_memory(
            memory_id,
            content,
            metadata,
            timestamp,
            ttl_days,
            ttl_anchor,
            status,
            user_id=self.user_id,
            **kwargs,
        )

    def delete_memory(self, memory_id: str) -> int:
        """Delete a memory; returns how many (0 or 1)."""
        return self._client.delete_memory(memory_id, user_id=self.user_id)

    @_like(LinkCalls.link_records, without="user_id")
    def link_records(self, *ends: str, **given: Any) -> str:
        """Link two memories; returns the link's id."""
        return self._client.link_records(*ends, **given, user_id=self.user_id)

    @_like(LinkCalls.update_record_link, without="user_id")
    def update_record_link(self, *given: Any, **changes: Any) -> int:
        """Change a link; returns how many (0 or 1)."""
        return self._client.update_record_link(*given, **changes, user_id=self.user_id)

    @_like(LinkCalls.delete_record_link, without="user_id")
    def delete_record_link(self, *given: str, **wanted: str) -> int:
        """Delete the links that match everything given; returns how many."""
        return self._client.delete_record_link(*given, **wanted, user_id=self.user_id)

    def wait_for_memory_extraction(self, timeout: float = 300.0) -> None:
        """Nothing to wait for: memories are written when they are added."""
