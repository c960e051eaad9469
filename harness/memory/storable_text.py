"""Text of people and models, made comparable and made safe to show on one line."""

import hashlib
import json
from typing import Any

import regex

from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.guards.secrets import redact
from harness.memory.folding import words

# What ends a line somewhere, and what no reader sees. A single joiner and the two variation
# selectors that emoji and some scripts need stay.
_BREAKS = regex.compile(r"[\s\x1c-\x1f]+")
_HIDDEN = regex.compile(
    r"(?![\u200c\u200d\ufe0e\ufe0f])\p{DI}|(?<=[\u200c\u200d\ufe0e\ufe0f])[\u200c\u200d]|(?![\s\x1c-\x1f])\p{Cc}"
)
_QUOTED_LINE = regex.compile(r"^\s*(?:[->*•]\s*)+(?:\[[^\]\n]*\]\s*)?|^\s*\[[^\]\n]*\]\s*")


def storable(text: Any) -> str:
    """Any value as text that SQLite, JSON and a terminal can carry (lone surrogates replaced)."""
    plain = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, default=str)
    return plain.encode("utf-8", "replace").decode("utf-8")


def without_secret(name: str, what: str) -> str:
    """A name, which is stored wherever it is used. Raises WorkshopError for one with a secret."""
    if redact(name) != name:
        raise WorkshopError(
            f"{what} holds a secret: {short_repr(redact(name), 80)}.", "Name it otherwise."
        )
    return name


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, in one reading direction, cut with `...` at `limit` characters."""
    line = _BREAKS.sub(" ", _HIDDEN.sub("", text)).strip()
    return line if limit is None or len(line) <= limit else line[: max(limit - 3, 0)] + "..."


def unquoted(text: str) -> str:
    """A text without the marks that a context card puts before it."""
    return _QUOTED_LINE.sub("", text, count=1).strip()


def claim_key(user_id: str | None, value: str) -> str:
    """One key for one claim of one user, whatever its case, spacing, punctuation and quote marks.

    Word order counts: "cents, never dollars" and "dollars, never cents" hold the same words.
    """
    return _digest([user_id, *(words(unquoted(value)) or [value.strip()])])


def claim_keys(user_id: str | None, value: str) -> list[str]:
    """The keys under which a claim may be known: as it is, and without a "subject: "."""
    head, colon, tail = unquoted(value).partition(": ")
    texts = [value, tail] if colon and len(head) < 80 else [value]
    return [claim_key(user_id, text) for text in texts]


def embedded_text(subject: str, value: str) -> str:
    """What is embedded for a record: its subject often holds the words of the question."""
    return f"{subject}: {value}" if subject else value


def owner_token(user_id: str | None) -> str:
    """One word for the word index that stands for an owner, whatever characters the id has."""
    return "nobody" if user_id is None else "u" + _digest(["owner", user_id])[:20]


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8")).hexdigest()[:32]
