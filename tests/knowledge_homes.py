"""Homes and databases of their own for the tests of knowledge, skills and context."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from harness.databases.business import BusinessDatabase, business, use_business
from harness.databases.embedded import data_folder
from harness.settings import reset_settings


@contextmanager
def home_at(path: Path, patch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Take `path` as WORKSHOP_HOME for a block."""
    patch.setenv("WORKSHOP_HOME", str(path))
    reset_settings()
    try:
        yield path
    finally:
        patch.undo()
        reset_settings()


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
    old = path.with_suffix(".old.duckdb")
    shutil.copy(business().path, old)
    ddl = (data_folder() / "ddl.sql").read_text(encoding="utf-8")
    ddl = re.sub(rf"\b{rename[0]}\b", rename[1], ddl) if rename[0] else ddl
    tables = re.findall(r"^CREATE TABLE (\S+)", ddl, re.MULTILINE)
    fill = [f"INSERT INTO {table} SELECT * FROM old.{table}" for table in tables]
    attach = f"ATTACH '{old}' AS old (READ_ONLY)"
    with database_of(path, ddl, attach, *fill, "DETACH old", *statements) as database:
        yield database
