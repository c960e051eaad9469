"""Records of the store's first version, brought to what the store is now.

They carried their seal in the row, and the model's wording as the user's. A record whose old seal
holds gets a new one; a user's statement becomes what the user had said, as it was noted then.
Where nothing was noted it waits in quarantine, and says so.
"""

import hmac
import sqlite3
from typing import Any

from harness.databases.state import StateDatabase
from harness.memory.records import COLUMNS, load_json, sealed_values
from harness.memory.sentences import asks
from harness.memory.signature import PUT, seal_of
from harness.memory.storable_text import claim_key
from harness.memory.subjects import subject_key

_SEALED = """record_id type memory_type kind subject value source source_id confidence scope
    valid_from expires_at writable_by readable_by model_generated status status_reason user_id
    agent_id thread_id metadata timestamp created_at""".split()
_UNHEARD = "of an older version of the store, without the words that it rests on"


def migrate(database: StateDatabase, key: bytes) -> None:
    """Convert what is there, once. A record whose old seal does not hold stays unread."""
    if not _is_old(database):
        return
    with database.write() as connection:
        if not _is_old(database):  # another kernel was faster
            return
        for row in connection.execute("SELECT * FROM memories").fetchall():
            if hmac.compare_digest(seal_of(key, [row[name] for name in _SEALED]), row["seal"]):
                _convert(connection, key, dict(row))
        for row in connection.execute("SELECT * FROM memory_links").fetchall():
            seal = (row["id"], seal_of(key, list(row)))
            connection.execute(PUT, seal)
        connection.execute("ALTER TABLE memories DROP COLUMN seal")


def _is_old(database: StateDatabase) -> bool:
    return any(row["name"] == "seal" for row in database.read("PRAGMA table_info(memories)"))


def _convert(connection: sqlite3.Connection, key: bytes, row: dict[str, Any]) -> None:
    value = row["value"]
    if row["source"] == "user_statement":
        _as_heard(row)
    if row["value"] != value and row["status"] == "active":  # it waits for a new vector
        connection.execute("DELETE FROM memory_vectors WHERE row = ?", (row["row"],))
        connection.execute("INSERT OR IGNORE INTO memory_pending VALUES (?)", (row["row"],))
    changed = {name: row[name] for name in COLUMNS}
    changed["claim"] = claim_key(row["user_id"], row["value"])
    changed["subject_key"] = subject_key(row["subject"])
    sets = ", ".join(f"{name} = ?" for name in changed)
    connection.execute(f"UPDATE memories SET {sets} WHERE row = ?", [*changed.values(), row["row"]])
    seal = (row["record_id"], seal_of(key, sealed_values(row)))
    connection.execute(PUT, seal)


def _as_heard(row: dict[str, Any]) -> None:
    """A user's statement in the user's words; without those, and for a question, in quarantine."""
    quote = (load_json(row["metadata"]) or {}).get("quote")
    heard = quote if isinstance(quote, str) and quote.strip() else None
    if heard:
        row |= {"value": heard, "wording": row["value"]}
    else:
        row |= {"source": "model_inference", "confidence": "inferred"}
    if row["status"] == "active" and (heard is None or asks(heard)):
        row |= {"status": "quarantined", "status_reason": _UNHEARD}
