"""Four questions before a claim from an earlier turn or session is used again.

Is its source there? Is that version of it current? Has it the authority for this decision? Does
nothing authoritative contradict it? One "no" quarantines it, and says why in its history.
"""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.memory import store
from harness.memory.admission import AUTHORITY
from harness.memory.records import GovernedRecord
from harness.memory.storable_text import storable, without_secret
from harness.memory.subjects import subject_key
from harness.memory.vectors import vector_file


@dataclass(frozen=True)
class Answers:
    """The four answers about one claim; `contradicted_by` names the record that says otherwise."""

    source_exists: bool = True
    source_current: bool = True
    authority_sufficient: bool = True
    contradicted_by: str | None = None

    @property
    def objection(self) -> str:
        """The first "no" in words, "" when there is none."""
        if not self.source_exists:
            return "its source is not there any more"
        if not self.source_current:
            return "its source has a newer version"
        if self.contradicted_by:
            return f"contradicted by {self.contradicted_by}"
        return "" if self.authority_sufficient else "not enough authority for this decision"


def ask(database: StateDatabase, record: GovernedRecord, *, high_impact: bool = False) -> Answers:
    """Answer the four questions for one record. A decision of high impact needs what is confirmed
    and was not written by the model.
    """
    enough = record.confidence == "confirmed" and not record.model_generated
    return Answers(
        source_exists=_source_exists(database, record),
        source_current=_source_current(database, record),
        authority_sufficient=enough or not high_impact,
        contradicted_by=_contradicted_by(database, record),
    )


def trusted(
    database: StateDatabase,
    found: Iterable[tuple[int, GovernedRecord]],
    *,
    high_impact: bool = False,
) -> set[int]:
    """The rows of those records that may be used; the others are quarantined on the way.

    A claim that merely lacks the authority for this decision stays where it is.
    """
    good: set[int] = set()
    for row, record in found:
        answers = ask(database, record, high_impact=high_impact)
        if not answers.objection:
            good.add(row)
        elif answers.authority_sufficient or answers.contradicted_by:
            _quarantine(database, row, answers.objection)
    return good


def set_source_version(database: StateDatabase, name: str, version: str) -> None:
    """Say which version of a document is the current one (a record names it as name@version)."""
    if not name or "@" in name:
        raise WorkshopError(f"{short_repr(name)} can't name a document.", "Use a name without @.")
    database.run(
        "INSERT INTO memory_sources VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET version = excluded.version",
        (without_secret(storable(name), "The document"), without_secret(str(version), "version")),
    )


def _source_exists(database: StateDatabase, record: GovernedRecord) -> bool:
    """Sources that are kept here are looked up; other references are taken as they are."""
    reference = record.source_id
    if record.source == "user_statement" and reference and reference.startswith("msg-"):
        mine = "SELECT 1 FROM messages WHERE message_id = ? AND user_id IS ?"
        return bool(database.read(mine, (reference, record.user)))
    if record.source == "tool_output":
        return bool(
            database.read(
                "SELECT 1 FROM tool_outputs WHERE tool_call_id = ? AND user_id = ? LIMIT 1",
                (reference, record.user),
            )
        )
    return record.source != "document" or bool(reference)


def _source_current(database: StateDatabase, record: GovernedRecord) -> bool:
    name, at, version = (record.source_id or "").rpartition("@")
    if record.source != "document" or not at:
        return True
    current = database.read("SELECT version FROM memory_sources WHERE name = ?", (name,))
    return not current or current[0][0] == version


def _contradicted_by(database: StateDatabase, record: GovernedRecord) -> str | None:
    """A live record that contradicts this one by a link, or a policy that says otherwise."""
    against = store.links(
        database,
        "l.target_record_id = ? AND l.relation_type = 'contradicts'",
        (record.record_id,),
    )
    for link in against:
        live = "m.record_id = ? AND m.status = 'active'"
        for _, other in store.fetch(database, live, (link["source_record_id"],)):
            if AUTHORITY[other.confidence] > AUTHORITY[record.confidence]:
                return other.record_id
    if not record.subject or record.type == "policy_state":
        return None
    policies = store.fetch(
        database,
        "m.subject_key = ? AND m.type = 'policy_state' AND m.status = 'active' AND m.user_id IS ?",
        (subject_key(record.subject), record.user),
    )
    for _, policy in policies:
        if policy.value != record.value:
            return policy.record_id
    return None


def _quarantine(database: StateDatabase, row: int, reason: str) -> None:
    with contextlib.suppress(WorkshopError):  # another kernel holds the store: it stays unused now
        with database.write() as connection:
            store.set_status(database, connection, row, "quarantined", reason)
        vector_file(database).catch_up()
