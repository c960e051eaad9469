"""The two ports: what the agent asks of a database, whichever it is.

Business data is read and never written; the agent's state is read and written. Which adapter is
behind a port is a setting, and nothing outside of this folder asks.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from harness.databases.catalogue import TableInfo
from harness.databases.row_policy import RowPolicy


@dataclass(frozen=True)
class QueryResult:
    """Rows as JSON can carry them. `truncated` says that there were more than were asked for."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False


class BusinessPort(Protocol):
    """The data that the agent reads and can't write. Any thread may use it."""

    dialect: str  # as sqlglot calls it
    dialect_name: str  # as a person does

    @property
    def source(self) -> str:
        """What tells this database from another: facts were scanned from it."""

    def query(self, sql: str, max_rows: int = 50, seconds: float = 20.0) -> QueryResult:
        """Run one reading statement; at most `max_rows` rows. Raises ToolError."""

    def query_apart(self, sql: str, max_rows: int = 50, seconds: float = 20.0) -> QueryResult:
        """Like `query`, for a statement that a model wrote: it can't take this process down."""

    def catalogue(self, owner: str = "SUPPLYCHAIN") -> list[TableInfo]:
        """The tables of a schema, by name. Raises WorkshopError for a schema that isn't there."""

    def samples(
        self, table: str, column: str, limit: int = 12, owner: str = "SUPPLYCHAIN"
    ) -> list[Any]:
        """All values of a column, in order, where there are at most `limit`; else an empty list."""

    def names(self) -> dict[str, list[str]]:
        """Table name -> column names."""

    def limited(self, policies: Sequence[RowPolicy]) -> "BusinessPort":
        """The same data, as far as all of these policies let it be seen."""

    def run_script(self, script: str, request: str, seconds: float) -> str | None:
        """Run JavaScript inside the database; what it wrote, or None where that can't be done.

        Raises ToolError ("timeout") after `seconds`.
        """

    def close(self) -> None:
        """Give back what it holds open."""


class StatePort(Protocol):
    """What the agent keeps: threads, memories, scratch files, approvals and the rest."""

    @property
    def path(self) -> Path:
        """Where it is, or where its files on this machine are."""

    def read(self, sql: str, params: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query; a row has its columns by name and by number."""

    def run(self, sql: str, params: Sequence[Any] = ()) -> Any:
        """One statement, committed by itself."""

    def write(self) -> AbstractContextManager[Any]:
        """A transaction that no other writer shares; all of it lands, or nothing."""
