"""The tables of both schemas in Oracle's SQL, made from those of the embedded default.

One source for each: `data/supplychain/ddl.sql` for the business data, `schema/*.sql` for the
agent's state. A parser can read all of it, and the tests let two of them do so.
"""

import csv
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from harness.databases import embedded
from harness.databases.catalogue import ColumnInfo, ForeignKey, TableInfo
from harness.databases.state_tables import StateTable

_KEY_CHARS = 1_500  # of all text columns of a key together: an index entry has 6,398 bytes
_TYPES = {"INTEGER": "NUMBER(19)", "REAL": "BINARY_DOUBLE", "BLOB": "BLOB", "TEXT": "CLOB"}
EMPTY = "\u2400"  # stands for an empty text, the picture of a NUL
_COMMENT = re.compile(r"--[^\n]*")


def state_ddl(table: StateTable, owner: str) -> str:
    """The statement that makes a table of the agent's state."""
    keys = [table.key, *table.unique]
    lines = [
        f"{oracle_name(name)} {_type(name, kind, table, keys)}"
        + (" NOT NULL" if name in table.required else "")
        for name, kind in table.columns.items()
    ]
    lines.append(f"PRIMARY KEY ({', '.join(map(oracle_name, table.key))})")
    lines += [f"UNIQUE ({', '.join(map(oracle_name, each))})" for each in table.unique]
    return f"CREATE TABLE {owner}.{oracle_name(table.name)} (\n  " + ",\n  ".join(lines) + "\n)"


def sync_tables(owner: str) -> dict[str, str]:
    """The tables that several homes share the state by: name -> the statement that makes it."""
    columns = {
        "SYNC_REVISION": '"ID" NUMBER(1) NOT NULL PRIMARY KEY, "REVISION" NUMBER(19) NOT NULL,'
        ' "TOKEN" VARCHAR2(64) NOT NULL, "PUSHED_BY" VARCHAR2(300 CHAR) NOT NULL,'
        ' "PUSHED_AT" VARCHAR2(40) NOT NULL, "KEY_MARK" VARCHAR2(64) NOT NULL,'
        ' "SEALS" VARCHAR2(200) NOT NULL, "NUMBERS" VARCHAR2(4000) NOT NULL',
        "SYNC_CHANGES": '"NAME" VARCHAR2(128) NOT NULL, "DIGEST" VARCHAR2(64) NOT NULL,'
        ' "KEY" CLOB NOT NULL, "REVISION" NUMBER(19) NOT NULL, PRIMARY KEY ("NAME", "DIGEST")',
    }
    return {name: f"CREATE TABLE {owner}.{name} ({each})" for name, each in columns.items()}


def column_definition(table: StateTable, name: str) -> str:
    """A column of the agent's state, to be added to rows that are there: they get its default."""
    kind = _type(name, table.columns[name], table, [table.key, *table.unique])
    if name not in table.required:
        return f"{oracle_name(name)} {kind}"
    default = table.defaults[name]
    if default == "''":  # which Oracle takes for NULL: see oracle_shelf.py
        default = f"UNISTR('\\{ord(EMPTY):04X}')"
    if kind == "CLOB":
        default = f"TO_CLOB({default})"
    return f"{oracle_name(name)} {kind} DEFAULT {default} NOT NULL"


def _type(name: str, kind: str, table: StateTable, keys: list[tuple[str, ...]]) -> str:
    if kind == "TEXT":
        for key in keys:
            if name in key:
                texts = sum(table.columns[each] == "TEXT" for each in key)
                return f"VARCHAR2({_KEY_CHARS // texts} CHAR)"
        if name in table.looked_up:
            return f"VARCHAR2({_KEY_CHARS // 4} CHAR)"
    return _TYPES[kind]


def oracle_name(name: str) -> str:
    """A name of the embedded state in Oracle: in capitals, quoted since ROW is reserved."""
    return f'"{name.upper()}"'


def policy_tables(owner: str) -> dict[str, str]:
    """The tables that row policies are kept in: name -> the statement that makes it."""
    columns = {
        "WORKSHOP_POLICIES": "policy_key VARCHAR2(16) NOT NULL PRIMARY KEY",
        "WORKSHOP_ROW_RULES": "policy_key VARCHAR2(16) NOT NULL, table_name VARCHAR2(128) NOT NULL,"
        " predicate VARCHAR2(4000) NOT NULL, PRIMARY KEY (policy_key, table_name)",
        "WORKSHOP_MASKS": "policy_key VARCHAR2(16) NOT NULL, table_name VARCHAR2(128) NOT NULL,"
        " column_name VARCHAR2(128) NOT NULL, PRIMARY KEY (policy_key, table_name, column_name)",
    }
    return {name: f"CREATE TABLE {owner}.{name} ({each})" for name, each in columns.items()}


def business_ddl() -> dict[str, str]:
    """The shipped tables, parents first: name in capitals -> the statement that makes it."""
    found = re.findall(
        r"^(CREATE TABLE \w+\.(\w+) .*?\n\));", _COMMENT.sub("", embedded.ddl()), re.S | re.M
    )
    return {name.upper(): sql.replace(" BIGINT", " NUMBER(19)") for sql, name in found}


def business_comments() -> list[str]:
    """The statements that put a comment on every table and column."""
    return re.findall(r"^(COMMENT ON .*);$", embedded.ddl(), re.M)


def business_rows(table: str) -> tuple[list[str], Iterator[list[Any]]]:
    """The columns of a shipped table and its rows, as the driver takes them."""
    ddl = business_ddl()[table]
    kinds = dict(re.findall(r"^    (\w+) (\w+)", ddl, re.M))
    path = embedded.data_folder() / f"{table.lower()}.csv"

    def rows() -> Iterator[list[Any]]:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield [_value(row[name], kinds[name]) for name in names]

    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    return names, rows()


def _value(text: str, kind: str) -> Any:
    if text == "":
        return None
    if kind in ("INTEGER", "NUMBER"):
        return int(text)
    if kind == "DOUBLE":
        return float(text)
    return datetime.fromisoformat(text) if kind == "TIMESTAMP" else text


def references() -> dict[str, TableInfo]:
    """The shipped tables with what they refer to, by their names in small letters."""
    found = {}
    for name, ddl in business_ddl().items():
        keys = re.findall(r"^    (\w+) .*?REFERENCES \w+\.(\w+) \((\w+)\)", ddl, re.M)
        columns = [ColumnInfo(each, "", "", True) for each in re.findall(r"^    (\w+) ", ddl, re.M)]
        found[name.lower()] = TableInfo(
            name.lower(), "", 0, columns, foreign_keys=[ForeignKey(*key) for key in keys]
        )
    return found
