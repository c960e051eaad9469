"""A range of days moved: "the month before", "the following week"."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from harness.standin.brain.dayspans import MONTHS_IN, Range, add_months

_BEFORE = re.compile(
    r"(?:and |what about |how about )?(?:in |for )?the (day|week|month|quarter|"
    r"year) (before|after)|(?:and |what about )?(?:the )?(previous|following|"
    r"next|preceding) (day|week|month|quarter|year)"
)


def shifted(text: str) -> tuple[str, int] | None:
    """(unit, how many) of "the month before", "the following week"; None for anything else."""
    match = _BEFORE.match(text)
    if not match:
        return None
    back = match[2] == "before" or match[3] in ("previous", "preceding")
    return match[1] or match[4], -1 if back else 1


def moved_range(values: Sequence[date | None], moved: tuple[str, int]) -> Range:
    """A range of days so many units later (earlier where negative)."""
    start, end = (_moved(day, *moved) if day else None for day in values)
    if start and end and start.day == 1 and end == add_months(start, 1):
        return Range(start, end, f"in {start:%Y-%m}")
    return Range(start, end, f"{start} to {end - timedelta(days=1) if end else None}")


def _moved(day: date, unit: str, count: int) -> date:
    if unit in MONTHS_IN:
        return add_months(day, count * MONTHS_IN[unit])
    return day + timedelta(days=count * (7 if unit == "week" else 1))
