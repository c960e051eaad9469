"""Row and column policy: a database that holds just what an identity may see.

A query can't reach what is not there: no subquery, alias, aggregate, error message or statistic of
the engine tells of a row that was left out or of a value that was masked. So the policy needs to
know nothing of SQL.
"""

import hashlib
import json
import os
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.databases.catalogue import TableInfo, quote
from harness.databases.embedded import put_in_place
from harness.errors import WorkshopError

OWNER = "SUPPLYCHAIN"
_BUILD = 1  # raise it when the way a file is made changes
_lock = threading.Lock()


@dataclass(frozen=True)
class RowPolicy:
    """What is left for an identity to see.

    `rows` has pairs of a table and a condition in SQL; what refers to a row left out goes as well.
    `masks` has pairs of a "table.column" and an expression in SQL, in place of its value.
    """

    rows: tuple[tuple[str, str], ...] = ()
    masks: tuple[tuple[str, str], ...] = ()


def policy_key(policy: RowPolicy) -> str:
    """A short name for what a policy says, the same in every process."""
    words = json.dumps([*asdict(policy).values()], sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def seen_file(whole: Path, tables: list[TableInfo], policy: RowPolicy) -> Path:
    """The file with what this policy leaves of the database `whole`; made on first use, beside it.

    Raises WorkshopError for a policy that names what is not there, or isn't SQL.
    """
    words = json.dumps([_BUILD, *asdict(policy).values(), whole.stat().st_mtime_ns], sort_keys=True)
    digest = hashlib.sha256(words.encode()).hexdigest()[:12]
    path = whole.with_name(f"{whole.stem}-seen-{digest}.duckdb")
    with _lock:
        if not path.exists():
            _build(whole, {table.name: table for table in tables}, policy, path)
    return path


def conditions(policy: RowPolicy, tables: dict[str, TableInfo]) -> dict[str, str]:
    """What a row must meet to be seen, by table: its own condition and that of all it refers to.

    Tables without one are left out. Raises WorkshopError for a policy that names what is not there.
    """
    _check(policy, tables)
    rows = dict(policy.rows)
    found: dict[str, str] = {}
    for name in _parents_first(tables):
        parts = [f"({rows[name]})"] if name in rows else []
        parts += [
            f"({key.column} IS NULL OR {key.column} IN (SELECT {key.ref_column} "
            f"FROM {OWNER}.{key.ref_table} WHERE {found[key.ref_table]}))"
            for key in tables[name].foreign_keys
            if key.ref_table != name and key.ref_table in found
        ]
        if parts:
            found[name] = " AND ".join(parts)
    return found


def _build(whole: Path, tables: dict[str, TableInfo], policy: RowPolicy, path: Path) -> None:
    import duckdb  # slow: 0.3 s

    _check(policy, tables)
    aside = path.with_name(f"{path.stem}.{os.getpid()}.building")
    aside.unlink(missing_ok=True)
    source = str(whole).replace("'", "''")
    try:
        with duckdb.connect(str(aside), config={"threads": "1"}) as connection:
            here = connection.execute("SELECT current_database()").fetchall()[0][0]
            connection.execute(f"ATTACH '{source}' AS whole (READ_ONLY)")
            connection.execute(f"COPY FROM DATABASE whole TO {quote(here)} (SCHEMA)")
            for name in _parents_first(tables):
                connection.execute(_insert(tables[name], policy, here))
            connection.execute("DETACH whole")
            connection.execute("CHECKPOINT")
        put_in_place(aside, path)
    except duckdb.Error as error:
        raise WorkshopError(
            f"The row policy can't be applied: {str(error).splitlines()[0]}",
            "Conditions and masks are SQL expressions over the table's own columns.",
        ) from error
    finally:
        aside.unlink(missing_ok=True)


def _check(policy: RowPolicy, tables: dict[str, TableInfo]) -> None:
    known = {f"{t.name}.{column.name}" for t in tables.values() for column in t.columns}
    unknown = [*(set(dict(policy.rows)) - set(tables)), *(set(dict(policy.masks)) - known)]
    if unknown:
        raise WorkshopError(
            f"The row policy names {sorted(unknown)[0]!r}, which is not there.",
            "rows are by table, masks by table.column, as the schema has them.",
        )


def _parents_first(tables: dict[str, TableInfo]) -> list[str]:
    ordered: list[str] = []
    while len(ordered) < len(tables):
        ready = [
            name
            for name, table in tables.items()
            if name not in ordered
            and all(key.ref_table in (*ordered, name) for key in table.foreign_keys)
        ]
        if not ready:
            raise WorkshopError("Tables refer to each other in a circle.", "Name no row policy.")
        ordered += ready
    return ordered


def _insert(table: TableInfo, policy: RowPolicy, here: str) -> str:
    """One table: the rows that are left whose parents are left, with masked values.

    The condition sees the true values, in a subquery of its own, and the masks come last.
    """
    rows, masks = dict(policy.rows), dict(policy.masks)
    columns = ", ".join(
        f"{masks.get(f'{table.name}.{c.name}', quote(c.name))} AS {quote(c.name)}"
        for c in table.columns
    )
    kept = [f"({rows[table.name]})"] if table.name in rows else []
    kept += [
        f"({quote(key.column)} IS NULL OR {quote(key.column)} IN "
        f"(SELECT {quote(key.ref_column)} FROM {quote(here)}.{OWNER}.{quote(key.ref_table)}))"
        for key in table.foreign_keys
        if key.ref_table != table.name
    ]
    where = f"WHERE {' AND '.join(kept)}" if kept else ""
    target = f"{quote(here)}.{OWNER}.{quote(table.name)}"
    return (
        f"INSERT INTO {target} SELECT {columns} FROM "
        f"(SELECT * FROM whole.{OWNER}.{quote(table.name)} {where})"
    )
