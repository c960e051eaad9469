"""The seals of a store, one for every record and link that came through the door."""

import sqlite3
from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

from harness.databases.state import StateDatabase, state
from harness.errors import WorkshopError
from harness.memory.migration import migrate
from harness.memory.records import sealed_values
from harness.memory.signature import RESTORE, SEAL_KEY, make_key, read_key, seal_of

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
    """Convert the records of an older version, once a process."""
    if database not in _current and not database.connection().in_transaction:
        key = read_key(database.path.with_name(SEAL_KEY))
        if key is not None:
            migrate(database, key)
            _current.add(database)


def seal_key(database: StateDatabase) -> bytes:
    """The key of this store's seals; made with the store's first record.

    Raises WorkshopError when records are there and their key is not.
    """
    path = database.path.with_name(SEAL_KEY)
    key = read_key(path)
    if key is not None:
        return key
    if database.read("SELECT 1 FROM memories LIMIT 1"):
        raise WorkshopError(
            f"The key {path} is missing, so what is remembered can't be checked.", RESTORE
        )
    if database.connection().in_transaction:  # the write lock keeps a second kernel out
        return make_key(path)
    with database.write():
        return make_key(path)


def put_seal(
    database: StateDatabase, connection: sqlite3.Connection, item: str, values: Sequence[Any]
) -> None:
    """Seal the values of a record or link, by its id. In the caller's transaction."""
    connection.execute(
        "INSERT OR REPLACE INTO memory_seals VALUES (?, ?)",
        (item, seal_of(seal_key(database), values)),
    )


def reseal(database: StateDatabase | None = None) -> int:
    """Accept every record and link in the store as it stands, under a new key; returns how many
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
            connection.execute("INSERT INTO memory_seals VALUES (?, ?)", seal)
            kept += 1
        for row in connection.execute("SELECT * FROM memory_links").fetchall():
            seal = (row["id"], seal_of(key, list(row)))
            connection.execute("INSERT INTO memory_seals VALUES (?, ?)", seal)
    return kept
