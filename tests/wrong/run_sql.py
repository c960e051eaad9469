# ruff: noqa: E501  (a line a version)
"""Wrong versions of `run_sql`."""

from tests.wrong import Wrong

_QUERY = "if len(statements) != 1 or not isinstance(statements[0], exp.Query):"
_COUNT = "result.fetchmany(max_rows + 1)"
_CAUSE = 'cause = " ".join(str(error).split("LINE 1")[0].split())'
_CLOSE = 'close = ", ".join(nearest(table.name, sorted(tables)) or sorted(tables))'

WRONG = [
    Wrong("at most `max_rows` rows", "not_capped", {"rows[:max_rows]": "rows"}),
    Wrong(
        "at most `max_rows` rows", "default_wrong", {"max_rows: int = 50": "max_rows: int = 100"}
    ),
    Wrong(
        "at most `max_rows` rows", "reads_everything", {_COUNT: "result.fetchall()[: max_rows + 1]"}
    ),
    Wrong(
        "Returns columns, rows and row_count",
        "count_wrong",
        {'"row_count": len(rows[:max_rows])': '"row_count": len(rows)'},
    ),
    Wrong(
        "Returns columns, rows and row_count",
        "key_missing",
        {', "row_count": len(rows[:max_rows])': ""},
    ),
    Wrong(
        "Returns columns, rows and row_count",
        "wrong_rows",
        {'"columns": result.columns': '"columns": sorted(result.columns)'},
    ),
    Wrong(
        '"truncated": True where there were more',
        "cut_silently",
        {'{**answer, "truncated": True} if len(rows) > max_rows else answer': "answer"},
    ),
    Wrong(
        '"truncated": True where there were more',
        "cut_claimed",
        {"if len(rows) > max_rows": "if len(rows) >= max_rows"},
    ),
    Wrong("before it is run", "writes", {_QUERY: "engine.execute(sql)\n    " + _QUERY}),
    Wrong(
        "Raises ToolError for anything else",
        "refusal_returned",
        {
            'raise ToolError("not_allowed", "run_sql reads, one statement at a time.", again)': 'return {"error": "run_sql reads, one statement at a time."}'
        },
    ),
    Wrong(
        "TODO 1",
        "parse_error_escapes",
        {"except sqlglot.errors.SqlglotError": "except sqlglot.errors.ParseError"},
    ),
    Wrong(
        "TODO 1",
        "kind_wrong",
        {'raise ToolError("failed", f"That': 'raise ToolError("not_allowed", f"That'},
    ),
    Wrong(
        "TODO 2",
        "kind_wrong",
        {'"not_allowed", "run_sql reads, one': '"failed", "run_sql reads, one'},
    ),
    Wrong("TODO 2", "several_statements", {"len(statements) != 1": "not statements"}),
    Wrong("TODO 2", "refuses_union", {"exp.Query)": "(exp.Select, exp.Subquery))"}),
    Wrong("TODO 2", "refuses_parenthesis", {"exp.Query)": "(exp.Select, exp.SetOperation))"}),
    Wrong("TODO 2", "refuses_semicolon", {" and not isinstance(s, exp.Semicolon)": ""}),
    Wrong("TODO 3", "cte_writes", {"exp.DML, exp.Into": "exp.Into"}),
    Wrong("TODO 3", "select_into", {"exp.DML, exp.Into": "exp.DML"}),
    Wrong("TODO 3", "for_update", {", exp.Lock)": ")"}),
    Wrong(
        "TODO 4",
        "files",
        {
            "if table.name.lower() not in known:": "if table.name and table.name.lower() not in known and '/' not in table.name:"
        },
    ),
    Wrong(
        "TODO 4", "refuses_with", {" | {cte.alias.lower() for cte in tree.find_all(exp.CTE)}": ""}
    ),
    Wrong(
        "TODO 4",
        "refuses_case",
        {"if table.name.lower() not in known:": "if table.name not in known:"},
    ),
    Wrong("TODO 4", "nearest_missing", {'f"Is it {close}?"': '"Look it up."'}),
    Wrong("name the nearest", "all_names", {_CLOSE: 'close = ", ".join(sorted(tables))'}),
    Wrong(
        "TODO 5", "engine_error_escapes", {"except duckdb.Error": "except duckdb.ParserException"}
    ),
    Wrong("TODO 5", "engine_quotes_sql", {_CAUSE: "cause = str(error)"}),
    Wrong("TODO 5", "unhelpful_error", {_CAUSE: 'cause = "The SQL is wrong."'}),
    Wrong(
        "Read the data with one SELECT",
        "other_database",
        {"result = engine.execute(sql)": "result = type(engine)().execute(sql)"},
    ),
    Wrong(
        "A duckdb.Error is a",
        "engine_error_escapes",
        {"except duckdb.Error": "except duckdb.BinderException"},
    ),
    Wrong("TODO 1", "refuses_dialect", {'read="duckdb"': 'read="mysql"'}),
    Wrong("TODO 5", "wrong_rows", {"engine.execute(sql)": "engine.execute(tree.sql())"}),
    Wrong(
        "TODO 4",
        "refuses_alias",
        {"table.name.lower() not in known": "table.sql().lower().split('.')[-1] not in known"},
    ),
    # To the letter.
    Wrong("Returns columns", "wrong_rows", {'"columns": result.columns': '"columns": [each.strip() for each in result.columns]'}),
    Wrong("Returns columns", "wrong_rows", {'"rows": rows[:max_rows]': '"rows": [[v.strip() if isinstance(v, str) else v for v in row] for row in rows[:max_rows]]'}),
    # In every corner of a query, in other letters, and with nothing between semicolons.
    Wrong("TODO 3", "cte_writes", {"writes := tree.find(exp.DML, exp.Into, exp.Lock)": "writes := next((f for c in tree.ctes[:1] if (f := c.find(exp.DML))), None) or tree.find(exp.Into, exp.Lock)"}),
    Wrong("TODO 2", "refuses_semicolon", {"if s is not None and not isinstance": "if not isinstance"}),
    Wrong("TODO 4", "refuses_with", {"cte.alias.lower()": "cte.alias"}),
    Wrong("TODO 4", "files", {"tree.find_all(exp.CTE)": "tree.find_all(exp.CTE, exp.Subquery)"}),
    Wrong("TODO 4", "files", {"in tree.find_all(exp.Table):": "in list(tree.find_all(exp.Table))[-1:]:"}),
    Wrong("TODO 4", "files", {"in tree.find_all(exp.Table):": "in (tree.find_all(exp.Table) if isinstance(tree, exp.Select) else ()):"}),
    Wrong("TODO 4", "other_tables", {"if table.name.lower() not in known:": "if table.name.lower() not in known and not table.db:"}),
    Wrong("TODO 4", "other_tables", {"if table.name.lower() not in known:": "if table.name.lower() not in known and not re.match(r'pg_\\w+$', table.name):", "    again = ": "    import re\n    again = "}),
    Wrong("TODO 5", "sql_changed", {"engine.execute(sql)": "engine.execute(f'{sql} LIMIT {max_rows + 1}')"}),
    Wrong("TODO 5", "remembers", {"        result = engine.execute(sql)\n        rows = result.fetchmany(max_rows + 1)\n": "        kept = run_sql.__dict__.setdefault('kept', {})\n        if sql not in kept:\n            result = engine.execute(sql)\n            kept[sql] = result, result.fetchmany(max_rows + 1)\n        result, rows = kept[sql]\n"}),
    # Written from the text alone, and what passed before.
    Wrong("at most `max_rows` rows", "not_capped", {"rows = result.fetchmany(max_rows + 1)": "max_rows = max_rows or 50\n        rows = result.fetchmany(max_rows + 1)"}),
    Wrong("TODO 3", "cte_writes", {"exp.DML,": "exp.Insert, exp.Update, exp.Delete,"}),
    Wrong("A duckdb.Error is a", "engine_error_escapes", {"        rows = result.fetchmany(max_rows + 1)\n": "", "    answer = {": "    rows = result.fetchmany(max_rows + 1)\n    answer = {"}),
]  # fmt: skip
