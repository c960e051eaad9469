"""What `run_sql` is sent: hostile statements, harmless ones that look like them, broken ones."""

# code -> statements that must be refused, what is wrong with them, and what to look at
HOSTILE: dict[str, tuple[tuple[str, ...], str, str]] = {
    "writes": (
        (
            "DROP TABLE voyages",
            "DELETE FROM voyages WHERE voyage_id = 9001",
            "/* tidy up */ UPDATE voyages SET delay_hours = 0",
            "CREATE TABLE mine AS SELECT * FROM voyages",
            "TRUNCATE voyages",
        ),
        "a statement that changes the data",
        "Look at the type of the tree: only an exp.Query reads.",
    ),
    "several_statements": (
        (
            "SELECT name FROM carriers; DROP TABLE voyages",
            "COMMIT; DROP TABLE voyages; SELECT 1",
            "SELECT 1; SELECT 2",
        ),
        "several statements in one text",
        "sqlglot.parse gives them all, parse_one does not: exactly one may be left.",
    ),
    "cte_writes": (
        (
            "WITH x AS (SELECT 1 AS a) DELETE FROM voyages",
            "WITH x AS (DELETE FROM voyages RETURNING voyage_id) SELECT * FROM x",
            "WITH a AS (SELECT 1 AS n), b AS (UPDATE voyages SET delay_hours = 0 RETURNING "
            "voyage_id) SELECT * FROM a, b",
            "WITH x AS (MERGE INTO voyages USING carriers ON TRUE WHEN MATCHED THEN DELETE "
            "RETURNING voyage_id) SELECT * FROM x",
            "SELECT * FROM (WITH x AS (INSERT INTO carriers VALUES (1, 'a') RETURNING name) "
            "SELECT * FROM x) AS y",
        ),
        "a write that begins with WITH or hides in it",
        "Search the whole tree: tree.find(exp.DML).",
    ),
    "select_into": (
        ("SELECT * INTO mine FROM voyages", "SELECT * INTO carriers FROM voyages"),
        "SELECT ... INTO, which makes a table",
        "The tree is a Select, with an exp.Into in it.",
    ),
    "for_update": (
        ("SELECT * FROM voyages FOR UPDATE",),
        "SELECT ... FOR UPDATE, which locks rows",
        "The tree is a Select, with an exp.Lock in it.",
    ),
    "explain_runs": (
        ("EXPLAIN ANALYZE DELETE FROM voyages",),
        "EXPLAIN ANALYZE, which runs what it explains",
        "sqlglot keeps it as a Command: not an exp.Query.",
    ),
    "settings": (
        (
            "SET threads = 2",
            "PRAGMA database_list",
            "ATTACH ':memory:' AS other",
            "CHECKPOINT",
            "CALL duckdb_settings()",
            "BEGIN",
        ),
        "a statement about the engine itself",
        "Don't list what is forbidden; ask for what is allowed: an exp.Query.",
    ),
    "files": (
        (
            "SELECT * FROM read_text('/etc/passwd')",
            "SELECT * FROM '/etc/passwd'",
            "SELECT * FROM \"read_csv\"('export.csv')",
            "WITH x AS (SELECT * FROM glob('*')) SELECT * FROM x",
            # Before and behind a table that may be read, and in every corner of a query.
            "SELECT * FROM 'notes.csv' AS f, carriers",
            "SELECT * FROM carriers, 'notes.csv' AS f",
            "SELECT name FROM carriers UNION SELECT f.* FROM 'notes.csv' AS f",
            "SELECT name FROM carriers WHERE EXISTS (SELECT * FROM 'notes.csv')",
            # A name that the query gives is no table, unless WITH gives it.
            "SELECT f.* FROM carriers AS \"notes.csv\", 'notes.csv' AS f",
            "SELECT f.* FROM (SELECT 1 AS one) AS \"notes.csv\", 'notes.csv' AS f",
        ),
        "a query that reads files",
        "Every exp.Table of the tree must be one of engine.tables, or a name from WITH.",
    ),
    "other_tables": (
        (
            "SELECT * FROM pg_catalog.pg_class",
            "SELECT name FROM carriers UNION SELECT relname FROM pg_catalog.pg_class",
        ),
        "a query of tables that are not the data's",
        "Don't list what is forbidden: allow engine.tables, and the names from WITH.",
    ),
}

# code -> statements that must run, and what a guard may have stumbled over
HARMLESS: dict[str, tuple[tuple[str, ...], str]] = {
    "refuses_words": (
        (
            "SELECT 'DROP TABLE x' AS words, name FROM carriers ORDER BY carrier_id",
            "SELECT MAX(update_ts) AS newest FROM voyages",
            "/* delete nothing */ SELECT REPLACE(name, 'Line', 'L') AS n FROM carriers ORDER BY n",
        ),
        "Words in strings, names and comments do nothing. Look at the tree, not at the text.",
    ),
    "refuses_semicolon": (
        (
            "SELECT name FROM carriers ORDER BY carrier_id;",
            "SELECT name FROM carriers ORDER BY carrier_id; -- that's all",
            "SELECT name FROM carriers ORDER BY carrier_id;;",
        ),
        "Leave None and exp.Semicolon out before you count the statements.",
    ),
    "refuses_with": (
        (
            "WITH late AS (SELECT 1 FROM voyages WHERE delay_hours > 99) SELECT COUNT(*) FROM late",
            "WITH a AS (WITH b AS (SELECT name FROM carriers) SELECT * FROM b) "
            "SELECT COUNT(*) AS n FROM a",
            "WITH Late AS (SELECT 1 FROM voyages WHERE delay_hours > 99) SELECT COUNT(*) FROM late",
        ),
        "A name from WITH is a table too, in any letters: {cte.alias.lower() for cte in "
        "tree.find_all(exp.CTE)}.",
    ),
    "refuses_union": (
        (
            "SELECT name FROM carriers UNION SELECT status FROM voyages ORDER BY 1",
            "SELECT name FROM carriers EXCEPT SELECT status FROM voyages ORDER BY 1",
        ),
        "A union is not an exp.Select; both are an exp.Query.",
    ),
    "refuses_parenthesis": (
        ("(SELECT name FROM carriers ORDER BY 1)",),
        "A SELECT in parentheses is an exp.Subquery; exp.Query is what all of them are.",
    ),
    "refuses_alias": (
        (
            "SELECT c.name, v.status FROM voyages v JOIN carriers AS c USING (carrier_id) "
            "WHERE v.voyage_id < 9004 ORDER BY v.voyage_id",
        ),
        "table.name is the table's own name, whatever it is called in the query.",
    ),
    "refuses_dialect": (
        ("FROM carriers SELECT name ORDER BY carrier_id", "SELECT 7 // 2 AS half"),
        "It is DuckDB's SQL: parse it with read='duckdb', and run the text as it came.",
    ),
    "refuses_limit": (
        (
            "SELECT name FROM carriers ORDER BY carrier_id LIMIT 3",
            "SELECT name FROM carriers ORDER BY carrier_id FETCH FIRST 3 ROWS ONLY",
        ),
        "Run the text as it came, and fetch max_rows + 1: it may have a LIMIT of its own.",
    ),
    "refuses_case": (
        (
            "select name from carriers order by carrier_id",
            "SELECT NAME FROM SupplyChain.Carriers ORDER BY carrier_id",
        ),
        "Compare names in lower case.",
    ),
}

# what is sent, code where another error escapes, the kind that it should have ("": either)
BROKEN: tuple[tuple[str, str, str], ...] = (
    ("SELECT delai_hours FROM voyages", "engine_error_escapes", ""),
    ("SELECT name FRM carriers WHERE", "parse_error_escapes", "failed"),
    ("SELECT 'an open quote FROM carriers", "parse_error_escapes", "failed"),
    ("SELECT no_such_function(name) FROM carriers", "engine_error_escapes", ""),
    ("SELECT CAST(name AS INTEGER) FROM carriers", "engine_error_escapes", ""),
    # The engine works while it is read: this one fails behind thousands of rows.
    (
        "SELECT CAST(CASE WHEN a.voyage_id < 9009 AND b.voyage_id < 9009 THEN a.status ELSE '1' "
        "END AS INTEGER) FROM voyages a, voyages b",
        "engine_error_escapes",
        "",
    ),
    ("SELECT * FROM voyagez", "unknown_table_escapes", ""),
    ("SELECT 1; SELECT 2", "wrong_error", "not_allowed"),
    ("CREATE TABLE mine (a INTEGER)", "wrong_error", "not_allowed"),
)
