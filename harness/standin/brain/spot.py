"""Spotting: which words of a question name what. Longest first; what is left stays left."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from harness.standin.brain.lexicon import Keys, Lexicon
from harness.standin.brain.marks import Marks, Numeric, Span
from harness.standin.brain.schema import Schema
from harness.standin.brain.spot_numbers import (
    comparisons_in,
    number_of,
    percentiles_in,
    times_in,
    unit_of,
)
from harness.standin.brain.words import Token, keys, phrases, playbook, stem, word_set

_IDENTIFIER = re.compile(r"\b(?:\w+\.)*\w*_\w+\b|\b\w+\.\w+(?:\.\w+)?\b")
_QUOTED = re.compile(r"\"([^\"]{2,60})\"|(?<!\w)'([^']{2,60})'(?!\w)")
_MAX_PHRASE = 7


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
    comparisons_in(marks, today)
    times_in(marks, today)
    _functions(marks, lexicon)
    _nouns(marks, lexicon)
    _homonyms(marks, lexicon)
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
    for i, word in enumerate(low):
        whole = word == "but" and {"all", "every", "everything"} & set(low[:i])
        if whole and low[i + 1 : i + 2] in (["the"], ["those"], ["for"]):
            marks.claim("negation", i, i + 1, "except")  # "all but the cancelled ones"
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
    percentiles_in(marks, low)
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
                if words in table and not (_is_name(marks, i, lexicon) or _how_many(low, i, words)):
                    marks.claim(kind, i, i + size, table[words])
                    break


def _how_many(low: list[str], i: int, words: tuple[str, ...]) -> bool:
    """Whether "has the most delayed voyages" asks for their number, not for the worst of them."""
    has = low[max(i - 2, 0) : i] in (["has", "the"], ["have", "the"], ["had", "the"])
    noun = "".join(low[i + 2 : i + 3])
    return has and words == ("most", "delayed") and noun.endswith("s")


def _is_name(marks: Marks, i: int, lexicon: Lexicon) -> bool:
    """Whether a word like "short" stands inside a capitalised name."""
    token = marks.tokens[i]
    return token.capital and not token.first and (token.key,) in lexicon.values


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
        elif marks.free(i, i + 1) and number_of(token) is not None:
            marks.claim("number", i, i + 1, number_of(token))


def _homonyms(marks: Marks, lexicon: Lexicon) -> None:
    """ "Lines with HS code 090111": a noun of two tables means the one that has the column."""
    owners = {
        pair[0].table
        for s in marks.of("value", "column")
        if isinstance(s.data, list)
        for pair in s.data
    }
    for span in marks.of("table"):
        other = lexicon.homonyms.get(stem(marks.tokens[span.start].low))
        if other and span.end - span.start == 1 and other in owners and span.data not in owners:
            span.data = other


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


__all__ = ["Marks", "Numeric", "Span", "spot", "unit_of"]
