"""The memories of a thread: the client's calls, with the thread's own scope where none is given."""

from typing import Any

from harness.memory.shapes import (
    UNSET,
    RecordStatus,
    SearchResult,
    SearchScope,
    TimeToLiveAnchor,
)


class ThreadMemories:
    """The part of a thread that stores, finds, changes and links memories (see the client)."""

    _client: Any
    user_id: Any
    agent_id: Any
    thread_id: Any

    def search(
        self,
        query: str,
        *,
        user_id: str | None = UNSET,
        agent_id: str | None = UNSET,
        thread_id: str | None = UNSET,
        exact_user_match: bool = UNSET,
        exact_agent_match: bool = UNSET,
        exact_thread_match: bool = UNSET,
        max_results: int = 10,
        token_budget: int | None = None,
        soft_token_budget: int | None = None,
        record_types: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        num_hops: int = 0,
        max_linked_results: int = 100,
        include_invalid_results: bool = False,
        scope: SearchScope | None = None,
    ) -> list[SearchResult]:
        """Search for this thread's user; an exact match of agent or thread means this one's."""
        if scope is None:
            user_id = self.user_id if user_id is UNSET else user_id
            if exact_agent_match and agent_id is UNSET:
                agent_id = self.agent_id
            if exact_thread_match and thread_id is UNSET:
                thread_id = self.thread_id
        return self._client.search(
            query,
            user_id=user_id,
            agent_id=agent_id,
            thread_id=thread_id,
            exact_user_match=exact_user_match,
            exact_agent_match=exact_agent_match,
            exact_thread_match=exact_thread_match,
            max_results=max_results,
            token_budget=token_budget,
            soft_token_budget=soft_token_budget,
            record_types=record_types,
            metadata_filter=metadata_filter,
            num_hops=num_hops,
            max_linked_results=max_linked_results,
            include_invalid_results=include_invalid_results,
            scope=scope,
        )

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

    def link_records(
        self,
        source_record_id: str,
        source_record_type: str,
        target_record_id: str,
        target_record_type: str,
        relation_type: str,
        opposite_relation_type: str = UNSET,
        relation_id: str = UNSET,
        timestamp: str | None = UNSET,
        metadata: dict[str, Any] | None = UNSET,
    ) -> str:
        """Link two memories; returns the link's id."""
        return self._client.link_records(
            source_record_id,
            source_record_type,
            target_record_id,
            target_record_type,
            relation_type,
            opposite_relation_type,
            relation_id,
            timestamp,
            metadata,
            user_id=self.user_id,
        )

    def update_record_link(
        self,
        relation_id: str,
        relation_type: str = UNSET,
        opposite_relation_type: str = UNSET,
        timestamp: str | None = UNSET,
        metadata: dict[str, Any] | None = UNSET,
    ) -> int:
        """Change a link; returns how many (0 or 1)."""
        return self._client.update_record_link(
            relation_id,
            relation_type,
            opposite_relation_type,
            timestamp,
            metadata,
            user_id=self.user_id,
        )

    def delete_record_link(
        self,
        source_record_id: str = UNSET,
        source_record_type: str = UNSET,
        target_record_id: str = UNSET,
        target_record_type: str = UNSET,
        relation_type: str = UNSET,
        relation_id: str = UNSET,
    ) -> int:
        """Delete the links that match everything given; returns how many."""
        return self._client.delete_record_link(
            source_record_id,
            source_record_type,
            target_record_id,
            target_record_type,
            relation_type,
            relation_id,
            user_id=self.user_id,
        )

    def wait_for_memory_extraction(self, timeout: float = 300.0) -> None:
        """Nothing to wait for: memories are written when they are added."""
