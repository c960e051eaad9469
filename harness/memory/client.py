"""The memory client: the public names, parameters and result shapes of `oracleagentmemory`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import changes, links, store, times, write_path
from harness.memory.admission import Known, Proposal
from harness.memory.arguments import (
    BY_PERSON,
    as_proposal,
    at_most,
    ends_at,
    inherit,
    member,
    metadata_of,
    proposal_of,
)
from harness.memory.async_twins import with_async_twins
from harness.memory.default_user import EVERY_USER, owner, session_user
from harness.memory.filters import where
from harness.memory.governance import Governance
from harness.memory.links import LinkCalls
from harness.memory.profiles import Profiles
from harness.memory.search_calls import SearchCalls
from harness.memory.shapes import (
    UNSET,
    MemoryRecord,
    RecordStatus,
    TimeToLiveAnchor,
)
from harness.memory.state_sync import shared_state
from harness.memory.storable_text import storable
from harness.memory.thread_calls import ThreadCalls
from harness.retrieval.embedding import embed


@with_async_twins
class MemoryClient(SearchCalls, ThreadCalls, LinkCalls, Profiles, Governance):
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
        return self._database or shared_state()

    @property
    def embed(self) -> Callable[[Sequence[str]], Any]:
        """Texts to vectors."""
        if self._embed is None:
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
        target = (
            links.endpoint(self.database, memory_id_to_link, user_id=user_id)
            if memory_id_to_link
            else None
        )
        if bool(memory_id_to_link) != bool(link_type):
            raise WorkshopError("memory_id_to_link and link_type belong together.", "Give both.")
        proposal = proposal_of(
            content,
            memory_type=memory_type or "memory",
            user_id=inherit(user_id, target and target.user, session_user()),
            agent_id=inherit(agent_id, target and target.agent, None),
            thread_id=inherit(thread_id, target and target.thread, None),
            metadata=metadata or None,
            timestamp=None if timestamp in (None, "", UNSET) else times.stored(timestamp),
            memory_id=memory_id or None,
            **store_kwargs,
        )
        ends = ends_at(ttl_days, ttl_anchor, times.utc_now(), proposal.timestamp)
        proposal = replace(proposal, expires_at=ends or proposal.expires_at)
        invalid = status is not UNSET and (
            member(RecordStatus, status, "status") is RecordStatus.INVALID
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
        if invalid:
            self.update_memory(done.record_id, status=RecordStatus.INVALID, user_id=proposal.user)
        return done.record_id

    def add_setting(self, content: str, **kwargs: Any) -> str:
        """Store what a person has set outside of a conversation; takes what `add_memory` takes.

        It counts as confirmed and outranks what was inferred. For the page, cell or command in
        which they set it: no tool of the agent's calls this.
        """
        return self.add_memory(content, **{**kwargs, "source": BY_PERSON})

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

    def get_memory(self, memory_id: str, *, user_id: str | None = UNSET) -> MemoryRecord:
        """One record of a user, the session's if omitted, whatever its status.

        Raises WorkshopError if that user has none of this id.
        """
        return self._one(memory_id, user_id)[1].public()

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
        """The live memories of a user, oldest first; with `include_invalid` the retired ones too.

        An omitted user is the session's; EVERY_USER, for an administrator, is all of them. An
        omitted agent or thread is not looked at, None means "belongs to none".
        `metadata_filter=None` lists those without metadata.
        """
        conditions = where(
            user_id=UNSET if user_id is EVERY_USER else owner(user_id),
            agent_id=agent_id,
            thread_id=thread_id,
            metadata_filter=metadata_filter,
            statuses=None if include_invalid else ("active",),
        )
        if metadata_filter is None:
            conditions.add("m.metadata IS NULL")
        found = store.fetch_where(self.database, conditions, at_most(limit))
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
        *,
        user_id: str | None = UNSET,
        **kwargs: Any,
    ) -> str:
        """Change a memory of a user, the session's if omitted; what is omitted stays.

        What it said before stays in its history.

        New content is a new claim and passes the door like one: `source`, `quote`, `source_id` and
        `model_generated` may say where it comes from. The scope can't be changed.
        """
        row, record = self._one(memory_id, user_id)
        wanted = replace(
            as_proposal(record, kwargs),
            value=record.value if content is UNSET else storable(content),
            metadata=record.metadata if metadata is UNSET else metadata_of(metadata),
            timestamp=record.timestamp
            if timestamp is UNSET
            else (None if timestamp in (None, "") else times.stored(timestamp)),
        )
        if ttl_days is not UNSET or ttl_anchor is not UNSET:
            ends = ends_at(ttl_days, ttl_anchor, record.created_at, wanted.timestamp)
            wanted = replace(wanted, expires_at=ends)
        invalid = None
        if status is not UNSET:
            invalid = member(RecordStatus, status, "status") is RecordStatus.INVALID
        changes.change(self.database, row, record, wanted, self._known(wanted), invalid, self.embed)
        return memory_id

    def wait_for_memory_extraction(self, timeout: float = 300.0) -> None:
        """Nothing to wait for: memories are written when they are added."""

    # --- inside ---------------------------------------------------------------------------------

    def _known(self, proposal: Proposal) -> Known:
        return write_path.known_in_turn(self.database, proposal)


_ADMISSION_HINT = "What may be remembered, and on what evidence, is decided in memory/admission.py."

memory = MemoryClient()
