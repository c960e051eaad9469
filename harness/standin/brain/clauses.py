"""Several questions in one message: taken apart, each answered on a line of its own."""

import re
from functools import lru_cache
from itertools import pairwise

from harness.standin.brain.words import playbook, tidy, tokenise, word_set

_MOST = 3  # questions in one message
_BARE = re.compile(r"how (?:many|much) \w+\W*$", re.IGNORECASE)  # leans on what is beside it
_PREDICATE = re.compile(r"\b(?:is|are|was|were|does|do|did|has|have|had)\b.*", re.IGNORECASE)
_TIES = re.compile(r"(?:\s|,)and$", re.IGNORECASE)


def parts_of(text: str) -> list[str]:
    """The questions in a message; the whole message where it can't be parted safely.

    Parted where a clause that asks begins after a full stop or an "and"; not where it speaks of
    each of the things before it ("list the ports and how many voyages each has").
    """
    clause, asks = _patterns()
    ties = list(clause.finditer(text))
    cuts = [0, *(tie.end() for tie in ties), len(text)]
    parts = [_trimmed(text[a:b]) for a, b in pairwise(cuts)]
    tail = _PREDICATE.search(parts[-1])
    for n, part in enumerate(parts[:-1]):  # "how many containers and what weight does it have"
        if tail and _BARE.match(part) and not _PREDICATE.search(part):
            parts[n] = f"{part} {tail.group()}"
    whole = 2 <= len(parts) <= _MOST and all(_stands_alone(part) for part in parts)
    tied = zip(ties, parts[1:], strict=True)
    whole = whole and not any("?" not in tie.group() and _BARE.match(p) for tie, p in tied)
    return parts if whole and asks.search(parts[0]) else [text]


def _trimmed(part: str) -> str:
    """A part without the "and" and the commas that tied it to the next one."""
    return _TIES.sub("", part.strip().rstrip(" \t\n,;.")).rstrip(" \t\n,")


def _stands_alone(part: str) -> bool:
    words = {token.low for token in tokenise(tidy(part))}
    return bool(words) and not words & word_set("tied")


@lru_cache(maxsize=1)
def _patterns() -> "tuple[re.Pattern[str], re.Pattern[str]]":
    """What comes before a clause that asks; and the words that ask."""
    words = sorted(map(str, playbook()["asking"]), key=len, reverse=True)
    asking = "|".join(re.escape(word) for word in words)
    before = r"(?<=[\w)?])(?:\?\s+(?:and\s+|also,?\s+)?|[,;]?\s+and\s+(?:also\s+)?)"
    again = r"(?<=\w)\?\s+(?=(?:and|what about|how about)\b(?! (?:how|what|which)))"
    clause = rf"(?:{before}(?=(?:{asking})\b)|{again})"
    return re.compile(clause, re.IGNORECASE), re.compile(rf"\b(?:{asking})\b", re.IGNORECASE)
