"""Vectors of texts that were embedded on this machine: a small SQLite file under WORKSHOP_HOME.

It is a file of its own rather than a table of the agent's state, so that embedding inside one of
that database's transactions can't wait for itself. It is a cache: whatever goes wrong with it
costs time and never an answer, and deleting it loses nothing.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from harness.settings import settings

_KEEP = 50_000  # vectors, of 768 bytes each
_TABLE = "CREATE TABLE IF NOT EXISTS embeddings (key TEXT PRIMARY KEY, vector BLOB NOT NULL)"


def read(keys: list[str]) -> list[tuple[str, bytes]]:
    """The (key, vector) pairs that are there, in no particular order."""
    rows: list[tuple[str, bytes]] = []
    connection = _open()
    if connection is None:
        return rows
    with closing(connection):
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT key, vector FROM embeddings WHERE key IN ({marks})"
            try:
                rows += connection.execute(sql, part).fetchall()
            except sqlite3.Error:
                break
    return rows


def store(rows: list[tuple[str, bytes]]) -> None:
    """Keep these (key, vector) pairs; the oldest go when there are too many."""
    with _transaction() as home:
        home.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?)", rows)
        extra = home.execute("SELECT count(*) FROM embeddings").fetchone()[0] - _KEEP
        if extra > 0:
            oldest = "SELECT rowid FROM embeddings ORDER BY rowid LIMIT ?"
            home.execute(f"DELETE FROM embeddings WHERE rowid IN ({oldest})", (extra,))


def forget(keys: list[str]) -> None:
    """Remove these keys; secure_delete overwrites what they held."""
    with _transaction() as home:
        home.execute("PRAGMA secure_delete=ON")
        home.executemany("DELETE FROM embeddings WHERE key = ?", [(key,) for key in keys])


@contextmanager
def _transaction() -> Iterator[sqlite3.Connection]:
    connection = _open() or sqlite3.connect(":memory:", isolation_level=None)
    with closing(connection):
        try:
            connection.execute(_TABLE)
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def _open() -> sqlite3.Connection | None:
    """The cache, begun afresh when the file is damaged; None where it can't be had."""
    path = settings().home / "embeddings.sqlite"
    for last_try in (False, True):
        connection = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=30.0, isolation_level=None)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute(_TABLE)
            return connection
        except (sqlite3.Error, OSError) as error:
            if connection is not None:
                connection.close()
            damaged = isinstance(error, sqlite3.DatabaseError) and (
                "not a database" in str(error) or "malformed" in str(error)
            )
            if last_try or not damaged:
                return None
            try:
                path.unlink(missing_ok=True)
            except OSError:  # held open by another kernel on Windows
                return None
    return None
