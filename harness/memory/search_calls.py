"""The part of the client that finds memories and messages."""

from typing import TYPE_CHECKING, Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import links, recall
from harness.memory.arguments import memory_types, search_scope
from harness.memory.filters import where
from harness.memory.message_search import search_messages
from harness.memory.shapes import UNSET, SearchResult, SearchScope
from harness.memory.write_path import Embed


class SearchCalls:
    """Search."""

    if TYPE_CHECKING:

        @property
        def database(self) -> StateDatabase:  # noqa: D102
            ...

        @property
        def embed(self) -> Embed:  # noqa: D102
            ...

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
        """The memories that fit a query best, best first, of one user (the session's if omitted).

        An omitted agent or thread is not looked at; `exact_..._match=True` with None asks for
        those that belong to none. Quarantined and retracted records are never among the results.
        Raises WorkshopError for a scope that is given twice or reaches over users.
        """
        asked = search_scope(
            scope,
            SearchScope(
                user_id,
                agent_id,
                thread_id,
                exact_user_match,
                exact_agent_match,
                exact_thread_match,
            ),
        )
        if isinstance(max_results, bool) or not isinstance(max_results, int) or max_results < 1:
            raise WorkshopError(f"max_results must be 1 or more, not {max_results!r}.")
        if not isinstance(query, str):
            raise WorkshopError(f"A query is a text, not {type(query).__name__}.")
        types = memory_types(record_types)
        messages = (
            search_messages(self.database, query, asked, metadata_filter, max_results)
            if record_types and "message" in record_types
            else []
        )
        if types == []:
            return links.within(messages, token_budget, soft_token_budget)
        conditions = where(
            user_id=asked.user_id,
            agent_id=asked.agent_id,
            thread_id=asked.thread_id,
            metadata_filter=metadata_filter,
            record_types=types,
        )
        vector = recall.embedded(query, self.embed) if query.strip() else None
        found = recall.recall(
            self.database, query, vector, conditions, max_results, embed=self.embed
        )
        results = [SearchResult(item.record.public(), item.distance, item.score) for item in found]
        if include_invalid_results:
            results += links.superseded(self.database, found, max_results - len(results))
        if num_hops:
            links.expand(self.database, results, num_hops, max_linked_results, asked.user_id)
        results = [*results, *messages][:max_results]
        return links.within(results, token_budget, soft_token_budget)
