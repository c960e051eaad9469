"""The shapes that the public client takes and returns, as in `oracleagentmemory` 26.8."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any

from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.memory.storable_text import one_line


class _Unset:
    """An argument that was not given, where None means something else."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Any = _Unset()


class RecordStatus(StrEnum):
    """VALID is live; INVALID is kept for history."""

    VALID = "valid"
    INVALID = "invalid"

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise _no_member(cls, value)


class TimeToLiveAnchor(Enum):
    """What a time to live is counted from."""

    CREATED_AT = "created_at"
    TIMESTAMP = "timestamp"

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise _no_member(cls, value)


def _no_member(cls: type[Enum], value: object) -> WorkshopError:
    names = ", ".join(repr(each.value) for each in cls)
    return WorkshopError(f"{short_repr(value)} is not a {cls.__name__}.", f"Use {names}.")


@dataclass
class Record:
    """What every stored thing has. `timestamp` is ISO 8601 in UTC."""

    id: str
    record_type: str = "record"
    content: str | None = None
    timestamp: str | None = None
    metadata: dict[str, Any] | None = None
    status: RecordStatus = RecordStatus.VALID
    linked_results: Sequence[tuple["RecordRelation", "Record"]] = field(default_factory=list)


@dataclass
class ScopedRecord(Record):
    """A record that belongs to a thread, a user, an agent; None where it belongs to none."""

    thread_id: str | None = None
    user_id: str | None = None
    agent_id: str | None = None


@dataclass
class MemoryRecord(ScopedRecord):
    """A memory. `governed` is the full record with source, confidence and the rest."""

    record_type: str = "memory"
    governed: Any = None


@dataclass
class GuidelineRecord(MemoryRecord):
    """How to do something."""

    record_type: str = "guideline"


@dataclass
class FactRecord(MemoryRecord):
    """What is so."""

    record_type: str = "fact"


@dataclass
class PreferenceRecord(MemoryRecord):
    """What somebody wants."""

    record_type: str = "preference"


@dataclass
class MessageRecord(ScopedRecord):
    """A message of a thread; `seq_no` grows along the thread."""

    record_type: str = "message"
    role: str | None = None
    seq_no: int = 0


@dataclass
class ThreadRecord(ScopedRecord):
    """A thread."""

    record_type: str = "thread"


@dataclass
class UserProfileRecord(Record):
    """What is known about a user."""

    record_type: str = "user_profile"


@dataclass
class AgentProfileRecord(Record):
    """What is known about an agent."""

    record_type: str = "agent_profile"


@dataclass
class RecordRelation:
    """A directed link between two records, with its name in both directions."""

    id: str
    source_record_id: str
    source_record_type: str
    target_record_id: str
    target_record_type: str
    relation_type: str
    opposite_relation_type: str
    timestamp: str | None
    metadata: dict[str, Any] | None
    created_at: str


@dataclass
class SearchScope:
    """Whose records a search may return; an exact match of None means "belongs to none"."""

    user_id: str | None = UNSET
    agent_id: str | None = UNSET
    thread_id: str | None = UNSET
    exact_user_match: bool = UNSET
    exact_agent_match: bool = UNSET
    exact_thread_match: bool = UNSET


@dataclass
class SearchResult:
    """One hit. `distance` is 1 - cosine (None: only words matched), `score` the fused one."""

    record: Record
    distance: float | None = None
    score: float = 0.0
    linked_results: Sequence[tuple[RecordRelation, Record]] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The record's identifier."""
        return self.record.id

    @property
    def content(self) -> str:
        """The record's text."""
        return self.record.content or ""

    @property
    def status(self) -> RecordStatus:
        """The record's lifecycle status."""
        return self.record.status

    @property
    def formatted_content(self) -> str:
        """The text with its type, on one line."""
        return f"[{self.record.record_type}] {one_line(self.content)}"


@dataclass
class Message:
    """A chat message as `add_messages` takes it and `get_messages` returns it."""

    role: str
    content: str
    timestamp: str | None = None
    metadata: dict[str, Any] | None = None
    id: str | None = None


@dataclass(frozen=True)
class ContextCard:
    """What a thread's next turn should know, as text."""

    content: str


@dataclass(frozen=True)
class Summary:
    """A thread in a few lines."""

    content: str


MEMORY_SHAPES: dict[str, type[MemoryRecord]] = {
    "memory": MemoryRecord,
    "guideline": GuidelineRecord,
    "fact": FactRecord,
    "preference": PreferenceRecord,
}

OPPOSITE_RELATIONS = {
    "supersedes": "is_superseded_by",
    "contradicts": "contradicts",
    "refines": "is_refined_by",
    "supports": "is_supported_by",
    "duplicates": "duplicates",
}
