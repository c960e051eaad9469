"""The memory client: the public names, parameters and result shapes of `oracleagentmemory`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from harness.databases.state import StateDatabase, state
from harness.errors import WorkshopError
from harness.memory import changes, links, recall, store, times, write_path
from harness.memory.admission import Known, Proposal
from harness.memory.arguments import (
    as_proposal,
    expiry,
    inherit,
    memory_types,
    metadata_of,
    proposal_of,
    search_scope,
)
from harness.memory.async_twins import with_async_twins
from harness.memory.default_user import session_user
from harness.memory.filters import where
from harness.memory.governance import Governance
from harness.memory.links import LinkCalls
from harness.memory.message_search import search_messages
from harness.memory.profiles import Profiles
from harness.memory.shapes import (
    UNSET,
    MemoryRecord,
    RecordStatus,
    SearchResult,
    SearchScope,
    TimeToLiveAnchor,
)
from harness.memory.storable_text import storable
from harness.memory.thread_calls import ThreadCalls


@with_async_twins
class MemoryClient(ThreadCalls, LinkCalls, Profiles, Governance):
    """Users, agents, threads, messages and memories of one store.

    `database` is the state database of the settings when None, and `embed` the one of
    harness.retrieval.embedding.
    """

    def __init__(
        self,
        database: StateDatabase | None = None,
        embed: Callable[[Sequence[str]], Any] | None = None,
    ) -> None:
        self._database = database
        self._embed = embed

    @property
    def database(self) -> StateDatabase:
        """The store."""
        return self._database or state()

    @property
    def embed(self) -> Callable[[Sequence[str]], Any]:
        """Texts to vectors."""
        if self._embed is None:
            from harness.retrieval.embedding import embed

            return embed
        return self._embed

    # --- memories -------------------------------------------------------------------------------

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
        """Store a memory and return its id; the id of the live one if it is known already.

        Without `user_id` it belongs to the session's user. `store_kwargs` are the fields of a
        governed record: type, kind, subject, source, source_id, quote, model_generated, ...
        `autonomous_linking` needs a model and is not done here. Raises WorkshopError when the
        memory is not admitted, with the reason.
        """
        target = links.endpoint(self.database, memory_id_to_link) if memory_id_to_link else None
        if bool(memory_id_to_link) != bool(link_type):
            raise WorkshopError("memory_id_to_link and link_type belong together.", "Give both.")
        proposal = proposal_of(
            content,
            memory_type=memory_type or "memory",
            user_id=inherit(user_id, target and target.user, session_user()),
            agent_id=inherit(agent_id, target and target.agent, None),
            thread_id=inherit(thread_id, target and target.thread, None),
            metadata=metadata or None,
            timestamp=times.stored(timestamp) if timestamp else None,
            memory_id=memory_id or None,
            **store_kwargs,
        )
        proposal = replace(
            proposal, expires_at=expiry(ttl_days, ttl_anchor, proposal) or proposal.expires_at
        )
        done = write_path.write(self.database, [proposal], self._known(proposal), self.embed)[0]
        if done.record_id is None or done.verdict == "refuse":
            raise WorkshopError(f"This is not remembered: {done.reason}.", _ADMISSION_HINT)
        if target is not None and done.verdict != "duplicate":
            links.add(
                self.database,
                (done.record_id, proposal.memory_type),
                (target.record_id, target.memory_type),
                link_type,
                link_id or None,
                link_timestamp or None,
                link_metadata or None,
            )
        if status is not UNSET and RecordStatus(status) is RecordStatus.INVALID:
            self.update_memory(done.record_id, status=RecordStatus.INVALID)
        return done.record_id

    def add_memories(self, contents: Sequence[str], **kwargs: Any) -> list[str | None]:
        """Store many memories of one scope in one transaction; None for each that is refused."""
        scope = {
            "user_id": inherit(kwargs.pop("user_id", UNSET), None, session_user()),
            "agent_id": kwargs.pop("agent_id", None),
            "thread_id": kwargs.pop("thread_id", None),
        }
        each = kwargs.pop("metadata", None)
        metadata = each if isinstance(each, list) else [each] * len(contents)
        proposals = [
            proposal_of(text, metadata=data, timestamp=None, memory_id=None, **scope, **kwargs)
            for text, data in zip(contents, metadata, strict=True)
        ]
        done = write_path.write(self.database, proposals, Known(), self.embed)
        return [None if one.verdict == "refuse" else one.record_id for one in done]

    def get_memory(self, memory_id: str) -> MemoryRecord:
        """One record, whatever its status. Raises WorkshopError if there is none."""
        return self._one(memory_id)[1].public()

    def list_memories(
        self,
        user_id: str | None = UNSET,
        agent_id: str | None = UNSET,
        thread_id: str | None = UNSET,
        metadata_filter: dict[str, Any] | None = UNSET,
        limit: int | None = UNSET,
        *,
        include_invalid: bool = False,
    ) -> list[MemoryRecord]:
        """The live memories of a scope, oldest first; with `include_invalid` the retired ones too.

        An omitted scope is not looked at, None means "belongs to none". `metadata_filter=None`
        lists those without metadata.
        """
        conditions = where(
            user_id=user_id,
            agent_id=agent_id,
            thread_id=thread_id,
            metadata_filter=metadata_filter,
            statuses=None if include_invalid else ("active",),
        )
        if metadata_filter is None:
            conditions.add("m.metadata IS NULL")
        found = store.fetch_where(self.database, conditions, limit or None)
        return [record.public() for _, record in found]

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
        """Change a memory; what is omitted stays. What it said before stays in its history.

        New content is a new claim and passes the door like one: `source`, `quote`, `source_id` and
        `model_generated` may say where it comes from. The scope can't be changed.
        """
        row, record = self._one(memory_id)
        wanted = replace(
            as_proposal(record, kwargs),
            value=record.value if content is UNSET else storable(content),
            metadata=record.metadata if metadata is UNSET else metadata_of(metadata),
            timestamp=record.timestamp
            if timestamp is UNSET
            else (times.stored(timestamp) if timestamp else None),
        )
        if ttl_days is not UNSET or ttl_anchor is not UNSET:
            wanted = replace(
                wanted, expires_at=expiry(ttl_days, ttl_anchor, wanted, record.created_at)
            )
        invalid = None if status is UNSET else RecordStatus(status) is RecordStatus.INVALID
        changes.change(self.database, row, record, wanted, self._known(wanted), invalid, self.embed)
        return memory_id

    # --- search ---------------------------------------------------------------------------------

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

    def wait_for_memory_extraction(self, timeout: float = 300.0) -> None:
        """Nothing to wait for: memories are written when they are added."""

    # --- inside ---------------------------------------------------------------------------------

    def _known(self, proposal: Proposal) -> Known:
        return write_path.known_in_turn(self.database, proposal)


_ADMISSION_HINT = "What may be remembered, and on what evidence, is decided in memory/admission.py."

memory = MemoryClient()
