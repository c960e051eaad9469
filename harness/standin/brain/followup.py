"""A question in its thread: whole, or a change of the one before it."""

import re

from harness.standin.brain.amend import amended
from harness.standin.brain.chunks import chunk
from harness.standin.brain.frames import parse
from harness.standin.brain.knowing import Knowing
from harness.standin.brain.leaning import (
    asks_for_them,
    asks_whole,
    begins_with_preposition,
    leans,
    opens,
    without_lead,
)
from harness.standin.brain.link import Item, World, general, link
from harness.standin.brain.reading import Situation
from harness.standin.brain.remember import statement_in
from harness.standin.brain.smalltalk import small_talk
from harness.standin.brain.spoken import sentence_of
from harness.standin.brain.tree import Problem, Query
from harness.standin.brain.words import keys, tidy, tokenise

_DEPTH = 9
_SEVERAL = ("those", "these", "them", "they", "their")
_ROW = re.compile(r"(?:[a-z]+ )?((?:[A-Z][\w'.-]*)(?: [A-Z][\w'.-]*)*): [^:]+\S")
_KEYED_ROW = re.compile(r"([a-z]+)(?:_id)? (\d+): ")


def read_in_thread(text: str, situation: Situation, known: Knowing) -> Query:
    """The tree of a question, with the recent ones behind it. Raises Problem."""
    asked = [t for role, t in situation.recent if role == "user"]
    told = [t for role, t in situation.recent if role == "assistant"]
    return _read(_with_name(text, told, asked, known.world), asked, known, 0)


def _with_name(text: str, told: list[str], asked: list[str], world: World) -> str:
    """ "When was it built?" after "Golden Comet: ...": with the name in its place."""
    low = {t.low for t in tokenise(tidy(text))}
    if not low & {"it", "its", "she", "her", "he", "his"} or not _points_back(text, world):
        return text
    names = [_name_in(answer.strip()) for answer in reversed(told[-2:])]
    names += [_known_name(question, world) for question in reversed(asked[-2:])]
    name = next((n for n in names if n), "")
    if not name:
        return text
    text = re.sub(r"\b(?:its|her|his)\b", f"{name}'s", text, count=1, flags=re.IGNORECASE)
    text = re.sub(r"\b(?:it|she|he)\b", name, text, count=1, flags=re.IGNORECASE)
    return re.sub(r"^(?:and|so|ok|then)\b[,\s]*", "", text, flags=re.IGNORECASE)


def _name_in(answer: str) -> str:
    """The row that an answer is about."""
    first, keyed = _ROW.match(answer), _KEYED_ROW.match(answer)
    if first and first[1] not in ("Yes", "No", "None", "Hello"):
        return first[1]
    return f"{keyed[1]} {keyed[2]}" if keyed else ""


def _items(text: str, world: World) -> list[Item]:
    return chunk(link(text, world), world.schema)


def _names_row(item: Item, world: World) -> bool:
    """Whether an item is the name of a row."""
    pairs = item.senses.get("val", ())
    return any(world.schema.tables[column.table].label == column for column, _ in pairs)


def _known_name(question: str, world: World) -> str:
    for item in _items(question, world):
        if _names_row(item, world):
            return str(item["val"][0][1])
        if "keyed" in item:
            return item.words
    return ""


def _points_back(text: str, world: World) -> bool:
    """Whether a pronoun means something that the question has not named before it."""
    for item in _items(text, world):
        one = "noun" in item and not item.words.lower().endswith("s")
        if "pronoun" in item or one or _names_row(item, world) or "keyed" in item or "word" in item:
            return "pronoun" in item
    return False


def _read(text: str, before: list[str], known: Knowing, depth: int) -> Query:
    low = tidy(text).lower().strip(" ?!.")
    bare = re.fullmatch(r"(?:and )?(?:which|what|by which) (\w+)", low)
    fragment = (bare or leans(text) or asks_for_them(low)) and not _whole_question(text, known)
    if fragment:
        for at in range(len(before) - 1 if depth < _DEPTH else -1, -1, -1):
            if not _asks(before[at]):
                continue
            try:
                earlier = _read(before[at], before[:at], known, depth + 1)
            except Problem as problem:
                lost = not all(keys(w) in known.searched for w in problem.words)
                if problem.kind in ("unknown", "need", "today") and lost:
                    raise  # what the earlier question rests on has to be found again
                continue
            return amended(earlier, text, known.world)
    if fragment and not bare and _points(text):
        sentence_of(without_lead(text), known.world)  # a word that can't be placed says more
        raise Problem("clarify", [text.strip()], "I can't tell what it refers to")
    return parse(text, known.world)


def _points(text: str) -> bool:
    """Whether it has a pronoun, or begins as an answer."""
    low = tidy(text).lower()
    return opens(low) or any("pronoun" in general().get((t.low,), {}) for t in tokenise(low))


def _whole_question(text: str, known: Knowing) -> bool:
    """Whether it asks of a noun and names what a pronoun in it could mean."""
    low = tidy(text).lower()
    tokens = tokenise(low)
    several = next((i for i, t in enumerate(tokens) if t.low in _SEVERAL), -1)
    if several >= 0:
        named = any((t.key,) in known.lexicon.tables for t in tokens[:several])
        return named and not re.search(r"\bof (?:those|these|them)\b", low)
    if re.search(r"\b(?:it|its|she|her)\b", low):
        return not _points_back(text, known.world)
    if re.match(r"(?:and|now|also|what about|how about|only|no|but|then|ok)\b", low):
        return False
    try:
        sentence = sentence_of(text, known.world)
    except Problem:
        return asks_whole(low)
    own = asks_whole(low) or not begins_with_preposition(low)
    counting = re.match(r"how many (?:in|to|from|by|are|were|is)\b", low)
    return bool(sentence.nouns) and own and not counting and len(tokens) > 2


def _asks(text: str) -> bool:
    """Whether an earlier message was a question about data, not a statement or a courtesy."""
    return len(tokenise(tidy(text))) > 1 and statement_in(text) is None and small_talk(text) is None
