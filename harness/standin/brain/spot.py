"""Spotting: which words of a question name what. Longest first; what is left stays left."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from harness.standin.brain.lexicon import Keys, Lexicon
from harness.standin.brain.schema import Schema
from harness.standin.brain.times import find_time
from harness.standin.brain.words import Token, key, keys, phrases, playbook, stem, word_set

_IDENTIFIER = re.compile(r"\b(?:\w+\.)*\w*_\w+\b|\b\w+\.\w+(?:\.\w+)?\b")
_PERCENTILE = re.compile(r"(\d{1,2}(?:\.\d+)?)(?:st|nd|rd|th)?\Z")
_QUOTED = re.compile(r"\"([^\"]{2,60})\"|(?<!\w)'([^']{2,60})'(?!\w)")
_MAX_PHRASE = 7


@dataclass
class Span:
    """Tokens start (included) to end (excluded) that mean `data` in the way of `kind`."""

    kind: str
    start: int
    end: int
    data: Any = None
    used: bool = False
    negated: bool = False


@dataclass
class Marks:
    """A question's tokens with what was spotted in them.

    `roles` and `dates` lie over the other spans: "arrived at" is a status and a direction.
    """

    tokens: list[Token]
    text: str
    spans: list[Span] = field(default_factory=list)
    owner: list[Span | None] = field(default_factory=list)
    roles: list[Span] = field(default_factory=list)
    dates: list[Span] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.owner = self.owner or [None] * len(self.tokens)

    def free(self, start: int, end: int) -> bool:
        """Whether nothing has claimed these tokens."""
        return end <= len(self.tokens) and not any(self.owner[start:end])

    def claim(self, kind: str, start: int, end: int, data: Any = None) -> Span:
        """Claim these tokens."""
        span = Span(kind, start, end, data)
        self.owner[start:end] = [span] * (end - start)
        self.spans.append(span)
        self.spans.sort(key=lambda each: each.start)
        return span

    def words(self, span: Span) -> str:
        """A span's words as written."""
        return self.text[self.tokens[span.start].start : self.tokens[span.end - 1].end]

    def of(self, *kinds: str) -> list[Span]:
        """The spans of these kinds, in order."""
        return [span for span in self.spans if span.kind in kinds]


@dataclass(frozen=True)
class Numeric:
    """A comparison with numbers: op is one of > < >= <= = between; `of` names its measure."""

    op: str
    numbers: tuple[float, ...]
    unit: str = ""
    of: tuple[str, ...] = ()
    age: str = ""


def spot(
    text: str,
    tokens: Sequence[Token],
    schema: Schema,
    lexicon: Lexicon,
    terms: dict[Keys, Any],
    today: date | None,
) -> Marks:
    """Mark what is known in a question. `terms` are words that a correction has defined."""
    marks = Marks(list(tokens), text)
    _identifiers(marks, schema)
    _phrases(marks, "layout", lambda low: tuple(low) in _flat("layout"), low=True)
    _lookup(marks, "value", lexicon.values, least=2)
    _lookup(marks, "term", terms)
    _comparisons(marks, today)
    _times(marks, today)
    _functions(marks, lexicon)
    _nouns(marks, lexicon)
    _lookup(marks, "gloss", lexicon.glosses)
    _phrases(marks, "sense", lambda low: " ".join(low) in playbook()["senses"], low=True)
    _overlays(marks)
    return marks


def _identifiers(marks: Marks, schema: Schema) -> None:
    """Names written as the database writes them: cargo.weight, size_code."""
    for match in _IDENTIFIER.finditer(marks.text):
        parts = match.group().lower().split(".")
        inside = [i for i, t in enumerate(marks.tokens) if match.start() <= t.start < match.end()]
        if not inside:
            continue
        start, end = inside[0], inside[-1] + 1
        columns = [
            (c, 9)
            for c in schema.columns
            if c.name.lower() == parts[-1]
            and (len(parts) == 1 or c.table.lower().split(".")[-1] == parts[-2])
        ]
        tables = [t for t in sorted(schema.tables) if t.lower().split(".")[-1] == parts[-1]]
        if columns and marks.free(start, end):
            marks.claim("column", start, end, columns)
        elif tables and marks.free(start, end):
            marks.claim("table", start, end, tables[0])


@lru_cache(maxsize=8)
def _flat(section: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(str(each).split()) for each in playbook()[section])


def _phrases(
    marks: Marks, kind: str, known: Callable[[list[str]], bool], low: bool = False
) -> None:
    words = [token.low if low else token.key for token in marks.tokens]
    for size in range(_MAX_PHRASE, 0, -1):
        for i in range(len(words) - size + 1):
            if marks.free(i, i + size) and known(words[i : i + size]):
                marks.claim(kind, i, i + size, " ".join(words[i : i + size]))


def _lookup(marks: Marks, kind: str, table: dict[Keys, Any], least: int = 1) -> None:
    """Claim phrases of a table, longest first; terms by their own stems, the rest by keys."""
    if not table:
        return
    words = [stem(token.low) if kind == "term" else token.key for token in marks.tokens]
    for size in range(_MAX_PHRASE, least - 1, -1):
        for i in range(len(words) - size + 1):
            data = table.get(tuple(words[i : i + size]))
            if data and marks.free(i, i + size) and not _split(marks, i, size):
                marks.claim(kind, i, i + size, data)


def _split(marks: Marks, i: int, size: int) -> bool:
    """Whether a sentence ends inside these tokens."""
    return any("." in t.gap or "?" in t.gap for t in marks.tokens[i + 1 : i + size])


def _times(marks: Marks, today: date | None) -> None:
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


def _number(token: Token) -> float | None:
    spoken = playbook()["numbers"].get(token.low)
    return float(spoken) if spoken is not None else token.number


def unit_of(token: Token, section: str = "words") -> str:
    """The unit that a word names, or "". With "said": as descriptions name units."""
    return _units(section).get(token.key, "")


@lru_cache(maxsize=2)
def _units(section: str) -> dict[str, str]:
    return {key(w): name for name, each in playbook()["units"].items() for w in each[section]}


def _comparisons(marks: Marks, today: date | None) -> None:
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
            first, last = _number(marks.tokens[i + 1]), _number(marks.tokens[i + 3])
            years = [n for n in (first, last) if n and 1900 <= n <= 2100 and n == int(n)]
            built = i > 0 and low[i - 1] == "built"
            if first is not None and last is not None and (built or len(years) < 2):
                of = ("built",) if built else ()
                _close(marks, i - built, i + 4, Numeric("between", (first, last), of=of))
    for i in range(len(low)):
        number = _number(marks.tokens[i])
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
    number = _number(marks.tokens[at + skip])
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
        if word in ("years", "year"):
            unit = "year"
            if end < len(marks.tokens) and marks.tokens[end].low in ("old", "ago"):
                end += 1
                numeric = Numeric(numeric.op, numeric.numbers, "", ("built",), numeric.op)
                age = numeric.op
    if marks.free(start, end):
        made = Numeric(numeric.op, numeric.numbers, unit, numeric.of, age)
        marks.claim("compare", start, end, made)


def _functions(marks: Marks, lexicon: Lexicon) -> None:
    """The words of the playbook that say what is asked."""
    low = [token.low for token in marks.tokens]
    tables: list[tuple[str, dict[tuple[str, ...], Any]]] = [
        ("superlative", phrases("superlatives")),
        ("extreme", phrases("extremes")),
        ("ask", phrases("asks")),
        ("aggregate", phrases("aggregates")),
        ("sorting", {tuple(p.split()): p for p in playbook()["sorting"]}),
        ("direction", phrases("directions")),
        ("negation", {tuple(p.split()): p for p in map(str, playbook()["negation"])}),
        ("each", {tuple(p.split()): p for p in playbook()["each"]}),
        ("busy", {(p,): p for p in playbook()["busy"]}),
    ]
    for i, token in enumerate(low[:2]):
        if token in ("is", "are", "do", "does", "have", "did", "has") and i == 0:
            for size in (3, 2):
                if " ".join(low[:size]) in playbook()["exists"]:
                    marks.claim("exists", 0, size, "exists")
                    break
            break
    for i in range(len(low) - 1):
        adjective = low[i + 1]
        if low[i] == "how" and adjective == "long" and {"delayed", "late"} & set(low):
            late = next(n for n, w in enumerate(low) if w in ("delayed", "late"))
            marks.claim("how", late, late + 1, "delayed")
            marks.claim("layout", i, i + 2, "how long")
        elif low[i] == "how" and adjective in playbook()["how"] and marks.free(i, i + 2):
            marks.claim("how", i, i + 2, adjective)
    if {"far", "distance"} & set(low):
        _phrases(marks, "layout", lambda words: " ".join(words) in playbook()["lengths"], low=True)
    _percentiles(marks, low)
    for size in range(6, 0, -1):
        for i in range(len(low) - size + 1):
            if not marks.free(i, i + size):
                continue
            words = tuple(low[i : i + size])
            for kind, table in tables:
                if (
                    words == ("number", "of")
                    and i
                    and (marks.tokens[i - 1].key, "number") in lexicon.columns
                ):
                    continue
                if words in table and not _is_name(marks, i, lexicon):
                    marks.claim(kind, i, i + size, table[words])
                    break


def _is_name(marks: Marks, i: int, lexicon: Lexicon) -> bool:
    """Whether a word like "short" stands inside a capitalised name."""
    token = marks.tokens[i]
    return token.capital and not token.first and (token.key,) in lexicon.values


def _percentiles(marks: Marks, low: list[str]) -> None:
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


def _nouns(marks: Marks, lexicon: Lexicon) -> None:
    rewrites = {tuple(str(a).split()): keys(str(b)) for a, b in playbook()["rewrites"].items()}
    low = [token.low for token in marks.tokens]
    words = [token.key for token in marks.tokens]
    for size in range(4, 0, -1):
        for i in range(len(words) - size + 1):
            if not marks.free(i, i + size):
                continue
            phrase = rewrites.get(tuple(low[i : i + size])) or tuple(words[i : i + size])
            people = playbook()["demonyms"].get(" ".join(low[i : i + size]))
            if people and keys(people) in lexicon.values:
                phrase = keys(people)
            found = _noun(phrase, lexicon)
            if found and not (size == 1 and low[i] in word_set("stop")):
                marks.claim(found[0], i, i + size, found[1])
    for i, token in enumerate(marks.tokens):
        if marks.free(i, i + 1) and unit_of(token):
            marks.claim("unit", i, i + 1, unit_of(token))
        elif marks.free(i, i + 1) and _number(token) is not None:
            marks.claim("number", i, i + 1, _number(token))


def _noun(phrase: Keys, lexicon: Lexicon) -> tuple[str, Any] | None:
    if phrase in lexicon.values:
        return "value", lexicon.values[phrase]
    if phrase in lexicon.tables:
        return "table", lexicon.tables[phrase]
    if phrase in lexicon.roles:
        return "role", lexicon.roles[phrase]
    if len(phrase) == 1 and phrase[0] in lexicon.nulls:
        return "null", lexicon.nulls[phrase[0]]
    strong = [each for each in lexicon.columns.get(phrase, []) if each[1] > 1]
    if strong:
        return "column", strong
    if len(phrase) == 1 and phrase[0] in lexicon.empties:
        return "empty", lexicon.empties[phrase[0]]
    return None


def _overlays(marks: Marks) -> None:
    low = [token.low for token in marks.tokens]
    for name, overlay in (("roles", marks.roles), ("dates", marks.dates)):
        table = phrases(name)
        taken: set[int] = set()
        for size in range(4, 0, -1):
            for i in range(len(low) - size + 1):
                places = set(range(i, i + size))
                data = table.get(tuple(low[i : i + size]))
                if data and not places & taken:
                    overlay.append(Span(name, i, i + size, data))
                    taken |= places
        overlay.sort(key=lambda span: span.start)


def quoted(text: str) -> list[str]:
    """Names in quotation marks."""
    return [first or second for first, second in _QUOTED.findall(text)]
