"""run_sql: what it refuses, what it must not refuse, and what it says when the SQL is wrong."""

from typing import Any

import pytest

from harness.databases.business import BusinessDatabase
from harness.errors import ToolError
from harness.guards.sql_guard import check_select
from harness.tools.sql import run_sql
from tests.sql_answers import ask, lines, refusal

pytestmark = pytest.mark.usefixtures("database")


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
WITH "a.csv" AS (SELECT * FROM "a.csv") SELECT 1
SELECT * FROM (WITH "a.csv" AS (SELECT 1) SELECT * FROM "a.csv") AS s, "a.csv"
WITH a AS (SELECT * FROM "b.csv"), "b.csv" AS (SELECT 1) SELECT 1
SELECT * FROM "what?"
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
SELECT 5!, (2 + 1)! AS "six?", 3 != 4
WITH "v1.2" AS (SELECT 1 AS n), "what?" AS (SELECT n FROM "v1.2") SELECT "what?".n FROM "what?"
SELECT 1 AS "avg. delay", 2 AS "late?" FROM voyages AS "v.x" LIMIT 1
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


@pytest.mark.parametrize("around", ["\ufeff{}", "```sql\n{}\n```", "Like this:\n```\n{};\n```\n"])
def test_what_is_around_the_sql_is_no_part_of_it(around: str) -> None:
    assert ask(around.format("SELECT 6 * 7"))["rows"] == [[42]]
    assert refusal(around.format("DROP TABLE voyages")).kind == refusal("DROP TABLE x").kind


def test_a_division_is_no_path() -> None:
    assert "(1 // 0)" in str(refusal("SELECT 1//0"))


def test_no_error_names_a_path(database: BusinessDatabase) -> None:
    folder = str(database.path.parent)
    for sql in [*lines(OUTSIDE), "SELECT nope", "SELECT * FROM nope", "CHECKPOINT"]:
        assert folder not in str(refusal(sql))
