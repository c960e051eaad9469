"""For experiments in a notebook: a home, a database and a toolbox that are gone afterwards."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from harness.databases import embedded
from harness.databases.business import BusinessDatabase, use_business
from harness.settings import home_at
from harness.tools.toolbox import spare_toolbox

__all__ = ["changed_database", "spare_home", "spare_toolbox"]


@contextmanager
def spare_home() -> Iterator[Path]:
    """An empty WORKSHOP_HOME for a block: facts, memories and drafts of it are gone after it."""
    with (
        tempfile.TemporaryDirectory(prefix="workshop-spare-", ignore_cleanup_errors=True) as folder,
        home_at(Path(folder)) as home,
    ):
        yield home


@contextmanager
def changed_database(
    rename: tuple[str, str] = ("", ""), comment: tuple[str, str] = ("", "")
) -> Iterator[BusinessDatabase]:
    """A copy of the shipped data, changed, as the business database in force for a block.

    `rename` is an old name of a column and a new one, `comment` a place such as "voyages.eta" and
    its new comment. Only the copy changes.
    """

    ddl = embedded.ddl()
    ddl = re.sub(rf"\b{re.escape(rename[0])}\b", rename[1], ddl) if rename[0] else ddl
    with tempfile.TemporaryDirectory(prefix="workshop-copy-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "changed.duckdb"
        with duckdb.connect(str(path)) as connection:
            embedded.fill(connection, ddl)
            if comment[0]:
                said = comment[1].replace("'", "''")
                connection.execute(f"COMMENT ON COLUMN SUPPLYCHAIN.{comment[0]} IS '{said}'")
        database = BusinessDatabase(path)
        try:
            with use_business(database):
                yield database
        finally:
            database.close()
