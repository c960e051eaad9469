"""The DuckDB file of the embedded default: made from `data/supplychain/`, never changed after.

The file is named after a hash of the data and the DuckDB version, written under another name and
renamed when it is complete. So a reader never sees half of one, new data gets a new file, and any
number of kernels can hold it open.
"""

import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import WorkshopError

if TYPE_CHECKING:
    import duckdb  # slow: 0.3 s

_BUILD = 1  # raise it when the way the file is built changes
_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": "512MB",
    "temp_directory": "",  # a query that needs more fails, rather than fill the disk
    "lock_configuration": "true",
    "threads": "1",  # sums of floats come out the same in every run
}
_CREATE_TABLE = re.compile(r"^CREATE TABLE (\w+)\.(\w+)", re.MULTILINE)


def data_folder() -> Path:
    """Where the CSVs, the DDL and the recorded workload are."""
    from harness.settings import root  # as in business.py

    return root() / "data" / "supplychain"


def business_file(home: Path) -> Path:
    """The database file under `home`, made if it is missing and made again if it is damaged.

    Raises WorkshopError when the data is missing or `home` can't be written.
    """
    if "?" in str(home):  # DuckDB puts its journal's name before it
        raise WorkshopError(
            f"The business database can't be kept in {home}: DuckDB allows no ? in a path.",
            "Set WORKSHOP_HOME to another folder.",
        )
    path = home / "business" / f"supplychain-{_fingerprint()}.duckdb"
    if path.exists():
        if is_sound(path):
            return path
        print(f"The business database {path.name} was damaged; making it again from data/.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _build(path)
    except OSError as error:
        raise WorkshopError(
            f"The business database can't be written to {path.parent}: {error.strerror or error}.",
            "Set WORKSHOP_HOME to a folder that can be written and has 20 MB free.",
        ) from error
    return path


def connect(path: Path) -> "duckdb.DuckDBPyConnection":
    """Open a DuckDB file to read: no writing, no files, no network, no change of settings.

    Raises WorkshopError when it is missing or no DuckDB file.
    """
    import duckdb  # slow: 0.3 s

    try:
        return duckdb.connect(str(path), read_only=True, config=_LOCKED)
    except duckdb.Error as error:
        raise WorkshopError(
            f"The database file {path.name} can't be opened: {_first_line(error)}",
            "If it is the workshop's own, delete it: the next run makes a new one.",
        ) from error


def is_sound(path: Path) -> bool:
    """Whether a DuckDB file opens, has our tables, and every block of them can be read."""
    import duckdb  # slow: 0.3 s

    try:
        with connect(path) as connection:
            for schema, table in _CREATE_TABLE.findall(ddl()):
                connection.execute(f"SELECT MAX(HASH(t)) FROM {schema}.{table} t").fetchall()
    except (duckdb.Error, WorkshopError):
        return False
    return True


@lru_cache(maxsize=1)
def _fingerprint() -> str:
    try:
        import duckdb  # slow: 0.3 s
    except ImportError as error:
        raise WorkshopError(
            "DuckDB is not installed.",
            "Repair the installation: `python workshop.py doctor`, then `python workshop.py lab`.",
        ) from error
    digest = hashlib.sha256(f"{_BUILD} {duckdb.__version__}".encode())
    files = [data_folder() / "ddl.sql", *sorted(data_folder().glob("*.csv"))]
    for file in files:
        digest.update(file.name.encode())
        digest.update(_read(file))
    return digest.hexdigest()[:12]


def _build(path: Path) -> None:
    import duckdb  # slow: 0.3 s

    aside = path.with_name(f"{path.stem}.{os.getpid()}.building")
    aside.unlink(missing_ok=True)
    try:
        with duckdb.connect(str(aside)) as connection:
            fill(connection)
            connection.execute("CHECKPOINT")
    except duckdb.Error as error:
        aside.unlink(missing_ok=True)
        raise WorkshopError(
            f"The business database can't be made: {_first_line(error)}",
            "Check that data/supplychain is as it was shipped, and that the disk is not full.",
        ) from error
    put_in_place(aside, path)


def fill(connection: "duckdb.DuckDBPyConnection", statements: str | None = None) -> None:
    """Make the tables in an empty database and load them from the CSVs. Raises duckdb.Error.

    `statements` take the place of `ddl()`, with other names or comments.
    """
    statements = statements or ddl()
    connection.execute(statements)
    for schema, table in _CREATE_TABLE.findall(statements):
        source = str(data_folder() / f"{table}.csv").replace("'", "''")
        connection.execute(
            f"COPY {schema}.{table} FROM '{source}' (FORMAT csv, HEADER, NULLSTR '')"
        )
    connection.execute("CREATE VIEW main.dual AS SELECT 'X' AS dummy")


def put_in_place(aside: Path, path: Path) -> None:
    """Rename a finished database; one that another process made meanwhile is as good."""
    try:
        aside.replace(path)
    except PermissionError:  # Windows, and another kernel has the same file open
        aside.unlink(missing_ok=True)
        if not path.exists() or not is_sound(path):
            raise


def ddl() -> str:
    """The statements that make the shipped tables. Raises WorkshopError where they are missing."""
    return _read(data_folder() / "ddl.sql").decode("utf-8")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WorkshopError(
            f"The workshop's data is incomplete: {file.name} can't be read.",
            "Restore data/supplychain from the repository.",
        ) from error


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0].split(': "')[0].rstrip(".!") + "." if lines else type(error).__name__
