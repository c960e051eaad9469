"""Keys outside the store, and the seal that only the door can put on a record or a link.

A row that something else wrote into the table, changed there, or put back as it once was, has no
valid seal and is not read. The seals lie in a table of their own.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.errors import WorkshopError

SEAL_KEY = "memory.key"
AUTHORIZATION_KEY = "authorization.key"
PUT = "INSERT INTO memory_seals VALUES (?, ?) ON CONFLICT DO UPDATE SET seal = excluded.seal"
_cached: dict[Path, tuple[int, bytes]] = {}


class UnreadableSeals(WorkshopError):
    """What is remembered can't be checked, and so is not read: it costs the memory, no answer."""

    def __init__(self, message: str) -> None:
        super().__init__(message, RESTORE)


def read_key(path: Path) -> bytes | None:
    """The key in a file, None without one. Raises UnreadableSeals for a file that holds no key."""
    try:
        changed = path.stat().st_mtime_ns  # a key that is gone, or another, must be noticed at once
        cached = _cached.get(path)
        if cached is not None and cached[0] == changed:
            return cached[1]
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UnreadableSeals(f"The key file {path} can't be read: {error}.") from None
    if len(key) < 16:
        raise UnreadableSeals(f"The key file {path} is cut off.")
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


def seal_of(key: bytes, values: Sequence[Any]) -> str:
    """The seal of a row's values, in their order."""
    canonical = json.dumps(list(values), ensure_ascii=False)
    return hmac.new(key, canonical.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def is_sealed(key: bytes, seal: str | None, values: Sequence[Any]) -> bool:
    """Whether this is the seal that the values ask for."""
    return seal is not None and hmac.compare_digest(seal_of(key, values), seal)


RESTORE = (
    "Put the file back, or accept the records as they are with "
    "`from harness.memory.seals import reseal; reseal()`."
)
