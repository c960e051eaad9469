"""The check of `run_sql`: one reading statement on an engine that would do anything."""

import inspect
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.runner.explain import first_line
from harness.course.staging.sql_bench import EngineCalls, first_difference, staged
from harness.course.staging.sql_cases import BROKEN, HARMLESS, HOSTILE
from harness.course.staging.stage import Stage
from harness.errors import ToolError
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "sqlglot.parse(sql, read='duckdb') gives a list of trees, with None for nothing and "
    "exp.Semicolon for what is only a comment. Exactly one must be left, and it must be an "
    "exp.Query. Raise ToolError otherwise, before anything is run.",
    "Reading statements can still hold what is none: tree.find(exp.DML, exp.Into, exp.Lock). And "
    "tree.find_all(exp.Table) are the tables: each must be in engine.tables or be a name from "
    "WITH (tree.find_all(exp.CTE), .alias). That keeps files out as well.",
    "result = engine.execute(sql); rows = result.fetchmany(max_rows + 1). One row too many says "
    'that there is more: return the first max_rows and "truncated": True. Both in a try: a '
    "duckdb.Error becomes a ToolError with its first line.",
)

_RAISE = 'raise ToolError("not_allowed", "what is wrong", "what to do instead").'
_SHAPE = '{"columns": [...], "rows": [[...], ...], "row_count": n}'


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong."""
    notes = EngineCalls(fn, stage)
    try:
        inspect.signature(fn).bind("SELECT 1", max_rows=3)
        inspect.signature(fn).bind("SELECT 1")
    except (TypeError, ValueError) as error:
        hint = "def run_sql(sql: str, max_rows: int = 50) -> dict"
        notes.add("signature", f"It can't be called as it will be: {error}.", hint)
        return notes.found
    _reads(notes)
    if notes.hopeless or notes.found:
        return notes.found
    for code, (statements, hint) in HARMLESS.items():
        for sql in statements:
            _allowed(notes, code, sql, hint)
    for code, (statements, what, hint) in HOSTILE.items():
        if code == "other_tables" and "files" in notes.codes:
            continue  # the same again
        for sql in statements:
            _refused(notes, code, sql, what, hint)
        if notes.changed:  # behind our back, with a ToolError in the end
            notes.add(code, f"When {what} was sent, the database was changed.", hint)
            notes.renew()
        if "writes" in notes.codes:
            return notes.found  # no guard at all: what the others would show is the same
    _nothing(notes)
    _capped(notes)
    _errors(notes)
    return notes.found


def _reads(notes: EngineCalls) -> None:
    sql = (  # a name and a text with blanks and capitals, which are theirs to keep
        'SELECT voyage_id AS "Voyage No ", status, \' As  is \' AS "As is" FROM voyages '
        "WHERE delay_hours > 100 ORDER BY voyage_id"
    )
    seen = notes.run("an ordinary SELECT is sent", sql)
    if seen.error is not None:
        notes.crashed(seen)
    elif _is_dict(notes, seen.returned) and not notes.other_database():
        _same_rows(notes, sql, seen.returned)
    notes.hopeless = notes.hopeless or bool(notes.found)


def _is_dict(notes: EngineCalls, value: Any) -> bool:
    if not isinstance(value, dict):
        what = "nothing" if value is None else type(value).__name__
        notes.add("not_a_dict", f"It returned {what}, not a dict.", _SHAPE)
        return False
    missing = [key for key in ("columns", "rows", "row_count") if key not in value]
    if missing:
        notes.add("key_missing", f"The result has no {', '.join(missing)}.", _SHAPE)
    return not missing


def _same_rows(notes: EngineCalls, sql: str, answer: dict[str, Any]) -> None:
    columns, rows = notes.expected(sql)
    if difference := first_difference(answer, columns, rows):
        notes.add(
            "wrong_rows",
            f"{short_repr(sql, 100)} came back with {difference}.",
            "columns and rows come as engine.execute(sql) gives them; the SQL runs as it came.",
        )
    elif answer["row_count"] != len(rows):
        notes.add(
            "count_wrong",
            f"'row_count' is {answer['row_count']!r}, and there are {len(rows)} rows.",
            "It counts the rows that are returned.",
        )


def _allowed(notes: EngineCalls, code: str, sql: str, hint: str) -> None:
    seen = notes.run(f"{sql!r} is sent", sql)
    if seen.error is not None and notes.ran and notes.ran[-1] != sql:
        notes.add(
            "sql_changed",
            f"{sql!r} was sent, and {notes.ran[-1]!r} was run: {first_line(seen.error)}",
            "Run the text as it came; fetchmany(max_rows + 1) limits it.",
        )
    elif seen.error is not None:
        why = first_line(seen.error)
        notes.add(code, f"It refused {sql!r}, which only reads: {why}", hint)
    elif _is_dict(notes, seen.returned):
        _same_rows(notes, sql, seen.returned)


def _refused(notes: EngineCalls, code: str, sql: str, what: str, hint: str) -> None:
    seen = notes.run(f"{sql!r} is sent", sql)
    reached = _bare(sql) in map(_bare, notes.ran)
    refused = isinstance(seen.error, ToolError) and not notes.ran
    changed = not refused and notes.changed
    if changed or (reached and seen.error is not None) or _looks_fine(seen.returned):
        did = "and it changed the database" if changed else "and it went to the engine"
        if not changed and not reached:
            did = "and part of it was run"
        notes.add(code, f"{sql!r} is {what}, {did}.", hint)
    elif seen.error is None:
        notes.add(
            "refusal_returned",
            f"{sql!r} was not run, but the refusal came back as a value.",
            _RAISE,
        )
    elif not isinstance(seen.error, ToolError):
        notes.add(
            "wrong_error",
            f"{sql!r} was refused with {type(seen.error).__name__}, not with a ToolError.",
            _RAISE,
        )
    if changed:
        notes.renew()


def _looks_fine(returned: Any) -> bool:
    return isinstance(returned, dict) and "rows" in returned and "error" not in returned


def _bare(sql: str) -> str:
    return " ".join(sql.split()).rstrip("; ").lower()


def _nothing(notes: EngineCalls) -> None:
    if "refusal_returned" in notes.codes:
        return  # the same again
    for sql in ("", "-- nothing at all"):
        seen = notes.run("there is no statement in the text", sql)
        if not isinstance(seen.error, ToolError):
            how = "it returned a value"
            if seen.error is not None:
                how = f"it raised {type(seen.error).__name__}: {first_line(seen.error)}"
            notes.add("empty", f"When {seen.situation} ({sql!r}), {how}.", _RAISE)


def _capped(notes: EngineCalls) -> None:
    many = "SELECT voyage_id FROM voyages ORDER BY voyage_id"
    for named, most in (
        ({"max_rows": 5}, 5),
        ({"max_rows": 120}, 120),
        ({}, 50),
        ({"max_rows": 0}, 0),
    ):
        asked = f"max_rows is {most}" if named else "max_rows is left out"
        seen = notes.run(f"there are 120 rows and {asked}", many, **named)
        if seen.error is not None or not _is_dict(notes, seen.returned):
            if seen.error is not None:
                notes.crashed(seen)
            return
        if "not_capped" in notes.codes:
            return
        if not notes.ran:
            notes.add(
                "remembers",
                "The same SQL came again with another max_rows, and nothing was run for it.",
                "Run it every time: the data may have changed, and the limit has.",
            )
            return
        _judge_cap(notes, seen.returned, most, seen.situation, "default_wrong" * (not named))
    seen = notes.run(
        "a join gives 14,400 rows", "SELECT a.voyage_id FROM voyages a, voyages b", max_rows=5
    )
    if seen.error is None and notes.read > 1_000:
        notes.add(
            "reads_everything",
            f"Of 14,400 rows 5 were asked for, and {notes.read:,} were read.",
            "fetchmany(max_rows + 1), not fetchall(): the next result may have a billion.",
        )


def _judge_cap(
    notes: EngineCalls, answer: dict[str, Any], most: int, situation: str, code: str
) -> None:
    rows, truncated = len(answer["rows"]), answer.get("truncated", False)
    if rows != most:
        more = "not_capped" if rows > most else "cut_short"
        notes.add(
            code or more, f"When {situation}, {rows} rows came back, not {most}.", "rows[:max_rows]"
        )
    elif most < 120 and truncated is not True:
        notes.add(
            "cut_silently",
            f"When {situation}, rows are missing, and 'truncated' is {truncated!r}.",
            '"truncated": True. A model that isn\'t told takes the first rows for all of them.',
        )
    elif most == 120 and truncated:
        notes.add(
            "cut_claimed",
            f"When {situation}, nothing is missing, and the result says 'truncated'.",
            "Fetch max_rows + 1: only if that many come are there more.",
        )
    elif answer["row_count"] != rows:
        notes.add(
            "count_wrong",
            f"'row_count' is {answer['row_count']!r}, and {rows} rows are returned.",
            "It counts the rows that are returned.",
        )


def _errors(notes: EngineCalls) -> None:
    for sql, code, kind in BROKEN:
        seen = notes.run(f"the SQL is {sql!r}", sql, max_rows=14_400)
        if seen.error is None and {"refusal_returned", "several_statements"} & set(notes.codes):
            continue
        if seen.error is None:
            notes.add("error_hidden", f"When {seen.situation}, no error came.", _RAISE)
        elif not isinstance(seen.error, ToolError):
            notes.add(
                code,
                f"When {seen.situation}, it raised {type(seen.error).__name__}, no ToolError.",
                "Catch sqlglot.errors.SqlglotError (a ParseError is one, a TokenError another) and "
                "duckdb.Error where they arise, fetchmany included.",
            )
        elif kind and seen.error.kind != kind:
            notes.add(
                "kind_wrong",
                f"When {seen.situation}, its kind is {seen.error.kind!r}, not {kind!r}.",
                '"failed" for what can\'t be parsed, "not_allowed" for what may not be run.',
            )
    _engine_says(notes)
    _nearest_is_named(notes)


def _engine_says(notes: EngineCalls) -> None:
    said = _said(notes, "SELECT delai_hours FROM voyages")
    if said and not ("delai_hours" in said or "delay_hours" in said):
        notes.add(
            "unhelpful_error",
            f"A column is misspelt, and the model reads only {short_repr(said, 120)}.",
            "Put what the engine said into the ToolError.",
        )
    elif "LINE 1" in said or "^" in said:
        notes.add(
            "engine_quotes_sql",
            f"The error repeats the SQL and points into it: {said[-60:]!r}.",
            'The model knows its SQL: str(error).split("LINE 1")[0] is what the engine said.',
        )


def _nearest_is_named(notes: EngineCalls) -> None:
    said = _said(notes, "SELECT * FROM voyagez")
    if said and "voyages" not in said:
        notes.add(
            "nearest_missing",
            f"Asked for a table 'voyagez', it says {short_repr(said, 120)}, and not that "
            "there is 'voyages'.",
            "nearest(table.name, sorted(engine.tables)) belongs into the hint.",
        )
    elif "carriers" in said:
        notes.add(
            "all_names",
            f"Asked for a table 'voyagez', it names them all: {short_repr(said, 120)}.",
            "Only those nearest to it: a real database has hundreds.",
        )


def _said(notes: EngineCalls, sql: str) -> str:
    """What the ToolError for this SQL says; "" where something else came."""
    seen = notes.run(f"the SQL is {sql!r}", sql)
    return str(seen.error) if isinstance(seen.error, ToolError) else ""
