"""SQL for records. Only the door (door.py) and retirement call what writes."""

import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from harness.databases.state import StateDatabase
from harness.memory import times
from harness.memory.filters import Where, leaves
from harness.memory.records import (
    COLUMNS,
    GovernedRecord,
    dump_json,
    from_row,
    sealed_values,
    to_columns,
)
from harness.memory.seals import LINK_COLUMNS, bring_up_to_date, checked_key, put_seal
from harness.memory.signature import is_sealed
from harness.memory.storable_text import claim_key, owner_token
from harness.memory.subjects import subject_key

_SELECT = (
    f"SELECT m.row, {', '.join('m.' + name for name in COLUMNS)}, s.seal FROM memories m"
    " LEFT JOIN memory_seals s ON s.item = m.record_id"
)
_INSERT = (
    f"INSERT INTO memories ({', '.join(COLUMNS)}, owner, claim, subject_key)"
    f" VALUES ({', '.join('?' * (len(COLUMNS) + 3))})"
)


def new_id(prefix: str) -> str:
    """An identifier that nobody else has."""
    return f"{prefix}-{uuid.uuid4().hex}"


def insert(
    database: StateDatabase,
    connection: sqlite3.Connection,
    record: GovernedRecord,
    vector: bytes | None,
) -> int:
    """Store a record that was admitted; returns its row. In the caller's transaction."""
    columns = to_columns(record)
    values = [columns[name] for name in COLUMNS]
    put_seal(database, connection, record.record_id, sealed_values(columns))
    row = connection.execute(
        _INSERT,
        [
            *values,
            owner_token(record.user),
            claim_key(record.user, record.value),
            subject_key(record.subject),
        ],
    ).lastrowid
    assert row is not None
    _index_metadata(connection, row, record.metadata)
    if record.status == "active":
        set_vector(connection, row, vector)
    return row


def set_vector(connection: sqlite3.Connection, row: int, vector: bytes | None) -> None:
    """Give a live record its vector, or note that it waits for one."""
    connection.execute("DELETE FROM memory_vectors WHERE row = ?", (row,))
    if vector is None:
        connection.execute("INSERT OR IGNORE INTO memory_pending VALUES (?)", (row,))
    else:
        connection.execute("DELETE FROM memory_pending WHERE row = ?", (row,))
        connection.execute("INSERT INTO memory_vectors (row, vector) VALUES (?, ?)", (row, vector))


def update(
    database: StateDatabase,
    connection: sqlite3.Connection,
    row: int,
    record: GovernedRecord,
    vector: bytes | None = None,
    revive: bool = False,
) -> None:
    """Replace a stored record by a changed one.

    `revive` says that it needs a new vector: its text changed, or it comes back into recall.
    """
    columns = to_columns(record)
    changed = {
        **columns,
        "claim": claim_key(record.user, record.value),
        "subject_key": subject_key(record.subject),
    }
    put_seal(database, connection, record.record_id, sealed_values(columns))
    sets = ", ".join(f"{name} = ?" for name in changed)
    connection.execute(f"UPDATE memories SET {sets} WHERE row = ?", [*changed.values(), row])
    if record.status not in ("active", "quarantined"):
        forget_summaries(connection, record.user, record.source_id, record.created_at)
    connection.execute("DELETE FROM memory_metadata WHERE row = ?", (row,))
    _index_metadata(connection, row, record.metadata)
    if record.status == "active" and (revive or vector is not None):
        set_vector(connection, row, vector)


def _index_metadata(
    connection: sqlite3.Connection, row: int, metadata: dict[str, Any] | None
) -> None:
    if metadata:
        connection.executemany(
            "INSERT OR IGNORE INTO memory_metadata (path, value, row) VALUES (?, ?, ?)",
            [(path, value, row) for path, value in leaves(metadata) if path],
        )


def set_status(
    database: StateDatabase, connection: sqlite3.Connection, row: int, status: str, reason: str
) -> None:
    """Move a record to another status and write down why."""
    found = fetch(database, "m.row = ?", (row,))
    if found:
        changed = found[0][1].model_copy(update={"status": status, "status_reason": reason})
        update(database, connection, row, changed)
        log_event(connection, changed.record_id, changed.user, status, reason)


def forget_summaries(
    connection: sqlite3.Connection, user: str | None, source_id: str | None, since: str
) -> None:
    """Let this user's summaries be written anew that may tell what a record said."""
    connection.execute(
        "UPDATE threads SET summary = NULL, summary_through = 0, summary_by_model = 0"
        " WHERE user_id IS ? AND summary IS NOT NULL AND summary_through >= coalesce("
        "(SELECT seq FROM messages WHERE message_id = ?),"
        " (SELECT min(seq) FROM messages WHERE user_id IS ? AND created_at >= ?))",
        (user, source_id, user, since),
    )


def delete(connection: sqlite3.Connection, rows: Iterable[int]) -> int:
    """Remove records from every index; what they said is overwritten in the file as well."""
    connection.execute("PRAGMA secure_delete = ON")
    deleted = 0
    for row in rows:
        deleted += connection.execute("DELETE FROM memories WHERE row = ?", (row,)).rowcount
    return deleted


def fetch(
    database: StateDatabase, condition: str, params: Sequence[Any] = (), tail: str = ""
) -> list[tuple[int, GovernedRecord]]:
    """(row, record) for all sealed records that match, in the order of their rows unless `tail`."""
    return list(
        _checked(database, f"{_SELECT} WHERE {condition} {tail or 'ORDER BY m.row'}", params)
    )


def fetch_where(
    database: StateDatabase, where: Where, limit: int | None = None
) -> list[tuple[int, GovernedRecord]]:
    """(row, record) for the records that fulfil the conditions, oldest first."""
    tail = "ORDER BY m.row" + ("" if limit is None else f" LIMIT {int(limit)}")
    return fetch(database, where.sql, where.params, tail)


def fetch_rows(database: StateDatabase, rows: Sequence[int]) -> dict[int, GovernedRecord]:
    """row -> record of those rows that are there and sealed."""
    sql = f"{_SELECT} JOIN json_each(?) j ON j.value = m.row"
    return dict(_checked(database, sql, (str(list(rows)),)))


def _checked(
    database: StateDatabase, sql: str, params: Sequence[Any]
) -> Iterator[tuple[int, GovernedRecord]]:
    bring_up_to_date(database)
    rows = database.read(sql, params)
    key = checked_key(database) if rows else b""
    for row in rows:
        if is_sealed(key, row["seal"], sealed_values(row)):  # it came through the door
            yield row["row"], from_row(row)


def mark_used(database: StateDatabase, rows: Iterable[int]) -> None:
    """Remember, to the day, when these were last recalled (retirement looks at it)."""
    now = times.utc_now()
    stale = database.read(
        "SELECT m.row FROM json_each(?) j JOIN memories m ON m.row = j.value"
        " WHERE m.used_at IS NULL OR m.used_at < ?",
        (str(list(rows)), times.days_after(now, -1)),
    )
    if stale:
        with database.write() as connection:
            connection.executemany(
                "UPDATE memories SET used_at = ? WHERE row = ?", [(now, row[0]) for row in stale]
            )


def log_event(
    connection: sqlite3.Connection,
    record_id: str | None,
    user: str | None,
    action: str,
    reason: str,
) -> None:
    """One line of the record's history. `reason` never holds the record's text."""
    connection.execute(
        "INSERT INTO memory_events (record_id, user_id, action, reason, at) VALUES (?, ?, ?, ?, ?)",
        (record_id, user, action, reason, times.utc_now()),
    )


def forget_reasons(connection: sqlite3.Connection, record_id: str) -> None:
    """Leave of a record's history what was done with it, not why: a reason may repeat its words."""
    connection.execute("UPDATE memory_events SET reason = '' WHERE record_id = ?", (record_id,))


def link(
    database: StateDatabase,
    connection: sqlite3.Connection,
    source: tuple[str, str],
    target: tuple[str, str],
    relation: str,
    opposite: str,
    link_id: str | None = None,
    timestamp: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> str:
    """A directed link between two records, each (record_id, memory_type); returns its id."""
    identifier = link_id or new_id("link")
    ends = (*source, *target, relation, opposite)
    values = (identifier, *ends, timestamp, dump_json(metadata), times.utc_now())
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO memory_links VALUES ({marks})", values)
    put_seal(database, connection, identifier, values)
    return identifier


def links(database: StateDatabase, condition: str, params: Sequence[Any]) -> list[sqlite3.Row]:
    """The sealed links that match, oldest first."""
    rows = database.read(
        "SELECT l.*, s.seal FROM memory_links l LEFT JOIN memory_seals s ON s.item = l.id"
        f" WHERE {condition} ORDER BY l.rowid",
        params,
    )
    key = checked_key(database) if rows else b""
    return [row for row in rows if is_sealed(key, row["seal"], [row[c] for c in LINK_COLUMNS])]
