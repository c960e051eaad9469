"""Values that Python has no type for, as the engine itself prints them.

The client makes a timedelta of an INTERVAL (a month becomes thirty days), cuts off nanoseconds, and
makes the last day of the calendar of an infinite date. So a result that holds one of them is asked
for again, those columns as text.
"""

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import Any

_EDGES = (date.min, date.max)
_ITEMS = 500  # of a list that are looked at
# Types, also within a list or a struct: always, and where a date may be an infinite one.
_INEXACT = re.compile(r"\b(?:INTERVAL|TIMESTAMP_NS)\b")
_DATES = re.compile(r"\b(?:INTERVAL|DATE|TIMESTAMP(?: WITH TIME ZONE|_\w+)?)\b")


def edges(row: Iterable[Any]) -> set[int]:
    """The columns of a row that hold a date which may be an infinite one."""
    return {i for i, value in enumerate(row) if _at_an_edge(value)}


def _at_an_edge(value: Any) -> bool:
    if isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        return any(map(_at_an_edge, itertools.islice(items, _ITEMS)))
    day = value.date() if isinstance(value, datetime) else value
    return isinstance(day, date) and day in _EDGES


def exact_query(sql: str, types: Sequence[Any], at_edges: Collection[int]) -> str | None:
    """The query whose columns are text where the client's own values are not exact; else None."""
    kinds = [str(each) for each in types]
    if not at_edges and not any(map(_INEXACT.search, kinds)):
        return None
    shown = [_selected(f"#{i + 1}", kind, i in at_edges) for i, kind in enumerate(kinds)]
    return f"SELECT {', '.join(shown)} FROM (\n{sql.strip().rstrip(';')}\n) AS exact"


def _selected(column: str, kind: str, at_an_edge: bool) -> str:
    text = (_DATES if at_an_edge else _INEXACT).sub("VARCHAR", kind)
    if text == "VARCHAR" and kind not in ("VARCHAR", "INTERVAL"):
        return f"REPLACE(CAST({column} AS VARCHAR), ' ', 'T')"
    return column if text == kind else f"CAST({column} AS {text})"
