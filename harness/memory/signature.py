"""Keys outside the store, and the seal that only the door can put on a record.

A row that something else wrote into the table, or changed there, has no valid seal and is not read.
"""

import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path
from typing import Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory.records import COLUMNS

SEAL_KEY = "memory.key"
AUTHORIZATION_KEY = "authorization.key"
_cached: dict[Path, tuple[int, bytes]] = {}


def read_key(path: Path) -> bytes | None:
    """The key in a file, None without one. Raises WorkshopError for a file that holds no key."""
    try:
        changed = path.stat().st_mtime_ns  # a key that is gone, or another, must be noticed at once
        cached = _cached.get(path)
        if cached is not None and cached[0] == changed:
            return cached[1]
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise WorkshopError(f"The key file {path} can't be read: {error}.", _RESTORE) from None
    if len(key) < 16:
        raise WorkshopError(f"The key file {path} is cut off.", _RESTORE)
    _cached[path] = (changed, key)
    return key


def make_key(path: Path) -> bytes:
    """A new key in a file that only its owner can read, unless the file is there."""
    existing = read_key(path)
    if existing is not None:
        return existing
    aside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32))
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    key = read_key(path)
    assert key is not None
    return key


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
            f"The key {path} is missing, so what is remembered can't be checked.", _RESTORE
        )
    if database.connection().in_transaction:  # the write lock keeps a second kernel out
        return make_key(path)
    with database.write():
        return make_key(path)


def seal_of(key: bytes, columns: Any) -> str:
    """The seal of a record's columns."""
    canonical = json.dumps([columns[name] for name in COLUMNS], ensure_ascii=False)
    return hmac.new(key, canonical.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def is_sealed(key: bytes, row: Any) -> bool:
    """Whether a row carries the seal that its own columns ask for."""
    return hmac.compare_digest(seal_of(key, row), row["seal"])


_RESTORE = (
    "Put the file back, or accept the records as they are with "
    "`from harness.memory.signature import reseal; reseal()`."
)


def reseal(database: StateDatabase | None = None) -> int:
    """Accept every record in the store as it stands, under a new key; returns how many.

    For a person who has lost the key file and trusts the database. No tool calls this.
    """
    from harness.databases.state import state

    database = database or state()
    path = database.path.with_name(SEAL_KEY)
    with database.write() as connection:
        _cached.pop(path, None)
        path.unlink(missing_ok=True)
        key = make_key(path)
        rows = connection.execute(f"SELECT row, {', '.join(COLUMNS)} FROM memories").fetchall()
        connection.executemany(
            "UPDATE memories SET seal = ? WHERE row = ?",
            [(seal_of(key, row), row["row"]) for row in rows],
        )
    return len(rows)
