"""What callers give the client, checked and turned into what the store works with."""

import math
from enum import Enum
from typing import Any, TypeVar, get_args

from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.guards.secrets import redact_all
from harness.memory import times
from harness.memory.admission import PURPOSES, Proposal
from harness.memory.default_user import session_user
from harness.memory.field_types import check_types
from harness.memory.records import (
    KINDS,
    Confidence,
    GovernedRecord,
    Reader,
    RecordType,
    Source,
    Writer,
    dump_json,
)
from harness.memory.shapes import MEMORY_SHAPES, UNSET, SearchScope, TimeToLiveAnchor
from harness.memory.storable_text import storable, without_secret

SEARCHED = (*MEMORY_SHAPES, "message")  # types of records that a search can be for
E = TypeVar("E", bound=Enum)
_TYPES = {"preference": "preference"}  # memory_type -> type of the governed record
_ENUMS: dict[str, tuple[str, ...]] = {
    "type": get_args(RecordType),
    "kind": KINDS,
    "source": get_args(Source),
    "confidence": get_args(Confidence),
    "purpose": PURPOSES,
    "writable_by": get_args(Writer),
    "readable_by": get_args(Reader),
}
# Labels with an authority that nobody has by saying so: (field, value).
_UNCLAIMED = {("source", "explicit_user_setting"), ("writable_by", "settings_service")}


class _ByPerson:
    """Put in the place of a source by `add_setting`, which only a person calls."""

    def __repr__(self) -> str:
        return "set by a person"


BY_PERSON: Any = _ByPerson()
_GOVERNED = (
    "type",
    "kind",
    "subject",
    "source",
    "source_id",
    "quote",
    "confidence",
    "model_generated",
    "high_impact",
    "purpose",
    "record_scope",
    "writable_by",
    "readable_by",
    "valid_from",
    "expires_at",
    "authorization",
)


def proposal_of(
    content: Any,
    *,
    memory_type: str = "memory",
    user_id: str | None,
    agent_id: str | None,
    thread_id: str | None,
    metadata: dict[str, Any] | None,
    timestamp: str | None,
    memory_id: str | None,
    **governed: Any,
) -> Proposal:
    """What a caller of the client wants remembered. Raises WorkshopError for what can't be."""
    if not isinstance(content, str):
        raise WorkshopError(f"A memory is a text, not {type(content).__name__}.")
    if memory_type not in MEMORY_SHAPES:
        raise WorkshopError(
            f"There is no memory type {short_repr(memory_type)}.",
            f"Use {', '.join(MEMORY_SHAPES)}.",
        )
    unknown = sorted(set(governed) - set(_GOVERNED))
    if unknown:
        raise WorkshopError(
            f"A memory has no field {unknown[0]!r}.", f"It has {', '.join(_GOVERNED)}."
        )
    governed["scope"] = governed.pop("record_scope", "user_account")
    check_types(governed)
    metadata = metadata_of(metadata)
    said = metadata or {}
    for name, default in (("kind", memory_type), ("subject", "")):
        value = governed.get(name) or _known_kind(name, said.get(name))
        governed[name] = storable(value) if isinstance(value, str) and value else default
    governed.setdefault("type", _TYPES.get(memory_type, "episodic"))
    check_labels(governed)
    if governed.get("source") is BY_PERSON:
        governed["source"] = "explicit_user_setting"
    for name in ("valid_from", "expires_at"):
        if governed.get(name) is not None:
            governed[name] = times.stored(governed[name], name)
    return Proposal(
        value=storable(content),
        memory_type=memory_type,  # type: ignore[arg-type]
        user=identity(user_id, "user_id"),
        agent=identity(agent_id, "agent_id"),
        thread=identity(thread_id, "thread_id"),
        metadata=metadata,
        timestamp=timestamp,
        record_id=identity(memory_id, "memory_id"),
        **governed,
    )


def check_labels(governed: dict[str, Any]) -> None:
    """Raise WorkshopError for a label that there is not, or that a caller can't claim."""
    by_person = governed.get("source") is BY_PERSON
    for name, allowed in _ENUMS.items():
        value = governed.get(name)
        if value is None or (name == "source" and by_person):
            continue
        if name == "readable_by" and str(value).startswith("agent:"):
            continue
        if value not in allowed:
            raise WorkshopError(
                f"{name} can't be {short_repr(value)}.", f"Use {', '.join(allowed)}."
            )
        if (name, value) in _UNCLAIMED and not by_person:
            raise WorkshopError(
                f"{name}={value!r} can't be claimed: only a person sets something.",
                "memory.add_setting(...) is for the page, cell or command in which they do.",
            )


def _known_kind(name: str, said: Any) -> Any:
    """What metadata say of subject and kind; a kind that is none stays mere metadata."""
    return said if name != "kind" or said in _ENUMS["kind"] else None


def metadata_of(metadata: Any) -> dict[str, Any] | None:
    """Metadata as data: whatever keys it has, it says nothing about scope or status."""
    if metadata is None:
        return None
    if not isinstance(metadata, dict):
        raise WorkshopError(f"metadata must be a dict, not {type(metadata).__name__}.")
    try:
        dump_json(metadata)
    except (TypeError, ValueError, RecursionError) as error:
        raise WorkshopError(f"metadata can't be written as JSON: {error}.") from None
    return metadata


def cleaned_metadata(metadata: Any) -> dict[str, Any] | None:
    """Metadata of messages, threads and users: secrets are taken out of them."""
    return redact_all(metadata_of(metadata))


def identity(value: Any, name: str) -> str | None:
    """A usable id, None for none. Raises WorkshopError for anything but a text."""
    if value is None or value is UNSET:
        return None
    if not isinstance(value, str) or not value.strip():
        raise WorkshopError(f"{name} must be a text that is not empty, not {short_repr(value)}.")
    return without_secret(storable(value), name)


def inherit(given: Any, from_target: Any, default: Any) -> Any:
    """The scope that was given, else that of the record to link to, else the default."""
    if given is not UNSET:
        return given
    return from_target if from_target else default


def member(kind: type[E], value: Any, name: str) -> E:
    """One of the values that an argument can have. Raises WorkshopError, with its name."""
    try:
        return kind(value)
    except WorkshopError as error:
        raise WorkshopError(f"{name}: {error.message}", error.hint) from None


def ends_at(ttl_days: Any, anchor: Any, created: str, timestamp: str | None) -> str | None:
    """When a record or message ends, counted from when it came or from its own time; None: never.

    Raises WorkshopError for a time to live that is no number of days.
    """
    by_own_time = anchor is not UNSET and (
        member(TimeToLiveAnchor, anchor, "ttl_anchor") is TimeToLiveAnchor.TIMESTAMP
    )
    if ttl_days is UNSET or ttl_days is None:
        return None
    number = isinstance(ttl_days, int | float) and not isinstance(ttl_days, bool)
    if not number or not abs(ttl_days) < math.inf:
        raise WorkshopError(f"ttl_days must be a number of days, not {short_repr(ttl_days)}.")
    return times.days_after((timestamp if by_own_time else None) or created, ttl_days)


def at_most(limit: Any, name: str = "limit") -> int | None:
    """How many results are wanted, None for all. Raises WorkshopError for anything else."""
    if limit is UNSET or limit is None or (limit == 0 and not isinstance(limit, bool)):
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise WorkshopError(f"{name} must be a number of results, not {short_repr(limit)}.")
    return limit


def search_scope(scope: SearchScope | None, given: SearchScope) -> SearchScope:
    """Ids to match, UNSET where a dimension is free. The user is always matched exactly."""
    named = [value for value in vars(given).values() if value is not UNSET]
    if scope is not None and named:
        raise WorkshopError("Give either `scope` or ids and exact-match flags, not both.")
    asked = scope or given
    if asked.exact_user_match is False:
        raise WorkshopError(
            "A search is always within one user.", "Leave exact_user_match out, or set it to True."
        )
    user = session_user() if asked.user_id is UNSET else asked.user_id
    return SearchScope(
        identity(user, "user_id"),
        _dimension(asked.agent_id, asked.exact_agent_match),
        _dimension(asked.thread_id, asked.exact_thread_match),
    )


def _dimension(value: Any, exact: Any) -> Any:
    """What to match: an id, None for "belongs to none", UNSET for anything."""
    if exact is UNSET:
        exact = value is not UNSET and value is not None
    if not exact:
        return UNSET
    return None if value is UNSET else value


def memory_types(record_types: list[str] | None) -> list[str] | None:
    """Those of the asked record types that are memories; None when every type is asked for."""
    if record_types is None:
        return None
    if isinstance(record_types, str) or not {*record_types} <= {*SEARCHED}:
        raise WorkshopError(
            f"record_types can't be {short_repr(record_types)}.",
            f"It is a list of {', '.join(SEARCHED)}.",
        )
    return [name for name in record_types if name in MEMORY_SHAPES]


def as_proposal(record: GovernedRecord, kwargs: dict[str, Any]) -> Proposal:
    """The stored record as a proposal, with a new source where one is given."""
    allowed = {"source", "source_id", "quote", "model_generated"}
    unknown = sorted(set(kwargs) - allowed)
    if unknown:
        raise WorkshopError(f"update_memory can't change {unknown[0]!r}.", "Scope and type stay.")
    check_types(kwargs)
    check_labels(kwargs)
    shared = set(Proposal.__dataclass_fields__) & set(GovernedRecord.model_fields)
    values = {name: getattr(record, name) for name in shared}
    return Proposal(**{**values, **kwargs})


def as_setting(record: GovernedRecord, content: Any) -> Proposal:
    """What a person says in the place of a record: a setting about the same subject.

    A correction stays one, and is recalled like one; of a profile it makes a preference.
    """
    if not isinstance(content, str):
        raise WorkshopError(f"A memory is a text, not {type(content).__name__}.")
    said = {name: getattr(record, name) for name in ("kind", "type", "memory_type")}
    if record.kind == "profile":
        said = dict.fromkeys(said, "preference")
    return Proposal(
        value=storable(content),
        subject=record.subject,
        source="explicit_user_setting",
        user=record.user,
        agent=record.agent,
        thread=record.thread,
        **said,
    )


def check_purpose(purpose: Any) -> str:
    """A purpose that there is. Raises WorkshopError for what a profile is never used for."""
    if purpose not in PURPOSES:
        raise WorkshopError(
            f"An inferred profile is not used for {short_repr(purpose)}.",
            f"It can be for {', '.join(PURPOSES)}; for all else use what the user has stated.",
        )
    return str(purpose)
