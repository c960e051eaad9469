"""Bringing the agent's state of an older version up to date, without touching a row in it."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"


def add_missing_columns(connection: sqlite3.Connection, statements: Iterable[str]) -> bool:
    """Add the columns that tables of `connection` lack, as `statements` declare them.

    False when one can't be added to rows that are there already: the file needs a person.
    """
    present = _columns(connection)
    if not present:
        return True
    with closing(sqlite3.connect(":memory:")) as reference:
        for statement in statements:
            reference.execute(statement)
        wanted = _columns(reference)
    for table in sorted(set(wanted) & set(present)):
        for name in [name for name in wanted[table] if name not in present[table]]:
            kind, is_not_null, default, in_key = wanted[table][name]
            if in_key or (is_not_null and default is None):
                return False
            rule = " NOT NULL" if is_not_null else ""
            rule += f" DEFAULT {default}" if default is not None else ""
            connection.execute(f'ALTER TABLE "{table}" ADD COLUMN "{name}" {kind}{rule}')
    return True


def _columns(connection: sqlite3.Connection) -> dict[str, dict[str, tuple[str, int, str, int]]]:
    """Table -> column -> (type, not null, default, place in the key)."""
    found = {}
    for row in connection.execute(_TABLES).fetchall():
        info = connection.execute(f'PRAGMA table_info("{row[0]}")').fetchall()
        found[row[0]] = {column[1]: tuple(column[2:6]) for column in info}
    return found
