"""Numbers in a question: comparisons, units, times, percentiles."""

import re
from datetime import date
from functools import lru_cache
from typing import Any

from harness.standin.brain.marks import Marks, Numeric
from harness.standin.brain.times import find_time
from harness.standin.brain.words import Token, key, playbook

_PERCENTILE = re.compile(r"(\d{1,2}(?:\.\d+)?)(?:st|nd|rd|th)?\Z")


def unit_of(token: Token, section: str = "words") -> str:
    """The unit that a word names, or "". With "said": as descriptions name units."""
    return _units(section).get(token.key, "")


@lru_cache(maxsize=2)
def _units(section: str) -> dict[str, str]:
    return {key(w): name for name, each in playbook()["units"].items() for w in each[section]}


def number_of(token: Token) -> float | None:
    """The number that a token is, in figures or in words."""
    spoken = playbook()["numbers"].get(token.low)
    return float(spoken) if spoken is not None else token.number


def times_in(marks: Marks, today: date | None) -> None:
    """Claim every time."""
    i = 0
    while i < len(marks.tokens):
        found = find_time(marks.tokens, i, today) if marks.free(i, i + 1) else None
        if found and marks.free(i, i + found[1]) and not _is_id(marks, i, found[1]):
            marks.claim("time", i, i + found[1], found[0])
            i += found[1]
        else:
            i += 1


def _is_id(marks: Marks, i: int, size: int) -> bool:
    """A bare number after a noun or before a unit is no year: "voyage 2001", "2000 TEU"."""
    if size > 1 or not marks.tokens[i].low.isdigit():
        return False
    after = marks.tokens[i + 1].key if i + 1 < len(marks.tokens) else ""
    units = _units("words")
    before = marks.tokens[i - 1].low if i else ""
    return after in units or before not in ("year", "during", "of", "and", "or", "")


def comparisons_in(marks: Marks, today: date | None) -> None:
    """Claim "over 5000 TEU", "built before 2010", "between 5 and 8", "3 or more"."""
    table = playbook()["comparatives"]
    words = {tuple(str(p).split()): each for each in table.values() for p in each["words"]}
    low = [token.low for token in marks.tokens]
    for size in range(5, 0, -1):
        for i in range(len(low) - size):
            each = words.get(tuple(low[i : i + size]))
            if each and marks.free(i, i + size + 1):
                _comparison(marks, i, i + size, each)
    for i in range(len(low) - 3):
        if low[i] == "between" and marks.free(i, i + 4) and low[i + 2] in ("and", "to"):
            first, last = number_of(marks.tokens[i + 1]), number_of(marks.tokens[i + 3])
            years = [n for n in (first, last) if n and 1900 <= n <= 2100 and n == int(n)]
            built = i > 0 and low[i - 1] == "built"
            if first is not None and last is not None and (built or len(years) < 2):
                of = ("built",) if built else ()
                _close(marks, i - built, i + 4, Numeric("between", (first, last), of=of))
    for i in range(len(low)):
        number = number_of(marks.tokens[i])
        if number is None or not marks.free(i, i + 1):
            continue
        unit = unit_of(marks.tokens[i + 1]) if i + 1 < len(low) else ""
        end = i + 2 if unit else i + 1
        for op, tails in playbook()["trailing"].items():
            for tail in tails:
                size = len(tail.split())
                if low[end : end + size] == tail.split() and marks.free(i, end + size):
                    marks.claim("compare", i, end + size, Numeric(op, (number,), unit))
                    break


def _comparison(marks: Marks, start: int, at: int, each: dict[str, Any]) -> None:
    skip = 1 if marks.tokens[at].low in ("the", "a", "an", "year") else 0
    if at + skip >= len(marks.tokens):
        return
    number = number_of(marks.tokens[at + skip])
    if number is None and skip and unit_of(marks.tokens[at + skip]):
        skip, number = 0, 1.0  # "more than a day"
    if number is None:
        return
    of = tuple(each.get("of", ()))
    if of == ("built",) and "age" not in each and not 1800 < number < 2200:
        return
    _close(marks, start, at + skip + 1, Numeric(each["op"], (number,), "", of, each.get("age", "")))


def _close(marks: Marks, start: int, end: int, numeric: Numeric) -> None:
    """Take a unit that follows, "old" and "long" too, then claim."""
    unit, age = "", numeric.age
    if end < len(marks.tokens) and not marks.tokens[end].gap:
        word = marks.tokens[end].low
        unit = unit_of(marks.tokens[end])
        if unit or word in ("%", "percent", "years", "year"):
            end += 1
            while unit and marks.tokens[end : end + 1] and unit_of(marks.tokens[end]) == unit:
                end += 1  # "degrees Celsius"
        if word in ("years", "year"):
            unit = "year"
            if end < len(marks.tokens) and marks.tokens[end].low in ("old", "ago"):
                end += 1
                numeric = Numeric(numeric.op, numeric.numbers, "", ("built",), numeric.op)
                age = numeric.op
    if marks.free(start, end):
        made = Numeric(numeric.op, numeric.numbers, unit, numeric.of, age)
        marks.claim("compare", start, end, made)


def percentiles_in(marks: Marks, low: list[str]) -> None:
    """Claim "90th percentile", "p95"."""
    for i, word in enumerate(low):
        if word in ("percentile", "percentiles", "quantile"):
            for at, start, end in ((i - 1, i - 1, i + 1), (i + 1, i, i + 2)):
                match = _PERCENTILE.match(low[at]) if 0 <= at < len(low) else None
                if match and marks.free(start, end):
                    marks.claim("percentile", start, end, float(match.group(1)))
                    break
        elif re.fullmatch(r"p\d\d", word) and marks.free(i, i + 1):
            end = i + 2 if low[i + 1 : i + 2] == ["percentile"] else i + 1
            marks.claim("percentile", i, end, float(word[1:]))
