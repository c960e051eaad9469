"""Secrets taken out of a text before it is stored, sent or shown.

The one detector for both directions: what comes in (a question, a memory, a tool's output) and what
goes out (an answer, a notice, a trace). What was caught becomes a mark that says its kind.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import regex

Span = tuple[int, int, str]  # where it begins and ends in a text, and its kind
REMOVED = "[removed: {}]"
# Every text with a secret has one of these. Most texts have none, and are not searched further:
# the detectors of `detect-secrets` are loaded with the first text that has.
_TOKENS = re.compile(
    r"\b[sr]k[-_]\w|AIza|ya29\.|eyJ|-----BEGIN|PuTTY-User|://[^\s@]*@"
    r"|\b(?:gh[pousr]|github_pat|hf|npm|dop_v1|shpat)_\w|\b(?:gl\w{2,5}|pypi|xox\w)-\w|GR1348941"
    r"|(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}|\b(?:AC|SK)[a-z0-9]{32}|\bSG\.|sq0csp-"
    r"|[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.|[0-9a-z]{32}-us\d|\d{8}:[\w-]{35}|hooks\.slack"
)
_WORDS = re.compile(
    r"pass ?(?:w|phrase|code)|pwd|kennwort|contrase|mot de passe|senha|wachtwoord|hasło|şifre"
    r"|parola|парол|密码|口令|密钥|パス|비밀번호|암호|secret|schlüssel|clave|clé|authori[sz]ation|bearer|_auth"
    r"|softlayer|(?:api|access|auth|account|client|service|private|encryption|signing|deploy|bot"
    r"|refresh|session|db|database)[ _-]?(?:key|token)|cloudant|ibm|aws"
)
_HIDDEN = regex.compile(r"\p{DI}")  # what no reader sees
_MOST_CACHED = 40_000  # characters of a text that is kept: the context of a question is


def redact(text: str) -> str:
    """`text` with each key, token, password and the like replaced by a mark that says its kind."""
    return _kept(text) if len(text) <= _MOST_CACHED else _redacted(text)


def _redacted(text: str) -> str:
    return replaced(text, found(text))


_kept = lru_cache(maxsize=512)(_redacted)


def found(text: str) -> list[Span]:
    """(start, end, kind) of each secret, none over another, in their order."""
    plain, places = seen(text)
    if not (_TOKENS.search(plain) or _WORDS.search(plain.lower())):
        return []
    from harness.guards import secret_kinds  # a third of a second: detect-secrets needs `requests`

    return in_order((places[a], places[b], kind) for a, b, kind in secret_kinds.spans(plain))


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
