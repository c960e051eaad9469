"""The agent's state: one SQLite file that several kernels share.

WAL lets readers go on while one writes. A writer takes its lock at once (BEGIN IMMEDIATE) and
waits for another's: a deferred BEGIN would fail with "database is locked" as soon as two
transactions read first and write later, however long the timeout.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.databases import upgrade
from harness.errors import WorkshopError
from harness.settings import settings

SCHEMA_VERSION = 1
BUSY_MILLISECONDS = 30_000
_SCHEMAS = Path(__file__).parent / "schema"
_open: dict[Path, "StateDatabase"] = {}
_open_lock = threading.Lock()


class StateDatabase:
    """One SQLite file; a connection for each thread, made when the thread first asks."""

    def __init__(self, path: Path) -> None:
        """Open `path`, making it and its tables if needed. Raises WorkshopError if it can't be."""
        self.path = path
        self.watch: Any = None  # told of every transaction (see memory/freshness.py), if there
        self._local = threading.local()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._prepare(self.connection())
        except (sqlite3.Error, OSError) as error:
            said = _for_people(path, error) if isinstance(error, sqlite3.Error) else error
            if not isinstance(said, WorkshopError):
                said = WorkshopError(
                    f"The agent's state can't be opened at {path}: {error}.", _MOVED
                )
            raise said from error

    def connection(self) -> sqlite3.Connection:
        """This thread's connection, in autocommit mode."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                self.path,
                timeout=BUSY_MILLISECONDS / 1000,
                isolation_level=None,
                cached_statements=256,
            )
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA foreign_keys=ON")
            self._local.connection = connection
        return connection

    def read(self, sql: str, params: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows of a query. Raises WorkshopError when the file is damaged."""
        try:
            return self.connection().execute(sql, params).fetchall()
        except sqlite3.DatabaseError as error:
            raise _for_people(self.path, error) from error

    def run(self, sql: str, params: Sequence[Any] = ()) -> sqlite3.Cursor:
        """One statement, committed by itself; raises what `write` raises."""
        try:
            return self.connection().execute(sql, params)
        except sqlite3.DatabaseError as error:
            raise _for_people(self.path, error) from error

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its start; all of it lands, or nothing.

        Raises WorkshopError when the disk is full, the file is damaged or gone, or another kernel
        keeps the lock for too long.
        """
        connection, watch = self.connection(), self.watch
        try:
            if watch is not None:
                watch.prepare(connection)
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            if watch is not None:
                watch.commit(connection)
            connection.commit()
            if watch is not None:
                watch.committed(connection)
        except BaseException as error:
            if connection.in_transaction:
                connection.rollback()
            if isinstance(error, sqlite3.DatabaseError):
                raise _for_people(self.path, error) from error
            raise

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make what is missing: tables, and the columns that an older version did not have."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise WorkshopError(
                f"{self.path} is of a newer version of the workshop (schema {version}).",
                "Update this checkout, or set WORKSHOP_HOME to another folder.",
            )
        statements = schema_statements()
        with self.write():
            if not upgrade.add_missing_columns(connection, statements):
                raise WorkshopError(
                    f"{self.path} is of an older version that this one can't go on with.",
                    f"{_ASIDE}, or set WORKSHOP_HOME to another folder.",
                )
            for statement in statements:
                connection.execute(statement)
            if version != SCHEMA_VERSION:  # setting it writes, even what is there already
                connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def state() -> StateDatabase:
    """The state database of this process, under WORKSHOP_HOME."""
    path = settings().state_file
    with _open_lock:
        database = _open.get(path)
        if database is None:
            database = _open[path] = StateDatabase(path)
    return database


def schema_statements() -> list[str]:
    """The statements that make every table, area by area."""
    scripts = [path.read_text(encoding="utf-8") for path in sorted(_SCHEMAS.glob("*.sql"))]
    return [statement for script in scripts for statement in _statements(script)]


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, triggers kept whole (executescript would commit first)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


_ASIDE = "Move agent.sqlite* aside (nothing is deleted for you) and restart: a new one is made"
_MOVED = "Was the folder moved or deleted? Restart the kernel, or name another WORKSHOP_HOME."
# By SQLite's primary result code: what happened to {path}, and what a person can do about it.
_TROUBLES = {
    sqlite3.SQLITE_CORRUPT: ("{path} is damaged", f"{_ASIDE}."),
    sqlite3.SQLITE_NOTADB: ("{path} is damaged, or not a SQLite file", f"{_ASIDE}."),
    sqlite3.SQLITE_FULL: (
        "{path} can't be written: the disk is full",
        "Free some space; nothing that was stored is lost.",
    ),
    sqlite3.SQLITE_BUSY: (
        "{path} can't be written: it is locked",
        "Another kernel has been writing for 30 s: stop it, or try again.",
    ),
    sqlite3.SQLITE_READONLY: ("{path} can't be written", _MOVED),
    sqlite3.SQLITE_CANTOPEN: ("{path} can't be opened", _MOVED),
    sqlite3.SQLITE_IOERR: ("{path} can't be read or written", f"Is the disk full? {_MOVED}"),
}


def _for_people(path: Path, error: sqlite3.Error) -> Exception:
    """What a person can mend as a WorkshopError; anything else as it is."""
    trouble = _TROUBLES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if trouble is None:
        return error
    return WorkshopError(f"{trouble[0].format(path=path)}.", trouble[1])
