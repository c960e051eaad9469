"""Times in a question: "in 2019", "last week", "since March 2026", as half-open ranges of days."""

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache

from harness.standin.brain.words import Token, playbook

MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
_STEPS = {"yesterday": -1, "today": 0, "tomorrow": 1, "last": -1, "past": -1, "previous": -1}
_STEPS |= {"this": 0, "next": 1, "coming": 1}
_BEFORE_MONTHS = "in during since until till before after of from last this next and or".split()
_SOME_DAYS = (date(2000, 3, 15), date(2001, 9, 16))  # to see whether a time depends on today
_LONGEST = 12  # words of a time
_LED = (  # before a time
    r"(?:the|of(?= (?:19|20|21)\d\d(?:-\d\d)?(?: |$))|"
    r"(?:in|on|during|for|at|within|over)(?: the)?) "
)
_YEAR, _DAY = r"(?P<year>(?:19|20|21)\d\d)", r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_FORMS = (  # every way to say a day, or a stretch of days; the first that fits
    r"(?P<year>[12]\d{3})-(?P<month>\d\d)-(?P<day>\d\d)",
    r"(?P<year>[12]\d{3})-(?P<month>\d\d)",
    rf"{_YEAR} (?P<decade>s)",
    rf"{_YEAR} (?P<part>q)(?P<number>[1-4])",
    _YEAR,
    rf"(?P<part>q|h(?=[12]))(?P<number>[1-4])(?:(?: of| in)? {_YEAR})?",
    rf"(?P<number>{{quarters}}) (?P<part>quarter|half)(?:(?: of| in)? {_YEAR})?",
    rf"{_DAY}(?: of)? (?P<month>{{months}})(?: {_YEAR})?",
    rf"(?P<month>{{months}}) {_DAY}(?: {_YEAR})?",
    rf"(?P<month>{{months}})(?:(?: of)? {_YEAR})?",
    r"(?:the )?(?P<step>today|yesterday|tomorrow)",
    r"(?:the )?(?P<step>last|past|previous|this|next|coming) (?:(?P<count>\d+|{numbers}) )?"
    r"(?P<unit>day|week|hour|month|quarter|year)(?P<many>s?)",
)


@dataclass(frozen=True)
class Range:
    """Days from `start` (included) to `end` (excluded); None = open. `label` says it in words."""

    start: date | None
    end: date | None
    label: str
    needs_today: bool = False
    ahead: "Range | None" = None  # the other reading: a month without a year, still to come


Found = tuple[Range, int] | None  # a time, and how many words it takes


def find_time(tokens: Sequence[Token], i: int, today: date | None) -> Found:
    """The time that begins at token i, and how many tokens it takes; None for no time."""
    low = [t.low for t in tokens[i : i + _LONGEST]]
    for n, word in enumerate(low):
        if word == "may" and not tokens[i + n].capital:  # the month, or the verb
            before = tokens[i + n - 1].low if i + n else ""
            low[n] = word if before in _BEFORE_MONTHS and i + n > (before in ("and", "or")) else ""
    if today is not None:
        return _found(" ".join(low), today)
    one, other = (_found(" ".join(low), day) for day in _SOME_DAYS)
    if one is None or one == other:
        return one
    return Range(None, None, one[0].label, needs_today=True), one[1]


def _found(text: str, today: date) -> Found:
    if match := re.match(r"(since|after|before|until|till) ", text):
        return _opened(match[1], _point(text[match.end() :], today))
    if match := re.match(r"(?:between|from) ", text):
        return _between(text[match.end() :].split(" "), today)
    led = re.match(_LED, text)
    inner = _point(text[led.end() :] if led else text, today)
    return (inner[0], inner[1] + led.group().count(" ")) if led and inner else inner


def _opened(how: str, inner: Found) -> Found:
    """ "Since March", "before 2020"."""
    if inner is None:
        return None
    point, used = inner
    start = {"since": point.start, "after": point.end}.get(how)
    end = {"before": point.start, "until": point.end, "till": point.end}.get(how)
    return Range(start, end, f"{how} {_bare(point)}"), used + 1


def _between(words: list[str], today: date) -> Found:
    """ "Between 1 and 10 June", "from January to March 2026"."""
    first = _point(" ".join(words), today)
    middle = first[1] if first else 1
    joined = words[middle : middle + 1] and words[middle] in ("and", "to", "until", "till")
    last = _point(" ".join(words[middle + 1 :]), today) if joined else None
    if last is None or last[0].start is None:
        return None
    day = re.fullmatch(_DAY, words[0])
    if day and last[1] > 1:  # the month stands with the second day only
        start: Range | None = _built(
            {"day": day["day"], "month": str(last[0].start.month)}, last[0].start
        )
    else:  # the year may stand with the second one only
        own = today if set(words[:middle]) & set(_STEPS) else last[0].start
        again = _point(" ".join(words[:middle]), own)
        start = again[0] if again else None
    if start is None:
        return None
    label = f"from {_bare(start)} to {_bare(last[0])}"
    return Range(start.start, last[0].end, label), middle + last[1] + 2


def _bare(point: Range) -> str:
    return re.sub(r"^(in|on) ", "", point.label)


@lru_cache(maxsize=1)
def _forms() -> "list[re.Pattern[str]]":
    """The forms, with the playbook's words in them."""
    words = {name: "|".join(playbook()[name]) for name in ("months", "quarters", "numbers")}
    made = []
    for form in _FORMS:
        for name, options in words.items():
            form = form.replace(f"{{{name}}}", f"(?:{options})")
        made.append(re.compile(rf"{form}(?= |$)"))
    return made


def _point(text: str, today: date) -> Found:
    """A day, a month, a quarter, a year, or one of them relative to today."""
    for form in _forms():
        if match := form.match(text):
            said = {name: value for name, value in match.groupdict().items() if value}
            made = _built(said, today)
            return (made, match.group().count(" ") + 1) if made else None
    return None


def _built(said: Mapping[str, str], today: date) -> Range | None:
    """What the parts of a form come to; None for a day that no calendar has."""
    if "step" in said:
        return _relative(said, today)
    year = int(said.get("year", today.year))
    if "decade" in said:
        return Range(date(year, 1, 1), date(year + 10, 1, 1), f"in the {year}s")
    if part := said.get("part", "")[:1]:
        number = playbook()["quarters"].get(said["number"]) or int(said["number"])
        return _unit(year, 3 if part == "q" else 6, number, f"in {part.upper()}{number} {year}")
    if "month" not in said:
        return _unit(year, 12, 1, f"in {year}")
    month = playbook()["months"].get(said["month"]) or int(said["month"])
    if "day" in said:
        try:
            start = date(year, month, int(said["day"]))
        except ValueError:
            return None
        return Range(start, start + timedelta(days=1), f"on {start}")
    later = "year" not in said and month > today.month
    made, before = (_unit(y, 1, month, f"in {y}-{month:02d}") for y in (year, year - later))
    return replace(before, ahead=made) if later and before else made


def _unit(year: int, months: int, number: int, label: str) -> Range | None:
    """One of the equal parts of a year; None where it has not so many."""
    if not 0 < number <= 12 // months:
        return None
    start = date(year, (number - 1) * months + 1, 1)
    return Range(start, add_months(start, months), label)


def _relative(said: Mapping[str, str], today: date) -> Range | None:
    """ "Today", "last week", "the past 30 days", "this month", "next seven days"."""
    step, unit, count = _STEPS[said["step"]], said.get("unit", "day"), said.get("count", "")
    words = " ".join(filter(None, (said["step"], count, unit))) + said.get("many", "")
    start = today
    if count:
        number = int(playbook()["numbers"].get(count, count))
        if not 0 < number < 2000:
            return None
        edge = moved(today, unit, number if step >= 0 else -number)
        start, end = (today, edge) if step >= 0 else (edge, today + timedelta(days=1))
    else:
        size = MONTHS_IN.get(unit, 0)
        if size:
            start = today.replace(month=today.month - (today.month - 1) % size, day=1)
        elif unit == "week":
            start -= timedelta(days=today.weekday())
        start, end = moved(start, unit, step), moved(start, unit, step + 1)
    if "unit" not in said:
        return Range(start, end, f"on {start}")
    shown = f"({start} to {end - timedelta(days=1)})"
    return Range(start, end, f"in the {words} {shown}" if count else f"{words} {shown}")


def moved(day: date, unit: str, count: int) -> date:
    """A day so many units later, earlier where negative; hours as whole days."""
    if unit in MONTHS_IN:
        return add_months(day, count * MONTHS_IN[unit])
    days = {"day": 1.0, "week": 7.0, "hour": 1 / 24}[unit] * count
    return day + timedelta(days=round(days) or (1 if days > 0 else -1 if days else 0))


def add_months(day: date, months: int) -> date:
    """A day so many months later; the last one of a shorter month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))
