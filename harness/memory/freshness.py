"""Whether the store is as the last one left it who wrote through the door.

A seal says that a record was stored here once, not that it is still the latest: an old row put back
by SQL together with its old seal is sealed well. So the sum of all seals lies outside of the
database, in a file beside the key. Every transaction that changes seals moves it on.

While a change is being committed the file holds two sums, of before and after it: a process that is
killed in between has left one of them. SQLite itself tells us of changes: triggers of our
connection note which seals we change, and a counter in the store moves with every change. A process
counts all seals once; what others have written since is taken from the file, which says at which
reading of the counter a sum was right. The counter can't be set back unless its triggers are
dropped, and that changes the version of the schema: then all is counted again. Whoever sets that
version back as well is found within a day: each process begins by counting, and does so daily.
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
Head = tuple[int, int]  # a reading of the store's counter, and the sum of all seals then


class Watch:
    """Keeps the sum of one store's seals; the store calls it around every transaction."""

    def __init__(self, database: StateDatabase) -> None:
        self._folder: Path = database.path.parent
        self._seen = threading.local()  # of each thread's connection
        self._known: Head | None = None  # that was found right
        self._schema = -1  # the version of the schema by then
        self._key = b""  # the key of that sum
        self._pending: Head | None = None  # that of the transaction under way

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
            self._look_at_schema(connection)
            counter = _counter(connection)
            known = self._known_at(counter - len(changes), key)
            if known is None:
                before = (_total(connection, key) - delta) % _WRAP
                self._compare(key, before)
                known = counter - len(changes), before
            pending = counter, (known[1] + delta) % _WRAP
            _write(self._folder / HEADS, key, (known, pending))
            self._known = None  # until this is committed, and counted again
            connection.execute("DELETE FROM temp.seal_log")
            self._pending, self._key = pending, key

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
                _write(self._folder / HEADS, key, (pending, pending))
            connection.rollback()
        except sqlite3.OperationalError:
            pass  # somebody else writes by now, and moves it on
        finally:
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")

    def accept(self, connection: sqlite3.Connection, key: bytes) -> None:
        """Accept the store as it is, in its own transaction."""
        head = _counter(connection), _total(connection, key)
        _write(self._folder / HEADS, key, (head, head))
        connection.execute("DELETE FROM temp.seal_log")
        self._known = None

    def check(self, database: StateDatabase, key: bytes) -> None:
        """Raise UnreadableSeals where seals were changed by something else than the door."""
        connection = database.connection()
        if connection.in_transaction:
            return
        self._look_at_schema(connection)
        version = connection.execute("PRAGMA data_version").fetchone()[0], key
        if getattr(self._seen, "version", None) == version and self._known is not None:
            return
        known = self._known if self._key == key else None
        if known is None or known[0] != _counter(connection):
            # Nobody writes while it is counted. The store's lock comes first, as in a commit: two
            # threads that took the two in different orders would wait for each other.
            with database.write() as locked, _lock:
                counter = _counter(locked)
                head = self._known_at(counter, key) or (counter, _total(locked, key))
                if (self._folder / HEADS).exists():
                    self._compare(key, head[1])
                else:  # a store of before
                    _write(self._folder / HEADS, key, (head, head))
                self._known, self._key = head, key
        self._seen.version = connection.execute("PRAGMA data_version").fetchone()[0], key

    def count_anew(self) -> None:
        """Trust no sum that was counted before."""
        self._known = None

    def _look_at_schema(self, connection: sqlite3.Connection) -> None:
        """Trust no reading of the counter after its triggers may have been dropped."""
        version = int(connection.execute("PRAGMA main.schema_version").fetchone()[0])
        if version != self._schema:
            self._known, self._schema = None, version

    def _known_at(self, counter: int, key: bytes) -> Head | None:
        """What is right at this reading of the counter: as we left it, or as others did since.

        Two heads in the file are of a commit that may have failed; then all is counted again.
        """
        if self._known is None or self._key != key:
            return None
        if self._known[0] == counter:
            return self._known
        path = self._folder / HEADS
        first, second = _read(path, key) if path.exists() else (None, None)
        return first if first == second and first and first[0] == counter else None

    def _compare(self, key: bytes, total: int) -> None:
        path = self._folder / HEADS
        heads = _read(path, key) if path.exists() else [(0, total)]
        if total not in (head[1] for head in heads):
            raise UnreadableSeals(
                "What is remembered is not as it was left: records were put back or taken out"
                " behind the agent's back."
            )


def signed_sum(connection: sqlite3.Connection, key: bytes | None, revision: int) -> str:
    """The sum of all seals, signed for one revision of a copy; "" where nothing was ever sealed.

    Who has not the key can neither make one nor find an older copy that fits a newer revision.
    """
    if key is None:
        return ""
    text = f"{revision} {_total(connection, key):032x}"
    return f"{text} {_sealed(key, text)}"


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


def _write(path: Path, key: bytes, heads: tuple[Head, Head]) -> None:
    """Both heads and their seal, always as many bytes, so that they are replaced in place."""
    text = " ".join(f"{counter:016x}:{total:032x}" for counter, total in heads)
    line = f"{text} {_sealed(key, text)}\n".encode("ascii")
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(line)


def _read(path: Path, key: bytes) -> list[Head]:
    text = path.read_bytes().decode("ascii", "replace").strip()
    heads, _, seal = text.rpartition(" ")
    if not hmac.compare_digest(_sealed(key, heads), seal):
        raise UnreadableSeals(f"{path} is not of this store's key, or is damaged.")
    # A file of before has sums without a reading of the counter, which is never -1.
    read = [head.rpartition(":") for head in heads.split()]
    return [(int(counter or "-1", 16), int(total, 16)) for counter, _, total in read]


def _sealed(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8"), hashlib.sha256).hexdigest()
