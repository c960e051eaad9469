"""run_sql: what it refuses, what it must not refuse, and what it says when the SQL is wrong."""

import contextvars
import json
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.databases import query_process
from harness.databases.business import BusinessDatabase, business, use_business
from harness.errors import ToolError
from harness.guards.sql_guard import check_select
from harness.session import session
from harness.tools.sql import run_sql

pytestmark = pytest.mark.usefixtures("database")


def ask(sql: str, **arguments: Any) -> dict[str, Any]:
    return json.loads(run_sql(sql=sql, **arguments))


def refusal(sql: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        run_sql(sql=sql)
    return caught.value


def test_shape() -> None:
    answer = ask("SELECT status, COUNT(*) AS n FROM voyages GROUP BY status ORDER BY n DESC")
    assert answer["status"] == "ok"
    assert answer["columns"] == ["status", "n"]
    assert answer["rows"][0] == ["ARRIVED", 416]
    assert answer["row_count"] == len(answer["rows"]) == 6
    assert "truncated" not in answer


def test_rows_are_cut_and_that_is_said() -> None:
    answer = ask("SELECT * FROM cargo_items", max_rows=2)
    assert (answer["row_count"], answer["truncated"]) == (2, True)
    assert "Only the first 2 rows" in answer["note"]
    assert ask("SELECT * FROM cargo_items")["row_count"] == 50


@pytest.mark.parametrize("max_rows", [0, -1, 1001, "5"])
def test_max_rows_is_bounded(max_rows: Any) -> None:
    with pytest.raises(ToolError, match="max_rows") as caught:
        run_sql(sql="SELECT 1", max_rows=max_rows)
    assert caught.value.kind == "bad_arguments"


# What it refuses: each class of statement that is not reading, and reading of what is not the data.
WRITES = """
WITH x AS (SELECT 1) DELETE FROM voyages
WITH x AS (DELETE FROM voyages RETURNING *) SELECT * FROM x
WITH x AS (UPDATE voyages SET status = 'x' RETURNING *) SELECT * FROM x
WITH x AS (INSERT INTO carriers VALUES (99, 'a', 'b', 'c') RETURNING *) SELECT * FROM x
COMMIT; DROP TABLE voyages; SELECT 1
SELECT 1; SELECT 2
SELECT * FROM voyages; DROP TABLE voyages
/* x */ DROP TABLE voyages
-- x
SELECT * FROM voyages FOR UPDATE
SELECT * FROM (SELECT * FROM voyages FOR SHARE) t
SELECT * INTO t2 FROM voyages
EXPLAIN ANALYZE DELETE FROM voyages
EXPLAIN ANALYZE SELECT 1
EXPLAIN /* a */ ANALYZE SELECT 1
EXPLAIN (ANALYZE) SELECT 1
EXPLAIN DELETE FROM voyages
INSERT INTO carriers VALUES (99, 'a', 'b', 'c')
INSERT OR REPLACE INTO carriers VALUES (99, 'a', 'b', 'c')
UPDATE voyages SET status = 'x'
DELETE FROM voyages
TRUNCATE voyages
TRUNCATE TABLE voyages
MERGE INTO voyages USING ports ON TRUE WHEN MATCHED THEN DELETE
REPLACE INTO carriers VALUES (1)
CREATE TABLE t (a INTEGER)
CREATE TABLE t AS SELECT 1
CREATE TEMP TABLE t AS SELECT 1
CREATE OR REPLACE VIEW v AS SELECT 1
CREATE MACRO f() AS 1
CREATE SEQUENCE s
CREATE INDEX i ON voyages (status)
CREATE SCHEMA s
CREATE TYPE t AS ENUM ('a')
CREATE SECRET s (TYPE s3)
ALTER TABLE voyages ADD COLUMN x INTEGER
DROP VIEW dual
COMMENT ON TABLE voyages IS 'x'
COPY voyages TO 'x.csv'
COPY voyages FROM 'x.csv'
COPY (SELECT 1) TO 'x.csv'
EXPORT DATABASE 'x'
IMPORT DATABASE 'x'
ATTACH 'x.db'
DETACH x
USE main
SET threads = 4
SET VARIABLE x = 1
RESET ALL
PRAGMA journal_mode=DELETE
PRAGMA database_list
CALL duckdb_settings()
CALL pragma_version()
CHECKPOINT
FORCE CHECKPOINT
VACUUM
ANALYZE
INSTALL httpfs
LOAD httpfs
UPDATE EXTENSIONS
BEGIN
BEGIN TRANSACTION
BEGIN DELETE FROM t; END;
COMMIT
ROLLBACK
ABORT
SAVEPOINT a
PREPARE x AS SELECT 1
EXECUTE x
DEALLOCATE x
GRANT SELECT ON voyages TO PUBLIC
REVOKE SELECT ON voyages FROM PUBLIC
LOCK TABLE voyages
DECLARE x INTEGER
KILL 1
SHOW DATABASES
"""
OUTSIDE = """
SELECT * FROM read_text('/etc/passwd')
SELECT * FROM READ_TEXT('/etc/passwd')
SELECT * FROM "read_text"('/etc/passwd')
SELECT * FROM main.read_text('/etc/passwd')
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM read_csv_auto('/etc/passwd')
SELECT * FROM read_blob('/etc/passwd')
SELECT * FROM read_json(['a', 'b'])
SELECT * FROM read_parquet('x.parquet')
SELECT * FROM parquet_metadata('x.parquet')
SELECT * FROM sniff_csv('x.csv')
SELECT * FROM glob('*')
SELECT * FROM '/etc/passwd'
SELECT * FROM "/etc/passwd"
SELECT * FROM 'data/supplychain/voyages.csv'
SELECT * FROM "voyages.csv"
SELECT * FROM 'https://example.com/x.csv'
SELECT * FROM 's3://bucket/x.parquet'
DESCRIBE 'voyages.csv'
SUMMARIZE '/etc/passwd'
EXPLAIN SELECT * FROM read_text('/etc/passwd')
SELECT (SELECT content FROM read_text('/etc/passwd'))
SELECT 1 WHERE EXISTS (SELECT 1 FROM glob('/*'))
WITH x AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM x
SELECT * FROM voyages, read_text('/etc/passwd')
SELECT * FROM voyages, LATERAL read_text('/etc/passwd')
FROM read_text('/etc/passwd') SELECT content
SELECT 1 UNION ALL SELECT COUNT(*) FROM glob('*')
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_settings
SELECT * FROM duckdb_databases()
SELECT * FROM duckdb_secrets()
SELECT * FROM duckdb_extensions()
SELECT * FROM pragma_database_list
SELECT * FROM pragma_database_size()
SELECT * FROM pg_settings
SELECT * FROM pg_catalog.pg_settings
SELECT * FROM pg_settings, (WITH pg_settings AS (SELECT 1) SELECT * FROM pg_settings)
SELECT * FROM query('SELECT 1')
SELECT * FROM query_table('voyages')
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))
SELECT current_setting('temp_directory')
SELECT "current_setting"('temp_directory')
SELECT 'temp_directory'.current_setting()
SELECT list_transform(['temp_directory'], x -> current_setting(x))
SELECT [current_setting(x) FOR x IN ['temp_directory']]
SELECT getenv('HOME')
SELECT nextval('s')
SELECT setseed(0.5)
SELECT write_log('x')
SELECT sleep_ms(10)
"""


def lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line]


@pytest.mark.parametrize("sql", [*lines(WRITES), *lines(OUTSIDE)])
def test_refused_before_the_engine_sees_it(sql: str) -> None:
    error = refusal(sql)
    assert error.kind in ("not_allowed", "failed")
    with pytest.raises(ToolError):
        check_select(sql)
    assert "passwd" not in str(error)


@pytest.mark.parametrize("sql", ["", "   ", "-- nothing", ";", "/* */", "\x00"])
def test_nothing_to_run(sql: str) -> None:
    assert refusal(sql).kind in ("bad_arguments", "not_allowed", "failed")


def test_refused_by_the_engine_too(database: BusinessDatabase) -> None:
    """Without the guard in front, what writes still writes nothing."""
    for sql in lines(WRITES):
        if sql.startswith(
            ("EXPLAIN", "SHOW", "--", "SELECT * FROM (SELECT * FROM voyages FOR SHARE")
        ):
            continue
        with pytest.raises(ToolError):
            database.query(sql)
    assert database.query("SELECT COUNT(*) FROM voyages").rows == [[600]]


ALLOWED = """
SELECT 'DROP TABLE x'
SELECT s.nextval, s.status FROM (SELECT 1 AS nextval, 2 AS status) s
SELECT sys.status FROM voyages sys LIMIT 1
SELECT 'a; DELETE FROM t', 'FOR UPDATE', '-- x'
SELECT update_ts FROM (SELECT 1 AS update_ts)
SELECT REPLACE('a', 'x', 'y')
SELECT 1;
SELECT 1;;
SELECT 1 -- trailing; DROP TABLE voyages
SELECT 1 /* trailing */ ;
/* leading */ SELECT 1
WITH a AS (WITH b AS (SELECT 1 AS n) SELECT * FROM b) SELECT * FROM a
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT SUM(n) FROM r
WITH t (a, b) AS (VALUES (1, 2)) SELECT a + b FROM t
SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY delay_hours) FROM voyages
SELECT MEDIAN(delay_hours), QUANTILE_CONT(delay_hours, [0.5, 0.9]) FROM voyages
VALUES (1, 'a'), (2, 'b')
(SELECT 1) UNION (SELECT 2)
SELECT 1 INTERSECT SELECT 1 EXCEPT SELECT 2
FROM voyages SELECT COUNT(*)
TABLE carriers
EXPLAIN SELECT * FROM voyages
DESCRIBE voyages
SUMMARIZE carriers
SHOW TABLES
SELECT * FROM dual
SELECT * FROM "voyages" LIMIT 1
SELECT * FROM supplychain.VOYAGES FETCH FIRST 1 ROWS ONLY
SELECT * FROM voyages ORDER BY arrived_at DESC NULLS LAST OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY
SELECT * FROM information_schema.columns
SELECT table_name FROM information_schema.tables
SELECT table_name, comment FROM duckdb_tables()
SELECT v.*, ROW_NUMBER() OVER (PARTITION BY carrier_id ORDER BY eta) AS n FROM voyages v
SELECT * FROM voyages QUALIFY ROW_NUMBER() OVER (PARTITION BY carrier_id ORDER BY eta) = 1
SELECT status, COUNT(*) FILTER (WHERE delay_hours > 0) FROM voyages GROUP BY ALL ORDER BY ALL
SELECT ocean_region, status, COUNT(*) FROM voyages GROUP BY ROLLUP (ocean_region, status)
SELECT STRING_AGG(name, ', ' ORDER BY name) FROM carriers
SELECT EXTRACT(MONTH FROM eta), eta::DATE, CAST(eta AS DATE) FROM voyages
SELECT DATE '2026-06-30' - 7, DATE '2026-06-30' - INTERVAL 7 DAY
SELECT DATE_DIFF('hour', eta, arrived_at) FROM voyages WHERE arrived_at IS NOT NULL
SELECT COALESCE(alliance, 'none'), CASE WHEN alliance IS NULL THEN 0 ELSE 1 END FROM carriers
SELECT * FROM voyages PIVOT (COUNT(voyage_id) FOR status IN ('ARRIVED', 'DELAYED'))
PIVOT voyages ON status IN ('ARRIVED') USING COUNT(*) GROUP BY ocean_region
SELECT * FROM range(3)
SELECT * FROM generate_series(1, 3)
SELECT UNNEST([1, 2]), [x + 1 FOR x IN [1, 2]]
SELECT * FROM UNNEST([1, 2])
SELECT * FROM voyages v, LATERAL (SELECT v.delay_hours AS d) t
SELECT * FROM voyages v LEFT JOIN vessels s USING (vessel_id) ANTI JOIN ports p ON p.port_id = 0
SELECT * EXCLUDE (eta) FROM voyages
SELECT * REPLACE (UPPER(name) AS name) FROM carriers
SELECT COLUMNS('.*_id') FROM voyages
SELECT copy, call, load, "set" FROM (SELECT 1 AS copy, 2 AS call, 3 AS load, 4 AS "set")
SELECT query, stats FROM (SELECT 1 AS query, 2 AS stats)
SELECT 1 AS "into", 2 AS "delete"
SELECT ACOS(SIN(RADIANS(lat))), ATAN2(lat, lon), SQRT(2), POWER(2, 3), LN(2) FROM ports
SELECT SUM(quantity * unit_value_cents) / 100 FROM cargo_items
SELECT SUBSTR('abc', 1, 2), INSTR('abc', 'b'), TRIM(' a '), 'a' || 'b', CONCAT('a', NULL)
SELECT CURRENT_DATE, NOW(), RANDOM() < 2, UUID() IS NOT NULL
SELECT JSON_EXTRACT('{"a": 1}', '$.a'), '{"a": 1}'::JSON->>'a'
SELECT * FROM json_each('{"a": 1}')
SELECT * FROM carriers WHERE (carrier_id, name) IN (SELECT carrier_id, name FROM carriers)
SELECT * FROM carriers WHERE name ILIKE '%line%'
SELECT * FROM carriers TABLESAMPLE 50%
SELECT DISTINCT ON (status) status, voyage_id FROM voyages ORDER BY status, voyage_id
SELECT GREATEST(1, 2), LEAST(1, 2), NULLIF(1, 1), ROUND(1.5), FLOOR(1.5), MOD(5, 3)
SELECT LAG(eta) OVER (ORDER BY eta), NTILE(4) OVER (ORDER BY eta) FROM voyages
"""


@pytest.mark.parametrize("sql", lines(ALLOWED))
def test_allowed(sql: str) -> None:
    assert ask(sql)["status"] == "ok"


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT carier_id FROM voyages", "carrier_id"),
        ("SELECT staus FROM voyages", "status (of voyages)"),
        ("SELECT capacity_teu FROM voyages", "vessels.capacity_teu"),
        ("SELECT * FROM voyage", "Did you mean: voyages?"),
        ("SELECT * FROM shipments", "vessel_positions"),
        ("SELECT x.status FROM voyages v", 'no table or alias "x"'),
        ("SELECT status, COUNT(*) FROM voyages", "GROUP BY"),
        ("SELECT NVL(1, 2)", "COALESCE"),
        ("SELECT * FROM voyages WHERE ROWNUM <= 5", "FETCH FIRST"),
        ("SELECT SYSDATE FROM dual", "snapshot"),
        ("SELECT DECODE(1, 1, 2, 3)", "CASE"),
        ("SELECT * FROM voyages v, vessels s WHERE v.vessel_id = s.vessel_id (+)", "LEFT JOIN"),
        ("SELECT TO_DATE('2026-01-31', 'YYYY-MM-DD')", "DATE '2026-01-31'"),
        ("SELECT TO_CHAR(eta, 'YYYY') FROM voyages", "STRFTIME"),
        ("SELECT ADD_MONTHS(eta, 1) FROM voyages", "INTERVAL"),
        ("SELECT TRUNC(eta, 'MM') FROM voyages", "DATE_TRUNC"),
        ("SELECT LISTAGG(name, ',') WITHIN GROUP (ORDER BY name) FROM carriers", "STRING_AGG"),
        ("SELECT status FROM voyages MINUS SELECT 'x' FROM dual", "EXCEPT"),
        ("SELECT TOP 5 * FROM voyages", "FETCH FIRST"),
        ("SELECT `status` FROM voyages", "backquotes"),
        ("SELECT * FROM voyages WHERE eta > '2026-13-01'", "out of range"),
        ("SELECT FROM WHERE", "can't be parsed"),
    ],
)
def test_an_error_helps(sql: str, says: str) -> None:
    error = refusal(sql)
    assert error.kind == "failed"
    assert says in str(error)
    assert len(str(error)) < 600


def test_a_hint_is_about_the_sql_not_about_its_strings() -> None:
    assert "COALESCE" not in str(refusal("SELECT nope, 'NVL(a)' FROM voyages -- NVL(1)"))


def test_no_error_names_a_path(database: BusinessDatabase) -> None:
    folder = str(database.path.parent)
    for sql in [*lines(OUTSIDE), "SELECT nope", "SELECT * FROM nope", "CHECKPOINT"]:
        assert folder not in str(refusal(sql))


def test_nested_too_deeply_or_too_long() -> None:
    assert refusal("SELECT " + "(" * 5000 + "1" + ")" * 5000).kind == "failed"
    assert "characters" in str(refusal("SELECT '" + "x" * 60_000 + "'"))


def test_the_deadline_of_the_session_bounds_a_query() -> None:
    with session(deadline=0.4), pytest.raises(ToolError) as caught:
        run_sql(sql="SELECT COUNT(*) FROM cargo_items a, cargo_items b, cargo_items c")
    assert caught.value.kind == "timeout"


def test_oracle_sql_is_guarded_in_its_own_dialect() -> None:
    for sql in (
        "SELECT NVL(a, 1), SYSDATE FROM dual WHERE ROWNUM <= 5",
        "SELECT v.a FROM v, w WHERE v.id = w.id (+)",
        "SELECT a FROM t MINUS SELECT b FROM u",
        "SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY a) FROM t FETCH FIRST 5 ROWS ONLY",
    ):
        check_select(sql, "oracle")
    for sql in (
        "SELECT seq.NEXTVAL FROM dual",
        "SELECT DBMS_LOB.GETLENGTH(a) FROM t",
        "SELECT SYS.DBMS_X.F(1) FROM dual",
        "SELECT UTL_HTTP.REQUEST('http://x') FROM dual",
        "BEGIN DELETE FROM t; END;",
        "SELECT * FROM v$session",
        "SELECT * FROM sys.user$",
        "MERGE INTO t USING u ON (1 = 1) WHEN MATCHED THEN UPDATE SET a = 1",
        "SELECT * FROM t FOR UPDATE NOWAIT",
    ):
        with pytest.raises(ToolError):
            check_select(sql, "oracle")


@pytest.mark.parametrize("sql", ["SHOW ALL", "SHOW memory_limit", "SHOW DATABASES", "SHOW"])
def test_a_refused_show_says_what_is_there_instead(sql: str) -> None:
    error = refusal(sql)
    assert error.kind == "not_allowed" and "SHOW TABLES" in str(error)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT range(1000000000)",  # eight gigabytes in one value, which no interrupt reaches
        "SELECT LENGTH(REPEAT('x', 2000000000))",
        "SELECT UNNEST(RANGE(voyage_id * 1000000)) FROM voyages",
        "SELECT LIST_SORT(RANGE(100000000))",
    ],
)
def test_a_query_that_would_eat_the_memory_is_stopped(sql: str) -> None:
    here = psutil.Process()
    before = here.memory_info().rss
    error = refusal(sql)
    assert error.kind == "failed" and "emory" in str(error)
    assert here.memory_info().rss < before + 100_000_000
    assert ask("SELECT COUNT(*) FROM voyages")["rows"] == [[600]]


def test_a_function_that_no_interrupt_reaches_is_stopped_in_time(
    database: BusinessDatabase,
) -> None:
    started = time.monotonic()
    with pytest.raises(ToolError) as caught:
        database.query_apart("SELECT LPAD('x', 1000000000, 'y')", seconds=0.5)
    assert caught.value.kind == "timeout" and "0.5 s" in str(caught.value)
    assert time.monotonic() - started < 4


def test_a_query_process_that_dies_costs_its_own_query_only(database: BusinessDatabase) -> None:
    ask("SELECT 1")
    (child,) = [child for held, child in query_process._idle if held == database.path]
    child.process.kill()
    child.process.wait()
    assert ask("SELECT 2")["rows"] == [[2]]
    (child,) = [child for held, child in query_process._idle if held == database.path]
    threading.Timer(0.3, child.process.kill).start()
    assert "without a result" in str(refusal("SELECT SUM(range) FROM range(100000000000)"))


def test_few_query_processes_are_kept_however_many_databases_there_were(tmp_path: Path) -> None:
    for number in range(4):
        copy = tmp_path / f"{number}.duckdb"
        shutil.copy(business().path, copy)
        with use_business(BusinessDatabase(copy)):
            assert ask("SELECT 1")["rows"] == [[1]]
    assert len(query_process._idle) == 2


def test_a_query_process_without_a_query_is_ended(
    database: BusinessDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("SELECT 1")
    (child,) = [child for held, child in query_process._idle if held == database.path]
    monkeypatch.setattr(query_process, "IDLE_SECONDS", 0.05)
    ask("SELECT 1")
    child.process.wait(timeout=20)
    assert ask("SELECT 2")["rows"] == [[2]]


def test_queries_at_once_each_get_their_own_answer() -> None:
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(contextvars.copy_context().run, ask, f"SELECT {n}") for n in range(12)]
        assert [each.result()["rows"] for each in asked] == [[[n]] for n in range(12)]
