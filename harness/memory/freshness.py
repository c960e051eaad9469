"""Whether the store is as the last one left it who wrote through the door.

A seal says that a record was stored here once, not that it is still the latest: an old row put back
by SQL together with its old seal is sealed well. So the sum of all seals lies outside of the
database, in a file beside the key. Every transaction that changes seals moves it on.

While a change is being committed the file holds two sums, of before and after it: a process that is
killed in between has left one of them. SQLite itself tells us of changes: triggers of our
connection note which seals we change, and a counter in the store moves with every change.
"""

import hashlib
import hmac
import sqlite3
import threading
from pathlib import Path
from weakref import WeakKeyDictionary

from harness.databases.state import BUSY_MILLISECONDS, StateDatabase
from harness.memory.signature import SEAL_KEY, UnreadableSeals, read_key

HEADS = "memory.heads"
_WRAP = 1 << 128
_WATCH = [
    "CREATE TEMP TABLE IF NOT EXISTS seal_log (item TEXT, old TEXT, new TEXT)",
    *(
        f"CREATE TEMP TRIGGER IF NOT EXISTS seals_{event} AFTER {event} ON main.memory_seals"
        f" BEGIN INSERT INTO seal_log VALUES ({item}.item, {old}, {new}); END"
        for event, item, old, new in (
            ("insert", "NEW", "NULL", "NEW.seal"),
            ("update", "NEW", "OLD.seal", "NEW.seal"),
            ("delete", "OLD", "OLD.seal", "NULL"),
        )
    ),
]
_lock = threading.RLock()


class Watch:
    """Keeps the sum of one store's seals; the store calls it around every transaction."""

    def __init__(self, database: StateDatabase) -> None:
        self._folder: Path = database.path.parent
        self._seen = threading.local()  # of each thread's connection
        self._known: tuple[int, int] | None = None  # the counter and the sum that were found right
        self._key = b""  # the key of that sum
        self._pending: tuple[int, int] | None = None  # those of the transaction under way

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Before a transaction: note from now on which seals this connection changes."""
        if not getattr(self._seen, "watched", False):
            for statement in _WATCH:
                connection.execute(statement)
            self._seen.watched = True

    def commit(self, connection: sqlite3.Connection) -> None:
        """Before the commit: move the sum on. Raises UnreadableSeals where it was not right."""
        changes = connection.execute("SELECT item, old, new FROM temp.seal_log").fetchall()
        key = read_key(self._folder / SEAL_KEY) if changes else None
        if key is None:
            return
        delta = sum(_of(key, i, new) - _of(key, i, old) for i, old, new in changes) % _WRAP
        with _lock:
            counter = _counter(connection)
            known = self._known if self._key == key else None
            if known is not None and known[0] == counter - len(changes):
                before = known[1]
            else:
                before = (_total(connection, key) - delta) % _WRAP
                self._compare(key, before)
            after = (before + delta) % _WRAP
            _write(self._folder / HEADS, key, (before, after))
            self._known = None  # until this is committed, and counted again
            connection.execute("DELETE FROM temp.seal_log")
            self._pending, self._key = (counter, after), key

    def committed(self, connection: sqlite3.Connection) -> None:
        """After the commit: what was before it counts no longer."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        self._known = pending
        key = read_key(self._folder / SEAL_KEY)
        try:
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("BEGIN IMMEDIATE")
            if key is not None and _counter(connection) == pending[0]:
                _write(self._folder / HEADS, key, (pending[1], pending[1]))
            connection.rollback()
        except sqlite3.OperationalError:
            pass  # somebody else writes by now, and moves it on
        finally:
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")

    def accept(self, connection: sqlite3.Connection, key: bytes) -> None:
        """Accept the store as it is, in its own transaction."""
        total = _total(connection, key)
        _write(self._folder / HEADS, key, (total, total))
        connection.execute("DELETE FROM temp.seal_log")
        self._known = None

    def check(self, database: StateDatabase, key: bytes) -> None:
        """Raise UnreadableSeals where seals were changed by something else than the door."""
        connection = database.connection()
        if connection.in_transaction:
            return
        version = connection.execute("PRAGMA data_version").fetchone()[0], key
        if getattr(self._seen, "version", None) == version and self._known is not None:
            return
        known = self._known if self._key == key else None
        if known is None or known[0] != _counter(connection):
            # Nobody writes while it is counted. The store's lock comes first, as in a commit: two
            # threads that took the two in different orders would wait for each other.
            with database.write() as locked, _lock:
                counter, total = _counter(locked), _total(locked, key)
                if (self._folder / HEADS).exists():
                    self._compare(key, total)
                else:  # a store of before
                    _write(self._folder / HEADS, key, (total, total))
                self._known, self._key = (counter, total), key
        self._seen.version = connection.execute("PRAGMA data_version").fetchone()[0], key

    def _compare(self, key: bytes, total: int) -> None:
        path = self._folder / HEADS
        heads = _read(path, key) if path.exists() else (total,)
        if total not in heads:
            raise UnreadableSeals(
                "What is remembered is not as it was left: records were put back or taken out"
                " behind the agent's back."
            )


def watch_of(database: StateDatabase) -> Watch:
    """The watch of a store, on duty from the first call."""
    with _lock:
        watch = _watches.get(database)
        if watch is None:
            watch = _watches[database] = Watch(database)
            database.watch = watch
    return watch


_watches: "WeakKeyDictionary[StateDatabase, Watch]" = WeakKeyDictionary()


def _counter(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT changes FROM memory_seal_changes").fetchone()[0])


def _total(connection: sqlite3.Connection, key: bytes) -> int:
    rows = connection.execute("SELECT item, seal FROM memory_seals")
    return sum(_of(key, row[0], row[1]) for row in rows) % _WRAP


def _of(key: bytes, item: str, seal: str | None) -> int:
    """What one seal adds to the sum; keyed, so that nobody else can find one that balances it."""
    if seal is None:
        return 0
    said = f"{item} {seal}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(said, key=key[:64], digest_size=16).digest())


def _write(path: Path, key: bytes, heads: tuple[int, int]) -> None:
    """Both sums and their seal, always as many bytes, so that they are replaced in place."""
    text = " ".join(f"{head:032x}" for head in heads)
    line = f"{text} {_sealed(key, text)}\n".encode("ascii")
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(line)


def _read(path: Path, key: bytes) -> tuple[int, ...]:
    text = path.read_bytes().decode("ascii", "replace").strip()
    heads, _, seal = text.rpartition(" ")
    if not hmac.compare_digest(_sealed(key, heads), seal):
        raise UnreadableSeals(f"{path} is not of this store's key, or is damaged.")
    return tuple(int(head, 16) for head in heads.split())


def _sealed(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8"), hashlib.sha256).hexdigest()
