"""run_sql: the general tool for reading the business data."""

from typing import Annotated, Any

from pydantic import Field

from harness.databases.business import business
from harness.guards.effect import Effect
from harness.session import current_session
from harness.settings import settings
from harness.tools.fenced import unfenced
from harness.tools.toolbox import register

_SECONDS = 20.0
_DIALECT = settings().dialect
_INSTRUCTIONS = """
The database speaks {dialect} SQL. Safe in any dialect: joins in ANSI form, COALESCE, CASE,
FETCH FIRST n ROWS ONLY, NULLS LAST, PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x), EXTRACT,
DATE '2026-01-31'. Tables may be written with or without SUPPLYCHAIN. in front.
Use only tables and columns that search_knowledge or scan_database named. The data is a snapshot:
its day is stated in the comment of the table voyages; don't use the current date.
Ask for what answers the question (aggregate, filter, order), not for whole tables.
"""


@register(
    tier="read",
    when="a question needs current rows, counts or sums from the shipping data and you know the "
    f"tables and columns. Speaks {_DIALECT} SQL.",
    returns="'columns' names them, 'rows' is a list of lists in that order, 'row_count' counts the "
    "rows returned. 'truncated' is true where there were more rows than max_rows.",
    instructions=_INSTRUCTIONS.format(dialect=_DIALECT),
    cost="medium",
    example={"sql": "SELECT status, COUNT(*) AS n FROM voyages GROUP BY status", "max_rows": 10},
    timeout=_SECONDS + 5,
    always=True,  # the system prompt's rules name it
    effects=(Effect("shipping", "read"),),
)
def run_sql(
    sql: Annotated[str, "One SELECT, WITH ... SELECT or VALUES; nothing that writes."],
    max_rows: Annotated[int, Field(ge=1, le=1000, description="Rows to return at most.")] = 50,
) -> dict[str, Any]:
    """Read the shipping database with one SQL query; it can't change anything."""
    from harness.guards.sql_guard import check_select  # sqlglot: 0.1 s, 8 MB

    database, sql = business(), unfenced(sql)
    check_select(sql, database.dialect)
    seconds = min(_SECONDS, current_session().seconds_left())
    result = database.query_apart(sql, max_rows, seconds)
    answer: dict[str, Any] = {
        "columns": result.columns,
        "rows": result.rows,
        "row_count": len(result.rows),
    }
    if result.truncated:
        answer |= {
            "truncated": True,
            "note": f"Only the first {len(result.rows)} rows; there are more. Aggregate or filter, "
            "or raise max_rows (at most 1000).",
        }
    return answer
