"""Whether a question leans on the one before it."""

import re

from harness.standin.brain.link import plain
from harness.standin.brain.words import tidy, tokenise

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
    r"those|of these|no|i meant|just the|instead|but|then)\b"
)
_PREP = re.compile(r"(?:by|per|in|from|to|without|except|since|during|until|for|sorted|sort)\b")
_WHOLE = re.compile(r"\b(?:how many|which|what is|what are|list|show|what's|how much|number of)\b")
_POINTING = frozenset("those these them their they it its she there".split())
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
    return bool(_POINTING & set(words)) and not _THERE.search(low)


def asks_for_them(low: str) -> bool:
    """ "Which ones?", "and which are they?"."""
    return any(_SAME.fullmatch(text) for text in (low, without_lead(low)))


def without_lead(text: str) -> str:
    """A follow-up without "and", "what about"."""
    return _LEAD.sub("", text.strip(), count=1)
