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
_COUNT_IN = re.compile(
    r"^how many (?=(?:in|to|from|by|since|before|after|during|are|were|is)\b)", re.IGNORECASE
)
_DEPTH = 4


def read_in_thread(text: str, situation: Situation, known: "Knowing", depth: int = 0) -> Intent:
    """The intent of a question, with the recent ones behind it. Raises Problem."""
    asked = [t for role, t in situation.recent if role == "user"]
    told = [t for role, t in situation.recent if role == "assistant"]
    named = _named(text, told[-1] if told else "", known)
    return _read(named, asked, known, depth)


def _named(text: str, answer: str, known: "Knowing") -> str:
    """ "When was it built?" after "Golden Comet: ..., the highest.": with the name in its place."""
    first = re.match(r"(?:[a-z]+ )?((?:[A-Z][\w'.-]*)(?: [A-Z][\w'.-]*)*): [^:]+\.", answer.strip())
    low = [t.low for t in tokenise(tidy(text))]
    if first is None or not {"it", "its"} & set(low) or not _leans(text, known):
        return text
    text = re.sub(r"\bits\b", f"{first.group(1)}'s", text, flags=re.IGNORECASE)
    return re.sub(r"\bit\b", first.group(1), text, flags=re.IGNORECASE)


def _leans(text: str, known: "Knowing") -> bool:
    """Whether a pronoun stands for something that the question itself does not name before it."""
    tokens = tokenise(tidy(text))
    at = next((i for i, t in enumerate(tokens) if t.low in word_set("pronouns")), None)
    if at is None or any(t.low in ("far", "distance", "time") for t in tokens[:at]):
        return False
    nouns = (known.lexicon.tables, known.lexicon.values, known.lexicon.roles)
    single = tokens[at].low in ("it", "its")  # "how many voyages has it made": no antecedent
    before = [
        (
            any(t.key in phrase for table in nouns for phrase in table)
            and not (single and t.low.endswith("s") and not t.capital)
        )
        or t.number is not None
        for t in tokens[:at]
    ]
    called = [t.capital and not t.first for t in tokens[:at]]
    if tokens[at].low in ("these", "those") and tokens[at + 1 : at + 2]:
        after = (tokens[at + 1].key,) in known.lexicon.tables  # "those vessels"
        return after or not any(before)
    return not any(before) and not any(called)


def _bare(text: str, before: list[str], known: "Knowing") -> bool:
    """ "Which carriers?" after a question: of the rows before, by carrier."""
    low = [t.low for t in tokenise(tidy(text))]
    asked = len(low) == 2 and low[0] in ("which", "what") and low[1] not in word_set("same_rows")
    return bool(before) and asked and "?" in text


def _read(text: str, before: list[str], known: "Knowing", depth: int) -> Intent:
    if _bare(text, before, known):
        return _read(f"by {tokenise(tidy(text))[1].text}", before, known, depth)
    same = {t.low for t in tokenise(tidy(text))} <= word_set("same_rows")
    if not (same or _leans(text, known) or follows_on(text, known)):
        return read_question(text, known.schema, known.lexicon, known.corrections, known.today)
    fragment = _LEAD.sub("", text.strip(), count=1)
    fragment = (
        fragment if _refers(text) else _COUNT_IN.sub("", fragment)
    )  # "how many in June" changes the time, as "in June"
    for at in range(len(before) - 1, -1, -1):
        if depth >= _DEPTH or not _asks(before[at]):
            continue
        try:
            earlier = _read(before[at], before[:at], known, depth + 1)
        except Problem as problem:
            if problem.kind in ("unknown", "need", "today"):
                raise  # what the earlier question rests on has to be found again
            continue
        if earlier.limit and _leans(text, known):
            raise Problem("clarify", [text.strip()], "I can't tell which ones; name them")
        return read_followup(
            fragment, earlier, known.schema, known.lexicon, known.corrections, known.today
        )
    if not before:  # a word that can't be placed says more than the pronoun
        _strange(text, known)
    raise Problem("clarify", [text.strip()], "I can't tell what it refers to")


def _strange(text: str, known: "Knowing") -> None:
    """Raise the problem of a question that has words of which nothing is known."""
    try:
        read_question(text, known.schema, known.lexicon, known.corrections, known.today)
    except Problem as problem:
        if problem.kind in ("unknown", "refuse"):
            raise


def _asks(text: str) -> bool:
    """Whether an earlier message was a question about data, not a statement or a courtesy."""
    from harness.standin.brain.remember import statement_in
    from harness.standin.brain.talk import small_talk

    return len(tokenise(tidy(text))) > 1 and statement_in(text) is None and small_talk(text) is None


def follows_on(text: str, known: "Knowing | None" = None) -> bool:
    """Whether a question leans on the one before: "and in March?", "how many of those?"."""
    low = tidy(text).lower().strip()
    tokens = tokenise(low)
    if not tokens:
        return False
    if _COUNT_IN.match(_LEAD.sub("", low, count=1)):
        return len(tokens) < 8 and "there" not in low.split()
    if re.match(r"(ok(ay)?,? )?(and|what about|how about|same for|only|now|also|of those)\b", low):
        whole = re.search(r"\b(how many|which|what is|what are|list|show)\b", low)
        return not whole or _refers(low) or len(tokens) < 5
    if re.match(r"(by|per|in|from|to|without|except|excluding|since|during|until)\b", low):
        return len(tokens) < 6 and not re.search(r"\b(how|which|what|list|show|number)\b", low)
    return known is None and _refers(low)


def _refers(text: str) -> bool:
    low = f" {' '.join(t.low for t in tokenise(tidy(text)))} "
    return any(f" {word} " in low for word in word_set("refers"))
