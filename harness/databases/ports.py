"""The port of the business data: what the agent asks of a database, whichever it is.

Which adapter is behind it is a setting, and nothing outside of this folder asks. The agent's state
(state.py) has one home; what moves it elsewhere asks a Shelf (shelf.py).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from harness.databases.catalogue import TableInfo
from harness.databases.row_policy import RowPolicy

_RESULT_BYTES = 256_000
_BATCH = 100  # rows fetched at a time


@dataclass(frozen=True)
class QueryResult:
    """Rows as JSON can carry them. `truncated` says that there were more than were asked for."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False

    @classmethod
    def bounded(
        cls,
        columns: list[str],
        fetch: Callable[[int], Sequence[Any]],
        as_json: Callable[[Any], Iterable[Any]],
        max_rows: int,
    ) -> "QueryResult":
        """The rows that `fetch(count)` gives until there are none, within rows and bytes."""
        rows: list[list[Any]] = []
        size = 0
        while batch := fetch(min(_BATCH, max_rows + 1 - len(rows))):
            for row in batch:
                values = list(as_json(row))
                size += sum(len(str(value)) + 4 for value in values)
                if len(rows) >= max_rows or (rows and size > _RESULT_BYTES):
                    return cls(columns, rows, truncated=True)
                rows.append(values)
        return cls(columns, rows)


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
