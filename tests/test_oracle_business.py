"""The adapter for Oracle over a connection that records: what is sent, in order, with its binds."""

import array
import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import oracledb
import pytest
from oracle_recording import NUMBER, VARCHAR, RecordingPool, oracle_error

from harness.databases.oracle import ENTER, READ_ONLY, OracleBusiness
from harness.databases.oracle_catalogue import COLUMNS, KEYS, TABLES, shown, stored
from harness.databases.oracle_connection import trouble
from harness.databases.row_policy import RowPolicy, policy_key
from harness.errors import ToolError, WorkshopError
from harness.settings import Settings

PACIFIC = RowPolicy(rows=(("voyages", "ocean_region = 'PACIFIC'"),))


def adapter(tmp_path: Path, pool: RecordingPool) -> OracleBusiness:
    return OracleBusiness(Settings(home=tmp_path), pool)


def test_a_query_runs_in_a_transaction_that_only_reads(tmp_path: Path) -> None:
    pool = RecordingPool(
        {"FROM voyages": [("DELAYED", Decimal(31)), ("ARRIVED", Decimal(450))]},
        {"FROM voyages": [("STATUS", VARCHAR), ("N", NUMBER)]},
    )
    sql = "SELECT status, COUNT(*) AS n FROM voyages GROUP BY status;"
    result = adapter(tmp_path, pool).query(sql)
    assert (result.columns, result.truncated) == (["status", "n"], False)
    assert result.rows == [["DELAYED", 31], ["ARRIVED", 450]]
    assert pool.sent == [(ENTER, [""]), (READ_ONLY, None), (sql.rstrip(";"), None), "closed"]


def test_rows_are_bounded(tmp_path: Path) -> None:
    pool = RecordingPool({"FROM voyages": [(n,) for n in range(300)]})
    result = adapter(tmp_path, pool).query("SELECT voyage_id FROM voyages", max_rows=7)
    assert (result.rows, result.truncated) == ([[n] for n in range(7)], True)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM voyages",
        "BEGIN supplychain.workshop_rows.enter(''); END;",
        "CALL workshop_rows.enter('')",
        "/* SELECT */ DROP TABLE voyages",
        "WITH FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual",
        "SELECT q'[']', (WITH /**/ FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f "
        "FROM dual), q'[']' FROM dual",
        'SELECT "--", (WITH PROCEDURE p IS BEGIN NULL; END; SELECT 1 FROM dual) FROM dual',
        "EXPLAIN PLAN FOR SELECT 1 FROM dual",
        "SELECT 'open",
        "-- nothing",
    ],
)
def test_what_does_not_read_is_not_sent(sql: str, tmp_path: Path) -> None:
    pool = RecordingPool()
    with pytest.raises(ToolError) as caught:
        adapter(tmp_path, pool).query(sql)
    assert (caught.value.kind, pool.sent) == ("not_allowed", [])


@pytest.mark.parametrize(
    ("sql", "sent"),
    [
        ("SELECT 1 FROM dual;; -- done", "SELECT 1 FROM dual"),
        ("(SELECT ';--' FROM dual) /* ; */ ;", "(SELECT ';--' FROM dual)"),
        (
            "-- Which?\nWITH a AS (SELECT 1 AS n FROM dual) SELECT n FROM a",
            "WITH a AS (SELECT 1 AS n FROM dual) SELECT n FROM a",
        ),
    ],
)
def test_comments_and_semicolons_around_a_statement_are_left_out(
    sql: str, sent: str, tmp_path: Path
) -> None:
    pool = RecordingPool()
    adapter(tmp_path, pool).query(sql)
    assert pool.statements[-1] == sent


@pytest.mark.parametrize(
    ("value", "carried"),
    [
        (Decimal("0.1"), 0.1),
        (Decimal("12345678901234567890.123"), "12345678901234567890.123"),
        (Decimal(2) ** 90, 2**90),
        (datetime.datetime(2026, 3, 1, 12, 30), "2026-03-01T12:30:00"),
        (datetime.timedelta(hours=-26.5), "-26:30:00"),
        (oracledb.IntervalYM(-1, -2), "-1-02"),
        (array.array("f", [0.5, -1.0]), [0.5, -1.0]),
        ({"a": Decimal("1.5")}, {"a": 1.5}),
        (None, None),
    ],
)
def test_values_are_carried_exactly(value: Any, carried: Any, tmp_path: Path) -> None:
    pool = RecordingPool({"FROM t": [(value,)]})
    assert adapter(tmp_path, pool).query("SELECT a FROM t").rows == [[carried]]


def test_times_with_a_zone_are_asked_for_as_text(tmp_path: Path) -> None:
    pool = RecordingPool(
        {"WITH exact_rows": [("a", "2026-03-01T12:30:00.000000+02:00")], "FROM t": [("a", None)]},
        {"FROM t": [("A", VARCHAR), ("SEEN_AT", oracledb.DB_TYPE_TIMESTAMP_TZ)]},
    )
    result = adapter(tmp_path, pool).query("SELECT a, seen_at FROM t -- the last one")
    assert result.rows == [["a", "2026-03-01T12:30:00.000000+02:00"]]
    assert result.columns == ["a", "seen_at"]
    exact = pool.statements[-1]
    assert exact.startswith("WITH exact_rows (c0, c1) AS (SELECT a, seen_at FROM t) SELECT c0, TO_")


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ('ORA-00904: "V"."STATUZ": invalid identifier', "failed", "Did you mean status"),
        ('ORA-00942: table or view "SUPPLYCHAIN"."VOYAGE" does not exist', "failed", "voyages"),
        ("ORA-00942: table or view does not exist", "failed", "There are: voyages."),
        ("ORA-00979: not a GROUP BY expression", "failed", "Add the column to GROUP BY"),
        (
            "ORA-41900: missing READ privilege on SUPPLYCHAIN.PORTS",
            "failed",
            "GRANT READ ON SUPPLYCHAIN.PORTS TO",
        ),
        ("DPY-4024: call timeout of 5 ms exceeded", "timeout", "longer than 20 s"),
        ("DPY-4011: the database or network closed the connection", "failed", "Try again"),
        ("ORA-01456: may not perform insert, delete, update in READ ONLY", "failed", "READ ONLY"),
    ],
)
def test_what_the_database_refuses(text: str, kind: str, words: str, tmp_path: Path) -> None:
    pool = RecordingPool(
        {"all_tab_columns": [("VOYAGES", "STATUS")], "FROM voyages": oracle_error(text)}
    )
    with pytest.raises(ToolError) as caught:
        adapter(tmp_path, pool).query("SELECT statuz FROM voyages v")
    assert caught.value.kind == kind and words in str(caught.value)


def test_a_refusal_is_told_without_a_second_connection(tmp_path: Path) -> None:
    """Where every connection of the pool is held by a query that fails, none would be left."""

    class OneConnection(RecordingPool):
        held = False

        @contextmanager
        def connection(self) -> Iterator[Any]:
            assert not self.held, "a second connection is asked for while one is held"
            self.held = True
            try:
                with super().connection() as made:
                    yield made
            finally:
                self.held = False

    pool = OneConnection(
        {
            "all_tab_columns": [("VOYAGES", "STATUS")],
            "FROM voyages": oracle_error('ORA-00904: "STATUZ": invalid identifier'),
        }
    )
    with pytest.raises(ToolError, match="Did you mean status"):
        adapter(tmp_path, pool).query("SELECT statuz FROM voyages")


def test_a_table_that_may_not_be_read_is_told_with_its_grant(tmp_path: Path) -> None:
    text = 'ORA-00942: table or view "SUPPLYCHAIN"."PORTS" does not exist'
    pool = RecordingPool(
        {"all_tab_columns": [("VOYAGES", "STATUS")], "FROM ports": oracle_error(text)}
    )
    with pytest.raises(ToolError, match="may not read ports") as caught:
        adapter(tmp_path, pool).query("SELECT name FROM ports")
    assert "GRANT READ ON SUPPLYCHAIN.PORTS TO SUPPLYCHAIN_READER;" in caught.value.hint


def test_a_word_of_another_dialect_is_named(tmp_path: Path) -> None:
    pool = RecordingPool({"FROM voyages": oracle_error("ORA-03049: SQL keyword 'LIMIT' is not")})
    with pytest.raises(ToolError, match="speaks Oracle: LIMIT n is FETCH FIRST"):
        adapter(tmp_path, pool).query("SELECT status FROM voyages LIMIT 3")


def test_the_catalogue(tmp_path: Path) -> None:
    pool = RecordingPool(
        {
            "all_tab_comments": [("VOYAGES", "One trip."), ("Mixed Case", None)],
            "all_tab_columns": [
                ("VOYAGES", "VOYAGE_ID", "NUMBER", 0, None, 0, "N", "Its number."),
                ("VOYAGES", "STATUS", "VARCHAR2", 12, None, None, "Y", None),
                ("Mixed Case", "aKey", "NUMBER", 0, 10, 2, "N", None),
            ],
            "all_constraints": [
                ("VOYAGES", "P", "VOYAGE_ID", None, None),
                ("VOYAGES", "R", "STATUS", "Mixed Case", "aKey"),
                ("VOYAGES", "R", "STATUS", None, None),
            ],
            r"COUNT\(\*\)": [(Decimal(600),)],
        }
    )
    database = adapter(tmp_path, pool)
    voyages, mixed = database.catalogue()
    assert (voyages.name, voyages.comment, voyages.row_count) == ("voyages", "One trip.", 600)
    assert [(c.name, c.type, c.nullable) for c in voyages.columns] == [
        ("voyage_id", "INTEGER", False),
        ("status", "VARCHAR2(12)", True),
    ]
    assert voyages.primary_key == ["voyage_id"]
    assert [(k.column, k.ref_table, k.ref_column) for k in voyages.foreign_keys] == [
        ("status", '"Mixed Case"', '"aKey"')
    ]
    assert (mixed.name, mixed.columns[0].type) == ('"Mixed Case"', "NUMBER(10,2)")
    asked = [each for each in pool.sent if each[0] in (TABLES, COLUMNS, KEYS)]
    assert asked == [(sql, ["SUPPLYCHAIN"]) for sql in (TABLES, COLUMNS, KEYS)]
    database.samples('"Mixed Case"', '"aKey"')
    assert 'FROM "SUPPLYCHAIN"."Mixed Case" WHERE "aKey"' in pool.statements[-1]


@pytest.mark.parametrize("name", ["VOYAGES", "A_1$", "Mixed Case", "lower", 'with"quote', "1ST"])
def test_a_name_survives_being_shown(name: str) -> None:
    assert stored(shown(name)) == name


def test_a_user_without_a_grant_learns_which(tmp_path: Path) -> None:
    pool = RecordingPool({"SELECT DISTINCT owner": [("HR",)]})
    with pytest.raises(WorkshopError, match="There is no table") as caught:
        adapter(tmp_path, pool).catalogue()
    assert "GRANT READ ON SUPPLYCHAIN." in caught.value.hint and "hr" in caught.value.hint


class TestRowPolicies:
    def test_each_connection_is_told_whose_rows_are_meant(self, tmp_path: Path) -> None:
        pool = RecordingPool({"FROM voyages": [(1,)]})
        limited = adapter(tmp_path, pool).limited([PACIFIC])
        limited.query("SELECT 1 FROM voyages")
        assert pool.sent[0] == (ENTER, [policy_key(PACIFIC)])

    def test_a_policy_that_the_database_does_not_know_shows_nothing(self, tmp_path: Path) -> None:
        unknown = oracle_error("ORA-20001: unknown row policy")
        pool = RecordingPool({"workshop_rows": unknown, "FROM voyages": [(1,)]})
        with pytest.raises(WorkshopError, match="row policy") as caught:
            adapter(tmp_path, pool).limited([PACIFIC]).query("SELECT 1 FROM voyages")
        assert "oracle setup" in caught.value.hint and len(pool.statements) == 1

    def test_a_database_without_policies_limits_nobody(self, tmp_path: Path) -> None:
        missing = oracle_error("ORA-06550: line 1: PLS-00201: identifier must be declared")
        pool = RecordingPool({"workshop_rows": missing, "FROM voyages": [(1,)]})
        assert adapter(tmp_path, pool).query("SELECT 1 FROM voyages").rows == [[1]]
        with pytest.raises(WorkshopError, match="row policy"):
            adapter(tmp_path, pool).limited([PACIFIC]).query("SELECT 1 FROM voyages")


def test_long_texts_are_fetched_in_part(tmp_path: Path) -> None:
    class Clob(oracledb.LOB):
        def read(self, offset: int = 1, amount: int | None = None) -> str:
            return "x" * 10_000 if amount is None else "x" * amount

        def size(self) -> int:
            return 10_000

        def __del__(self) -> None:
            pass

    pool = RecordingPool({"FROM t": [(Clob(),)]})
    text = adapter(tmp_path, pool).query("SELECT body FROM t").rows[0][0]
    assert text == "x" * 4000 + "... (6000 more characters)"


def test_a_network_that_drops_between_two_rows(tmp_path: Path) -> None:
    class DropsLater(RecordingPool):
        def cursor_of(self, connection: Any) -> Any:
            cursor = super().cursor_of(connection)
            first = cursor.fetchmany

            def fetchmany(size: int) -> Any:
                if rows := first(1):
                    return rows
                raise oracledb.OperationalError("DPY-4011: the database closed the connection")

            cursor.fetchmany = fetchmany
            return cursor

    with pytest.raises(ToolError, match="Try again"):
        adapter(tmp_path, DropsLater({"FROM t": [(1,), (2,)]})).query("SELECT a FROM t")


def test_a_pool_that_is_used_up(tmp_path: Path) -> None:
    """As the pool says it, when nobody gives a connection back in time."""
    used_up = oracledb.OperationalError("DPY-4005: timed out waiting for the connection pool")
    told = trouble(used_up, "db:1521/x", "supplychain_reader")
    assert told is not None
    with pytest.raises(WorkshopError, match="All connections of supplychain_reader are in use"):
        adapter(tmp_path, RecordingPool(lost=told)).query("SELECT a FROM t")
