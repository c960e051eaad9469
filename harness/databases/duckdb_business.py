"""Business data in the embedded default: a DuckDB file, opened read-only."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.databases import embedded
from harness.databases.catalogue import TableInfo, quote, read_catalogue
from harness.databases.engine_text import edges, exact_query
from harness.databases.ports import QueryResult
from harness.databases.query_process import end_idle, query_apart, too_late
from harness.databases.row_policy import OWNER, RowPolicy, seen_file
from harness.databases.sql_errors import explain
from harness.databases.values import json_value
from harness.errors import ToolError

if TYPE_CHECKING:
    import duckdb  # slow: 0.3 s


class BusinessDatabase:
    """A DuckDB file opened read-only. Any thread may use it; each call has a cursor of its own."""

    dialect = "duckdb"
    dialect_name = "DuckDB"

    def __init__(self, path: Path | str) -> None:
        """Open `path`. Raises WorkshopError if it can't be opened."""
        self.path = Path(path)
        self._connection = embedded.connect(self.path)
        self._lock = threading.Lock()  # DuckDB refuses a connection to two threads at once
        self._names: dict[str, list[str]] | None = None
        self._seen: dict[Path, BusinessDatabase] = {}
        schemas = self._all(
            "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal OR schema_name = 'main' "
            "ORDER BY schema_name = 'main', schema_name <> 'SUPPLYCHAIN', schema_name"
        )
        unique = dict.fromkeys(row[0] for row in schemas)
        self._search_path = ",".join(quote(name) for name in unique)

    def close(self) -> None:
        """Close the file, so that it can be replaced, once no query runs on it any more."""
        import duckdb  # slow: 0.3 s

        end_idle(self.path)
        for _ in range(250):
            try:
                return self._connection.close()
            except duckdb.Error:  # in use in another thread
                threading.Event().wait(0.02)
        return None

    def query(self, sql: str, max_rows: int = 50, seconds: float = 20.0) -> QueryResult:
        """Run one reading statement and return at most `max_rows` rows.

        Raises ToolError: kind "timeout" after `seconds`, "not_allowed" for anything that isn't one
        SELECT (or EXPLAIN), "failed" with the engine's reason and a hint for the rest.
        """
        import duckdb  # slow: 0.3 s

        cursor = self._cursor()
        try:
            with _time_limit(cursor, seconds) as late:
                statement = self._one_reading_statement(cursor, sql)
                return _exactly(cursor, statement, max_rows)
        except (duckdb.Error, UnicodeEncodeError) as error:
            if late.is_set():
                raise too_late(seconds) from error
            raise explain(str(error), sql, self.names(), self.dialect_name) from error
        finally:
            cursor.close()

    def query_apart(self, sql: str, max_rows: int = 50, seconds: float = 20.0) -> QueryResult:
        """Like `query`, for a statement that a model wrote: in a process that can be killed.

        Raises what `query` raises; "failed" too when it needs more memory than a query may have.
        """
        return QueryResult(**query_apart(self.path, sql, max_rows, seconds))

    def catalogue(self, owner: str = "SUPPLYCHAIN") -> list[TableInfo]:
        """The tables of a schema, by name. Raises WorkshopError for a schema that isn't there."""
        return read_catalogue(self._all, owner)

    def samples(
        self, table: str, column: str, limit: int = 12, owner: str = "SUPPLYCHAIN"
    ) -> list[Any]:
        """All values of a column, in order, where there are at most `limit`; else an empty list."""
        rows = self._all(
            f"SELECT DISTINCT {quote(column)} FROM {quote(owner)}.{quote(table)} "
            f"WHERE {quote(column)} IS NOT NULL LIMIT {int(limit) + 1}"
        )
        return sorted((json_value(row[0]) for row in rows), key=str) if len(rows) <= limit else []

    def names(self) -> dict[str, list[str]]:
        """Table name -> column names, over every schema that isn't the engine's own."""
        if self._names is None:
            rows = self._all(
                "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal "
                "ORDER BY table_name, column_index"
            )
            names: dict[str, list[str]] = {}
            for table, column in rows:
                names.setdefault(table, []).append(column)
            self._names = names
        return self._names

    def run_script(self, script: str, request: str, seconds: float) -> str | None:
        """None: this database runs no JavaScript."""

    @property
    def source(self) -> str:
        """The name of the file: it holds a hash of the data."""
        return self.path.name

    def limited(self, policies: Sequence[RowPolicy]) -> "BusinessDatabase":
        """The same data, as far as all of these policies let it be seen, in files of their own."""
        found = self
        for policy in policies:  # one after another: what one leaves out no other brings back
            found = found._limited(policy)
        return found

    def _limited(self, policy: RowPolicy) -> "BusinessDatabase":
        path = seen_file(self.path, self.catalogue(OWNER), policy)
        with self._lock:
            if path not in self._seen:
                self._seen[path] = BusinessDatabase(path)
            return self._seen[path]

    def _cursor(self) -> "duckdb.DuckDBPyConnection":
        with self._lock:
            cursor = self._connection.cursor()
        # A cursor starts with an empty search path: `voyages` alone would not be found.
        cursor.execute("SET search_path = '" + self._search_path.replace("'", "''") + "'")
        return cursor

    def _one_reading_statement(self, cursor: "duckdb.DuckDBPyConnection", sql: str) -> Any:
        """The second wall: what the engine's own parser takes the text for."""
        statements = cursor.extract_statements(sql)
        kinds = [_kind(statement) for statement in statements]
        if len(kinds) == 1 and kinds[0] in ("SELECT", "EXPLAIN"):
            return statements[0]
        if kinds == ["MULTI"]:  # PIVOT t ON x: it looks its columns up first, in another statement
            raise ToolError(
                "not_allowed",
                "PIVOT has to name its columns here.",
                "Write PIVOT ... ON x IN ('A', 'B'), or SUM(CASE WHEN x = 'A' THEN 1 END).",
            )
        raise ToolError(
            "not_allowed",
            f"One SELECT at a time is run here, not {' and '.join(kinds) or 'nothing'}.",
            "Send a single SELECT, WITH ... SELECT or VALUES.",
        )

    def _all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            cursor = self._connection.cursor()
        try:
            return cursor.execute(sql, list(values)).fetchall()
        finally:
            cursor.close()


@contextmanager
def _time_limit(cursor: "duckdb.DuckDBPyConnection", seconds: float) -> Iterator[threading.Event]:
    """Interrupt what the cursor runs after `seconds`; the event that it gives says so."""
    done, late = threading.Event(), threading.Event()

    def watch() -> None:
        # Again and again: an interrupt that comes before the query has started stops nothing.
        if not done.wait(max(seconds, 0.0)):
            late.set()
            while not done.wait(0.02):
                cursor.interrupt()

    watcher = threading.Thread(target=watch, daemon=True, name="sql-time-limit")
    watcher.start()
    try:
        yield late
    finally:
        done.set()
        watcher.join()


def _exactly(
    cursor: "duckdb.DuckDBPyConnection", statement: "duckdb.Statement", max_rows: int
) -> QueryResult:
    """The result as the engine says it, also where Python's values would say something else."""
    import duckdb  # slow: 0.3 s

    types = [column[1] for column in cursor.execute(statement).description or []]
    result, at_edges = _collect(cursor, max_rows)
    exact = exact_query(statement.query, types, at_edges)
    if exact is None:
        return result
    try:
        return replace(_collect(cursor.execute(exact), max_rows)[0], columns=result.columns)
    except duckdb.ParserException:  # DESCRIBE and its like can't be part of a SELECT
        return result


def _collect(cursor: "duckdb.DuckDBPyConnection", max_rows: int) -> tuple[QueryResult, set[int]]:
    """The rows, and the columns in which a date may be an infinite one."""
    at_edges = set[int]()

    def as_json(row: tuple[Any, ...]) -> Iterator[Any]:
        at_edges.update(edges(row))
        return map(json_value, row)

    columns = [column[0] for column in cursor.description or []]
    return QueryResult.bounded(columns, cursor.fetchmany, as_json, max_rows), at_edges


def _kind(statement: "duckdb.Statement") -> str:
    try:
        return statement.type.name
    except ValueError:  # a kind that the Python client has no name for
        return "this statement"
