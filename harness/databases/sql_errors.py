"""What to tell a model whose SQL the database refused: the cause, and what to write instead.

The engine's text is not passed on as it is: it may name files. What is passed on is its first
line, the nearest names that do exist, and the usual word where the SQL speaks another dialect.
"""

import difflib
import re

from harness.errors import ToolError

_MISSING_COLUMN = re.compile(
    r'Referenced column "(?P<name>[^"]+)"'
    r'|does not have a column named "(?P<name2>[^"]+)"'
    r'|Referenced table "(?P<alias>[^"]+)"'
    r'|ORA-00904: (?:"[^"]+"\.)*"(?P<name3>[^"]+)": invalid identifier'
)
_MISSING_TABLE = re.compile(
    r"Table with name (?P<name>.+?) does not exist"
    r'|ORA-00942: table or view (?:"[^"]+"\.)?(?P<name2>"[^"]+")? ?does not exist'
)
_MISSING_FUNCTION = re.compile(r"Function with name (?P<name>\S+) does not exist")
_MISSING_RIGHT = re.compile(r"ORA-41900: missing (?P<right>[A-Z ]+) privilege on (?P<name>[^\s]+)")
_ENGINE_CODE = re.compile(r"^(?:ORA|PLS)-\d{5}: ")
_PATH = re.compile(r"""(?<![\w.])(?:[A-Za-z]:\\|~?/)[\w.~-][^\s"',;)]*""")

# A word of another dialect, as the SQL has it -> what DuckDB has for it.
_FOR_DUCKDB = {
    r"\bNVL\s*\(": "NVL(a, b) is COALESCE(a, b)",
    r"\bNVL2\s*\(": "NVL2(a, b, c) is CASE WHEN a IS NOT NULL THEN b ELSE c END",
    r"\bISNULL\s*\(": "ISNULL(a, b) is COALESCE(a, b)",
    r"\bROWNUM\b": "ROWNUM <= n is FETCH FIRST n ROWS ONLY at the end",
    r"\bTOP\s+\(?\d": "TOP n is FETCH FIRST n ROWS ONLY at the end",
    r"\bSYSDATE\b|\bSYSTIMESTAMP\b|\bGETDATE\s*\(": "the current time is CURRENT_TIMESTAMP, but "
    "this data is a snapshot: use the day that the comment of the table voyages states",
    r"\bDECODE\s*\(": "DECODE(a, b, c, d) is CASE a WHEN b THEN c ELSE d END",
    r"\(\s*\+\s*\)": "(+) is LEFT JOIN ... ON",
    r"\bTO_DATE\s*\(": "TO_DATE('2026-01-31', ...) is DATE '2026-01-31'",
    r"\bTO_TIMESTAMP\s*\(\s*'": "TO_TIMESTAMP(text, ...) is TIMESTAMP '2026-01-31 12:00:00'",
    r"\bTO_CHAR\s*\(": "TO_CHAR(time, format) is STRFTIME(time, '%Y-%m-%d')",
    r"\bTO_NUMBER\s*\(": "TO_NUMBER(a) is CAST(a AS DOUBLE)",
    r"\bTRUNC\s*\(": "TRUNC(time) is DATE_TRUNC('day', time)",
    r"\bADD_MONTHS\s*\(": "ADD_MONTHS(d, n) is d + n * INTERVAL 1 MONTH",
    r"\bMONTHS_BETWEEN\s*\(": "MONTHS_BETWEEN(a, b) is DATE_DIFF('month', b, a)",
    r"\bDATEDIFF\s*\(|\bTIMESTAMPDIFF\s*\(": "the difference of times is DATE_DIFF('hour', a, b)",
    r"\bDATEADD\s*\(": "DATEADD is time + n * INTERVAL 1 DAY",
    r"\bLISTAGG\s*\(": "LISTAGG is STRING_AGG(a, ', ' ORDER BY a)",
    r"\bWM_CONCAT\s*\(|\bGROUP_CONCAT\s*\(.*SEPARATOR": "it is STRING_AGG(a, ', ' ORDER BY a)",
    r"\bMINUS\b": "MINUS is EXCEPT",
    r"\bCONNECT\s+BY\b": "CONNECT BY is WITH RECURSIVE",
    r"\bVARCHAR2\b|\bNUMBER\s*\(": "VARCHAR2 is VARCHAR, NUMBER is DECIMAL or DOUBLE",
    r"`": 'names are quoted with ", not with backquotes',
}
# The other way round.
_FOR_ORACLE = {
    r"\bLIMIT\s+\d": "LIMIT n is FETCH FIRST n ROWS ONLY at the end",
    r"::\s*\w": "a::type is CAST(a AS type)",
    r"\bILIKE\b": "a ILIKE b is LOWER(a) LIKE LOWER(b)",
    r"\bSTRFTIME\s*\(": "STRFTIME is TO_CHAR(time, 'YYYY-MM-DD')",
    r"\bDATE_TRUNC\s*\(": "DATE_TRUNC('month', d) is TRUNC(d, 'MM')",
    r"\bDATE_DIFF\s*\(": "a difference of times is a - b",
    r"\bSTRING_AGG\s*\(": "STRING_AGG is LISTAGG(a, ', ') WITHIN GROUP (ORDER BY a)",
    r"\bEXCEPT\b": "EXCEPT is MINUS",
    r"\bQUALIFY\b": "QUALIFY is a WHERE around a subquery",
    r"\bGROUP\s+BY\s+ALL\b": "GROUP BY ALL has to name its columns",
}
_GROUP = "Add the column to GROUP BY, or put an aggregate around it."
_MEMORY = "Filter or aggregate earlier; this query needs too much memory."
_ALIAS = "Write the table's alias before the column."
_RETRY = "Correct the SQL and call again."
# What engines say -> what helps.
_HINTS = {
    "must appear in the GROUP BY": _GROUP,
    "ORA-00979": _GROUP,
    "Out of Memory": _MEMORY,
    "ORA-04036": _MEMORY,
    "ORA-01652": _MEMORY,
    "Ambiguous reference": _ALIAS,
    "ORA-00918": _ALIAS,
    "ORA-00933": "The SQL does not end where it should: LIMIT is FETCH FIRST n ROWS ONLY here.",
    "ORA-01861": "Write dates as DATE '2026-01-31', times as TIMESTAMP '2026-01-31 12:00:00'.",
    "ORA-01843": "Write dates as DATE '2026-01-31', times as TIMESTAMP '2026-01-31 12:00:00'.",
    "ORA-01722": "A text is compared with a number: put quotation marks around the value.",
    "ORA-01476": "Something is divided by zero: NULLIF(a, 0) leaves such rows out.",
}
_LITERAL_OR_COMMENT = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)


def explain(
    engine_text: str, sql: str, names: dict[str, list[str]], dialect_name: str = "DuckDB"
) -> ToolError:
    """The observation for a refused statement. `names` is table -> columns of what there is."""
    cause = _cause(engine_text)
    hints = dialect_hints(sql, dialect_name)
    if hints:
        return ToolError("failed", cause, f"This database speaks {dialect_name}: {hints}.")
    return ToolError("failed", cause, _advice(engine_text, names))


def dialect_hints(sql: str, dialect_name: str = "DuckDB") -> str:
    """What the words of the other dialect in this SQL are called here; "" for none."""
    table = _FOR_DUCKDB if dialect_name == "DuckDB" else _FOR_ORACLE
    bare = _LITERAL_OR_COMMENT.sub("''", sql)
    found = [text for word, text in table.items() if re.search(word, bare, re.IGNORECASE)]
    return "; ".join(found[:4])


def nearest(name: str, known: list[str], count: int = 3) -> list[str]:
    """Known names that look like this one, whatever the case; nearest first."""
    if not name:
        return []
    by_lower = {each.lower(): each for each in sorted(known, reverse=True)}
    close = difflib.get_close_matches(name.lower(), sorted(by_lower), n=count, cutoff=0.6)
    parts = [each for each in sorted(by_lower) if name.lower() in each or each in name.lower()]
    return [by_lower[each] for each in dict.fromkeys(close + parts)][:count]


def _cause(text: str) -> str:
    column = _MISSING_COLUMN.search(text)
    if column:
        alias = column.group("alias")
        if alias:
            return f'The query has no table or alias "{alias}".'
        return f'There is no column "{_named(column)}" here.'
    table = _MISSING_TABLE.search(text)
    if table:
        name = _named(table)
        if _is_file(name):
            return "Files can't be read as tables."
        return f'There is no table "{name}".' if name else "A table of this query isn't there."
    function = _MISSING_FUNCTION.search(text)
    if function:
        return f"There is no function {function.group('name').upper()}."
    right = _MISSING_RIGHT.search(text)
    if right:
        return f"The database's user has no {right['right']} right on {right['name']}."
    if "Permission Error" in text:
        return "Files, settings and the network are switched off."
    first = (text.splitlines() or ["the database gave no reason"])[0]
    return _PATH.sub("(path)", _ENGINE_CODE.sub("", first))[:300].rstrip(". ") + "."


def _named(match: "re.Match[str]") -> str:
    """The name in whichever of the pattern's forms the engine used; "" where it gave none."""
    names = [value for group, value in match.groupdict().items() if group.startswith("name")]
    return next(filter(None, names), "").split(".")[-1].strip('"')


def _advice(text: str, names: dict[str, list[str]]) -> str:
    column = _MISSING_COLUMN.search(text)
    if column:
        return _column_advice(column.group("alias") or "", column, names)
    table = _MISSING_TABLE.search(text)
    if table:
        close = nearest(_named(table), list(names))
        tables = ", ".join(close) if close else ", ".join(sorted(names))
        return f"{'Did you mean' if close else 'There are'}: {tables}{'?' if close else '.'}"
    right = _MISSING_RIGHT.search(text)
    if right:
        return f"Its owner gives it: GRANT {right['right']} ON {right['name']} TO the user;"
    return next((hint for words, hint in _HINTS.items() if words in text), _RETRY)


def _column_advice(alias: str, match: "re.Match[str]", names: dict[str, list[str]]) -> str:
    if alias:
        return "Give the table that alias in FROM or JOIN, or use the one that it has."
    name = _named(match)
    columns = sorted({column for each in names.values() for column in each})
    exact = [f"{table}.{name.lower()}" for table in sorted(names) if name.lower() in names[table]]
    if exact:
        return f"There is {' and '.join(exact)}: join that table, or use its alias."
    close = nearest(name, columns)
    if not close:
        return "Look the column up with search_knowledge."
    shown = []
    for each in close:
        tables = [table for table in sorted(names) if each in names[table]]
        shown.append(f"{each} (of {', '.join(tables)})")
    return f"Did you mean {' or '.join(shown)}?"


def _is_file(name: str) -> bool:
    return bool(re.search(r"[/\\*:]|\.\w+$", name))
