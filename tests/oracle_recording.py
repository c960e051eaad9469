"""A pool whose connections record what is sent and answer as scripted: no server is near."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import oracledb

from harness.databases.oracle_connection import trouble

Answer = Sequence[tuple[Any, ...]] | Exception
VARCHAR, NUMBER = oracledb.DB_TYPE_VARCHAR, oracledb.DB_TYPE_NUMBER


def oracle_error(text: str) -> oracledb.DatabaseError:
    """What the driver raises for this text of the database."""
    return oracledb.DatabaseError(text)


@dataclass
class RecordingPool:
    """`answers`: a pattern -> rows, an exception, or a function of the binds; the first that fits.

    `sent` holds every statement with its binds, in order, and what became of the transaction.
    """

    answers: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, list[tuple[str, Any]]] = field(default_factory=dict)
    dsn: str = "db.example:1521/FREEPDB1"
    user: str = "supplychain_reader"
    version: str = "23.9.0.25.7"
    sent: list[Any] = field(default_factory=list)
    lost: Exception | None = None
    computes: bool = True

    @contextmanager
    def connection(self) -> Iterator["_Connection"]:
        if self.lost is not None:
            raise self.lost
        yield _Connection(self)
        self.sent.append("closed")

    @contextmanager
    def told(self) -> Iterator[None]:
        try:
            yield
        except oracledb.Error as error:
            found = trouble(error, self.dsn, self.user)
            if found is None:
                raise
            raise found from error

    def close(self) -> None:
        self.sent.append("pool closed")

    def cursor_of(self, connection: "_Connection") -> "_Cursor":
        return _Cursor(connection)

    @property
    def statements(self) -> list[str]:
        """The statements alone, without binds."""
        return [each[0] for each in self.sent if isinstance(each, tuple)]


class _Connection:
    def __init__(self, pool: RecordingPool) -> None:
        self.pool, self.version, self.call_timeout = pool, pool.version, 0

    def cursor(self) -> "_Cursor":
        return self.pool.cursor_of(self)

    def commit(self) -> None:
        self.pool.sent.append("commit")

    def rollback(self) -> None:
        self.pool.sent.append("rollback")


class _Cursor:
    def __init__(self, connection: _Connection) -> None:
        self.connection, self.pool = connection, connection.pool
        self.arraysize, self.rowcount = 100, 0
        self.description: list[tuple[Any, ...]] | None = None
        self._rows: list[tuple[Any, ...]] = []

    def __enter__(self) -> "_Cursor":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def execute(self, sql: str, binds: Any = None, **_: Any) -> "_Cursor":
        self.pool.sent.append((sql, binds))
        self._answer(sql, binds)
        return self

    def executemany(self, sql: str, rows: Sequence[Any], **_: Any) -> None:
        self.pool.sent.append((sql, list(rows)))
        self._answer(sql, rows)

    def setinputsizes(self, *sizes: Any, **named: Any) -> None:
        pass

    def _answer(self, sql: str, binds: Any) -> None:
        found = next((a for word, a in self.pool.answers.items() if re.search(word, sql, re.S)), [])
        if isinstance(found, Callable):  # type: ignore[arg-type]
            found = found(binds)
        if isinstance(found, Exception):
            raise found
        self._rows = [tuple(row) for row in found]
        named = next((c for word, c in self.pool.columns.items() if re.search(word, sql, re.S)), [])
        width = len(self._rows[0]) if self._rows else 1
        self.description = [
            (name, kind) for name, kind in named or [(f"C{n}", VARCHAR) for n in range(width)]
        ]

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        rows, self._rows = self._rows[:size], self._rows[size:]
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        rows, self._rows = self._rows, []
        return rows

    def fetchone(self) -> tuple[Any, ...] | None:
        return self._rows.pop(0) if self._rows else None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())
