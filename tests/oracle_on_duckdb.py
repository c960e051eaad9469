"""A pool that answers Oracle's adapter from the shipped DuckDB file: dictionary views, capitals,
decimals and time limit are imitated, its engine is not. It shows our side of the conversation.
"""

import datetime
import re
import threading
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import oracledb
from oracle_recording import NUMBER, VARCHAR, RecordingPool, _Connection, _Cursor

from harness.databases import embedded
from harness.databases.duckdb_business import BusinessDatabase
from harness.databases.oracle import ENTER, READ_ONLY
from harness.databases.row_policy import RowPolicy, policy_key

DICTIONARY = """
CREATE VIEW all_tables AS SELECT UPPER(schema_name) AS owner, UPPER(table_name) AS table_name,
    'N' AS secondary FROM duckdb_tables() WHERE NOT internal;
CREATE VIEW all_tab_comments AS SELECT UPPER(schema_name) AS owner, UPPER(table_name) AS table_name,
    comment AS comments FROM duckdb_tables();
CREATE VIEW all_tab_columns AS SELECT UPPER(schema_name) AS owner, UPPER(table_name) AS table_name,
    UPPER(column_name) AS column_name, CASE data_type WHEN 'VARCHAR' THEN 'VARCHAR2'
    WHEN 'INTEGER' THEN 'NUMBER' WHEN 'BIGINT' THEN 'NUMBER' WHEN 'DOUBLE' THEN 'FLOAT'
    ELSE data_type END AS data_type, NULL AS char_length, NULL AS data_precision, CASE WHEN
    data_type IN ('INTEGER', 'BIGINT') THEN 0 END AS data_scale, CASE WHEN is_nullable THEN 'Y'
    ELSE 'N' END AS nullable, column_index AS column_id FROM duckdb_columns() WHERE NOT internal;
CREATE VIEW all_col_comments AS SELECT UPPER(schema_name) AS owner, UPPER(table_name) AS table_name,
    UPPER(column_name) AS column_name, comment AS comments FROM duckdb_columns();
CREATE VIEW all_constraints AS SELECT UPPER(schema_name) AS owner, UPPER(table_name) AS table_name,
    CASE constraint_type WHEN 'PRIMARY KEY' THEN 'P' ELSE 'R' END AS constraint_type,
    table_name || constraint_index AS constraint_name, UPPER(schema_name) AS r_owner,
    'pk_' || table_name || constraint_index AS r_constraint_name, 'ENABLED' AS status
    FROM duckdb_constraints() WHERE constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY');
CREATE VIEW all_cons_columns AS
    SELECT UPPER(schema_name) AS owner, table_name || constraint_index AS constraint_name,
    UPPER(table_name) AS table_name, UPPER(constraint_column_names[1]) AS column_name,
    1 AS position FROM duckdb_constraints() UNION ALL
    SELECT UPPER(schema_name), 'pk_' || table_name || constraint_index, UPPER(referenced_table),
    UPPER(referenced_column_names[1]), 1 FROM duckdb_constraints()
    WHERE constraint_type = 'FOREIGN KEY';
"""


class DuckDbPool(RecordingPool):
    """`known` are the row policies that the setup would have loaded."""

    def open(self, home: Path, known: tuple[RowPolicy, ...] = ()) -> "DuckDbPool":
        self._whole = BusinessDatabase(embedded.business_file(home))
        self._known = {policy_key(policy): policy for policy in known}
        return self

    def engine(self, keys: str) -> Any:
        """A connection that sees what these policies leave, with the dictionary's views."""
        if any(key not in self._known for key in keys.split(",") if key):
            raise oracledb.DatabaseError("ORA-20001: unknown row policy")
        policies = [self._known[key] for key in keys.split(",") if key]
        path = self._whole.limited(policies).path
        made = duckdb.connect(":memory:")
        made.execute(f"ATTACH '{path}' AS whole (READ_ONLY)")
        made.execute("USE whole.SUPPLYCHAIN")
        made.execute(DICTIONARY.replace("CREATE VIEW ", "CREATE VIEW memory.main."))
        made.execute("SET search_path = 'whole.SUPPLYCHAIN,memory.main,whole.main'")
        return made

    def cursor_of(self, connection: _Connection) -> "_DuckDbCursor":
        return _DuckDbCursor(connection)

    def close(self) -> None:
        self._whole.close()


class _DuckDbCursor(_Cursor):
    def _answer(self, sql: str, binds: Any) -> None:
        pool: Any = self.pool
        if sql == ENTER:
            self.engine = pool.engine(binds[0])
        elif sql != READ_ONLY:
            with self._time_limit():
                self._run(re.sub(r"(?<![:\w']):[a-z]\w*", "?", sql), list(binds or []))

    def _run(self, sql: str, binds: list[Any]) -> None:
        try:
            cursor = self.engine.execute(sql, binds)
            self._rows = [tuple(map(_oracles, row)) for row in cursor.fetchall()]
        except duckdb.InterruptException as error:
            raise oracledb.OperationalError("DPY-4024: call timeout exceeded") from error
        except duckdb.Error as error:
            raise oracledb.DatabaseError(_in_oracles_words(str(error))) from error
        self.description = [(c[0].upper(), _kind(c[1])) for c in cursor.description or []]

    @contextmanager
    def _time_limit(self) -> Any:
        timer = threading.Timer(self.connection.call_timeout / 1000, self.engine.interrupt)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _oracles(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    is_day = isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
    return datetime.datetime.combine(value, datetime.time()) if is_day else value


def _kind(said: Any) -> Any:
    return VARCHAR if str(said) in ("VARCHAR", "STRING") else NUMBER


def _in_oracles_words(text: str) -> str:
    column = re.search(r'Referenced column "(\w+)"', text)
    if column:
        return f'ORA-00904: "{column[1].upper()}": invalid identifier'
    table = re.search(r"Table with name (\w+) does not exist", text)
    if table:
        return f'ORA-00942: table or view "SUPPLYCHAIN"."{table[1].upper()}" does not exist'
    return f"ORA-00900: {text}"
