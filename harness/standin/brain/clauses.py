"""Several questions in one message: taken apart, each answered on a line of its own."""

import re
from functools import lru_cache

from harness.standin.brain.words import playbook, tidy, tokenise, word_set

_MOST = 3  # questions in one message
_BARE = re.compile(r"how many \w+$", re.IGNORECASE)
_PREDICATE = re.compile(r"\b(?:is|are|was|were|does|do|did|has|have|had)\b.*", re.IGNORECASE)


def parts_of(text: str) -> list[str]:
    """The questions in a message; the whole message where it can't be parted safely.

    Parted where a clause that asks begins after a full stop or an "and"; not where it speaks of
    each of the things before it ("list the ports and how many voyages each has").
    """
    cuts = [match.end() for match in _clause().finditer(text)]
    starts = [0, *cuts]
    parts = [_trimmed(text[a:b]) for a, b in zip(starts, [*cuts, len(text)], strict=True)]
    parts = _completed(parts)
    asks = re.compile(rf"\b(?:{_asking()})\b", re.IGNORECASE)
    whole = 2 <= len(parts) <= _MOST and all(_whole(part) for part in parts)
    return parts if whole and asks.search(parts[0]) else [text]


def _trimmed(part: str) -> str:
    """A part without the "and" and the commas that tied it to the next one."""
    bare = part.strip().rstrip(" \t\n,;.")
    tied = bare.lower().endswith((" and", ",and"))
    return bare[:-3].rstrip(" \t\n,") if tied else bare


def _completed(parts: list[str]) -> list[str]:
    """ "How many containers and what weight does voyage 9 have": both share the predicate."""
    tail = _PREDICATE.search(parts[-1])
    if tail is None or len(parts) < 2:
        return parts
    return [
        part if _PREDICATE.search(part) or not _BARE.match(part) else f"{part} {tail.group()}"
        for part in parts
    ]


def _whole(part: str) -> bool:
    words = {token.low for token in tokenise(tidy(part))}
    return bool(words) and not words & word_set("tied")


def _asking() -> str:
    words = sorted(map(str, playbook()["asking"]), key=len, reverse=True)
    return "|".join(re.escape(word) for word in words)


@lru_cache(maxsize=1)
def _clause() -> "re.Pattern[str]":
    before = r"(?<=[\w)?])(?:\?\s+(?:and\s+|also,?\s+)?|[,;]?\s+and\s+(?:also\s+)?)"
    again = r"(?<=\w)\?\s+(?=(?:and|what about|how about)\b(?! (?:how|what|which)))"
    return re.compile(rf"(?:{before}(?=(?:{_asking()})\b)|{again})", re.IGNORECASE)
