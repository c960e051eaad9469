"""A message before it is read: the questions in it, and whether one leans on the one before."""

import re
from functools import lru_cache
from itertools import pairwise

from harness.standin.brain.link import plain
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


_LEAD = re.compile(
    r"^(?:(?:ok|okay|and|now|also|then|so|but|no|hm|well|sorry)\b[,\s]*)*"
    r"(?:i meant|i mean|what about|how about|same for|same question for|and for|"
    r"for|make it|make that|show|give me|let's see)?\b\s*",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"(?:which|what|list|show|name|who)? ?(?:ones|them|those|they|these|are they|"
    r"are those)?(?: are they| please| all)?\W*$"
)
_OPENS = re.compile(
    r"(?:ok(?:ay)?,? )?(?:and|what about|how about|same for|only|now|also|of "
    r"those|of these|of which|no|i meant|just the|instead|but|then)\b"
)
_PREP = re.compile(r"(?:by|per|in|from|to|without|except|since|during|until|for|sorted|sort)\b")
_WHOLE = re.compile(r"\b(?:how many|which|what is|what are|list|show|what's|how much|number of)\b")
_POINTING = frozenset("those these them their they it its she there".split())
_THAT = re.compile(r"\b(?:is|are|was|of|about|does|did) that\b")
_THERE = re.compile(r"\b(?:is|are|was|were|do|if) there\b|\bthere (?:is|are|was|were)\b")


def leans(text: str) -> bool:
    """Whether a question leans on the one before it: "and in March?", "how many of those?"."""
    low = tidy(plain(text)).lower().strip()  # "on their way" points back to nothing
    return opens(low) or points(low) or trails(low) or not _WHOLE.search(low)


def opens(low: str) -> bool:
    """Whether it begins as an answer to what was said, or asks for nothing but "which ones"."""
    opening = _OPENS.match(low) and not (_WHOLE.search(low) and len(low.split()) > 5)
    return bool(opening or _SAME.fullmatch(low.strip(" ?!.")))


def trails(low: str) -> bool:
    """Whether it begins as the end of a sentence: "in March", "by region"."""
    return bool(_PREP.match(low)) and not _WHOLE.search(low)


def points(low: str) -> bool:
    """Whether it has a pronoun for what was spoken of before."""
    words = [t.low for t in tokenise(low)]
    return bool(_POINTING & set(words) or _THAT.search(low)) and not _THERE.search(low)


def asks_for_them(low: str) -> bool:
    """ "Which ones?", "and which are they?"."""
    return any(_SAME.fullmatch(text) for text in (low, without_lead(low)))


def without_lead(text: str) -> str:
    """A follow-up without "and", "what about"."""
    return _LEAD.sub("", text.strip(), count=1)
