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


def leans(text: str) -> bool:
    """Whether a question leans on the one before: "and in March?", "how many of those?"."""
    low = tidy(plain(text)).lower().strip()  # "on their way" points back to nothing
    tokens = tokenise(low)
    if not tokens:
        return False
    if _SAME.fullmatch(low.strip(" ?!.")):
        return True
    words = f" {' '.join(t.low for t in tokens)} "
    if any(
        f" {w} " in words
        for w in ("those", "these", "them", "their", "they", "it", "its", "she", "there")
    ) and not re.search(r"\b(?:is|are|was|were|do|if) there\b|\bthere (?:is|are|was|were)\b", low):
        return len(tokens) < 14
    if _OPENS.match(low):
        whole = _WHOLE.search(low)
        return not whole or len(tokens) < 6
    if re.match(r"how many (?:in|to|from|by|since|before|after|during|are|were|is)\b", low):
        return len(tokens) < 8
    return bool(_PREP.match(low)) and len(tokens) < 7 and not _WHOLE.search(low)
