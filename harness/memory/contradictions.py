"""Two claims about the same subject: which one counts, or neither until somebody decides.

The newer statement of the same speaker replaces the older. A claim of more authority replaces one
of less, never the other way round. Two speakers of equal authority: both wait in quarantine. A
policy yields to a signed event alone, a setting to another setting or a signed event.
"""

import sqlite3
from dataclasses import dataclass, field

from harness.databases.state import StateDatabase
from harness.memory import store
from harness.memory.admission import AUTHORITY, Proposal
from harness.memory.records import GovernedRecord
from harness.memory.shapes import OPPOSITE_RELATIONS
from harness.memory.subjects import subject_key

_ONE_CLAIM = ("correction", "preference", "profile", "commitment")  # kinds with one a subject
_BY_USER = ("user_statement", "explicit_user_setting", "authorization_event")
_SETTINGS = ("explicit_user_setting", "authorization_event")
_ABOUT = "m.subject_key = ? AND m.user_id IS ? AND m.status = 'active' AND m.agent_id IS ?"
Found = tuple[int, GovernedRecord]


@dataclass
class Ruling:
    """What a new claim does to those that say otherwise, and they to it."""

    replaced: list[Found] = field(default_factory=list)
    equal: list[Found] = field(default_factory=list)
    stronger: GovernedRecord | None = None

    @property
    def objection(self) -> str:
        """Why the new claim has to wait; "" if it may be used."""
        if self.stronger:
            return f"contradicts {self.stronger.record_id}, which has more authority"
        if self.equal:
            others = ", ".join(record.record_id for _, record in self.equal)
            return f"contradicts {others}: two sources of equal authority"
        return ""


def rivals(database: StateDatabase, claim: Proposal | GovernedRecord) -> list[Found]:
    """The live claims of the same user about the same subject that can't both be true."""
    if claim.kind not in _ONE_CLAIM or not claim.subject.strip():
        return []
    found = store.fetch(database, _ABOUT, (subject_key(claim.subject), claim.user, claim.agent))
    return [(row, record) for row, record in found if _excludes(claim, record)]


def _excludes(claim: Proposal | GovernedRecord, record: GovernedRecord) -> bool:
    if record.record_id == claim.record_id:
        return False
    if record.kind == "profile":  # an observation yields to any statement of the user's
        return claim.kind in ("profile", "preference")
    return record.kind in _ONE_CLAIM and claim.kind != "profile"


def protected(claim: Proposal | GovernedRecord, record: GovernedRecord) -> bool:
    """Whether a record is a policy or setting that this claim can't change."""
    if record.type == "policy_state":
        return claim.source != "authorization_event"
    set_once = record.source in _SETTINGS or record.writable_by == "settings_service"
    return set_once and claim.source not in _SETTINGS


def rule(record: GovernedRecord, against: list[Found]) -> Ruling:
    """Weigh a new claim against those that say otherwise."""
    ruling = Ruling()
    for row, other in against:
        difference = AUTHORITY[record.confidence] - AUTHORITY[other.confidence]
        if protected(record, other) or difference < 0:
            ruling.stronger = other
        elif difference > 0 or _speaker(record) == _speaker(other):
            ruling.replaced.append((row, other))
        else:
            ruling.equal.append((row, other))
    return ruling


def settle(
    database: StateDatabase, connection: sqlite3.Connection, record: GovernedRecord, ruling: Ruling
) -> tuple[str, ...]:
    """Do to the others what was ruled; returns the ids of those that were replaced.

    Nothing is lost: all stay in the history, linked.
    """
    if ruling.stronger:
        _link(database, connection, record, ruling.stronger, "contradicts")
        return ()
    for row, other in ruling.equal:
        reason = f"contradicts {record.record_id}: two sources of equal authority"
        store.set_status(database, connection, row, "quarantined", reason)
        _link(database, connection, record, other, "contradicts")
    if ruling.equal:
        return ()
    for row, other in ruling.replaced:
        store.set_status(database, connection, row, "superseded", f"by {record.record_id}")
        _link(database, connection, record, other, "supersedes")
    return tuple(other.record_id for _, other in ruling.replaced)


def _speaker(record: GovernedRecord) -> tuple[str, str]:
    """Whose word a record is: the user's, or a source's, whatever its version."""
    if record.source in _BY_USER:
        return "user", ""
    name = (record.source_id or "").partition("@")[0] if record.source == "document" else ""
    return record.source, name


def _link(
    database: StateDatabase,
    connection: sqlite3.Connection,
    one: GovernedRecord,
    other: GovernedRecord,
    relation: str,
) -> None:
    taken = connection.execute(
        "SELECT 1 FROM memory_links"
        " WHERE source_record_id IN (?, ?) AND target_record_id IN (?, ?)",
        (one.record_id, other.record_id) * 2,
    ).fetchone()
    if not taken:
        source, target = ((each.record_id, each.memory_type) for each in (one, other))
        store.link(database, connection, source, target, relation, OPPOSITE_RELATIONS[relation])
