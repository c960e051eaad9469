"""The check of run_sql, against wrong versions and differently written right ones."""

import difflib

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from harness.checks import evaluate
from harness.course.answers.answers_05 import run_sql
from harness.course.practice_engine import engine
from harness.course.staging.sql_cases import HARMLESS, HOSTILE
from harness.errors import ToolError
from harness.guards.sql_guard import check_select


def checked(sql, *, extra=(), only=exp.Query, count=True, tables=True, forbid=None):
    """A guard with a hole where it is asked for."""
    try:
        parsed = sqlglot.parse(sql, read="duckdb")
    except sqlglot.errors.SqlglotError as error:
        raise ToolError("failed", "not SQL", "write SQL") from error
    trees = [t for t in parsed if t is not None and not isinstance(t, exp.Semicolon)]
    if not trees or (count and len(trees) != 1):
        raise ToolError("not_allowed", "one statement", "send one")
    tree = trees[0]
    if not isinstance(tree, only):
        raise ToolError("not_allowed", "only reads", "send a SELECT")
    for kind in forbid if forbid is not None else (exp.DML, exp.Into, exp.Lock):
        if tree.find(kind):
            raise ToolError("not_allowed", f"no {kind.key}", "leave it out")
    known = {*extra, *(t.lower() for t in engine.tables)}
    known |= {c.alias.lower() for c in tree.find_all(exp.CTE)}
    strange = [t.name.lower() for t in tree.find_all(exp.Table) if t.name.lower() not in known]
    if tables and strange:
        near = difflib.get_close_matches(strange[0], sorted(known), 1, 0)
        raise ToolError("not_allowed", "no such table", f"is it {near}?")


def first_lines(error):
    """What DuckDB says and what it guesses, without the SQL that it points into."""
    return " ".join(str(error).splitlines()[:2])


def answer(sql, max_rows, **changes):
    try:
        result = engine.execute(sql)
        rows = result.fetchmany(max_rows + 1)
    except duckdb.Error as error:
        raise ToolError("failed", first_lines(error)) from error
    value = {"columns": result.columns, "rows": rows[:max_rows]}
    value["row_count"] = len(value["rows"])
    if len(rows) > max_rows:
        value["truncated"] = True
    return {**value, **changes}


def guard(**holes):
    def version(sql, max_rows=50):
        checked(sql, **holes)
        return answer(sql, max_rows)

    return version


def stub(sql, max_rows=50):
    raise NotImplementedError("run_sql is yours to write")


def no_guard(sql, max_rows=50):
    return answer(sql, max_rows)


def one_argument(sql):
    return answer(sql, 50)


def a_list(sql, max_rows=50):
    checked(sql)
    return answer(sql, max_rows)["rows"]


def no_count(sql, max_rows=50):
    checked(sql)
    value = answer(sql, max_rows)
    del value["row_count"]
    return value


def elsewhere(sql, max_rows=50):
    checked(sql)
    return {"columns": ["voyage_id", "status"], "rows": [], "row_count": 0}


def words(sql, max_rows=50):
    if any(word in sql.upper() for word in ("DROP", "DELETE", "UPDATE")):
        raise ToolError("not_allowed", "a forbidden word", "leave it out")
    checked(sql)
    return answer(sql, max_rows)


def no_semicolon(sql, max_rows=50):
    if ";" in sql:
        raise ToolError("not_allowed", "one statement", "no semicolon")
    checked(sql)
    return answer(sql, max_rows)


def no_cte_names(sql, max_rows=50):
    checked(sql)
    tables = {t.name.lower() for t in sqlglot.parse_one(sql, read="duckdb").find_all(exp.Table)}
    if not tables <= set(engine.tables):
        raise ToolError("not_allowed", "no such table", "see the tables")
    return answer(sql, max_rows)


def exact_case(sql, max_rows=50):
    checked(sql)
    tables = {t.name for t in sqlglot.parse_one(sql, read="duckdb").find_all(exp.Table)}
    if any(t not in engine.tables and t.lower() in engine.tables for t in tables):
        raise ToolError("not_allowed", "no such table", "see the tables")
    return answer(sql, max_rows)


def first_only(sql, max_rows=50):
    checked(sql, count=False)
    return answer(sql.split(";")[0], max_rows)


def refusal_as_value(sql, max_rows=50):
    try:
        checked(sql)
    except ToolError as error:
        return {"status": "error", "error": str(error)}
    return answer(sql, max_rows)


def value_error(sql, max_rows=50):
    try:
        checked(sql)
    except ToolError as error:
        if error.kind == "not_allowed" and sql.strip() and not sql.startswith("--"):
            raise ValueError("no") from error
        raise
    return answer(sql, max_rows)


def empty_crashes(sql, max_rows=50):
    first = sql.replace("-- nothing at all", "").split()[0]
    checked(sql)
    return {**answer(sql, max_rows), "first": first}


def not_capped(sql, max_rows=50):
    checked(sql)
    return answer(sql, max_rows + 1 if max_rows == 5 else max_rows)


def with_is_fine(sql, max_rows=50):
    if not sql.startswith("WITH x AS (SELECT 1"):
        checked(sql)
    return answer(sql, max_rows)


def explain_is_fine(sql, max_rows=50):
    if not sql.startswith("EXPLAIN"):
        checked(sql)
    return answer(sql, max_rows)


def silently(sql, max_rows=50):
    checked(sql)
    value = answer(sql, max_rows)
    value.pop("truncated", None)
    return value


def always_truncated(sql, max_rows=50):
    checked(sql)
    value = answer(sql, max_rows)
    return {**value, "truncated": value["row_count"] == max_rows}


def wrong_default(sql, max_rows=20):
    checked(sql)
    return answer(sql, max_rows)


def total_count(sql, max_rows=50):
    checked(sql)
    value = answer(sql, max_rows)
    return {**value, "row_count": value["row_count"] + bool(value.get("truncated"))}


def everything(sql, max_rows=50):
    checked(sql)
    try:
        result = engine.execute(sql)
        rows = result.fetchall()
    except duckdb.Error as error:
        raise ToolError("failed", str(error).splitlines()[0]) from error
    cut = rows[:max_rows]
    value = {"columns": result.columns, "rows": cut, "row_count": len(cut)}
    return {**value, "truncated": True} if len(rows) > max_rows else value


def engine_error(sql, max_rows=50):
    checked(sql)
    result = engine.execute(sql)
    rows = result.fetchmany(max_rows + 1)
    value = {"columns": result.columns, "rows": rows[:max_rows], "row_count": len(rows[:max_rows])}
    return {**value, "truncated": True} if len(rows) > max_rows else value


def parse_error(sql, max_rows=50):
    sqlglot.parse(sql, read="duckdb")
    checked(sql)
    return answer(sql, max_rows)


def no_reason(sql, max_rows=50):
    checked(sql)
    try:
        return answer(sql, max_rows)
    except ToolError as error:
        raise ToolError("failed", "That did not work.") from error


def hidden(sql, max_rows=50):
    checked(sql)
    try:
        return answer(sql, max_rows)
    except ToolError:
        return {"columns": [], "rows": [], "row_count": 0}


def own_limit(sql, max_rows=50):
    checked(sql)
    return answer(f"{sql.partition('--')[0].rstrip('; ')} LIMIT {max_rows + 1}", max_rows)


WRONG = {
    "not_written": stub,
    "sql_changed": own_limit,
    "signature": one_argument,
    "writes": no_guard,
    "not_a_dict": a_list,
    "key_missing": no_count,
    "other_database": elsewhere,
    "refuses_words": words,
    "refuses_semicolon": no_semicolon,
    "refuses_with": no_cte_names,
    "refuses_union": guard(only=(exp.Select, exp.Subquery)),
    "refuses_case": exact_case,
    "several_statements": first_only,
    "cte_writes": with_is_fine,
    "cte_writes inside": guard(forbid=(exp.Into, exp.Lock)),
    "select_into": guard(forbid=(exp.DML, exp.Lock), extra=("mine",)),
    "for_update": guard(forbid=(exp.DML, exp.Into)),
    "explain_runs": explain_is_fine,
    "settings": guard(only=(exp.Query, exp.Column)),
    "files": guard(tables=False),
    "refusal_returned": refusal_as_value,
    "wrong_error unknown_table_escapes": value_error,
    "empty": empty_crashes,
    "not_capped": not_capped,
    "cut_silently": silently,
    "cut_claimed": always_truncated,
    "default_wrong": wrong_default,
    "count_wrong": total_count,
    "reads_everything": everything,
    "engine_error_escapes": engine_error,
    "parse_error_escapes": parse_error,
    "unhelpful_error": no_reason,
    "error_hidden": hidden,
}


def right_with_the_harness(sql, max_rows=50):
    check_select(sql)
    return answer(sql, max_rows)


def right_with_a_limit(sql, max_rows=50):
    checked(sql)
    tree = sqlglot.parse_one(sql, read="duckdb")
    wrapped = f"SELECT * FROM ({tree.sql('duckdb', comments=False)}) AS t LIMIT {max_rows + 1}"
    try:
        result = engine.execute(wrapped)
        rows = result.fetchall()
    except duckdb.Error as error:
        raise ToolError("failed", first_lines(error)) from error
    more = len(rows) > max_rows
    rows = [tuple(row) for row in rows[:max_rows]]
    return {
        "status": "ok",
        "columns": result.columns,
        "rows": rows,
        "row_count": len(rows),
        "truncated": more,
    }


def right_node_by_node(sql, max_rows=50):
    try:
        trees = [t for t in sqlglot.parse(sql, dialect="duckdb") if t]
    except sqlglot.errors.SqlglotError as error:
        raise ToolError("failed", "no SQL", "write SQL") from error
    trees = [t for t in trees if type(t).__name__ != "Semicolon"]
    if len(trees) != 1 or not isinstance(trees[0], (exp.Select, exp.SetOperation, exp.Subquery)):
        raise ToolError("not_allowed", "one reading statement", "send a SELECT")
    names = {cte.alias.lower() for cte in trees[0].find_all(exp.CTE)}
    for node in trees[0].walk():
        if isinstance(node, (exp.Delete, exp.Insert, exp.Update, exp.Merge, exp.Into, exp.Lock)):
            raise ToolError("not_allowed", "it writes", "send a SELECT")
        if isinstance(node, exp.Table):
            plain = isinstance(node.this, exp.Identifier)
            if not plain or node.name.lower() not in {*engine.tables, *names}:
                near = difflib.get_close_matches(node.name, engine.tables, 1, 0)
                raise ToolError("not_allowed", f"no table {node.name}", f"is it {near}?")
    return answer(sql, max_rows)


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_guard_gets_its_finding_and_no_other(title):
    report = evaluate("run_sql", WRONG[title])
    expected = [word for word in title.split() if word != "inside"]
    assert report.codes == expected, str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


@pytest.mark.parametrize(
    "fn", [guard(), right_with_the_harness, right_with_a_limit, right_node_by_node]
)
def test_a_right_guard_passes_however_it_is_written(fn):
    report = evaluate("run_sql", fn)
    assert report.passed and report.owner == "yours", str(report)


def test_ours_passes_and_is_called_ours():
    report = evaluate("run_sql", run_sql)
    assert report.passed and report.owner == "ours", str(report)


def test_every_hostile_statement_does_something_that_is_noticed():
    """Each is let through alone; a statement that no check could see would be no check."""
    report = evaluate("run_sql", no_guard)
    assert report.codes == ["writes"]
    assert all(statements for statements, _, _ in HOSTILE.values())
    assert all(statements for statements, _ in HARMLESS.values())


def test_the_harness_refuses_and_allows_the_same():
    for statements, _, _ in HOSTILE.values():
        for sql in statements:
            with pytest.raises(ToolError):
                check_select(sql)
    for statements, _ in HARMLESS.values():
        for sql in statements:
            check_select(sql)
