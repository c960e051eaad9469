"""Business data in Oracle AI Database, through a user that may only read it.

Four walls, each enough by itself: the SQL guard before this, one reading statement here, a READ
ONLY transaction around it, and a user without any other grant. Which rows an identity may see is
the database's own work (a policy, see oracle_statements.yaml); every connection is told anew whom
it works for.
"""

import itertools
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import oracledb
import sqlglot
from sqlglot.tokens import Token, TokenType

from harness.databases import oracle_setup
from harness.databases.catalogue import TableInfo, quote
from harness.databases.oracle_catalogue import read_oracle_catalogue, shown, stored
from harness.databases.oracle_connection import OraclePool, code_of, took_too_long, trouble
from harness.databases.oracle_schema import business_ddl
from harness.databases.oracle_values import oracle_value, read_lob, with_time_zones
from harness.databases.ports import QueryResult
from harness.databases.query_process import too_late
from harness.databases.row_policy import OWNER, RowPolicy, policy_key
from harness.databases.sql_errors import explain
from harness.errors import ToolError, WorkshopError
from harness.settings import Settings

ENTER = f"BEGIN {OWNER}.workshop_rows.enter(:keys); END;"
READ_ONLY = "SET TRANSACTION READ ONLY"
NAMES = (
    "SELECT table_name, column_name FROM all_tab_columns WHERE owner = :owner "
    "ORDER BY table_name, column_id"
)
_BATCH = 100  # rows that the driver fetches at a time
_READS = (TokenType.SELECT, TokenType.WITH)
_DECLARED = (TokenType.FUNCTION, TokenType.PROCEDURE)
_MISSING = re.compile(r'ORA-00942: table or view (?:"\w+"\.)?"(?P<name>\w+)"')
_NOT_SET_UP = ("ORA-06550", "ORA-06564")  # the first says PLS-00201 behind it


class OracleBusiness:
    """The shipping data in Oracle AI Database. Any thread may use it; connections are pooled."""

    dialect = "oracle"
    dialect_name = "Oracle"

    def __init__(
        self, settings: Settings, pool: Any = None, policies: Sequence[RowPolicy] = ()
    ) -> None:
        """`pool` is shared by views of the same data. Raises WorkshopError for a faulty address."""
        self._settings = settings
        self._pool = pool or OraclePool(
            settings, settings.oracle_user, settings.oracle_password, OWNER
        )
        self._policies = tuple(policies)
        self._names: dict[str, list[str]] | None = None

    @property
    def source(self) -> str:
        """Where the data is, without a secret."""
        return f"oracle:{self._pool.user}@{self._pool.dsn}"

    def close(self) -> None:
        """End all connections."""
        self._pool.close()

    def limited(self, policies: Sequence[RowPolicy]) -> "OracleBusiness":
        """The same data, as far as all of these policies let it be seen."""
        return OracleBusiness(self._settings, self._pool, [*self._policies, *policies])

    def query(self, sql: str, max_rows: int = 50, seconds: float = 20.0) -> QueryResult:
        """Run one reading statement and return at most `max_rows` rows.

        Raises ToolError: kind "timeout" after `seconds`, "not_allowed" for anything that isn't one
        SELECT, "failed" with the database's reason for the rest; WorkshopError when there is no
        connection to be had.
        """
        statement = _one_reading_statement(sql)
        try:
            return self._rows_of(statement, max_rows, seconds)
        except oracledb.Error as error:  # the connection is free again: telling may need one
            raise self._told(error, sql, seconds) from error

    def query_apart(self, sql: str, max_rows: int = 50, seconds: float = 20.0) -> QueryResult:
        """The same as `query`: the statement runs in a process of the database's anyway."""
        return self.query(sql, max_rows, seconds)

    def catalogue(self, owner: str = OWNER) -> list[TableInfo]:
        """The tables of a schema, by name. Raises WorkshopError for a schema that isn't there."""
        return read_oracle_catalogue(self._all, owner)

    def samples(self, table: str, column: str, limit: int = 12, owner: str = OWNER) -> list[Any]:
        """All values of a column, in order, where there are at most `limit`; else an empty list."""
        name = quote(stored(column))
        rows = self._all(
            f"SELECT DISTINCT {name} FROM {quote(stored(owner))}.{quote(stored(table))} "
            f"WHERE {name} IS NOT NULL FETCH FIRST {int(limit) + 1} ROWS ONLY"
        )
        return sorted((oracle_value(row[0]) for row in rows), key=str) if len(rows) <= limit else []

    def names(self) -> dict[str, list[str]]:
        """Table name -> column names, of what this user may read of the data."""
        if self._names is None:
            names: dict[str, list[str]] = {}
            for table, column in self._all(NAMES, OWNER):
                names.setdefault(shown(table), []).append(shown(column))
            self._names = names
        return self._names

    def run_script(self, script: str, request: str, seconds: float) -> str | None:
        """Run JavaScript in the database's MLE; None where it is off or not allowed.

        Raises ToolError ("timeout") after `seconds`.
        """
        if not self._pool.computes:
            return None
        with self._pool.connection() as connection, connection.cursor() as cursor:
            connection.call_timeout = max(1, int(seconds * 1000))
            written = cursor.var(oracledb.DB_TYPE_CLOB)
            try:
                cursor.execute(
                    oracle_setup.statement("compute"),
                    {"request": request, "script": script, "answer": written},
                )
                return read_lob(written.getvalue())
            except oracledb.Error as error:
                if took_too_long(error):
                    raise too_late(seconds) from error
                self._pool.computes = False
                return None
            finally:
                connection.call_timeout = 0

    def _rows_of(self, statement: str, max_rows: int, seconds: float) -> QueryResult:
        with self._reading(seconds) as (cursor, limit):

            def fetch(count: int) -> Any:
                limit()
                return cursor.fetchmany(count)

            def as_json(row: Sequence[Any]) -> Iterator[Any]:
                limit()  # a long text is read from the database, value by value
                return map(oracle_value, row)

            limit()
            cursor.arraysize = min(_BATCH, max_rows + 1)
            cursor.execute(statement, fetch_decimals=True)
            exact = with_time_zones(statement, cursor.description or [])
            columns = [_shown_column(column[0]) for column in cursor.description or []]
            if exact:
                limit()
                cursor.execute(exact, fetch_decimals=True)
            return QueryResult.bounded(columns, fetch, as_json, max_rows)

    def _all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._pool.told(), self._reading(60.0) as (cursor, limit):
            limit()
            cursor.arraysize = 1000
            cursor.execute(sql, list(values), fetch_decimals=True)
            return cursor.fetchall()

    @contextmanager
    def _reading(self, seconds: float) -> Iterator[tuple[Any, Any]]:
        """A cursor in a transaction that can't write, and what sets the time that is left.

        The time limit is the driver's, for one round trip: so it is set again before each.
        """
        until = time.monotonic() + seconds
        with self._pool.connection() as connection, connection.cursor() as cursor:

            def limit() -> None:
                connection.call_timeout = max(1, int((until - time.monotonic()) * 1000))

            with self._pool.told():
                limit()
                self._enter(cursor)
                cursor.execute(READ_ONLY)
            try:
                yield cursor, limit
            finally:
                connection.call_timeout = 0

    def _enter(self, cursor: Any) -> None:
        """Tell the database whose rows are meant. Without policies in it, nobody is limited."""
        keys = ",".join(policy_key(policy) for policy in self._policies)
        try:
            cursor.execute(ENTER, [keys])
        except oracledb.DatabaseError as error:
            if code_of(error) in _NOT_SET_UP and not keys:
                return
            if code_of(error) in (*_NOT_SET_UP, "ORA-20001"):
                raise WorkshopError(
                    "The database does not know the row policy of this role.",
                    "Nothing was read. Load it: python -m harness oracle setup",
                ) from error
            raise

    def _told(self, error: oracledb.Error, sql: str, seconds: float) -> Exception:
        """What a refused statement is to a model, or lost connections to everybody."""
        if took_too_long(error):
            return too_late(seconds)
        known = trouble(error, self._pool.dsn, self._pool.user)
        if known is not None:  # the connection, not the statement
            return ToolError("failed", known.message, known.hint)
        return self._without_right(str(error)) or explain(
            str(error), sql, self.names(), self.dialect_name
        )

    def _without_right(self, text: str) -> ToolError | None:
        """A shipped table that is there but may not be read looks like one that is missing."""
        found = _MISSING.search(text)
        table = found["name"] if found else ""
        if table not in business_ddl() or table.lower() in self.names():
            return None
        return ToolError(
            "failed",
            f"The database's user {self._pool.user} may not read {table.lower()}.",
            f"Tell the user that somebody has to run: GRANT READ ON {OWNER}.{table} "
            f"TO {self._pool.user.upper()};",
        )


def _one_reading_statement(sql: str) -> str:
    """The statement, without the comments around it and the semicolon that may follow."""
    try:
        tokens = sqlglot.tokenize(sql, read="oracle")
    except sqlglot.errors.TokenError:  # a quotation mark without the other one
        tokens = []
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    first = next((each for each in tokens if each.token_type != TokenType.L_PAREN), None)
    if first is None or first.token_type not in _READS or _declares(tokens):
        raise ToolError(
            "not_allowed", "One SELECT at a time is run here.", "Send a SELECT or WITH ... SELECT."
        )
    return sql[tokens[0].start : tokens[-1].end + 1]


def _declares(tokens: Sequence[Token]) -> bool:
    """Whether a WITH declares PL/SQL: that may do whatever its author may."""
    return any(
        one.token_type == TokenType.WITH and two.token_type in _DECLARED
        for one, two in itertools.pairwise(tokens)
    )


def _shown_column(name: str) -> str:
    label = shown(name)
    return name if label.startswith('"') else label
