"""The agent's state in Oracle AI Database as rows, for moving.

Oracle takes an empty text for NULL. So it is kept as one character that means it, and a text
that begins with that character gets another one in front.
"""

import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import oracledb

from harness.databases.oracle_connection import code_of
from harness.databases.oracle_schema import EMPTY, oracle_name
from harness.databases.shelf import Row, after_key, key_of, other_rows
from harness.databases.state_tables import StateTable

_VECTORS = "memory_vectors"


class OracleShelf:
    """The schema of the agent."""

    def __init__(self, pool: Any, owner: str) -> None:
        """`pool` has the connections of `owner`, or of somebody who may write its tables."""
        self._pool, self._owner = pool, owner
        self._held: Any = None  # the connection of a transaction that goes over several calls

    @property
    def name(self) -> str:
        """The schema and where it is."""
        return f"{self._owner} at {self._pool.dsn}"

    def count(self, table: StateTable) -> int:
        """How many rows there are."""
        return int(self._read(f"SELECT COUNT(*) FROM {self._table(table)}", [])[0][0])

    def rows(self, table: StateTable, after: Row | None, limit: int) -> list[Row]:
        """The next rows in the order of their keys."""
        where, values = after_key(table.key, after, oracle_name, lambda number: f":b{number}")
        order = ", ".join(map(oracle_name, table.key))
        sql = f"{self._select(table)}{where} ORDER BY {order} FETCH FIRST {int(limit)} ROWS ONLY"
        return [decoded(row) for row in self._read(sql, [encoded(value) for value in values])]

    def find(self, table: StateTable, keys: Sequence[Row]) -> dict[Row, Row]:
        """The rows with these keys, of those that are there."""
        if not keys:
            return {}
        width = len(table.key)
        groups = [
            "(" + ", ".join(f":b{number * width + place + 1}" for place in range(width)) + ")"
            for number in range(len(keys))
        ]
        names = ", ".join(map(oracle_name, table.key))
        sql = f"{self._select(table)} WHERE ({names}) IN ({', '.join(groups)})"
        binds = [encoded(value) for key in keys for value in key]
        found = [decoded(row) for row in self._read(sql, binds)]
        return {key_of(table, row): row for row in found}

    def add(self, table: StateTable, rows: Sequence[Row]) -> None:
        """Add rows, all or none. Vectors are stored twice: as they were, and to be searched."""
        names = [*map(oracle_name, table.columns)]
        values = [[encoded(value) for value in row] for row in rows]
        if table.name == _VECTORS:
            place = list(table.columns).index("vector")
            names.append('"EMBEDDING"')
            values = [[*row, array.array("f", row[place])] for row in values]
        marks = ", ".join(f":b{number}" for number in range(1, len(names) + 1))
        sql = f"INSERT INTO {self._table(table)} ({', '.join(names)}) VALUES ({marks})"
        try:
            self._send(sql, values)
        except oracledb.IntegrityError as error:
            if code_of(error) == "ORA-00001":
                raise other_rows(table, self.name) from error
            raise

    def _read(self, sql: str, binds: list[Any]) -> list[Row]:
        with self._connection() as connection:
            cursor = connection.cursor()
            cursor.execute(sql, binds, fetch_lobs=False)
            return cursor.fetchall()

    def _send(self, sql: str, rows: list[list[Any]]) -> None:
        """One statement for all of these rows; committed, unless a transaction is open."""
        if not rows:
            return
        with self._connection() as connection:
            connection.cursor().executemany(sql, rows)
            if connection is not self._held:
                connection.commit()

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        if self._held is not None:
            yield self._held
        else:
            with self._pool.told(), self._pool.connection() as connection:
                yield connection

    def _table(self, table: StateTable) -> str:
        return f"{self._owner}.{oracle_name(table.name)}"

    def _select(self, table: StateTable) -> str:
        return f"SELECT {', '.join(map(oracle_name, table.columns))} FROM {self._table(table)}"


def encoded(value: Any) -> Any:
    """A value as it is stored."""
    if isinstance(value, str) and (not value or value.startswith(EMPTY)):
        return EMPTY + value
    return value


def decoded(row: Sequence[Any]) -> Row:
    """A stored row as it was."""
    return tuple(value.removeprefix(EMPTY) if isinstance(value, str) else value for value in row)
