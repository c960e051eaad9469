"""A question in its thread: whole, or a change of the one before it."""

import re
from typing import TYPE_CHECKING

from harness.standin.brain.grammar import read_followup, read_question
from harness.standin.brain.intent import Intent, Problem
from harness.standin.brain.reading import Situation
from harness.standin.brain.words import tidy, tokenise, word_set

if TYPE_CHECKING:
    from harness.standin.brain.knowing import Knowing

_LEAD = re.compile(
    r"^(?:(?:ok|okay|and|now|also|then|so|but)\b[,\s]*)*"
    r"(?:what about|how about|same for|and for|and)?\b\s*",
    re.IGNORECASE,
)
_DEPTH = 4


def read_in_thread(text: str, situation: Situation, known: "Knowing", depth: int = 0) -> Intent:
    """The intent of a question, with the recent ones behind it. Raises Problem."""
    asked = [t for role, t in situation.recent if role == "user"]
    return _read(text, asked, known, depth)


def _read(text: str, before: list[str], known: "Knowing", depth: int) -> Intent:
    if not follows_on(text):
        return read_question(text, known.schema, known.lexicon, known.corrections, known.today)
    fragment = _LEAD.sub("", text.strip(), count=1)
    for at in range(len(before) - 1, -1, -1):
        if depth >= _DEPTH or not _asks(before[at]):
            continue
        try:
            earlier = _read(before[at], before[:at], known, depth + 1)
        except Problem as problem:
            if problem.kind in ("unknown", "need", "today"):
                raise  # what the earlier question rests on has to be found again
            continue
        return read_followup(
            fragment, earlier, known.schema, known.lexicon, known.corrections, known.today
        )
    raise Problem("clarify", [text.strip()], "I can't tell what it refers to")


def _asks(text: str) -> bool:
    """Whether an earlier message was a question about data, not a statement or a courtesy."""
    from harness.standin.brain.remember import statement_in
    from harness.standin.brain.talk import small_talk

    return len(tokenise(tidy(text))) > 1 and statement_in(text) is None and small_talk(text) is None


def follows_on(text: str) -> bool:
    """Whether a question leans on the one before: "and in March?", "how many of those?"."""
    low = tidy(text).lower().strip()
    tokens = tokenise(low)
    if not tokens:
        return False
    if re.match(r"(ok(ay)?,? )?(and|what about|how about|same for|only|now|also|of those)\b", low):
        whole = re.search(r"\b(how many|which|what is|what are|list|show)\b", low)
        return not whole or _refers(low) or len(tokens) < 5
    return _refers(low)


def _refers(text: str) -> bool:
    low = f" {' '.join(t.low for t in tokenise(tidy(text)))} "
    return any(f" {word} " in low for word in word_set("refers"))
