"""What tables there are: names, types, comments, keys and sizes, from DuckDB's catalogue."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from harness.errors import WorkshopError

Query = Callable[..., list[tuple[Any, ...]]]  # SQL and its values -> all rows


@dataclass(frozen=True)
class ColumnInfo:
    """A column as the catalogue describes it; `comment` is "" where there is none."""

    name: str
    type: str
    comment: str
    nullable: bool


@dataclass(frozen=True)
class ForeignKey:
    """`column` refers to `ref_table.ref_column` in the same schema."""

    column: str
    ref_table: str
    ref_column: str


@dataclass(frozen=True)
class TableInfo:
    """A table as the catalogue describes it."""

    name: str
    comment: str
    row_count: int
    columns: list[ColumnInfo]
    primary_key: list[str] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)


def read_catalogue(run: Query, owner: str) -> list[TableInfo]:
    """The tables of a schema, by name. Raises WorkshopError for a schema that isn't there."""
    tables = run(
        "SELECT schema_name, table_name, comment FROM duckdb_tables() "
        "WHERE UPPER(schema_name) = UPPER(?) AND NOT internal ORDER BY table_name",
        owner,
    )
    if not tables:
        known = run("SELECT DISTINCT schema_name FROM duckdb_tables() ORDER BY 1")
        raise WorkshopError(
            f"There is no schema {owner!r} with tables.",
            f"There is: {', '.join(row[0] for row in known)}.",
        )
    columns = _columns(run, owner)
    primary, foreign = _keys(run, owner)
    return [
        TableInfo(
            name=table,
            comment=comment or "",
            row_count=run(f"SELECT COUNT(*) FROM {quote(schema)}.{quote(table)}")[0][0],
            columns=columns.get(table, []),
            primary_key=primary.get(table, []),
            foreign_keys=foreign.get(table, []),
        )
        for schema, table, comment in tables
    ]


def _columns(run: Query, owner: str) -> dict[str, list[ColumnInfo]]:
    found: dict[str, list[ColumnInfo]] = {}
    for table, name, type_, comment, nullable in run(
        "SELECT table_name, column_name, data_type, comment, is_nullable FROM duckdb_columns() "
        "WHERE UPPER(schema_name) = UPPER(?) ORDER BY table_name, column_index",
        owner,
    ):
        found.setdefault(table, []).append(ColumnInfo(name, type_, comment or "", nullable))
    return found


def _keys(run: Query, owner: str) -> tuple[dict[str, list[str]], dict[str, list[ForeignKey]]]:
    primary: dict[str, list[str]] = {}
    foreign: dict[str, list[ForeignKey]] = {}
    for table, kind, columns, ref_table, ref_columns in run(
        "SELECT table_name, constraint_type, constraint_column_names, referenced_table, "
        "referenced_column_names FROM duckdb_constraints() WHERE UPPER(schema_name) = UPPER(?) "
        "AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') "
        "ORDER BY table_name, constraint_index",
        owner,
    ):
        if kind == "PRIMARY KEY":
            primary[table] = list(columns)
        else:
            pairs = zip(columns, ref_columns, strict=True)
            keys = [ForeignKey(column, ref_table, ref) for column, ref in pairs]
            foreign.setdefault(table, []).extend(keys)
    return primary, foreign


def quote(name: str) -> str:
    """A name as an SQL identifier, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
