"""Does what the user said carry what is to be remembered?

The rule is simple enough to be checked by a reader. Every word of the claim, fillers aside, stands
in the user's statements; each number and identifier exactly, a plural for a singular; and a word
that the user negated is negated in the claim, and the other way round. Questions are no statements.
"""

import re
from dataclasses import dataclass

from harness.memory.storable_text import FILLER, NEGATIONS, content_words, stem, words

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+|[.!?]+$")
_CLAUSE_END = re.compile(r"[,;:()\u2013\u2014]|\s-\s|\b(?:but|and|instead|rather)\b", re.IGNORECASE)
_REQUEST = re.compile(r"\b(?:remember|save|store|note|record|correct|keep in mind|learn)\b", re.I)
_TAG = re.compile(r",?\s*\b(?:ok|okay|alright|got it|understood|please)\s*\?$", re.IGNORECASE)
_MAX_CHARS = 20_000  # of the user's message; a megabyte is not a statement


@dataclass(frozen=True)
class Finding:
    """Whether a claim is carried, by which words of the user, and what is missing otherwise."""

    supported: bool
    quote: str = ""
    missing: str = ""


def find_support(claim: str, message: str, quote: str | None = None) -> Finding:
    """Look for `claim` in the user's `message`.

    With a `quote` that stands in the message word for word, a claim that says more or other than
    the message falls back to the user's own sentence: `Finding.quote` then holds it, and
    `missing` says what the claim had added.
    """
    statements = _statements(message[:_MAX_CHARS])
    if not statements:
        return Finding(False, missing="the user's message states nothing")
    missing = _missing(claim, statements)
    sentence = _sentence_of(quote or claim, statements)
    if not missing:
        return Finding(True, quote=sentence or " ".join(statements)[:500])
    if quote and sentence and len(content_words(sentence)) >= 2:
        return Finding(False, quote=sentence, missing=missing)
    return Finding(False, missing=missing)


def _statements(message: str) -> list[str]:
    """The sentences that assert something: no questions, unless they ask to remember."""
    pieces: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(message):
        pieces.append(message[start : end.start()] + message[end.start() : end.end()].strip())
        start = end.end()
    pieces.append(message[start:])
    said = [piece.strip() for piece in pieces if words(piece)]
    return [s for s in said if not s.endswith("?") or _REQUEST.search(s) or _TAG.search(s)]


def _missing(claim: str, statements: list[str]) -> str:
    """What keeps the statements from carrying the claim; "" when they do."""
    wanted = content_words(claim)
    if not [word for word in wanted if word not in NEGATIONS]:
        return "" if _sentence_of(claim, statements) else "the claim says nothing of its own"
    text = " \n".join(statements)
    known = set(content_words(text)) | set(words(text))
    for word in wanted:
        if word not in known and word not in NEGATIONS:
            return f"the user did not say {word!r}"
    said, claimed = _polarity(text), _polarity(claim)
    for word, signs in claimed.items():
        if word in said and not signs & said[word]:
            return f"the user said the opposite about {word!r}"
    return ""


def _polarity(text: str) -> dict[str, set[bool]]:
    """For each content word whether it follows a negation in its clause (True), or not."""
    signs: dict[str, set[bool]] = {}
    for clause in _CLAUSE_END.split(text.replace("\n", " , ")):
        negated = False
        for word in words(clause):
            if word in NEGATIONS:
                negated = True
            elif word not in FILLER:
                signs.setdefault(stem(word), set()).add(negated)
    return signs


def _sentence_of(quote: str, statements: list[str]) -> str:
    """The statements in which the quote stands word for word, or ""."""
    wanted = " ".join(words(quote))
    if not wanted:
        return ""
    for statement in statements:
        if f" {wanted} " in f" {' '.join(words(statement))} ":
            return statement
    if f" {wanted} " in f" {' '.join(words(' '.join(statements)))} ":
        return " ".join(statements)[:2_000]
    return ""
