"""Turning a schema into facts: tables, columns, relationships and the recorded workload.

Everything in a catalogue was written by somebody: a comment may hold quotes, markup, line breaks or
orders to the reader. Here it is folded into one line of a fact, so it can neither begin a new line
of the context nor imitate the parts of a body that the scanner itself writes.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from harness.errors import WorkshopError
from harness.memory.storable_text import one_line
from harness.settings import root

FACT_KINDS = ("table", "column", "relationship", "query_pattern")
FEW_VALUES = 24  # a text column with no more distinct values has them listed in its fact
FEW_NUMBERS = 8
MANY_CODES = 400  # up to so many values of a column can be found by the word leg
_COMMENT_CHARS = 400
_VALUE_CHARS = 40
_COLUMNS_LISTED = 80  # in the fact of a table

_MARKUP = re.compile(r"</?[a-zA-Z!][^<>]{0,200}>|<\|[^<>]{0,60}\|>|`{2,}|\*{2,}|#{2,}|-{3,}")
_OUR_LABELS = re.compile(r"\b(Values|Key|Columns|SQL|Pattern)\s*:", re.IGNORECASE)
_TEXT_TYPE = re.compile(r"char|text|string|clob|enum", re.IGNORECASE)
_NUMBER_TYPE = re.compile(r"int|number|decimal|numeric", re.IGNORECASE)


@dataclass(frozen=True)
class Fact:
    """One thing known about a schema. `codes` are values to be found by, not shown."""

    kind: str
    subject: str
    body: str
    metadata: dict[str, Any] = field(default_factory=dict)
    codes: str = ""

    @property
    def digest(self) -> str:
        """Changes when anything of the fact does."""
        parts = [self.kind, self.subject, self.body, self.metadata, self.codes]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def embedded_text(kind: str, subject: str, body: str) -> str:
    """What is embedded of a fact: what it means, in plain words.

    A column is what its comment says of its table, whatever it is called: names, types and codes
    are what the word leg is for. Measured with benchmarks/recall.py.
    """
    owner, _, path = subject.partition(".")
    said = body.replace(f"{owner}.", "") if path else body
    if kind == "query_pattern":
        return f"{subject}: {said.partition(' SQL: ')[0].removeprefix('Pattern: ')}"
    if kind == "relationship":
        child, _, parent = said.rstrip(".").partition(" references ")
        (table, _, column), other = child.partition("."), parent.partition(".")[0]
        return _spaced(f"how {table} relate to {other}: {column}")
    told = said.partition(". ")[2]
    if kind == "column":
        table, _, column = path.partition(".")
        return f"{_spaced(table)}: {told or _spaced(column)}"
    comment, _, columns = told.partition("Columns: ")
    names = ", ".join(each.split(" ")[0] for each in columns.split(", "))
    return f"{_spaced(path)}: {comment.partition('Key: ')[0]}With {_spaced(names)}"


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def facts_of(database: Any, owner: str) -> list[Fact]:
    """Every fact about `owner`'s schema in `database`, in a fixed order.

    Raises WorkshopError when the database has no such schema.
    """
    tables = sorted(database.catalogue(owner), key=lambda table: table.name)
    if not tables:
        raise WorkshopError(
            f"There is no schema named {one_line(owner, 60)} with tables in this database.",
            "Ask for SUPPLYCHAIN, or check that the user of this database may read the schema.",
        )
    facts = [table_fact(owner, table) for table in tables]
    for table in tables:
        facts += [column_fact(database, owner, table, column) for column in table.columns]
        facts += relationship_facts(owner, table)
    facts += pattern_facts(owner, recorded_workload(owner), tables)
    return list({(fact.kind, fact.subject): fact for fact in facts}.values())


def table_fact(owner: str, table: Any) -> Fact:
    """Name, size, comment, key and columns of a table."""
    subject = _path(owner, table.name)
    rows = "" if table.row_count is None else f", {table.row_count} rows"
    listed = [f"{name_of(c.name)} {c.type}" for c in table.columns[:_COLUMNS_LISTED]]
    more = len(table.columns) - len(listed)
    columns = ", ".join(listed) + (f" and {more} more" if more > 0 else "")
    key = f"Key: {', '.join(map(name_of, table.primary_key))}." if table.primary_key else ""
    body = _join(f"Table {subject}{rows}.", sentence(table.comment), key, f"Columns: {columns}.")
    return Fact("table", subject, body, {"owner": owner, "table": table.name})


def column_fact(database: Any, owner: str, table: Any, column: Any) -> Fact:
    """Name, type and comment of a column, and its values where they are few."""
    subject = _path(owner, table.name, column.name)
    values = _values(database, owner, table, column)
    few = FEW_VALUES if _TEXT_TYPE.search(column.type) else FEW_NUMBERS
    shown = f"Values: {', '.join(values)}." if 0 < len(values) <= few else ""
    body = _join(f"Column {subject} {column.type}.", sentence(column.comment), shown)
    metadata = {"owner": owner, "table": table.name, "column": column.name, "type": column.type}
    return Fact("column", subject, body, metadata, " ".join(values))


def relationship_facts(owner: str, table: Any) -> Iterator[Fact]:
    """One fact for each foreign key."""
    for key in table.foreign_keys:
        subject = _path(owner, table.name, key.column)
        parent = key.ref_table if "." in key.ref_table else _path(owner, key.ref_table)
        target = f"{name_of(parent)}.{name_of(key.ref_column)}"
        yield Fact(
            "relationship",
            subject,
            f"{subject} references {target}.",
            {"owner": owner, "table": table.name, "column": key.column, "references": target},
        )


def pattern_facts(owner: str, workload: Iterable[dict[str, str]], tables: Any) -> Iterator[Fact]:
    """One fact for each recorded query whose tables and columns are all still there."""
    known_tables = {table.name.lower() for table in tables}
    known_columns = {column.name.lower() for table in tables for column in table.columns}
    for entry in workload:
        sql = one_line(entry["sql"], 2_000)
        if _still_valid(sql, known_tables, known_columns):
            body = f"Pattern: {one_line(entry['answers'], 200)}. SQL: {sql}"
            yield Fact("query_pattern", one_line(entry["title"], 120), body, {"owner": owner})


def recorded_workload(owner: str) -> list[dict[str, str]]:
    """The queries in data/<owner>/workload.yaml: title, answers, sql. None recorded: []."""
    folder = re.sub(r"[^a-z0-9_]", "", owner.lower())
    path = root() / "data" / folder / "workload.yaml"
    if not folder or not path.is_file():
        return []
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8")) or []
        return [{key: str(entry[key]) for key in ("title", "answers", "sql")} for entry in entries]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise WorkshopError(
            f"{path.name} can't be read: {one_line(str(error), 200)}.",
            "Each entry needs title, answers and sql.",
        ) from error


def _still_valid(sql: str, tables: set[str], columns: set[str]) -> bool:
    """Whether a query names only tables and columns that exist (its own aliases aside)."""
    import sqlglot  # slow: 0.2 s, and only a scan reads queries
    from sqlglot import exp  # as above

    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
    except sqlglot.errors.SqlglotError:
        return False
    aliases = {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    used_tables = {table.name.lower() for table in tree.find_all(exp.Table)} - ctes
    used_columns = {column.name.lower() for column in tree.find_all(exp.Column)} - aliases
    return used_tables <= tables and used_columns <= columns


def _values(database: Any, owner: str, table: Any, column: Any) -> list[str]:
    """Distinct values worth knowing, as one-line texts; [] for keys, dates and long columns."""
    keys = {*table.primary_key, *(key.column for key in table.foreign_keys)}
    is_text = bool(_TEXT_TYPE.search(column.type))
    if column.name in keys or not table.row_count:
        return []
    if not is_text and not _NUMBER_TYPE.search(column.type):
        return []
    found = database.samples(table.name, column.name, MANY_CODES, owner)
    return list(dict.fromkeys(one_line(str(value), _VALUE_CHARS) for value in found))


def sentence(comment: str | None) -> str:
    """A comment as one line of data that ends like a sentence."""
    text = _MARKUP.sub(" ", one_line(comment or "", 4 * _COMMENT_CHARS))
    text = one_line(_OUR_LABELS.sub(r"\1 -", text), _COMMENT_CHARS)
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def name_of(identifier: str) -> str:
    """An identifier, safe to put into a line of text."""
    return one_line(identifier, 128)


def _path(*names: str) -> str:
    return ".".join(name_of(name) for name in names)


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)
