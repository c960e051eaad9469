"""One-line facts, as the knowledge base writes them, read back into their parts."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

_TABLE = re.compile(
    r"Table (?P<table>[\w$.]+)(?:, (?P<rows>\d+) rows)?\.\s*(?P<comment>.*?)\s*"
    r"(?:Key: (?P<key>[\w, $]+)\.\s*)?Columns: (?P<columns>.+?)\.?\s*$"
)
_COLUMN = re.compile(
    r"Column (?P<column>[\w$.]+) (?P<type>[A-Z][\w() ,]*?)\.(?:\s+(?P<comment>.*?))?"
    r"(?:\s*Values: (?P<values>.+?))?\.?\s*$"
)
_REFERENCE = re.compile(r"(?P<column>[\w$.]+) references (?P<target>[\w$.]+?)\.?\s*$")
_TODAY = re.compile(r"today is (\d{4}-\d\d-\d\d)", re.IGNORECASE)


@dataclass(frozen=True)
class Fact:
    """One fact as it was seen: kind, subject, body."""

    kind: str
    subject: str
    body: str


@dataclass(frozen=True)
class TableFact:
    """A table: its full name, its comment, its key and its columns with their types."""

    table: str
    rows: int | None
    comment: str
    key: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ColumnFact:
    """A column: its table's full name, its own, its type, its comment, its sample values."""

    table: str
    column: str
    type: str
    comment: str = ""
    values: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class ReferenceFact:
    """A foreign key."""

    table: str
    column: str
    target: str
    target_column: str


@lru_cache(maxsize=4096)
def read_fact(kind: str, subject: str, body: str) -> TableFact | ColumnFact | ReferenceFact | None:
    """The parts of a fact about a schema; None for other kinds and for text that does not fit."""
    body = " ".join(body.split())
    if kind == "table":
        return _table(body)
    if kind == "column":
        return _column(body)
    if kind == "relationship" and (match := _REFERENCE.search(body)):
        table, column = match["column"].rsplit(".", 1)
        target, target_column = match["target"].rsplit(".", 1)
        return ReferenceFact(table, column, target, target_column)
    return None


def today_in(bodies: list[str]) -> str | None:
    """The day of the snapshot, where a fact states it."""
    for body in bodies:
        if match := _TODAY.search(body):
            return match.group(1)
    return None


def _table(body: str) -> TableFact | None:
    match = _TABLE.match(body)
    if not match:
        return None
    columns = [each.strip().split(" ", 1) for each in match["columns"].split(",")]
    return TableFact(
        table=match["table"],
        rows=int(match["rows"]) if match["rows"] else None,
        comment=match["comment"],
        key=tuple(each.strip() for each in (match["key"] or "").split(",") if each.strip()),
        columns=tuple((each[0], each[1].strip()) for each in columns if len(each) == 2),
    )


def _column(body: str) -> ColumnFact | None:
    match = _COLUMN.match(body)
    if not match:
        return None
    table, column = match["column"].rsplit(".", 1)
    values = tuple(each.strip() for each in (match["values"] or "").split(", ") if each.strip())
    return ColumnFact(table, column, match["type"], match["comment"] or "", values)
