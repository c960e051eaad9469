"""The first wall around run_sql: only a statement that reads gets to the database.

The tree is sqlglot's, of the text as the model wrote it, in the dialect of the database; nothing is
rewritten. The second wall is the engine: its own parser's word for the statement, and a connection
that can't write.
"""

import itertools
import logging
import re

import sqlglot
from sqlglot import exp
from sqlglot.tokens import TokenType

from harness.databases.sql_errors import dialect_hints
from harness.errors import ToolError

# It warns on stderr about statements that it keeps as text; those are refused here anyway.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

MAX_SQL_CHARS = 50_000
_READS = (exp.Query, exp.Values, exp.Describe, exp.Summarize, exp.Show, exp.Pivot)
_NEVER_NAMES = """
    Insert Update Delete Merge Create Drop Alter TruncateTable Command Copy Set Pragma Attach Detach
    Use Transaction Commit Rollback Export Install Load LoadData Comment Kill Cache Uncache Refresh
    Analyze Grant Revoke Execute Into Lock
"""
_NEVER = tuple(getattr(exp, name) for name in _NEVER_NAMES.split() if hasattr(exp, name))


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Table functions that read nothing but their arguments or the names in the catalogue.
_TABLE_FUNCTIONS = _names("""
    unnest range generate_series explode explodinggenerateseries generateseries json_each json_tree
    repeat repeat_row duckdb_tables duckdb_columns duckdb_constraints duckdb_views duckdb_functions
    pragma_table_info regexp_split_to_table flatten json_table xmltable table generate_subscripts
    histogram_values
""")
_CATALOGUE_VIEWS = _names("duckdb_tables duckdb_columns duckdb_constraints duckdb_views")
_CLOSED_FUNCTIONS = _names("""
    nextval setval currval setseed sleep_ms pg_sleep sleep current_setting set_config getenv glob
    query query_table which_secret checkpoint force_checkpoint json_execute_serialized_sql
    current_query seq_scan txid_current current_transaction_id current_connection_id
    current_query_id inet_server_addr inet_client_addr httpuritype xmlquery stats
""")
_CLOSED_PREFIXES = tuple(sorted(_names("""
    read_ sniff_ parquet_ duckdb_ pragma_ write_ enable_ disable_ arrow_scan pandas_scan python_
    copy_ import_ export_ add_parquet register_ deregister_ create_ destroy_ truncate_ load_
    dbms_ utl_ owa_ apex_ sys_context lo_ pg_read pg_ls pg_terminate pg_cancel test_
""")))  # fmt: skip
_PACKAGES = ("dbms_", "utl_", "owa_", "apex_")
_CLOSED_SCHEMAS = _names("pg_catalog system temp sys")
_CLOSED_TABLES = re.compile(r"^(duckdb_|pragma_|pg_|v\$|dba_|sqlite_temp)", re.IGNORECASE)
_COLUMNS_OF = {"duckdb": "information_schema.columns", "oracle": "all_tab_columns"}
_FILE_NAME = re.compile(r"[/\\:*?]|\.[A-Za-z]\w*$")
_OPERANDS = (TokenType.NUMBER, TokenType.R_PAREN, TokenType.VAR, TokenType.IDENTIFIER)
_FIRST_WORDS = _names("SELECT WITH VALUES FROM TABLE PIVOT UNPIVOT DESCRIBE SUMMARIZE EXPLAIN")
_SHOW_HINT = "DESCRIBE name is about a table, SHOW TABLES lists them."
_HINT = "Nothing was run. Send a single SELECT, WITH ... SELECT or VALUES."


def check_select(sql: str, dialect: str = "duckdb") -> None:
    """Let one reading statement pass. Raises ToolError ("not_allowed" or "bad_arguments")."""
    if not sql.strip():
        raise ToolError("bad_arguments", "sql is empty.", "Send a SELECT.")
    if len(sql) > MAX_SQL_CHARS:
        raise ToolError(
            "bad_arguments",
            f"sql has {len(sql)} characters, more than {MAX_SQL_CHARS}.",
            "Join or filter on tables instead of pasting values.",
        )
    tree = _one_statement(sql, dialect)
    if isinstance(tree, exp.Command) and str(tree.this).upper() == "EXPLAIN":
        sql = _explained(tree)
        tree = _one_statement(sql, dialect)
    if not isinstance(tree, _READS):
        raise _refused(f"it starts with {_first_word(sql)}")
    _check_tree(tree, dialect)


def _one_statement(sql: str, dialect: str) -> exp.Expr:
    try:
        parsed = sqlglot.parse(_without_factorials(sql, dialect), read=dialect)
    except Exception as error:  # IndexError too: the parser stumbles over some endings
        if _first_word(sql) not in _FIRST_WORDS and not sql.lstrip().startswith("("):
            raise _refused(f"it starts with {_first_word(sql)}") from error
        name = "Oracle" if dialect == "oracle" else "DuckDB"
        words = dialect_hints(sql, name)
        hint = f"This database speaks {name}: {words}." if words else "Correct it and call again."
        raise ToolError("failed", _syntax(error), hint) from error
    statements = [each for each in parsed if each is not None and not _is_nothing(each)]
    if len(statements) != 1:
        what = f"there are {len(statements)} statements" if statements else "there is none"
        raise _refused(what)
    return statements[0]


def _without_factorials(sql: str, dialect: str) -> str:
    """The text with DuckDB's `5!` as `5 `: sqlglot knows no operator behind its operand."""
    if "!" not in sql or dialect != "duckdb":
        return sql
    tokens = sqlglot.tokenize(sql, read=dialect)
    letters = list(sql)
    for before, token in itertools.pairwise(tokens):
        if token.text == "!" and before.token_type in _OPERANDS:
            letters[token.start] = " "
    return "".join(letters)


def _is_nothing(node: exp.Expr) -> bool:
    return isinstance(node, exp.Semicolon)


def _explained(tree: exp.Expr) -> str:
    rest = tree.args.get("expression")
    text = str(rest.this if isinstance(rest, exp.Literal) else rest or "").strip()
    if re.match(r"(ANALYZE\b|ANALYSE\b|\()", text, re.IGNORECASE):
        raise _refused("EXPLAIN ANALYZE runs what it explains")
    return text


def _check_tree(tree: exp.Expr, dialect: str) -> None:
    for node in tree.walk():
        if isinstance(node, _NEVER):
            raise _refused(f"it contains {_words(node)}")
        if isinstance(node, exp.Table):
            _check_table(node, dialect)
        elif isinstance(node, exp.Show):
            if node.name.upper() not in ("TABLES", "ALL TABLES"):
                raise _refused(f"SHOW {node.name} is not about the data")
        elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Func):
            _check_table_function(node.this)
        elif isinstance(node, exp.Func):
            _check_function(node)
        elif dialect == "oracle" and isinstance(node, exp.Column | exp.Dot):
            _check_dotted(_parts_of(node))
        elif isinstance(node, exp.Summarize) and isinstance(node.this, exp.Literal):
            _check_table(exp.Table(this=exp.to_identifier(node.this.name, quoted=True)), dialect)


def _check_table(node: exp.Table, dialect: str) -> None:
    if isinstance(node.this, exp.Func):
        _check_table_function(node.this)
        return
    name, schema = node.name, node.db.lower()
    if not schema and _is_of_with(node):
        return
    if _FILE_NAME.search(name) or _FILE_NAME.search(node.db):
        raise _refused("files can't be read as tables")
    if schema in _CLOSED_SCHEMAS or (
        _CLOSED_TABLES.match(name) and name.lower() not in _CATALOGUE_VIEWS
    ):
        raise ToolError(
            "not_allowed",
            f"run_sql does not read {schema + '.' if schema else ''}{name}.",
            f"What tables and columns there are is in {_COLUMNS_OF[dialect]}.",
        )


def _is_of_with(node: exp.Table) -> bool:
    """Whether a table's name is one that a WITH around it gives: no file, whatever it looks like.

    A part of a WITH sees those before it, and itself only where the WITH is recursive.
    """
    within: exp.CTE | None = None
    parent = node.parent
    while parent is not None:
        if isinstance(parent, exp.CTE):
            within = parent
        found = parent.args.get("with_")
        if found is not None and node.name.lower() in _seen_from(found, within):
            return True
        parent = parent.parent
    return False


def _seen_from(found: exp.Expr, within: exp.CTE | None) -> set[str]:
    """The names of a WITH that can be used behind it, or within one of its parts."""
    names: set[str] = set()
    for part in found.expressions:
        if part is not within or found.args.get("recursive"):
            names.add(part.alias.lower())
        if part is within:
            break
    return names


def _check_table_function(node: exp.Func) -> None:
    names = _names_of(node)
    if not names & _TABLE_FUNCTIONS:
        raise _refused(f"{sorted(names)[0].upper()} is not a table of the data")


def _check_function(node: exp.Func) -> None:
    for name in sorted(_names_of(node)):
        if name in _TABLE_FUNCTIONS:
            return
        if name in _CLOSED_FUNCTIONS or name.startswith(_CLOSED_PREFIXES):
            raise _refused(f"{name.upper()} does more than compute a value")


def _parts_of(node: exp.Expr) -> list[str]:
    if isinstance(node, exp.Dot):
        return [*_parts_of(node.this), node.expression.name.lower()]
    if isinstance(node, exp.Column):
        return [part.name.lower() for part in node.parts]
    return [node.name.lower()]


def _check_dotted(parts: list[str]) -> None:
    """A name with dots: Oracle's packages and sequences look like columns."""
    packages = [each for each in parts[:-1] if each.startswith(_PACKAGES) or each == "sys"]
    if packages or (len(parts) > 1 and parts[-1] == "nextval"):
        raise _refused(f"{'.'.join(parts).upper()} does more than compute a value")


def _names_of(node: exp.Func) -> set[str]:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return {str(node.this).lower().strip('"')}
    return {name.lower() for name in node.sql_names()}


def _refused(why: str) -> ToolError:
    hint = f"{_HINT} {_SHOW_HINT}" if "SHOW" in why else _HINT
    return ToolError("not_allowed", f"run_sql only reads, one statement at a time: {why}.", hint)


def _words(node: exp.Expr) -> str:
    special = {"Into": "SELECT ... INTO", "Lock": "FOR UPDATE", "TruncateTable": "TRUNCATE"}
    return special.get(type(node).__name__, type(node).__name__.upper())


def _first_word(sql: str) -> str:
    bare = re.sub(r"--[^\n]*|/\*.*?\*/", " ", sql, flags=re.DOTALL).split()
    return bare[0].upper()[:20] if bare else "nothing"


def _syntax(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "The SQL is nested too deeply."
    details = getattr(error, "errors", None) or [{}]
    first = details[0]
    where = f" at line {first['line']}, near {first['highlight']!r}" if first.get("line") else ""
    if "Required argument" in str(first.get("description")):
        return f"A function lacks an argument{where}."
    return f"The SQL can't be parsed{where}."
