"""A question in its thread: whole, or a change of the one before it."""

import re

from harness.standin.brain.amend import amended
from harness.standin.brain.chunks import items_of
from harness.standin.brain.clauses import opens, points, trails, without_lead
from harness.standin.brain.frames import parse
from harness.standin.brain.knowing import Knowing
from harness.standin.brain.link import Item, World, plain
from harness.standin.brain.reading import Situation
from harness.standin.brain.remember import statement_in
from harness.standin.brain.spoken import sentence_of
from harness.standin.brain.talk import small_talk
from harness.standin.brain.tree import Problem, Query, all_tests
from harness.standin.brain.words import tidy, tokenise

_DEPTH = 9
_OF_TWO = re.compile(r" (?:out )?of (?:the two|them|those|these)\b")
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


def _names_row(item: Item, world: World) -> bool:
    """Whether an item is the name of a row."""
    pairs = item.senses.get("val", ())
    return any(world.schema.is_label(column) for column, _ in pairs)


def _known_name(question: str, world: World) -> str:
    for item in items_of(question, world):
        if _names_row(item, world):
            return str(item["val"][0][1])
        if "keyed" in item:
            return item.words
    return ""


def _points_back(text: str, world: World) -> bool:
    """Whether a pronoun means something that the question has not named before it."""
    for item in items_of(text, world):
        one = "noun" in item and not item.words.lower().endswith("s")
        if "pronoun" in item or one or _names_row(item, world) or "keyed" in item or "word" in item:
            return "pronoun" in item
    return False


def _read(text: str, before: list[str], known: Knowing, depth: int) -> Query:
    """A question read by itself where it can be, else as a change of the one before it."""
    trouble = None
    low = tidy(plain(text)).lower().strip()
    bare = re.fullmatch(r"(?:and )?(?:which|what|by which) (\w+)", low.strip(" ?!."))
    leaning = bare or opens(low) or points(low) or trails(low)
    if not leaning or _means_its_own(text, known):
        try:
            return parse(text, known.world)
        except Problem as problem:
            trouble = problem
            if problem.kind == "refuse" or _is_lost(problem, known):
                raise
    earlier = _earlier(before, known, depth)
    if earlier is None:
        if trouble is None and not (bare or trails(low)):
            sentence_of(without_lead(text), known.world)  # a word that can't be placed says more
            trouble = Problem("clarify", [text.strip()], "I can't tell what it refers to")
        if trouble is None:
            return parse(text, known.world)
        raise trouble
    if earlier.shape == "compare" and _OF_TWO.search(low):  # "which of the two is older"
        names = next(t.values for t in all_tests(earlier.where[-1:]) if t.op == "in")
        return parse(f"{_OF_TWO.sub('', low)}, {' or '.join(names)}?", known.world)
    try:
        return amended(earlier, text, known.world)
    except Problem as problem:
        raise trouble or problem from None


def _earlier(before: list[str], known: Knowing, depth: int) -> Query | None:
    """The newest question before that can be read; None for none."""
    for at in range(len(before) - 1 if depth < _DEPTH else -1, -1, -1):
        if _asks(before[at]):
            try:
                return _read(before[at], before[:at], known, depth + 1)
            except Problem as problem:
                if _is_lost(problem, known):
                    raise  # what the earlier question rests on has to be found again
    return None


def _is_lost(problem: Problem, known: Knowing) -> bool:
    """Whether a search, or a look-up in the rows, may still help."""
    return problem.kind in ("unknown", "need", "today") and not known.was_searched(problem)


def _means_its_own(text: str, known: Knowing) -> bool:
    """Whether a pronoun in it means what it has named itself."""
    low = tidy(text).lower()
    tokens = tokenise(low)
    several = next((i for i, t in enumerate(tokens) if t.low in _SEVERAL), -1)
    if several >= 0:
        named = any((t.key,) in known.lexicon.tables for t in tokens[:several])
        return named and not re.search(r"\bof (?:those|these|them)\b", low)
    pointing = re.search(r"\b(?:it|its|she|her)\b", low)
    return bool(pointing) and not _points_back(text, known.world)


def _asks(text: str) -> bool:
    """Whether an earlier message was a question about data, not a statement or a courtesy."""
    return len(tokenise(tidy(text))) > 1 and statement_in(text) is None and small_talk(text) is None
