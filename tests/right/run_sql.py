# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `run_sql`."""

RIGHT = {
    "a class": """
class _Run:
    def __call__(self, sql: str, max_rows: int = 50) -> dict:
        tree = self.parsed(sql)
        self.reads(tree)
        self.known(tree)
        try:
            result = engine.execute(sql)
            rows = result.fetchmany(max_rows + 1)
        except duckdb.Error as error:
            raise ToolError("failed", " ".join(str(error).partition("LINE 1")[0].split()), "Mend the SQL.") from error
        more = len(rows) > max_rows
        answer = dict(columns=result.columns, rows=rows[:max_rows], row_count=min(len(rows), max_rows))
        return answer | ({"truncated": True} if more else {})

    def parsed(self, sql):
        try:
            trees = [t for t in sqlglot.parse(sql, read="duckdb") if t and not isinstance(t, exp.Semicolon)]
        except sqlglot.errors.SqlglotError as error:
            raise ToolError("failed", f"That can't be parsed: {error}"[:300], "Send one SELECT.") from error
        match trees:
            case [exp.Query() as only]:
                return only
        raise ToolError("not_allowed", "One SELECT, no more and nothing else.", "Send one SELECT.")

    def reads(self, tree):
        if next(tree.find_all(exp.DML, exp.Into, exp.Lock), None):
            raise ToolError("not_allowed", "This tool only reads.", "Send one SELECT.")

    def known(self, tree):
        names = {n.lower() for n in engine.tables}
        aliases = {c.alias.lower() for c in tree.find_all(exp.CTE)}
        for table in tree.find_all(exp.Table):
            if table.name.lower() not in names | aliases:
                near = nearest(table.name, sorted(names)) or sorted(names)
                raise ToolError("not_allowed", f"There is no table {table.name!r}.", f"Is it {', '.join(near)}?")


run_sql = _Run()
""",
}
