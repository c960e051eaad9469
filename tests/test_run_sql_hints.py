"""run_sql when the SQL is wrong: what it says, and which dialect it speaks."""

import pytest

from harness.errors import ToolError
from harness.guards.sql_guard import check_select
from harness.session import session
from harness.tools.sql import run_sql
from tests.sql_answers import refusal

pytestmark = pytest.mark.usefixtures("database")


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
