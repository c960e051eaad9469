"""Times in a question: "in 2019", "last week", "since March 2026", as half-open ranges of days."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from harness.standin.brain.words import Token, playbook

_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z")
_MONTH = re.compile(r"\d{4}-\d\d\Z")
_YEAR = re.compile(r"(?:19|20|21)\d\d\Z")
MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
_UNITS = ("day", "week", "hour", *MONTHS_IN)
_BEFORE_MONTHS = "in during since until till before after of from last this next".split()
_OPENING = {
    "since": "from",
    "after": "after",
    "before": "before",
    "until": "until",
    "till": "until",
}


@dataclass(frozen=True)
class Range:
    """Days from `start` (included) to `end` (excluded); None = open. `label` says it in words."""

    start: date | None
    end: date | None
    label: str
    needs_today: bool = False
    ahead: "Range | None" = None  # the other reading: a month without a year, still to come


def find_time(tokens: Sequence[Token], i: int, today: date | None) -> tuple[Range, int] | None:
    """The time that begins at token i, and how many tokens it takes; None if there is none."""
    low = [token.low for token in tokens[i : i + 9]]
    word = low[0]
    if word in _OPENING and len(low) > 1:
        return _opened(tokens, i, today)
    if word in ("between", "from") and len(low) > 3:
        return _between(tokens, i, today)
    if word in ("in", "on", "during", "of", "for", "at", "within", "the", "over"):
        skip = 2 if len(low) > 2 and word != "the" and low[1] == "the" else 1
        if word == "of" and low[1:2] and not (_YEAR.match(low[1]) or _MONTH.match(low[1])):
            return None
        inner = _point(tokens, i + skip, today) if i + skip < len(tokens) else None
        return (inner[0], inner[1] + skip) if inner else None
    return _point(tokens, i, today)


def _opened(tokens: Sequence[Token], i: int, today: date | None) -> tuple[Range, int] | None:
    inner = _point(tokens, i + 1, today)
    if inner is None:
        return None
    point, used = inner
    how, said = _OPENING[tokens[i].low], f"{tokens[i].low} {point.label.removeprefix('in ')}"
    said = said.replace(" on ", " ")
    if how == "from":
        made = Range(point.start, None, said, point.needs_today)
    elif how == "after":
        made = Range(point.end, None, said, point.needs_today)
    elif how == "before":
        made = Range(None, point.start, said, point.needs_today)
    else:
        made = Range(None, point.end, said, point.needs_today)
    return made, used + 1


def _between(tokens: Sequence[Token], i: int, today: date | None) -> tuple[Range, int] | None:
    first = _point(tokens, i + 1, today) or _day_of_next(tokens, i, today)
    if first is None:
        return None
    middle = i + 1 + first[1]
    if middle + 1 >= len(tokens) or tokens[middle].low not in ("and", "to", "until", "till"):
        return None
    last = _point(tokens, middle + 1, today)
    if last is None:
        return None
    start, end = first[0].start, last[0].end
    bare = _YEAR.match(tokens[i + 1].low)
    if start and last[0].start and not bare and start.year != last[0].start.year and first[1] == 1:
        start = start.replace(year=last[0].start.year)  # "from January to March 2026"
    label = f"from {_plain(first[0])} to {_plain(last[0])}"
    needs = last[0].needs_today and last[1] == 1
    return Range(start, end, label, needs), 2 + first[1] + last[1]


def _day_of_next(tokens: Sequence[Token], i: int, today: date | None) -> tuple[Range, int] | None:
    """ "between 1 and 10 June": the month stands with the second day only."""
    last = _point(tokens, i + 3, today) if i + 3 < len(tokens) else None
    day = tokens[i + 1].number
    if last is None or last[0].start is None or day is None or not 1 <= day <= 31 or last[1] < 2:
        return None
    try:
        return _day(last[0].start.replace(day=int(day)).isoformat())
    except ValueError:
        return None


def _plain(point: Range) -> str:
    return re.sub(r"^(in|on) ", "", point.label)


def _point(tokens: Sequence[Token], i: int, today: date | None) -> tuple[Range, int] | None:
    """A day, a month, a quarter, a year, or one of them relative to today."""
    low = [token.low for token in tokens[i : i + 6]]
    if not low:
        return None
    if _DAY.match(low[0]):
        return _day(low[0])
    if _MONTH.match(low[0]):
        return _month(int(low[0][:4]), int(low[0][5:])), 1
    if playbook()["quarters"].get(low[0]) and low[1:2] == ["quarter"]:
        return _spelled_quarter(low, today)
    if _YEAR.match(low[0]):
        year = int(low[0])
        if low[1:2] == ["s"] and year % 10 == 0:  # "the 2010s"
            return Range(date(year, 1, 1), date(year + 10, 1, 1), f"in the {year}s"), 2
        if low[1:2] and re.fullmatch(r"q[1-4]", low[1]):
            return _quarter(year, int(low[1][1])), 2
        return Range(date(year, 1, 1), date(year + 1, 1, 1), f"in {year}"), 1
    named = _named(low, tokens, i, today)
    if named:
        return named
    return _relative(low, today)


def _spelled_quarter(low: list[str], today: date | None) -> tuple[Range, int]:
    """ "first quarter", "first quarter of 2026"."""
    at = 3 if low[2:3] in (["of"], ["in"]) else 2
    if low[at : at + 1] and _YEAR.match(low[at]):
        return _quarter(int(low[at]), playbook()["quarters"][low[0]]), at + 1
    if today is None:
        return Range(None, None, f"{low[0]} quarter", needs_today=True), 2
    return _quarter(today.year, playbook()["quarters"][low[0]]), 2


def _named(
    low: list[str], tokens: Sequence[Token], i: int, today: date | None
) -> tuple[Range, int] | None:
    """ "May", "May 2026", "3 May 2026", "May 3rd, 2026", "Q1 2026"."""
    months = playbook()["months"]
    if re.fullmatch(r"q[1-4]", low[0]):
        year = low[1] if low[1:2] and _YEAR.match(low[1]) else None
        if year is None and today is None:
            return Range(None, None, low[0], needs_today=True), 1
        return _quarter(int(year) if year else today.year, int(low[0][1])), 2 if year else 1  # type: ignore[union-attr]
    day = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", low[0])
    if day and low[1:2]:
        at = 2 if low[1] == "of" else 1
        if low[at : at + 1] and low[at] in months:
            return _dated(int(day.group(1)), months[low[at]], low[at + 1 :], at + 1, today)
        return None
    if low[0] not in months or (low[0] == "may" and not _dated_may(tokens, i)):
        return None
    month = months[low[0]]
    day = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", low[1]) if low[1:2] else None
    if day:
        return _dated(int(day.group(1)), month, low[2:], 2, today)
    at = 2 if low[1:2] == ["of"] else 1
    if low[at : at + 1] and _YEAR.match(low[at]):
        return _month(int(low[at]), month), at + 1
    if today is None:
        return Range(None, None, f"in {low[0]}", needs_today=True), 1
    if month <= today.month:
        return _month(today.year, month), 1
    return replace(_month(today.year - 1, month), ahead=_month(today.year, month)), 1


def _dated_may(tokens: Sequence[Token], i: int) -> bool:
    """Whether "may" is the month: written large, or after "in", "since", "and" ... a month."""
    before = tokens[i - 1].low if i else ""
    return tokens[i].capital or before in _BEFORE_MONTHS or (i > 1 and before in ("and", "or"))


def _dated(
    day: int, month: int, rest: list[str], used: int, today: date | None
) -> tuple[Range, int] | None:
    if rest and _YEAR.match(rest[0]):
        year, used = int(rest[0]), used + 1
    elif today is None:
        return Range(None, None, f"on {day}", needs_today=True), used
    else:
        year = today.year
    try:
        return _day(date(year, month, day).isoformat())[0], used
    except ValueError:
        return None


def _relative(low: list[str], today: date | None) -> tuple[Range, int] | None:
    words = low[1:] if low[0] == "the" else low
    shift = 1 if low[0] == "the" else 0
    if words[:1] in (["today"], ["yesterday"], ["tomorrow"]):
        offset = {"today": 0, "yesterday": -1, "tomorrow": 1}[words[0]]
        if today is None:
            return Range(None, None, words[0], needs_today=True), 1 + shift
        day = today + timedelta(days=offset)
        return Range(day, day + timedelta(days=1), f"on {day}"), 1 + shift
    if words[:1] and words[0] in ("last", "past", "previous", "next", "this", "coming"):
        return _counted(words, shift, today)
    return None


def _counted(words: list[str], shift: int, today: date | None) -> tuple[Range, int] | None:
    """ "last week", "the past 30 days", "this month", "next seven days"."""
    number, at = 1, 1
    numbers = playbook()["numbers"]
    explicit = words[1:2] and (words[1].isdigit() or words[1] in numbers)
    if explicit:
        number, at = int(numbers.get(words[1], words[1])), 2
    unit = words[at].removesuffix("s") if words[at : at + 1] else ""
    if unit not in _UNITS or not 0 < number < 2000:
        return None
    used = at + 1 + shift
    said = " ".join(words[: at + 1])
    if today is None:
        return Range(None, None, said, needs_today=True), used
    if explicit:
        return _window(words[0], number, unit, today, said), used
    return _whole(words[0], unit, today, said), used


def _window(how: str, number: int, unit: str, today: date, said: str) -> Range:
    """So many units back from today (today included), or ahead of it."""
    if unit == "hour":
        number, unit = max(1, round(number / 24)), "day"
    ahead = how in ("next", "coming", "this")
    if unit in ("day", "week"):
        span = timedelta(days=number * (7 if unit == "week" else 1))
        if ahead:
            start, end = today, today + span
        else:
            start, end = today - span, today + timedelta(days=1)
    else:
        months = number * MONTHS_IN[unit]
        shifted = add_months(today, months if ahead else -months)
        start, end = (today, shifted) if ahead else (shifted, today + timedelta(days=1))
    return Range(start, end, f"in the {said} ({start} to {end - timedelta(days=1)})")


def _whole(how: str, unit: str, today: date, said: str) -> Range:
    """The calendar unit that holds today, the one before or the one after it."""
    step = {"this": 0, "next": 1, "coming": 1}.get(how, -1)
    if unit in ("day", "hour"):
        start = today + timedelta(days=step)
        end = start + timedelta(days=1)
    elif unit == "week":
        start = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        end = start + timedelta(weeks=1)
    else:
        size = MONTHS_IN[unit]
        first = today.month - (today.month - 1) % size
        start = add_months(today.replace(month=first, day=1), step * size)
        end = add_months(start, size)
    return Range(start, end, f"{said} ({start} to {end - timedelta(days=1)})")


def add_months(day: date, months: int) -> date:
    """A day so many months later; the last one of a shorter month."""
    index = day.year * 12 + day.month - 1 + months
    for last in (day.day, 30, 29, 28):
        try:
            return date(index // 12, index % 12 + 1, last)
        except ValueError:
            continue
    raise AssertionError("every month has 28 days")


def _day(text: str) -> tuple[Range, int]:
    start = date.fromisoformat(text)
    return Range(start, start + timedelta(days=1), f"on {start}"), 1


def _month(year: int, month: int) -> Range:
    start = date(year, month, 1)
    return Range(start, add_months(start, 1), f"in {start:%Y-%m}")


def _quarter(year: int, quarter: int) -> Range:
    start = date(year, quarter * 3 - 2, 1)
    return Range(start, add_months(start, 3), f"in Q{quarter} {year}")
