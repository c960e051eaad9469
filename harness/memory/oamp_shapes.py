"""Our records as `oracleagentmemory` has them, and its "not given" as ours."""

from typing import Any

from oracleagentmemory.apis import records as theirs
from oracleagentmemory.apis.relations import RecordRelation

from harness.memory import shapes
from harness.memory.shapes import UNSET

RUNTIME = "_oamp"  # in a thread's metadata: what their client keeps of a thread
MEMORY_TYPES = {
    "memory": theirs.MemoryRecord,
    "guideline": theirs.GuidelineRecord,
    "fact": theirs.FactRecord,
    "preference": theirs.PreferenceRecord,
}
_TYPES = {
    **MEMORY_TYPES,
    "message": theirs.MessageRecord,
    "thread": theirs.ThreadRecord,
    "user_profile": theirs.UserProfileRecord,
    "agent_profile": theirs.AgentProfileRecord,
}
_SCOPE = ("thread_id", "user_id", "agent_id")


def their_record(ours: Any) -> Any:
    """One of our records in their shape, with the records that it is linked to."""
    made: dict[str, Any] = {
        "id": ours.id,
        "content": ours.content,
        "timestamp": ours.timestamp,
        "metadata": ours.metadata,
        "status": theirs.RecordStatus(ours.status.value),
    }
    if ours.linked_results:
        made["linked_results"] = tuple(
            (their_relation(link), their_record(record)) for link, record in ours.linked_results
        )
    if isinstance(ours, shapes.ScopedRecord):
        made |= {name: getattr(ours, name) for name in _SCOPE}
    if isinstance(ours, shapes.MessageRecord):
        made |= {"role": ours.role, "seq_no": ours.seq_no}
    if isinstance(ours, shapes.ThreadRecord):
        made["metadata"], runtime = _without_runtime(ours.metadata)
        made |= {"runtime_config": runtime.get("config"), "runtime_state": runtime.get("state")}
    return _TYPES[ours.record_type](**made)


def their_relation(ours: shapes.RecordRelation) -> Any:
    """One of our links in their shape."""
    names = (
        "id source_record_id source_record_type target_record_id target_record_type "
        "relation_type opposite_relation_type timestamp metadata"
    ).split()
    return RecordRelation(**{name: getattr(ours, name) for name in names})


def is_unset(value: Any) -> bool:
    """Whether an argument was left out, in their way or in ours."""
    return value is UNSET or type(value).__name__ == "_NotSetMarker"


def given(value: Any) -> Any:
    """The argument, None where it was left out."""
    return None if is_unset(value) else value


def our_value(value: Any) -> Any:
    """The argument, our UNSET where it was left out."""
    return UNSET if is_unset(value) else value


def text_of(content: Any) -> str:
    """Content as text. Parts that aren't text, such as images, are not kept here."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = [getattr(part, "text", "") for part in content]
    return "\n".join(part for part in parts if part)


def anchor(value: Any) -> Any:
    """What a time to live is counted from, in our shape."""
    return UNSET if given(value) is None else shapes.TimeToLiveAnchor(value.value)


def _without_runtime(metadata: dict[str, Any] | None) -> tuple[dict[str, Any] | None, Any]:
    rest = dict(metadata or {})
    runtime = rest.pop(RUNTIME, None) or {}
    return rest or None, runtime
