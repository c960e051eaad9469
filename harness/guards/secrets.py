"""Secrets taken out of a text before it is stored, sent or shown.

The one detector for both directions: what comes in (a question, a memory, a tool's output) and what
goes out (an answer, a notice, a trace). What was caught becomes a mark that says its kind.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import regex

Span = tuple[int, int, str]  # where it begins and ends in a text, and its kind
REMOVED = "[removed: {}]"


def _signs(*rows: tuple[str, str]) -> dict[str, re.Pattern[str]]:
    """What a text with a secret holds: a piece, and the expression that it is part of."""
    return {
        piece: re.compile(around % re.escape(piece))
        for around, pieces in rows
        for piece in pieces.split("|")
    }


# Every text with a secret has one of these. Most texts have none, and are not searched further:
# the detectors of `detect-secrets` are loaded with the first text that has. Every text of a turn
# comes by here, so an expression is tried only where its piece is, which is found much faster.
_TOKENS = _signs(
    ("%s", "AIza|ya29.|eyJ|-----BEGIN|PuTTY-User|GR1348941|sq0csp-|hooks.slack"),
    (r"\b%s", "SG."),
    (
        r"\b%s\w",
        "sk-|sk_|rk-|rk_|pypi-|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|hf_|npm_|dop_v1_|shpat_",
    ),
    (r"\b%s\w{2,5}-\w", "gl"),
    (r"\b%s\w-\w", "xox"),
    (r"%s[0-9A-Z]{16}", "ABIA|ACCA|AKIA|ASIA"),
    (r"%s[0-9A-Z]{17}", "A3T"),
    (r"\b%s[0-9a-z]{32}", "AC|SK"),
    (r"%s[^\s@]*@", "://"),
    (r"(?<=[0-9a-z]{32})%s\d", "-us"),
    (r"(?<=\d{8})%s[\w-]{35}", ":"),
    (r"(?<=[\w-]{24})%s[\w-]{6}\.", "."),
)
_WORDS = _signs(
    ("%s", "pwd|kennwort|contrase|mot de passe|senha|wachtwoord|hasło|şifre|parola|парол"),
    (
        "%s",
        "密码|口令|密钥|パス|비밀번호|암호|secret|schlüssel|clave|clé|bearer|_auth|softlayer|cloudant|ibm|aws",
    ),
    ("%s ?(?:w|phrase|code)", "pass"),
    ("%s[sz]ation", "authori"),
    (
        "(?:api|access|auth|account|client|service|private|encryption|signing|deploy|bot|refresh"
        "|session|db|database)[ _-]?%s",
        "key|token",
    ),
)
_HIDDEN = regex.compile(r"\p{DI}")  # what no reader sees
_MOST_CACHED = 40_000  # characters of a text that is kept: the context of a question is


def redact(text: str) -> str:
    """`text` with each key, token, password and the like replaced by a mark that says its kind."""
    return _kept(text) if len(text) <= _MOST_CACHED else _redacted(text)


def _redacted(text: str) -> str:
    return replaced(text, found(text))


_kept = lru_cache(maxsize=512)(_redacted)


def redact_all(value: Any) -> Any:
    """Data with every text in it redacted, keys as well."""
    if isinstance(value, dict):
        return {redact(str(key)): redact_all(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [redact_all(each) for each in value]
    return redact(value) if isinstance(value, str) else value


def found(text: str) -> list[Span]:
    """(start, end, kind) of each secret, none over another, in their order."""
    plain, places = seen(text)
    if not (_shows(plain, _TOKENS) or _shows(plain.lower(), _WORDS)):
        return []
    from harness.guards import secret_kinds  # a third of a second: detect-secrets needs `requests`

    return in_order((places[a], places[b], kind) for a, b, kind in secret_kinds.spans(plain))


def _shows(text: str, signs: dict[str, re.Pattern[str]]) -> bool:
    return any(signs[piece].search(text) for piece in [each for each in signs if each in text])


def in_order(spans: Iterable[Span]) -> list[Span]:
    """Spans by their beginning, what overlaps as one; it has the kind of the one found first."""
    merged: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: span[0]):
        if merged and start < merged[-1][1]:
            first = merged[-1]
            merged[-1] = (first[0], max(first[1], end), first[2])
        elif end > start:
            merged.append((start, end, kind))
    return merged


def replaced(text: str, spans: list[Span]) -> str:
    """The text with each span replaced by its mark."""
    parts, at = [], 0
    for start, end, kind in spans:
        parts += [text[at:start], REMOVED.format(kind)]
        at = end
    return "".join([*parts, text[at:]])


def seen(text: str) -> tuple[str, "range | list[int]"]:
    """The text as a reader sees it, in plain letters, and the place of each of its characters.

    A hidden character or a letter of another width inside of a secret hides nothing.
    """
    if text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _HIDDEN.search(text)):
        return text, range(len(text) + 1)
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if _HIDDEN.match(letter):
            continue
        plain = unicodedata.normalize("NFKC", letter)
        letters.append(plain)
        places += [place] * len(plain)
    return "".join(letters), [*places, len(text)]
