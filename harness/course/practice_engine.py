"""An engine without walls, to practise on: a copy of the business data that anybody may write to.

It lives in memory and is this process's own, so whatever happens to it happens to nothing else;
`engine.reset()` makes it new. What was run on it stays in `engine.ran`.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import duckdb

from harness.databases import embedded
from harness.databases.values import json_value

# It warns on stderr about statements that it keeps as text.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

_TABLES = """SELECT table_name FROM duckdb_tables() WHERE schema_name = 'SUPPLYCHAIN'
             AND NOT internal ORDER BY table_name"""


class Rows:
    """The result of a statement, read as it is asked for: `columns`, then rows as lists."""

    def __init__(self, cursor: "duckdb.DuckDBPyConnection") -> None:
        self.columns: list[str] = [column[0] for column in cursor.description or []]
        self.read = 0  # rows that were fetched so far
        self._cursor = cursor

    def fetchmany(self, size: int) -> list[list[Any]]:
        """The next `size` rows at most, values as JSON can carry them."""
        return self._plain(self._cursor.fetchmany(size))

    def fetchall(self) -> list[list[Any]]:
        """All the rows that are left, however many."""
        return self._plain(self._cursor.fetchall())

    def _plain(self, rows: Sequence[Any]) -> list[list[Any]]:
        self.read += len(rows)
        return [[json_value(value) for value in row] for row in rows]


class PracticeEngine:
    """DuckDB on a copy of the data, with every right to change it."""

    def __init__(self) -> None:
        self.ran: list[str] = []  # the text of every statement, also of those that failed
        self.results: list[Rows] = []

    @cached_property
    def connection(self) -> "duckdb.DuckDBPyConnection":
        """The database; made when it is first needed."""

        made = duckdb.connect(":memory:", config={"threads": "1"})
        embedded.fill(made)
        made.execute("SET search_path = 'SUPPLYCHAIN,main'")
        made.execute("SET enable_external_access = false")  # it's the learner's disk, after all
        return made

    @property
    def tables(self) -> list[str]:
        """The names of the tables of the data, as they are now."""
        return [row[0] for row in self.connection.execute(_TABLES).fetchall()]

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        """Run whatever it is given; each `?` takes one of `values`. Raises duckdb.Error."""
        self.ran.append(sql)
        cursor = self.connection.cursor()
        cursor.execute("SET search_path = 'SUPPLYCHAIN,main'")  # a cursor has its own
        self.results.append(Rows(cursor.execute(sql, list(values))))
        return self.results[-1]

    def count(self, table: str) -> int | None:
        """How many rows a table has; None when it is gone."""
        if table not in self.tables:
            return None
        row = self.connection.execute(f'SELECT COUNT(*) FROM SUPPLYCHAIN."{table}"').fetchone()
        return int(row[0]) if row else None

    def reset(self) -> None:
        """Begin again with the data as it was shipped."""
        self.__dict__.pop("connection", None)
        self.forget()

    def forget(self) -> None:
        """Forget what was run so far; the data stays as it is."""
        self.ran, self.results = [], []

    @contextmanager
    def on(self, connection: "duckdb.DuckDBPyConnection") -> Iterator[None]:
        """Use another database for a block; it must have a schema SUPPLYCHAIN."""
        before = dict(self.__dict__)
        self.forget()
        self.__dict__["connection"] = connection
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)


engine = PracticeEngine()
