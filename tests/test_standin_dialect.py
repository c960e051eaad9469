"""The stand-in's SQL follows the dialect that run_sql's contract names, and names none itself."""

from typing import Any

import pytest
import sqlglot

from harness.guards.sql_guard import check_select
from harness.standin.brain import compose, dialect
from harness.standin.brain.reading import read_request
from harness.tools.toolbox import TOOLS
from tests.standin_asked import ask, last_sql

PARTS = ("QUARTER", "ISOYEAR", "WEEK", "ISODOW")
SQL = (
    "SELECT "
    + ", ".join(f"EXTRACT({part} FROM v.departed_at) AS {part.lower()}_of" for part in PARTS)
    + ", CAST(v.eta AS DATE) AS day_of, EXTRACT(MONTH FROM v.eta) AS month_of\n"
    "FROM SUPPLYCHAIN.voyages v\nFETCH FIRST 5 ROWS ONLY"
)


def drafted(speaks: str) -> str:
    schema: dict[str, Any] = TOOLS["run_sql"][1]["function"]
    described = schema["description"].replace("DuckDB", speaks)
    assert f"Speaks {speaks} SQL" in described
    request = {
        "messages": [{"role": "user", "content": "x"}],
        "tools": [{"type": "function", "function": {**schema, "description": described}}],
    }
    return dialect.in_dialect(compose.Draft(SQL), read_request(request)).sql


def test_the_usual_dialect_is_left_as_it_is() -> None:
    assert drafted("DuckDB") == SQL


@pytest.mark.parametrize("part", PARTS)
def test_parts_of_a_time_that_another_dialect_lacks(part: str) -> None:
    sql = drafted("Oracle")
    assert f"EXTRACT({part}" not in sql and "EXTRACT(MONTH FROM v.eta)" in sql
    assert "TRUNC(v.eta) AS day_of" in sql
    check_select(sql, "oracle")
    assert len(sqlglot.parse(sql, read="oracle")) == 1


def test_without_the_tool_there_is_nothing_to_follow() -> None:
    situation = read_request({"messages": [{"role": "user", "content": "x"}]})
    assert dialect.in_dialect(compose.Draft(SQL), situation).sql == SQL


@pytest.mark.parametrize(
    "question",
    [
        "What share of voyages that departed in 1990 were delayed?",
        "What share of the total weight of cargo items does each commodity have?",
    ],
)
def test_no_division_by_what_can_be_0(question: str) -> None:
    """DuckDB answers such a division, Oracle refuses it."""
    divided = list(
        sqlglot.parse_one(last_sql(ask(question)), read="duckdb").find_all(sqlglot.exp.Div)
    )
    assert divided
    for each in divided:
        assert isinstance(each.expression, sqlglot.exp.Nullif), each.sql()
