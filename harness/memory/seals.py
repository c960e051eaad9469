"""The seals of a store, one for every record and link that came through the door."""

import sqlite3
from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

from harness.databases.state import StateDatabase, state
from harness.memory.freshness import watch_of
from harness.memory.migration import migrate
from harness.memory.records import sealed_values
from harness.memory.signature import (
    PUT,
    SEAL_KEY,
    UnreadableSeals,
    make_key,
    read_key,
    seal_of,
)

LINK_COLUMNS = (
    "id",
    "source_record_id",
    "source_record_type",
    "target_record_id",
    "target_record_type",
    "relation_type",
    "opposite_relation_type",
    "timestamp",
    "metadata",
    "created_at",
)
_current: "WeakSet[StateDatabase]" = WeakSet()  # stores that are of this version, as was seen


def bring_up_to_date(database: StateDatabase) -> None:
    """Watch the seals, and convert the records of an older version, once a process."""
    watch_of(database)
    if database not in _current and not database.connection().in_transaction:
        key = read_key(database.path.with_name(SEAL_KEY))
        if key is not None:
            migrate(database, key)
            _current.add(database)


def seal_key(database: StateDatabase) -> bytes:
    """The key of this store's seals; made with the store's first record.

    Raises UnreadableSeals when records are there and their key is not.
    """
    path = database.path.with_name(SEAL_KEY)
    key = read_key(path)
    if key is not None:
        return key
    if database.read("SELECT 1 FROM memories LIMIT 1"):
        raise UnreadableSeals(f"The key {path} is missing, so what is remembered can't be checked.")
    if database.connection().in_transaction:  # the write lock keeps a second kernel out
        return make_key(path)
    with database.write():
        return make_key(path)


def checked_key(database: StateDatabase) -> bytes:
    """The key of a store that is as it was left. Raises UnreadableSeals where it is not."""
    key = seal_key(database)
    watch_of(database).check(database, key)
    return key


def put_seal(
    database: StateDatabase, connection: sqlite3.Connection, item: str, values: Sequence[Any]
) -> None:
    """Seal the values of a record or link, by its id. In the caller's transaction."""
    connection.execute(PUT, (item, seal_of(seal_key(database), values)))


def grant_item(event_id: str) -> str:
    """Under which name the use of a signed event is sealed."""
    return f"grant {event_id}"


def version_item(record_id: str, replaced_at: str) -> str:
    """Under which name what a record said before is sealed."""
    return f"version {record_id} {replaced_at}"


def reseal(database: StateDatabase | None = None) -> int:
    """Accept every record and link in the store as it is, under a new key; returns how many
    records. For a person who has lost the key file and trusts the database. No tool calls this.
    """
    database = database or state()
    with database.write() as connection:
        path = database.path.with_name(SEAL_KEY)
        path.unlink(missing_ok=True)
        key = make_key(path)
        connection.execute("DELETE FROM memory_seals")
        kept = 0
        for row in connection.execute("SELECT * FROM memories").fetchall():
            seal = (row["record_id"], seal_of(key, sealed_values(row)))
            connection.execute(PUT, seal)
            kept += 1
        for row in connection.execute("SELECT * FROM memory_links").fetchall():
            seal = (row["id"], seal_of(key, list(row)))
            connection.execute(PUT, seal)
        for (event_id,) in connection.execute("SELECT event_id FROM memory_grants").fetchall():
            connection.execute(PUT, (grant_item(event_id), seal_of(key, [event_id])))
        for one in connection.execute("SELECT * FROM memory_versions").fetchall():
            item = version_item(one["record_id"], one["replaced_at"])
            connection.execute(PUT, (item, seal_of(key, [one["value"]])))
        watch_of(database).accept(connection, key)
    return kept
