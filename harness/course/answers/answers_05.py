"""Our solutions of part 05, generated from authoring/05_real_work.py."""

# mypy: ignore-errors
from typing import Annotated, Literal

import duckdb
import sqlglot
from pydantic import Field
from sqlglot import exp

from harness import ToolError
from harness.course.practice_engine import engine
from harness.databases.sql_errors import nearest


def run_sql(sql: str, max_rows: int = 50) -> dict:
    """Read the data with one SELECT, at most `max_rows` rows of it.

    Returns columns, rows and row_count (of the rows returned), and "truncated": True where there
    were more. Raises ToolError for anything else, before it is run.
    """
    again = "Nothing was run. Send one SELECT or WITH ... SELECT over the tables."
    try:
        parsed = sqlglot.parse(sql, read="duckdb")
    except sqlglot.errors.SqlglotError as error:
        raise ToolError("failed", f"That can't be parsed: {str(error)[:200]}", again) from error
    statements = [s for s in parsed if s is not None and not isinstance(s, exp.Semicolon)]
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise ToolError("not_allowed", "run_sql reads, one statement at a time.", again)
    tree = statements[0]
    if writes := tree.find(exp.DML, exp.Into, exp.Lock):
        raise ToolError("not_allowed", f"run_sql only reads; {writes.key} doesn't.", again)
    tables = {name.lower() for name in engine.tables}
    known = tables | {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.name.lower() not in known:
            close = ", ".join(nearest(table.name, sorted(tables)) or sorted(tables))
            raise ToolError("not_allowed", f"There is no table {table.name!r}.", f"Is it {close}?")
    try:
        result = engine.execute(sql)
        rows = result.fetchmany(max_rows + 1)
    except duckdb.Error as error:
        cause = " ".join(str(error).split("LINE 1")[0].split())
        raise ToolError("failed", cause, "Correct the SQL and call again.") from error
    answer = {"columns": result.columns, "rows": rows[:max_rows], "row_count": len(rows[:max_rows])}
    return {**answer, "truncated": True} if len(rows) > max_rows else answer


Region = Literal["PACIFIC", "ATLANTIC", "INDIAN", "MEDITERRANEAN"]

Hours = Annotated[int, Field(ge=1, le=1000, description="Late by at least so many hours.")]


def late_arrivals(
    carrier: Annotated[str, "Name of the carrier that operated the voyage."],
    min_hours: Hours = 24,
    ocean_region: Annotated[Region | None, "Only voyages of this ocean region."] = None,
) -> dict:
    """List a carrier's voyages that arrived late, the longest delay first.

    Returns carrier (its name as the data has it), total (how many there are) and voyages: the
    first 20, each a dict with voyage_id, delay_hours and arrived_at.
    """
    rows = engine.execute("SELECT carrier_id, name FROM carriers").fetchall()
    names = {name.lower(): (carrier_id, name) for carrier_id, name in rows}
    if carrier.lower() not in names:
        close = nearest(carrier, [name for _, name in rows])
        raise ToolError(
            "bad_arguments",
            f"carrier: there is no {carrier!r}, and no name that looks like it."
            if not close
            else f"carrier: there is no {carrier!r}.",
            f"Did you mean {' or '.join(close)}?" if close else "Look it up in carriers.",
        )
    carrier_id, name = names[carrier.lower()]
    found = engine.execute(
        """SELECT voyage_id, delay_hours, arrived_at FROM voyages
           WHERE carrier_id = ? AND status = 'ARRIVED' AND delay_hours >= ?
             AND ocean_region = COALESCE(?, ocean_region)
           ORDER BY delay_hours DESC, voyage_id""",
        [carrier_id, min_hours, ocean_region],
    )
    voyages = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    return {"carrier": name, "total": len(voyages), "voyages": voyages[:20]}
