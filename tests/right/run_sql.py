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
    "a refusal is a function": """
def run_sql(sql, max_rows=50):
    def no(kind, what, instead="Send one SELECT over the tables."):
        raise ToolError(kind, what, instead)

    try:
        found = sqlglot.parse(sql, read="duckdb")
    except sqlglot.errors.SqlglotError as fault:
        no("failed", f"This is no SQL: {str(fault)[:150]}")
    found = [each for each in found if each and type(each) is not exp.Semicolon]
    if [isinstance(each, exp.Query) for each in found] != [True]:
        no("not_allowed", "Exactly one query, and nothing beside it.")
    for node in found[0].walk():
        if isinstance(node, (exp.DML, exp.Into, exp.Lock)):
            no("not_allowed", f"{type(node).__name__} writes or locks.")
    known = {*map(str.lower, engine.tables)}
    given = {cte.alias.casefold() for cte in found[0].find_all(exp.CTE)}
    strangers = [t.name for t in found[0].find_all(exp.Table) if t.name.lower() not in known | given]
    if strangers:
        no("not_allowed", f"No table is called {strangers[0]!r}.", f"Near: {nearest(strangers[0], sorted(known))}")
    try:
        result = engine.execute(sql)
        rows = result.fetchmany(max_rows + 1)
    except duckdb.Error as fault:
        no("failed", str(fault).split("LINE 1")[0].strip())
    answer = {"columns": result.columns, "rows": rows[:max_rows]}
    answer["row_count"] = len(answer["rows"])
    if len(rows) > max_rows:
        answer["truncated"] = True
    return answer
""",
    "a list of rules": """
_RULES = [
    (lambda tree: not isinstance(tree, exp.Query), "Only a query reads."),
    (lambda tree: tree.find(exp.DML), "Something in it writes."),
    (lambda tree: tree.find(exp.Into), "INTO makes a table."),
    (lambda tree: tree.find(exp.Lock), "FOR UPDATE locks rows."),
]

def run_sql(sql, max_rows=50):
    try:
        trees = [t for t in sqlglot.parse(sql, read="duckdb") if t is not None]
        trees = [t for t in trees if not isinstance(t, exp.Semicolon)]
    except (sqlglot.errors.ParseError, sqlglot.errors.TokenError) as error:
        raise ToolError("failed", "It can't be parsed: " + str(error).split(chr(10))[0], "Mend it.") from None
    if len(trees) != 1:
        raise ToolError("not_allowed", f"These are {len(trees)} statements.", "Send one.")
    for broken, why in _RULES:
        if broken(trees[0]):
            raise ToolError("not_allowed", why, "Send one SELECT.")
    allowed = [t.lower() for t in engine.tables] + [c.alias.lower() for c in trees[0].find_all(exp.CTE)]
    for name in (t.name.lower() for t in trees[0].find_all(exp.Table)):
        if name not in allowed:
            raise ToolError("not_allowed", f"{name!r} is not here.", " or ".join(nearest(name, allowed)) or "See the catalogue.")
    try:
        got = engine.execute(sql)
        first, rest = got.fetchmany(max_rows), got.fetchmany(1)
    except duckdb.Error as error:
        raise ToolError("failed", str(error).partition("LINE 1")[0], "Mend the SQL.") from error
    return {"columns": got.columns, "rows": first, "row_count": len(first), **({"truncated": True} if rest else {})}
""",
    "walks the tree once, with match": """
def _parsed(sql):
    try:
        for tree in sqlglot.parse(sql, read="duckdb"):
            match tree:
                case None | exp.Semicolon():
                    continue
                case _:
                    yield tree
    except sqlglot.errors.SqlglotError as error:
        raise ToolError("failed", f"Not SQL: {str(error)[:120]}", "Send one SELECT.") from None


def run_sql(sql: str, max_rows: int = 50) -> dict:
    trees = list(_parsed(sql))
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise ToolError("not_allowed", "Only one query may be sent.", "Send one SELECT.")
    tables, given = [], {name.lower() for name in engine.tables}
    for node in trees[0].walk():
        match node:
            case exp.DML() | exp.Into() | exp.Lock():
                raise ToolError("not_allowed", "It would change or lock something.", "Read only.")
            case exp.CTE():
                given.add(node.alias.lower())
            case exp.Table():
                tables.append(node.name)
    for name in tables:
        if name.lower() not in given:
            hint = "Nearest: " + (", ".join(nearest(name, sorted(engine.tables))) or "nothing")
            raise ToolError("not_allowed", f"{name!r} is not a table here.", hint)
    try:
        result = engine.execute(sql)
        head, more = result.fetchmany(max_rows), result.fetchmany(1)
    except duckdb.Error as error:
        raise ToolError("failed", str(error).split("LINE 1")[0].strip(), "Mend it, and send it again.") from error
    answer = {"columns": result.columns, "rows": head, "row_count": len(head)}
    return {**answer, "truncated": True} if more else answer
""",
    "a decorator that turns errors into refusals": """
import functools


def _refusing(fn):
    @functools.wraps(fn)
    def guarded(sql, max_rows=50):
        try:
            return fn(sql, max_rows)
        except sqlglot.errors.SqlglotError as error:
            raise ToolError("failed", "It can't be parsed. " + str(error)[:100], "Look at the syntax.") from error
        except duckdb.Error as error:
            said = [line for line in str(error).splitlines() if not line.startswith("LINE") and "^" not in line]
            raise ToolError("failed", " ".join(" ".join(said).split()), "Look at names and types.") from error

    return guarded


def _no(why, instead="Send one SELECT over the tables that there are."):
    raise ToolError("not_allowed", why, instead)


@_refusing
def run_sql(sql, max_rows=50):
    trees = list(filter(lambda t: t is not None and not isinstance(t, exp.Semicolon), sqlglot.parse(sql, read="duckdb")))
    if [isinstance(tree, exp.Query) for tree in trees] != [True]:
        _no("One query, please.")
    if any(trees[0].find(kind) for kind in (exp.DML, exp.Into, exp.Lock)):
        _no("A query that only reads, please.")
    names = sorted(engine.tables, key=str.lower)
    known = set(map(str.lower, names)).union(cte.alias.lower() for cte in trees[0].find_all(exp.CTE))
    unknown = [t.name for t in trees[0].find_all(exp.Table) if t.name.lower() not in known]
    if unknown:
        _no(f"There is no {unknown[0]!r}.", f"Perhaps {' or '.join(nearest(unknown[0], names))}.")
    result = engine.execute(sql)
    rows = result.fetchmany(max_rows + 1)
    extra = {"truncated": True} if rows[max_rows:] else {}
    return dict(columns=result.columns, rows=rows[:max_rows], row_count=len(rows[:max_rows]), **extra)
""",
}
