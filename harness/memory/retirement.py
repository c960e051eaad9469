"""What must leave: nine triggers, and three exits that a later reader can tell apart.

    hard_delete  nothing is left, in no index (secrets, personal data, a user's wish)
    tombstone    "this was retracted": not recalled, and the same claim is not learned again
    archive      out of recall, still there for an audit

`retire` is pure; the rest does what it says.
"""

import contextlib
import sqlite3
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import store, times
from harness.memory.default_user import owned
from harness.memory.deletion import forget_turns, hard_delete, wipe
from harness.memory.freshness import watch_of
from harness.memory.records import GovernedRecord
from harness.memory.seals import checked_key
from harness.memory.signature import is_sealed
from harness.memory.vectors import vector_file
from harness.memory.visibility import visible_records

Trigger = Literal[
    "ttl_reached",
    "source_deleted",
    "source_updated",
    "user_deletion",
    "project_ended",
    "scope_changed",
    "contradiction",
    "sensitive",
    "unused",
]
Exit = Literal["hard_delete", "tombstone", "archive"]

EXIT_OF: dict[Trigger, Exit] = {
    "user_deletion": "hard_delete",
    "sensitive": "hard_delete",
    "contradiction": "tombstone",
    "source_deleted": "archive",
    "source_updated": "archive",
    "ttl_reached": "archive",
    "project_ended": "archive",
    "scope_changed": "archive",
    "unused": "archive",
}
_STATUS = {"tombstone": "tombstone", "archive": "archived"}
_UNUSED_DAYS = 180.0
_EXPENSIVE_CHARS = 2_000
_UNSEALED = "not under seal: of an older version of the store, or changed by something else"


@dataclass(frozen=True)
class Facts:
    """What is known when somebody asks whether a record must leave. `now` is a UTC time."""

    now: str
    source_exists: bool = True
    source_current: bool = True
    deletion_requested: bool = False
    project_ended: bool = False
    scope: str | None = None  # the scope that its subject has now
    contradicted_by: str | None = None  # a record of at least the same authority
    sensitive: bool = False
    unused_days: float = 0.0


@dataclass(frozen=True)
class Retirement:
    """Why a record leaves and by which exit."""

    trigger: Trigger
    exit: Exit


def retire(record: GovernedRecord, facts: Facts) -> Retirement | None:
    """The gravest trigger that a record meets, and its exit; None if it may stay."""
    met: list[tuple[bool, Trigger]] = [
        (facts.deletion_requested, "user_deletion"),
        (facts.sensitive, "sensitive"),
        (facts.contradicted_by is not None, "contradiction"),
        (not facts.source_exists, "source_deleted"),
        (not facts.source_current, "source_updated"),
        (record.expires_at is not None and record.expires_at <= facts.now, "ttl_reached"),
        (facts.project_ended, "project_ended"),
        (facts.scope is not None and facts.scope != record.scope, "scope_changed"),
        (
            facts.unused_days > _UNUSED_DAYS and len(record.value) > _EXPENSIVE_CHARS,
            "unused",
        ),
    ]
    trigger = next((name for holds, name in met if holds), None)
    return None if trigger is None else Retirement(trigger, EXIT_OF[trigger])


def leave(database: StateDatabase, row: int, way: Exit, reason: str) -> None:
    """Send one record through an exit."""
    if way == "hard_delete":
        hard_delete(database, "m.row = ?", (row,))
        return
    with database.write() as connection:
        store.set_status(database, connection, row, _STATUS[way], reason)
    vector_file(database).catch_up()


def sweep(database: StateDatabase, limit: int = 1_000) -> int:
    """Retire what has expired or is not worth keeping up to date, and delete expired messages.

    Returns how many memories left.
    """
    now = times.utc_now()
    idle = times.days_after(now, -_UNUSED_DAYS)
    expired = store.fetch(
        database,
        "m.expires_at IS NOT NULL AND m.expires_at <= ? AND m.status = 'active'",
        (now,),
        f"LIMIT {limit}",
    )
    unused = store.fetch(
        database,
        f"m.status = 'active' AND length(m.value) > {_EXPENSIVE_CHARS}"
        " AND coalesce(m.used_at, m.created_at) < ?",
        (idle,),
        f"LIMIT {limit}",
    )
    for found, days in ((expired, 0.0), (unused, _UNUSED_DAYS + 1)):
        for row, record in found:
            decision = retire(record, Facts(now, unused_days=days))
            if decision is not None:
                leave(database, row, decision.exit, decision.trigger)
    sql = "SELECT DISTINCT user_id, coalesce(turn_id, '') FROM messages WHERE expires_at <= ?"
    if ended := database.read(sql, (now,)):
        for user, turn in ended:
            if turn:
                forget_turns(database, user, turn=turn)
        database.run("PRAGMA secure_delete = ON")
        database.run("DELETE FROM messages WHERE expires_at <= ?", (now,))
        wipe(database)
    return len({row for row, _ in [*expired, *unused]})


def sweep_if_due(database: StateDatabase) -> None:
    """Sweep once a day, by whichever process comes first; a busy store waits for the next turn."""
    today = times.utc_now()[:10]
    before = _swept.get(database)
    if before == today:
        return
    _swept[database] = today
    if before is not None:  # a process of yesterday; a new one counts the seals in any case
        watch_of(database).count_anew()
    with contextlib.suppress(WorkshopError):
        with database.write() as connection:
            due = connection.execute(
                "UPDATE memory_word_upkeep SET swept = ? WHERE coalesce(swept, '') != ?",
                (today, today),
            ).rowcount
        if due:
            sweep(database)


_swept: WeakKeyDictionary[StateDatabase, str] = WeakKeyDictionary()


def sweep_expired(database: StateDatabase, connection: sqlite3.Connection, limit: int) -> None:
    """Archive a few expired records, in the caller's transaction."""
    found = store.fetch(
        database,
        "m.expires_at IS NOT NULL AND m.expires_at <= ? AND m.status = 'active'",
        (times.utc_now(),),
        f"LIMIT {limit}",
    )
    for row, _ in found:
        store.set_status(database, connection, row, "archived", "ttl_reached")


def end_scope(database: StateDatabase, scope: str, user_id: Any) -> int:
    """Archive a user's live records of a scope that has ended; returns how many."""
    whose, user = owned(user_id)
    found = store.fetch(
        database, f"m.scope = ? AND m.status = 'active' AND {whose}", (scope, *user)
    )
    for row, _ in found:
        leave(database, row, EXIT_OF["project_ended"], "project_ended")
    return len(found)


def source_changed(database: StateDatabase, user: str, source_id: str, trigger: Trigger) -> int:
    """Retire a user's live records that rest on a source which was deleted or changed."""
    mine = "m.source_id = ? AND m.user_id = ? AND m.status = 'active'"
    found = store.fetch(database, mine, (source_id, user))
    for row, _ in found:
        leave(database, row, EXIT_OF[trigger], trigger)
    return len(found)


def delete_thread(database: StateDatabase, user_id: str, thread_id: str) -> int:
    """Delete a thread with messages, outputs and its own memories; returns how many (0 or 1).

    Records of the user that rest on its messages have lost their source, and retire.
    """
    scope = (thread_id, user_id)
    messages = database.read(
        "SELECT message_id FROM messages WHERE thread_id = ? AND user_id = ?", scope
    )
    with database.write() as connection:
        connection.execute("PRAGMA secure_delete = ON")
        for table in ("messages", "tool_outputs", "approvals"):  # which hold a paused turn
            connection.execute(f"DELETE FROM {table} WHERE thread_id = ? AND user_id = ?", scope)
        deleted = connection.execute(
            "DELETE FROM threads WHERE thread_id = ? AND user_id = ?", scope
        ).rowcount
    hard_delete(database, "m.thread_id = ? AND m.user_id = ?", scope)
    for (message_id,) in messages:
        source_changed(database, user_id, message_id, "source_deleted")
    forget_turns(database, user_id, thread=thread_id)
    wipe(database)
    return deleted


def history(database: StateDatabase, record_id: str, user_id: Any) -> list[dict[str, Any]]:
    """What a user's record and those it replaced said, oldest first, with status and reason."""
    (whose, user), (here, limited) = owned(user_id), visible_records()
    mine, params = f"{whose} AND {here}", (*user, *limited)
    chain = [record_id]
    for one in chain:  # grows while it is walked
        for link in store.links(
            database, "l.source_record_id = ? AND l.relation_type = 'supersedes'", (one,)
        ):
            if link["target_record_id"] not in chain:
                chain.append(link["target_record_id"])
    entries: list[dict[str, Any]] = []
    for one in reversed(chain):
        before = database.read(
            "SELECT v.value, v.replaced_at, s.seal FROM memory_versions v JOIN memories m"
            " USING (record_id) LEFT JOIN memory_seals s"
            " ON s.item = 'version ' || v.record_id || ' ' || v.replaced_at"
            f" WHERE v.record_id = ? AND {mine} ORDER BY v.id",
            (one, *params),
        )
        key = checked_key(database) if before else b""
        for value, at, seal in before:
            unsealed = None if is_sealed(key, seal, [value]) else _UNSEALED
            entries.append(_entry(one, value, "replaced", unsealed, at))
        entries += [
            _entry(one, record.value, record.status, record.status_reason, record.created_at)
            for _, record in store.fetch(database, f"m.record_id = ? AND {mine}", (one, *params))
        ]
    return entries


def _entry(record_id: str, value: str, status: str, reason: str | None, at: str) -> dict[str, Any]:
    return {"record_id": record_id, "value": value, "status": status, "reason": reason, "at": at}
