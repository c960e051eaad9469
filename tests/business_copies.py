"""Business databases of a test's own: made from statements, or the shipped one with a change."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from harness.databases import embedded
from harness.databases.business import BusinessDatabase, use_business


@contextmanager
def database_of(path: Path, *statements: str) -> Iterator[BusinessDatabase]:
    """A DuckDB file made by these statements, as the business database in force."""
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    database = BusinessDatabase(path)
    try:
        with use_business(database):
            yield database
    finally:
        database.close()


@contextmanager
def changed_copy(
    path: Path, *statements: str, rename: tuple[str, str] = ("", "")
) -> Iterator[BusinessDatabase]:
    """The shipped business data with a change in it, as the database in force.

    A name is changed in the DDL: DuckDB can't alter a table that others refer to.
    """
    ddl = embedded.ddl()
    ddl = re.sub(rf"\b{rename[0]}\b", rename[1], ddl) if rename[0] else ddl
    with duckdb.connect(str(path)) as connection:
        embedded.fill(connection, ddl)
    with database_of(path, *statements) as database:
        yield database
