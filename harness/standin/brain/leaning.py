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
_PREP = re.compile(
    r"(?:by|per|in|from|to|without|except|excluding|since|during|until|for|"
    r"sorted|sort|top|the month|the week|the year|its average|their average)\b"
)
_WHOLE = re.compile(r"\b(?:how many|which|what is|what are|list|show|what's|how much|number of)\b")
_POINTING = frozenset("those these them their they it its she there".split())
_THERE = re.compile(r"\b(?:is|are|was|were|do|if) there\b|\bthere (?:is|are|was|were)\b")
_COUNTING = re.compile(r"how many (?:in|to|from|by|since|before|after|during|are|were|is)\b")


def leans(text: str) -> bool:
    """Whether a question leans on the one before: "and in March?", "how many of those?"."""
    low = tidy(plain(text)).lower().strip()  # "on their way" points back to nothing
    words = [t.low for t in tokenise(low)]
    if not words or _SAME.fullmatch(low.strip(" ?!.")):
        return bool(words)
    if _POINTING & set(words) and not _THERE.search(low):
        return len(words) < 14
    if opens(low):
        return not asks_whole(low) or len(words) < 6
    if _COUNTING.match(low):
        return len(words) < 8
    return begins_with_preposition(low) and len(words) < 7 and not asks_whole(low)


def opens(low: str) -> bool:
    """Whether it begins as an answer to what was said: "and", "what about"."""
    return _OPENS.match(low) is not None


def asks_whole(low: str) -> bool:
    """Whether it has the words of a question of its own."""
    return _WHOLE.search(low) is not None


def begins_with_preposition(low: str) -> bool:
    """Whether it begins as the end of a sentence: "in March", "by region"."""
    return _PREP.match(low) is not None


def asks_for_them(low: str) -> bool:
    """ "Which ones?", "and which are they?"."""
    return any(_SAME.fullmatch(text) for text in (low, without_lead(low)))


def without_lead(text: str) -> str:
    """A follow-up without "and", "what about"."""
    return _LEAD.sub("", text.strip(), count=1)
