"""Business data: the database that the agent reads and can't write.

`business()` is the one in force. Its `query` is bounded in rows, bytes and time, refuses anything
but one reading statement, and says what is wrong in words that a model can act on.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.databases import embedded
from harness.databases.sql_errors import explain
from harness.databases.values import plain
from harness.errors import ToolError, WorkshopError
from harness.settings import settings

if TYPE_CHECKING:
    import duckdb

_RESULT_BYTES = 256_000
_BATCH = 100


@dataclass(frozen=True)
class QueryResult:
    """Rows as JSON can carry them. `truncated` says that there were more than were asked for."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False


@dataclass(frozen=True)
class ColumnInfo:
    """A column as the catalogue describes it; `comment` is "" where there is none."""

    name: str
    type: str
    comment: str
    nullable: bool


@dataclass(frozen=True)
class ForeignKey:
    """`column` refers to `ref_table.ref_column` in the same schema."""

    column: str
    ref_table: str
    ref_column: str


@dataclass(frozen=True)
class TableInfo:
    """A table as the catalogue describes it."""

    name: str
    comment: str
    row_count: int
    columns: list[ColumnInfo]
    primary_key: list[str] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)


class BusinessDatabase:
    """A DuckDB file opened read-only. Any thread may use it; each call has a cursor of its own."""

    dialect = "duckdb"
    dialect_name = "DuckDB"

    def __init__(self, path: Path | str) -> None:
        """Open `path`. Raises WorkshopError if it can't be opened."""
        self.path = Path(path)
        self._connection = embedded.connect(self.path)
        self._names: dict[str, list[str]] | None = None
        schemas = self._all(
            "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal OR schema_name = 'main' "
            "ORDER BY schema_name = 'main', schema_name <> 'SUPPLYCHAIN', schema_name"
        )
        unique = dict.fromkeys(row[0] for row in schemas)
        self._search_path = ",".join(_quote(name) for name in unique)

    def close(self) -> None:
        """Close the file, so that it can be replaced."""
        self._connection.close()

    def query(self, sql: str, max_rows: int = 50, seconds: float = 20.0) -> QueryResult:
        """Run one reading statement and return at most `max_rows` rows.

        Raises ToolError: kind "timeout" after `seconds`, "not_allowed" for anything that isn't one
        SELECT (or EXPLAIN), "failed" with the engine's reason and a hint for the rest.
        """
        import duckdb

        cursor = self._cursor()
        try:
            with _time_limit(cursor, seconds) as late:
                cursor.execute(self._one_reading_statement(cursor, sql))
                return _collect(cursor, max_rows)
        except (duckdb.Error, UnicodeEncodeError) as error:
            if late.is_set():
                raise ToolError(
                    "timeout",
                    f"The query took longer than {seconds:g} s and was stopped.",
                    "Filter earlier, join on keys, or ask for less.",
                ) from error
            raise explain(str(error), sql, self.names(), self.dialect_name) from error
        finally:
            cursor.close()

    def catalogue(self, owner: str = "SUPPLYCHAIN") -> list[TableInfo]:
        """The tables of a schema, by name. Raises WorkshopError for a schema that isn't there."""
        tables = self._all(
            "SELECT schema_name, table_name, comment FROM duckdb_tables() "
            "WHERE UPPER(schema_name) = UPPER(?) AND NOT internal ORDER BY table_name",
            owner,
        )
        if not tables:
            known = self._all("SELECT DISTINCT schema_name FROM duckdb_tables() ORDER BY 1")
            raise WorkshopError(
                f"There is no schema {owner!r} with tables.",
                f"There is: {', '.join(row[0] for row in known)}.",
            )
        columns = self._columns(owner)
        primary, foreign = self._keys(owner)
        return [
            TableInfo(
                name=table,
                comment=comment or "",
                row_count=self._all(f"SELECT COUNT(*) FROM {_quote(schema)}.{_quote(table)}")[0][0],
                columns=columns.get(table, []),
                primary_key=primary.get(table, []),
                foreign_keys=foreign.get(table, []),
            )
            for schema, table, comment in tables
        ]

    def samples(
        self, table: str, column: str, limit: int = 12, owner: str = "SUPPLYCHAIN"
    ) -> list[Any]:
        """All values of a column, in order, where there are at most `limit`; else an empty list."""
        rows = self._all(
            f"SELECT DISTINCT {_quote(column)} FROM {_quote(owner)}.{_quote(table)} "
            f"WHERE {_quote(column)} IS NOT NULL LIMIT {int(limit) + 1}"
        )
        return sorted((plain(row[0]) for row in rows), key=str) if len(rows) <= limit else []

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

    def _cursor(self) -> "duckdb.DuckDBPyConnection":
        cursor = self._connection.cursor()
        # A cursor starts with an empty search path: `voyages` alone would not be found.
        cursor.execute("SET search_path = '" + self._search_path.replace("'", "''") + "'")
        return cursor

    def _one_reading_statement(self, cursor: "duckdb.DuckDBPyConnection", sql: str) -> Any:
        """The second wall: what the engine's own parser takes the text for."""
        statements = cursor.extract_statements(sql)
        kinds = [statement.type.name for statement in statements]
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
        cursor = self._connection.cursor()
        try:
            return cursor.execute(sql, list(values)).fetchall()
        finally:
            cursor.close()

    def _columns(self, owner: str) -> dict[str, list[ColumnInfo]]:
        found: dict[str, list[ColumnInfo]] = {}
        for table, name, type_, comment, nullable in self._all(
            "SELECT table_name, column_name, data_type, comment, is_nullable FROM duckdb_columns() "
            "WHERE UPPER(schema_name) = UPPER(?) ORDER BY table_name, column_index",
            owner,
        ):
            found.setdefault(table, []).append(ColumnInfo(name, type_, comment or "", nullable))
        return found

    def _keys(self, owner: str) -> tuple[dict[str, list[str]], dict[str, list[ForeignKey]]]:
        primary: dict[str, list[str]] = {}
        foreign: dict[str, list[ForeignKey]] = {}
        for table, kind, columns, ref_table, ref_columns in self._all(
            "SELECT table_name, constraint_type, constraint_column_names, referenced_table, "
            "referenced_column_names FROM duckdb_constraints() WHERE UPPER(schema_name) = UPPER(?) "
            "AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') "
            "ORDER BY table_name, constraint_index",
            owner,
        ):
            if kind == "PRIMARY KEY":
                primary[table] = list(columns)
            else:
                pairs = zip(columns, ref_columns, strict=True)
                keys = [ForeignKey(column, ref_table, ref) for column, ref in pairs]
                foreign.setdefault(table, []).extend(keys)
        return primary, foreign


_current: ContextVar[BusinessDatabase | None] = ContextVar("workshop_business", default=None)
_open: dict[Path, BusinessDatabase] = {}
_open_lock = threading.Lock()


def business() -> BusinessDatabase:
    """The business database in force; the embedded one is made on first use.

    Raises WorkshopError when it can't be made or opened.
    """
    chosen = _current.get()
    if chosen is not None:
        return chosen
    home = settings().home
    with _open_lock:
        if home not in _open:
            _open[home] = _open_configured(home)
        return _open[home]


@contextmanager
def use_business(database: BusinessDatabase) -> Iterator[BusinessDatabase]:
    """Put another database in force for a block, for this context only."""
    token = _current.set(database)
    try:
        yield database
    finally:
        _current.reset(token)


def _open_configured(home: Path) -> BusinessDatabase:
    if settings().database == "embedded":
        return BusinessDatabase(embedded.business_file(home))
    try:
        from harness.databases import oracle  # type: ignore[attr-defined]
    except ImportError as error:
        raise WorkshopError(
            "WORKSHOP_DATABASE=oracle needs the Oracle driver.",
            "pip install -r requirements-oracle.txt, or set WORKSHOP_DATABASE=embedded.",
        ) from error
    return oracle.business()


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


def _collect(cursor: "duckdb.DuckDBPyConnection", max_rows: int) -> QueryResult:
    columns = [column[0] for column in cursor.description or []]
    rows: list[list[Any]] = []
    size = 0
    while True:
        batch = cursor.fetchmany(min(_BATCH, max_rows + 1 - len(rows)))
        for row in batch:
            values = [plain(value) for value in row]
            size += sum(len(str(value)) + 4 for value in values)
            if len(rows) >= max_rows or (rows and size > _RESULT_BYTES):
                return QueryResult(columns, rows, truncated=True)
            rows.append(values)
        if not batch:
            return QueryResult(columns, rows)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
