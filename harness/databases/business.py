"""Business data: the database that the agent reads and can't write.

`business()` is the one in force. Its `query` is bounded in rows, bytes and time, refuses anything
but one reading statement, and says what is wrong in words that a model can act on.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from harness.databases import embedded
from harness.databases.catalogue import ColumnInfo, ForeignKey, TableInfo
from harness.databases.duckdb_business import BusinessDatabase
from harness.databases.ports import BusinessPort, QueryResult
from harness.databases.row_policy import RowPolicy

__all__ = [
    "BusinessDatabase",
    "ColumnInfo",
    "ForeignKey",
    "QueryResult",
    "TableInfo",
    "business",
    "run_script",
    "use_business",
]

Database = TypeVar("Database", bound=BusinessPort)
_current: ContextVar[BusinessPort | None] = ContextVar("workshop_business", default=None)
_policies: ContextVar[tuple[RowPolicy, ...]] = ContextVar("workshop_row_policies", default=())
_open: dict[Path, BusinessPort] = {}
_open_lock = threading.Lock()


def business() -> BusinessPort:
    """The business database in force; the embedded one is made on first use.

    Raises WorkshopError when it can't be made or opened.
    """
    policies = _policies.get()
    return _whole().limited(policies) if policies else _whole()


@contextmanager
def limited_to(policies: tuple[RowPolicy, ...]) -> Iterator[None]:
    """Let a block see of the business data what all of these policies leave, and those outside."""
    token = _policies.set(tuple(dict.fromkeys([*_policies.get(), *policies])))
    try:
        yield
    finally:
        _policies.reset(token)


def limits() -> str:
    """The row policies in force, as one short name for what was seen under them; "" for none."""
    policies = _policies.get()
    return hashlib.sha256(repr(policies).encode()).hexdigest()[:16] if policies else ""


def _whole() -> BusinessPort:
    chosen = _current.get()
    if chosen is not None:
        return chosen
    from harness.settings import settings  # pydantic: 0.2 s that a query process can spare

    home = settings().home
    with _open_lock:
        if home not in _open:
            _open[home] = _open_configured(home)
        return _open[home]


@contextmanager
def use_business(database: Database) -> Iterator[Database]:
    """Put another database in force for a block, for this context only."""
    token = _current.set(database)
    try:
        yield database
    finally:
        _current.reset(token)


def run_script(script: str, request: str, seconds: float) -> str | None:
    """Run JavaScript inside the database in force; None where it can't, without opening it.

    Raises what the database's `run_script` raises.
    """
    from harness.settings import settings  # as in _whole

    if _current.get() is None and settings().database == "embedded":
        return None
    return business().run_script(script, request, seconds)


def _open_configured(home: Path) -> BusinessPort:
    from harness.settings import settings  # as in _whole

    if settings().database == "embedded":
        return BusinessDatabase(embedded.business_file(home))
    from harness.databases.oracle import OracleBusiness  # the driver: 0.3 s

    return OracleBusiness(settings())
