"""A question in its thread: whole, or a change of the one before it."""

import re

from harness.standin.brain.amend import amended
from harness.standin.brain.chunks import chunk
from harness.standin.brain.frames import parse
from harness.standin.brain.knowing import Knowing
from harness.standin.brain.leaning import _LEAD, _OPENS, _PREP, _SAME, _WHOLE, leans
from harness.standin.brain.link import World, general, link
from harness.standin.brain.reading import Situation
from harness.standin.brain.remember import statement_in
from harness.standin.brain.smalltalk import small_talk
from harness.standin.brain.spoken import sentence_of
from harness.standin.brain.tree import Problem, Query
from harness.standin.brain.words import keys, tidy, tokenise

_DEPTH = 9


def read_in_thread(text: str, situation: Situation, known: Knowing) -> Query:
    """The tree of a question, with the recent ones behind it. Raises Problem."""
    asked = [t for role, t in situation.recent if role == "user"]
    told = [t for role, t in situation.recent if role == "assistant"]
    return _read(named(text, told, asked, known.world), asked, known, 0)


def named(text: str, told: list[str], asked: list[str], world: World) -> str:
    """ "When was it built?" after "Golden Comet: ...": with the name in its place."""
    low = [t.low for t in tokenise(tidy(text))]
    if not set(low) & {"it", "its", "she", "her", "he", "his"} or not _points_back(text, world):
        return text
    name = next((n for answer in reversed(told[-2:]) if (n := _name_in(answer))), "")
    if not name and asked:
        name = next(
            (n for question in reversed(asked[-2:]) if (n := _known_name(question, world))), ""
        )
    if not name:
        return text
    text = re.sub(r"\b(?:its|her|his)\b", f"{name}'s", text, count=1, flags=re.IGNORECASE)
    text = re.sub(r"\b(?:it|she|he)\b", name, text, count=1, flags=re.IGNORECASE)
    return re.sub(r"^(?:and|so|ok|then)\b[,\s]*", "", text, flags=re.IGNORECASE)


def _name_in(answer: str) -> str:
    first = re.match(r"(?:[a-z]+ )?((?:[A-Z][\w'.-]*)(?: [A-Z][\w'.-]*)*): [^:]+\S", answer.strip())
    key_name = re.match(r"([a-z]+)(?:_id)? (\d+): ", answer.strip())
    if first and first[1] not in ("Yes", "No", "None", "Hello"):
        return first[1]
    return f"{key_name[1]} {key_name[2]}" if key_name else ""


def _known_name(question: str, world: World) -> str:
    try:
        items = chunk(link(question, world), world.schema)
    except Problem:
        return ""
    for item in items:
        if "val" in item and any(world.schema.tables[c.table].label == c for c, _ in item["val"]):
            return str(item["val"][0][1])
        if "keyed" in item:
            return item.words
    return ""


def _points_back(text: str, world: World) -> bool:
    """Whether a pronoun stands for something that the question itself does not name before it."""
    try:
        items = chunk(link(text, world), world.schema)
    except Problem:
        return True
    for item in items:
        if "pronoun" in item:
            return True
        if (
            ("val" in item and any(world.schema.tables[c.table].label == c for c, _ in item["val"]))
            or "keyed" in item
            or "word" in item
        ):
            return False
        if "noun" in item and not item.words.lower().endswith("s"):
            return False
    return False


def _read(text: str, before: list[str], known: Knowing, depth: int) -> Query:
    low = tidy(text).lower().strip(" ?!.")
    bare = re.fullmatch(r"(?:and )?(?:which|what|by which) (\w+)", low)
    fragment = bare is not None or leans(text) or _SAME.fullmatch(low) is not None
    if fragment and before and not _whole_question(text, known):
        for at in range(len(before) - 1, -1, -1):
            if depth >= _DEPTH or not _asks(before[at]):
                continue
            try:
                earlier = _read(before[at], before[:at], known, depth + 1)
            except Problem as problem:
                if problem.kind in ("unknown", "need", "today") and not all(
                    keys(w) in known.searched for w in problem.words
                ):
                    raise  # what the earlier question rests on has to be found again
                continue
            return amended(earlier, text, known.world)
    if fragment and not bare and _pronoun(text) and not _whole_question(text, known):
        sentence_of(
            _LEAD.sub("", text.strip(), count=1), known.world
        )  # a word that can't be placed says more than the pronoun
        raise Problem("clarify", [text.strip()], "I can't tell what it refers to")
    return parse(text, known.world)


def _pronoun(text: str) -> bool:
    return any("pronoun" in general().get((t.low,), {}) for t in tokenise(tidy(text))) or bool(
        _OPENS.match(tidy(text).lower())
    )


def _whole_question(text: str, known: Knowing) -> bool:
    """Whether it asks of a noun and names what a pronoun in it could stand for."""
    low = tidy(text).lower()
    if re.search(r"\b(?:of (?:those|these|them)|them|those|these|they|their)\b", low):
        tokens = [t.key for t in tokenise(low)]
        at = next(
            (
                i
                for i, t in enumerate(tokenise(low))
                if t.low in ("those", "these", "them", "they", "their")
            ),
            0,
        )
        before = any((k,) in known.lexicon.tables for k in tokens[:at])
        return before and not re.search(r"\bof (?:those|these|them)\b", low)
    if re.search(r"\b(?:it|its|she|her)\b", low):
        try:
            return not _points_back(text, known.world)
        except Problem:
            return True
    if re.match(r"(?:and|now|also|what about|how about|only|no|but|then|ok)\b", low):
        return False
    try:
        sentence = sentence_of(text, known.world)
    except Problem:
        return bool(_WHOLE.search(low))
    return (
        bool(sentence.nouns)
        and (bool(_WHOLE.search(low)) or not _PREP.match(low))
        and not re.match(r"how many (?:in|to|from|by|are|were|is)\b", low)
        and len(tokenise(low)) > 2
    )


def _asks(text: str) -> bool:
    """Whether an earlier message was a question about data, not a statement or a courtesy."""
    return len(tokenise(tidy(text))) > 1 and statement_in(text) is None and small_talk(text) is None
