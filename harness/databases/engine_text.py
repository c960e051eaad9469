"""Values that Python has no type for, as the engine itself prints them.

The client makes a timedelta of an INTERVAL (a month becomes thirty days) and the last day of the
calendar of an infinite date. So a result that holds one is asked for again, those columns as text.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import Any

_EDGES = (date.min, date.max)


def edges(row: Iterable[Any]) -> set[int]:
    """The columns of a row whose date may be an infinite one."""
    days = (value.date() if isinstance(value, datetime) else value for value in row)
    return {i for i, day in enumerate(days) if isinstance(day, date) and day in _EDGES}


def exact_query(sql: str, types: Sequence[Any], at_edges: Collection[int]) -> str | None:
    """The query whose columns are text where the client's own values are not exact; else None."""
    kinds = [str(each) for each in types]
    if not at_edges and not any("INTERVAL" in kind for kind in kinds):
        return None
    shown = [_selected(f"#{i + 1}", kind, i in at_edges) for i, kind in enumerate(kinds)]
    return f"SELECT {', '.join(shown)} FROM (\n{sql.strip().rstrip(';')}\n) AS exact"


def _selected(column: str, kind: str, at_an_edge: bool) -> str:
    if "INTERVAL" in kind:
        return f"CAST({column} AS {kind.replace('INTERVAL', 'VARCHAR')})"
    return f"REPLACE(CAST({column} AS VARCHAR), ' ', 'T')" if at_an_edge else column
