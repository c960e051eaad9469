"""A pool that runs the statements of moving and sharing on SQLite, with Oracle's idea of an empty
text. It knows the few forms that those use and nothing more; it is no Oracle.

A transaction is one of SQLite: FOR UPDATE takes the write lock of the file, READ ONLY a snapshot.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import oracledb
import sqlglot
from oracle_recording import RecordingPool, _Connection, _Cursor

from harness.databases.oracle_schema import state_ddl, sync_tables
from harness.databases.state_tables import state_tables

OWNER = "AGENT"
LOST = "DPY-4011: the database closed the connection"


@lru_cache(maxsize=1)
def _made() -> list[str]:
    """What the setup makes, in SQLite's words."""
    tables = [state_ddl(table, OWNER) for table in state_tables().values()]
    found = []
    for sql in [*tables, *sync_tables(OWNER).values()]:
        ddl = sqlglot.transpile(sql, read="oracle", write="sqlite")[0]
        if "MEMORY_VECTORS" in ddl:
            ddl = ddl.replace("(", '("EMBEDDING" BLOB, ', 1)
        found.append(ddl)
    return found


class LikenessPool(RecordingPool):
    """The schema of the agent in a file; after `dies_after` writing statements the connection is
    lost. `at_commit` is called instead of a commit, with what commits."""

    def open(self, path: Path) -> "LikenessPool":
        self.path = path
        self.dies_after: int | None = None
        self.written = 0
        self.at_commit: Any = None
        if not path.exists():
            made = self.database()
            for statement in _made():
                made.execute(statement)
            made.close()
        return self

    def database(self) -> sqlite3.Connection:
        made = sqlite3.connect(":memory:", isolation_level=None)
        made.execute("ATTACH ? AS AGENT", (str(self.path),))
        made.execute("PRAGMA AGENT.journal_mode = WAL")
        return made

    @contextmanager
    def connection(self) -> Iterator[_Connection]:
        with super().connection() as connection:
            connection.database = self.database()  # type: ignore[attr-defined]
            try:
                yield _LikenessConnection(self, connection.database)  # type: ignore[attr-defined]
            finally:
                connection.database.close()  # type: ignore[attr-defined]

    def cursor_of(self, connection: _Connection) -> "_LikenessCursor":
        return _LikenessCursor(connection)


class _LikenessConnection(_Connection):
    def __init__(self, pool: Any, database: sqlite3.Connection) -> None:
        super().__init__(pool)
        self.database = database

    def commit(self) -> None:
        def really() -> None:
            if self.database.in_transaction:
                self.database.execute("COMMIT")
            _Connection.commit(self)

        at_commit = getattr(self.pool, "at_commit", None)
        at_commit(really) if at_commit else really()


class _LikenessCursor(_Cursor):
    def _answer(self, sql: str, binds: Any) -> None:
        pool: Any = self.pool
        database = self.connection.database  # type: ignore[attr-defined]
        if sql == "SET TRANSACTION READ ONLY":
            database.execute("BEGIN")
            return
        sqlglot.parse_one(sql, read="oracle")
        locks = sql.endswith(" FOR UPDATE WAIT 10")
        if not database.in_transaction and (locks or not sql.startswith("SELECT")):
            database.execute("BEGIN IMMEDIATE")
        text = re.sub(r":b(\d+)", r"?\1", sql.removesuffix(" FOR UPDATE WAIT 10"))
        text = re.sub(r"FETCH FIRST (\d+) ROWS ONLY", r"LIMIT \1", text)
        text = re.sub(r"\) IN \((\(.*\))\)$", r") IN (VALUES \1)", text)
        try:
            if sql.startswith("SELECT"):
                self._rows = database.execute(text, [_null(b) for b in binds]).fetchall()
                return
            pool.written += 1
            if pool.dies_after is not None and pool.written > pool.dies_after:
                raise oracledb.OperationalError(LOST)
            rows = [[_null(value) for value in row] for row in binds]
            database.executemany(text, rows)
        except sqlite3.IntegrityError as error:
            code = "ORA-01400" if "NOT NULL" in str(error) else "ORA-00001"
            raise oracledb.IntegrityError(f"{code}: {error}") from error
        except sqlite3.OperationalError as error:
            missing = re.search(r"no such table|no column named|no such column", str(error))
            code = "ORA-00942" if missing else "ORA-00900"
            raise oracledb.DatabaseError(f"{code}: {error}") from error


def _null(value: Any) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return bytes(value)
    return None if value == "" else value
