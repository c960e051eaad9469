"""A pool that runs the statements of moving on SQLite, with Oracle's idea of an empty text.

It knows the few forms that moving uses and nothing more; it is no Oracle.
"""

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import oracledb
import sqlglot
from oracle_recording import RecordingPool, _Connection, _Cursor

from harness.databases.oracle_schema import state_ddl
from harness.databases.state_tables import state_tables

OWNER = "AGENT"


class LikenessPool(RecordingPool):
    """The schema of the agent in a file; `dies_after` many inserts the connection is lost."""

    def open(self, path: Path) -> "LikenessPool":
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        self.database.execute("ATTACH ? AS AGENT", (str(path),))
        self.dies_after: int | None = None
        self.inserts = 0
        for table in state_tables().values():
            ddl = sqlglot.transpile(state_ddl(table, OWNER), read="oracle", write="sqlite")[0]
            if table.name == "memory_vectors":
                ddl = ddl.replace("(", '("EMBEDDING" BLOB, ', 1)
            self.database.execute(ddl)
        return self

    def cursor_of(self, connection: _Connection) -> "_LikenessCursor":
        return _LikenessCursor(connection)


class _LikenessCursor(_Cursor):
    def _answer(self, sql: str, binds: Any) -> None:
        pool: Any = self.pool
        sqlglot.parse_one(sql, read="oracle")
        text = re.sub(r":b(\d+)", r"?\1", sql)
        text = re.sub(r"FETCH FIRST (\d+) ROWS ONLY", r"LIMIT \1", text)
        text = re.sub(r"\) IN \((\(.*\))\)$", r") IN (VALUES \1)", text)
        try:
            if not sql.startswith("INSERT"):
                self._rows = pool.database.execute(text, [_null(b) for b in binds]).fetchall()
                return
            pool.inserts += 1
            if pool.dies_after is not None and pool.inserts > pool.dies_after:
                raise oracledb.OperationalError("DPY-4011: the database closed the connection")
            rows = [[_null(value) for value in row] for row in binds]
            pool.database.execute("BEGIN")
            pool.database.executemany(text, rows)
            pool.database.execute("COMMIT")
        except sqlite3.IntegrityError as error:
            pool.database.execute("ROLLBACK")
            code = "ORA-01400" if "NOT NULL" in str(error) else "ORA-00001"
            raise oracledb.IntegrityError(f"{code}: {error}") from error


def _null(value: Any) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return bytes(value)
    return None if value == "" else value
