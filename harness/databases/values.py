"""Database values as plain JSON: what a row looks like when a model reads it."""

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

CELL_CHARS = 4_000
_LIST_ITEMS = 500  # of a list in one cell


def json_value(value: Any) -> Any:
    """One value as JSON can carry it: ISO times, numbers as numbers, everything else as text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else _not_finite(value)
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return duration(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return _short(bytes(value[:CELL_CHARS]).hex())
    if isinstance(value, dict):
        return {str(json_value(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = list(value)
        rest = [f"... ({len(items) - _LIST_ITEMS} more)"] if len(items) > _LIST_ITEMS else []
        return [json_value(item) for item in items[:_LIST_ITEMS]] + rest
    return _short(str(value))


def duration(value: timedelta) -> str:
    """Hours, minutes and seconds with a sign: -26:30:00 rather than "-2 days, 21:30:00"."""
    seconds = abs(value) // timedelta(seconds=1)
    sign = "-" if value < timedelta(0) else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _number(value: Decimal) -> int | float | str:
    """A number where JSON's say the same; text where a float would be another one."""
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else format(value.normalize(), "f")


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _short(text: str) -> str:
    if len(text) <= CELL_CHARS:
        return text
    return f"{text[:CELL_CHARS]}... ({len(text) - CELL_CHARS} more characters)"
