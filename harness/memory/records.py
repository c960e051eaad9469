"""The record: what the store knows about each thing that it remembers."""

import json
import sqlite3
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from harness.memory.shapes import MEMORY_SHAPES, MemoryRecord, RecordStatus

RecordType = Literal[
    "task_state", "preference", "commitment", "episodic", "policy_state", "incident"
]
MemoryType = Literal["memory", "guideline", "fact", "preference"]
Confidence = Literal["confirmed", "observed", "inferred"]
Status = Literal["active", "quarantined", "superseded", "invalid", "tombstone", "archived"]
Source = Literal[
    "user_statement",  # words of the user, quoted and found
    "explicit_user_setting",  # set by the user outside of a conversation
    "tool_output",  # quoted from an observation
    "document",  # a version of a document
    "authorization_event",  # signed
    "application",  # written by the program around the agent
    "model_inference",  # the model's own conclusion
    "model_summary",  # the model's own words about others' words
]

DERIVED = ("tool_output", "model_inference", "model_summary")  # may repeat what a query showed

# What an inferred profile may be for. There is no pricing, hiring, credit or health in it, and
# what is not in it can't be the use of a profile.
Purpose = Literal["explanation", "presentation", "language", "defaults"]
ANSWERING: tuple[Purpose, ...] = ("explanation", "presentation", "language")  # uses of an answer

Reader = Literal["approved_agents", "user"]  # or "agent:" and its name
Writer = Literal["user_or_settings_service", "settings_service"]

KINDS = (
    "memory",
    "guideline",
    "fact",
    "preference",
    "correction",
    "commitment",
    "episodic",
    "profile",
)

SOURCE_WORDS = {
    "user_statement": "from the user",
    "explicit_user_setting": "set by the user",
    "tool_output": "from a tool",
    "document": "from a document",
    "authorization_event": "authorized",
    "application": "from the application",
    "model_inference": "inferred by the model",
    "model_summary": "summed up by the model",
}


class GovernedRecord(BaseModel):
    """One memory with everything that decides who may use it, for what and for how long.

    Times are ISO 8601 in UTC. `user`, `agent` and `thread` are its scope in the store and come
    from the caller, never from `metadata`; `scope` says in words where the entry is valid.
    `value` is what was really said; `wording` is how the model put it, and nobody's statement.
    """

    model_config = ConfigDict(frozen=True)

    record_id: str
    type: RecordType = "episodic"
    memory_type: MemoryType = "memory"
    kind: str = "memory"
    subject: str = ""
    value: str
    wording: str | None = None
    source: Source
    source_id: str | None = None
    confidence: Confidence = "observed"
    scope: str = "user_account"
    valid_from: str | None = None
    expires_at: str | None = None
    writable_by: str = "user_or_settings_service"
    readable_by: str = "approved_agents"
    model_generated: bool = False
    high_impact: bool = False
    status: Status = "active"
    status_reason: str | None = None
    user: str | None = None
    agent: str | None = None
    thread: str | None = None
    metadata: dict[str, Any] | None = None
    timestamp: str | None = None
    created_at: str = ""
    seen: str | None = None  # of a tool's output: the row policies under which it was had

    def public(self) -> MemoryRecord:
        """The record in the shape that the client returns."""
        return MEMORY_SHAPES[self.memory_type](
            id=self.record_id,
            record_type=self.memory_type,
            content=self.value,
            timestamp=self.timestamp or self.created_at,
            metadata=self.metadata,
            status=RecordStatus.VALID if self.status == "active" else RecordStatus.INVALID,
            thread_id=self.thread,
            user_id=self.user,
            agent_id=self.agent,
            governed=self,
        )


# Field of the record -> column of the table, where they differ.
_COLUMN = {"user": "user_id", "agent": "agent_id", "thread": "thread_id"}
FIELDS = tuple(GovernedRecord.model_fields)
COLUMNS = tuple(_COLUMN.get(name, name) for name in FIELDS)


def to_columns(record: GovernedRecord) -> dict[str, Any]:
    """The record as values for its columns."""
    values = {_COLUMN.get(name, name): getattr(record, name) for name in FIELDS}
    values["metadata"] = dump_json(record.metadata)
    values["model_generated"] = int(record.model_generated)
    values["high_impact"] = int(record.high_impact) or None
    return values


def sealed_values(row: Any) -> list[list[Any]]:
    """What a record's seal covers: every column that is set, so that a later one breaks no seal."""
    return [[name, row[name]] for name in COLUMNS if row[name] is not None]


def from_row(row: sqlite3.Row) -> GovernedRecord:
    """The record of a row that the store has checked."""
    values = {name: row[_COLUMN.get(name, name)] for name in FIELDS}
    values["metadata"] = load_json(row["metadata"])
    values["model_generated"] = bool(row["model_generated"])
    values["high_impact"] = bool(row["high_impact"])
    return GovernedRecord.model_construct(**values)


def dump_json(value: Any) -> str | None:
    """JSON text for a column, None for None. Raises TypeError or ValueError if it can't be."""
    if value is None:
        return None
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def load_json(text: Any) -> Any:
    """The value of a JSON column."""
    return None if text is None else json.loads(text)
