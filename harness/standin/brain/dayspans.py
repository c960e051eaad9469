"""Times in a question: "in 2019", "last week", "since March 2026", as half-open ranges of days."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from harness.standin.brain.words import Token, playbook

MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
_YEAR = re.compile(r"(?:19|20|21)\d\d\Z")
_MONTH = re.compile(r"(\d{4})-(\d\d)\Z")
_DAY_NUMBER = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\Z")
_UNITS = ("day", "week", "hour", *MONTHS_IN)
_AHEAD = {"today": 0, "yesterday": -1, "tomorrow": 1}
_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}
_BEFORE_MONTHS = "in during since until till before after of from last this next".split()
_BEFORE_POINTS = ("in", "on", "during", "of", "for", "at", "within", "the", "over")
_SOME_DAYS = (date(2000, 3, 15), date(2001, 9, 16))  # to see whether a time depends on today


@dataclass(frozen=True)
class Range:
    """Days from `start` (included) to `end` (excluded); None = open. `label` says it in words."""

    start: date | None
    end: date | None
    label: str
    needs_today: bool = False
    ahead: "Range | None" = None  # the other reading: a month without a year, still to come


Found = tuple[Range, int] | None  # a time, and how many tokens it takes


def find_time(tokens: Sequence[Token], i: int, today: date | None) -> Found:
    """The time that begins at token i, and how many tokens it takes; None for no time."""
    if today is not None:
        return _found(tokens, i, today)
    one, other = (_found(tokens, i, day) for day in _SOME_DAYS)
    if one is None or one == other:
        return one
    return Range(None, None, one[0].label, needs_today=True), one[1]


def _found(tokens: Sequence[Token], i: int, today: date) -> Found:
    low = [token.low for token in tokens[i : i + 4]]
    word, after = low[0], low[1] if len(low) > 1 else ""
    if word in ("since", "after", "before", "until", "till") and after:
        return _opened(tokens, i, today)
    if word in ("between", "from") and len(low) > 3:
        return _between(tokens, i, today)
    if word not in _BEFORE_POINTS:
        return _point(tokens, i, today)
    if word == "of" and not (_YEAR.match(after) or _MONTH.match(after)):
        return None
    skip = 2 if len(low) > 2 and after == "the" != word else 1
    inner = _point(tokens, i + skip, today)
    return (inner[0], inner[1] + skip) if inner else None


def _opened(tokens: Sequence[Token], i: int, today: date) -> Found:
    """ "Since March", "before 2020"."""
    inner = _point(tokens, i + 1, today)
    if inner is None:
        return None
    point, how = inner[0], tokens[i].low
    start = {"since": point.start, "after": point.end}.get(how)
    end = {"before": point.start, "until": point.end, "till": point.end}.get(how)
    return Range(start, end, f"{how} {_plain(point)}"), inner[1] + 1


def _between(tokens: Sequence[Token], i: int, today: date) -> Found:
    first = _point(tokens, i + 1, today) or _day_of_next(tokens, i, today)
    middle = i + 1 + (first[1] if first else 0)
    joined = middle < len(tokens) and tokens[middle].low in ("and", "to", "until", "till")
    last = _point(tokens, middle + 1, today) if joined else None
    if first is None or last is None:
        return None
    start, year = first[0].start, last[0].start.year if last[0].start else 0
    if start and year and first[1] == 1 and not _YEAR.match(tokens[i + 1].low):
        start = start.replace(year=year)  # "from January to March 2026"
    label = f"from {_plain(first[0])} to {_plain(last[0])}"
    return Range(start, last[0].end, label), 2 + first[1] + last[1]


def _day_of_next(tokens: Sequence[Token], i: int, today: date) -> Found:
    """ "between 1 and 10 June": the month stands with the second day only."""
    last, day = _point(tokens, i + 3, today), _DAY_NUMBER.match(tokens[i + 1].low)
    if last is None or last[0].start is None or day is None or last[1] < 2:
        return None
    return _dated(int(day[1]), last[0].start.month, last[0].start.year, 1)


def _plain(point: Range) -> str:
    return re.sub(r"^(in|on) ", "", point.label)


def _point(tokens: Sequence[Token], i: int, today: date) -> Found:
    """A day, a month, a quarter, a year, or one of them relative to today."""
    low = [token.low for token in tokens[i : i + 6]]
    if not low:
        return None
    if re.fullmatch(r"\d{4}-\d\d-\d\d", low[0]):
        return _day(date.fromisoformat(low[0])), 1
    if month := _MONTH.match(low[0]):
        return _month(int(month[1]), int(month[2])), 1
    year = _year(low, 0)
    if year and low[1:2] == ["s"] and year % 10 == 0:  # "the 2010s"
        return Range(date(year, 1, 1), date(year + 10, 1, 1), f"in the {year}s"), 2
    if year and low[1:2] and re.fullmatch(r"q[1-4]", low[1]):
        return _quarter(year, int(low[1][1])), 2
    if year:
        return Range(date(year, 1, 1), date(year + 1, 1, 1), f"in {year}"), 1
    return _named_part(low, today) or _named(low, tokens, i, today) or _relative(low, today)


def _year(low: Sequence[str], at: int) -> int:
    """The year that stands there; 0 for none."""
    return int(low[at]) if at < len(low) and _YEAR.match(low[at]) else 0


def _named_part(low: Sequence[str], today: date) -> Found:
    """ "first quarter", "second half of 2026", "Q1 2026", "H1"."""
    named = re.fullmatch(r"(q[1-4]|h[12])", low[0])
    number, at, part = (int(low[0][1]), 1, low[0][0]) if named else (0, 2, "")
    if low[1:2] in (["quarter"], ["half"]):
        number, part = playbook()["quarters"].get(low[0], 0), low[1][0]
    behind = at + (1 if list(low[at : at + 1]) in (["of"], ["in"]) else 0)
    year = _year(low, behind)
    if not number:
        return None
    used, year = behind + 1 if year else at, year or today.year
    if part == "q":
        return _quarter(year, number), used
    start = date(year, number * 6 - 5, 1) if number < 3 else None
    made = Range(start, add_months(start, 6), f"in H{number} {year}") if start else None
    return (made, used) if made else None


def _named(low: Sequence[str], tokens: Sequence[Token], i: int, today: date) -> Found:
    """ "May", "May 2026", "3 May 2026", "May 3rd, 2026"."""
    months = playbook()["months"]
    at = 2 if list(low[1:2]) == ["of"] else 1
    if day := _DAY_NUMBER.match(low[0]):
        month, year = months.get(low[at] if at < len(low) else ""), _year(low, at + 1)
        found = _dated(int(day[1]), month, year or today.year, at + 1) if month else None
        return (found[0], found[1] + bool(year)) if found else None
    month = months.get(low[0])
    if month is None or (low[0] == "may" and not _dated_may(tokens, i)):
        return None
    if day := _DAY_NUMBER.match(low[1] if len(low) > 1 else ""):
        year = _year(low, 2)
        found = _dated(int(day[1]), month, year or today.year, 2)
        return (found[0], found[1] + bool(year)) if found else None
    if year := _year(low, at):
        return _month(year, month), at + 1
    if month <= today.month:
        return _month(today.year, month), 1
    return replace(_month(today.year - 1, month), ahead=_month(today.year, month)), 1


def _dated_may(tokens: Sequence[Token], i: int) -> bool:
    """Whether "may" is the month: written large, or after "in", "since", "and" ... a month."""
    before = tokens[i - 1].low if i else ""
    return tokens[i].capital or before in _BEFORE_MONTHS or (i > 1 and before in ("and", "or"))


def _dated(day: int, month: int, year: int, used: int) -> Found:
    try:
        return _day(date(year, month, day)), used
    except ValueError:
        return None


def _relative(low: Sequence[str], today: date) -> Found:
    """ "Today", "last week", "the past 30 days", "this month", "next seven days"."""
    shift = 1 if low[0] == "the" else 0
    how, *rest = [*low[shift:], ""]
    if how in _AHEAD:
        return _day(today + timedelta(days=_AHEAD[how])), 1 + shift
    numbers = playbook()["numbers"]
    counted = rest[0].isdigit() or rest[0] in numbers
    number = int(numbers.get(rest[0], rest[0])) if counted else 1
    unit = rest[1 if counted and len(rest) > 1 else 0].removesuffix("s")
    if how not in _STEPS or unit not in _UNITS or not 0 < number < 2000:
        return None
    used = shift + (3 if counted else 2)
    said = " ".join(low[shift:used])
    if counted:
        return _window(_STEPS[how] >= 0, number, unit, today, said), used
    return _whole(_STEPS[how], unit, today, said), used


def _window(ahead: bool, number: int, unit: str, today: date, said: str) -> Range:
    """So many units back from today (today included), or ahead of it."""
    far = number if ahead else -number
    if unit in MONTHS_IN:
        edge = add_months(today, far * MONTHS_IN[unit])
    elif unit == "hour":
        edge = today + timedelta(days=max(1, round(number / 24))) * (1 if ahead else -1)
    else:
        edge = today + timedelta(days=far * (7 if unit == "week" else 1))
    start, end = (today, edge) if ahead else (edge, today + timedelta(days=1))
    return Range(start, end, f"in the {said} ({start} to {end - timedelta(days=1)})")


def _whole(step: int, unit: str, today: date, said: str) -> Range:
    """The calendar unit that holds today, the one before or the one after it."""
    if unit in MONTHS_IN:
        size = MONTHS_IN[unit]
        first = today.replace(month=today.month - (today.month - 1) % size, day=1)
        start = add_months(first, step * size)
        end = add_months(start, size)
    else:
        days = 7 if unit == "week" else 1
        first = today - timedelta(days=today.weekday() if unit == "week" else 0)
        start = first + timedelta(days=days * step)
        end = start + timedelta(days=days)
    return Range(start, end, f"{said} ({start} to {end - timedelta(days=1)})")


def add_months(day: date, months: int) -> date:
    """A day so many months later; the last one of a shorter month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _day(start: date) -> Range:
    return Range(start, start + timedelta(days=1), f"on {start}")


def _month(year: int, month: int) -> Range:
    start = date(year, month, 1)
    return Range(start, add_months(start, 1), f"in {start:%Y-%m}")


def _quarter(year: int, quarter: int) -> Range:
    start = date(year, quarter * 3 - 2, 1)
    return Range(start, add_months(start, 3), f"in Q{quarter} {year}")
