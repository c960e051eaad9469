"""What happens to a memory after it was stored: one event, for whoever decides whether it leaves.

`Facts` (retirement.py) is everything that is known about one record at one moment. An event is one
thing that happened, and may concern many records or none.
"""

from dataclasses import dataclass

from harness.memory.admission import AUTHORITY
from harness.memory.records import Confidence, GovernedRecord
from harness.memory.retirement import Facts

__all__ = ["AUTHORITY", "Event", "facts_of"]


@dataclass(frozen=True)
class Event:
    """One thing that happened, by its trigger; the fields that the trigger needs are filled.

    ttl_reached: now. source_deleted: source_id. source_updated: source_id, without its version,
    and version. user_deletion: user. project_ended: scope. scope_changed: record_id, scope.
    contradiction: subject, confidence. sensitive: record_id. unused: record_id, unused_days.
    """

    trigger: str
    now: str = ""
    source_id: str | None = None
    version: str = ""
    user: str | None = None
    scope: str | None = None
    record_id: str | None = None
    subject: str | None = None
    confidence: Confidence = "observed"
    unused_days: float = 0.0


def facts_of(record: GovernedRecord, event: Event) -> Facts:
    """What an event says about one record, in the terms of the harness's own `retire`."""
    name, at, version = (record.source_id or "").rpartition("@")
    its_own = event.record_id == record.record_id
    same_subject = event.subject is not None and event.subject == record.subject
    stronger = AUTHORITY[event.confidence] >= AUTHORITY[record.confidence]
    what = event.trigger
    return Facts(
        now=event.now if what == "ttl_reached" else "",
        source_exists=not (what == "source_deleted" and event.source_id == record.source_id),
        source_current=not (
            what == "source_updated"
            and bool(at)
            and event.source_id == name
            and event.version != version
        ),
        deletion_requested=what == "user_deletion" and event.user == record.user,
        project_ended=what == "project_ended" and event.scope == record.scope,
        scope=event.scope if what == "scope_changed" and its_own else None,
        contradicted_by="event" if what == "contradiction" and same_subject and stronger else None,
        sensitive=what == "sensitive" and its_own,
        unused_days=event.unused_days if what == "unused" and its_own else 0.0,
    )
