"""Two claims about the same subject: which one counts, or neither until somebody decides.

The newer statement of the same speaker replaces the older. A claim of more authority replaces one
of less, never the other way round. Two speakers of equal authority: both wait in quarantine. A
policy yields to a signed event alone, a setting to another setting or a signed event.

Where only the words of the subjects and the meaning of the claims suggest that they are about one
thing ("storage fee", "fee for storage"), nothing is replaced: the one with less authority waits
until somebody says so.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.databases.state import StateDatabase
from harness.memory import store
from harness.memory.admission import AUTHORITY, Proposal
from harness.memory.records import GovernedRecord
from harness.memory.shapes import OPPOSITE_RELATIONS
from harness.memory.storable_text import owner_token
from harness.memory.subjects import keys_within, may_be_one, same_thing, spoken_words, subject_key

_ONE_CLAIM = ("correction", "preference", "profile", "commitment")  # kinds with one a subject
_BY_USER = ("user_statement", "explicit_user_setting", "authorization_event")
_SETTINGS = ("explicit_user_setting", "authorization_event")
_ALIKE = 0.7  # cosine; measured: one thing in two spellings 0.72 to 0.91, other things up to 0.65
_MOST = 500  # records with the words of a subject that are looked at, the latest
# +: not by the index of kinds, which holds thousands
_CLAIMS = f"m.status = 'active' AND (+m.kind IN {_ONE_CLAIM} OR m.type = 'policy_state')"
_BY_KEY = "SELECT m.row, m.subject FROM memories m WHERE m.subject_key IN ({}) AND m.user_id IS ?"
_BY_WORD = (
    "SELECT m.row, m.subject FROM (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?"
    f" ORDER BY rowid DESC LIMIT {_MOST}) f CROSS JOIN memories m ON m.row = f.rowid"
    f" WHERE {_CLAIMS}"
)
Found = tuple[int, GovernedRecord]


@dataclass
class Ruling:
    """What a new claim does to those that say otherwise, and they to it."""

    replaced: list[Found] = field(default_factory=list)
    equal: list[Found] = field(default_factory=list)
    alike: list[Found] = field(default_factory=list)  # which wait, for they may say otherwise
    stronger: GovernedRecord | None = None
    unsure: GovernedRecord | None = None  # that the new claim waits for

    @property
    def objection(self) -> str:
        """Why the new claim has to wait; "" if it may be used."""
        if self.stronger:
            return f"contradicts {self.stronger.record_id}, which has more authority"
        if self.equal:
            others = ", ".join(record.record_id for _, record in self.equal)
            return f"contradicts {others}: two sources of equal authority"
        if self.unsure:
            return (
                f'may say otherwise than {self.unsure.record_id} (subject "{self.unsure.subject}"):'
                " with that subject it replaces it, said again in a later message it stays beside"
            )
        return ""


def about_one_thing(
    database: StateDatabase, claim: Proposal | GovernedRecord, vector: bytes | None = None
) -> tuple[list[Found], list[Found]]:
    """The user's live claims that surely are about the same thing as this one, and those that may
    be: their subjects differ in short words only, and the claims are near in meaning.
    """
    if not _is_one(claim) or not claim.subject.strip():
        return [], []
    subjects = _worded_alike(database, claim)
    same = {row for row, subject in subjects.items() if same_thing(claim.subject, subject)}
    names = {subject_key(subjects[row]) for row in same} - {subject_key(claim.subject)}
    if len(names) > 1:  # words of several identifiers name none
        same = {row for row in same if subject_key(subjects[row]) not in names}
    close = [row for row, subject in subjects.items() if may_be_one(claim.subject, subject)]
    near = _near(database, vector, close) - same
    found = store.fetch_rows(database, sorted({*same, *near}))
    return [one for one in found.items() if one[0] in same], [
        one for one in found.items() if one[0] in near
    ]


def rivals(claim: Proposal | GovernedRecord, found: list[Found]) -> list[Found]:
    """Those of the claims about one thing that can't be true beside this one."""
    return [(row, record) for row, record in found if _excludes(claim, record)]


def _worded_alike(database: StateDatabase, claim: Proposal | GovernedRecord) -> dict[int, str]:
    """row -> subject of live claims that have every word of this subject, or the reverse."""
    keys = sorted(keys_within(claim.subject))
    by_key = f"{_BY_KEY.format(', '.join('?' * len(keys)))} AND {_CLAIMS}"
    found = database.read(by_key, (*keys, claim.user))
    if said := spoken_words(claim.subject):
        every = " AND ".join(f'"{word}"' for word in said)
        match = f"owner : {owner_token(claim.user)} AND subject : ({every})"
        found += database.read(_BY_WORD, (match,))
    return {row[0]: row[1] for row in found}


def _near(database: StateDatabase, vector: bytes | None, rows: list[int]) -> set[int]:
    if vector is None or not rows:
        return set()
    sql = "SELECT v.row, v.vector FROM json_each(?) j JOIN memory_vectors v ON v.row = j.value"
    kept, new = database.read(sql, (str(rows),)), np.frombuffer(vector, np.float32)
    return {row for row, other in kept if np.frombuffer(other, np.float32) @ new >= _ALIKE}


def _excludes(claim: Proposal | GovernedRecord, record: GovernedRecord) -> bool:
    if record.record_id == claim.record_id or record.agent != claim.agent:
        return False
    if record.kind == "profile":  # an observation yields to any statement of the user's
        return claim.kind in ("profile", "preference")
    return _is_one(record) and claim.kind != "profile"


def _is_one(claim: Proposal | GovernedRecord) -> bool:
    """Whether only one claim of this sort counts for a subject."""
    return claim.kind in _ONE_CLAIM or claim.type == "policy_state"


def protected(claim: Proposal | GovernedRecord, record: GovernedRecord) -> bool:
    """Whether a record is a policy or setting that this claim can't change."""
    if record.type == "policy_state":
        return claim.source != "authorization_event"
    set_once = record.source in _SETTINGS or record.writable_by == "settings_service"
    return set_once and claim.source not in _SETTINGS


def rule(record: GovernedRecord, against: list[Found], near: Sequence[Found] = ()) -> Ruling:
    """Weigh a new claim against those that say otherwise, and those that may."""
    ruling = Ruling()
    for row, other in near:
        difference = AUTHORITY[record.confidence] - AUTHORITY[other.confidence]
        set_now = record.source in _SETTINGS and not protected(record, other)
        if difference > 0 or set_now:
            ruling.alike.append((row, other))
        else:
            ruling.unsure = other
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
    if ruling.unsure:
        return ()
    for row, other in ruling.equal:
        reason = f"contradicts {record.record_id}: two sources of equal authority"
        store.set_status(database, connection, row, "quarantined", reason)
        _link(database, connection, record, other, "contradicts")
    if ruling.equal:
        return ()
    for row, _ in ruling.alike:
        reason = f"may say otherwise than {record.record_id}, which has more authority"
        store.set_status(database, connection, row, "quarantined", reason)
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
