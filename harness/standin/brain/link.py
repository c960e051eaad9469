"""The words of a question, linked to what was observed and to general language: items in order."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from harness.standin.brain.dayspans import find_time
from harness.standin.brain.schema import Lexicon, Schema
from harness.standin.brain.words import Token, key, playbook, stem, tidy, tokenise, word_set

_LONGEST = 7  # words of a phrase
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?\Z")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)\Z")
_PERCENT = re.compile(r"p(\d\d(?:\.\d+)?)\Z")
_NAMED_SO = re.compile(r"\b(?:named|called) (\w+) (?:something|anything)\b", re.IGNORECASE)
_SOFT = frozenset({"early", "scale", "light", "stop", "turn", "half", "now", "most"})
_GRAMMAR = frozenset({"stop", "be", "do", "ask", "and", "or", "from", "to", "by", "how", "not"})


@dataclass(frozen=True)
class World:
    """What may be rested on: the schema, its words, corrections, the data's own today."""

    schema: Schema
    lexicon: Lexicon
    terms: Mapping[tuple[str, ...], Any]
    today: date | None = None


@dataclass(frozen=True)
class Item:
    """Some words and what they can mean: kind of sense -> data. `gap`: punctuation before them."""

    start: int
    end: int
    words: str
    senses: Mapping[str, Any] = field(default_factory=dict)
    gap: str = ""
    dropped: tuple[str, ...] = ()  # words without meaning of their own, right before

    def __contains__(self, kind: str) -> bool:
        return kind in self.senses

    def __getitem__(self, kind: str) -> Any:
        return self.senses[kind]


def link(text: str, world: World) -> list[Item]:
    """The items of a question. Words that mean nothing by themselves are left out."""
    tokens = tokenise(tidy(plain(text)))
    items: list[Item] = []
    gap, dropped, i = "", [], 0
    while i < len(tokens):
        senses, size = _at(tokens, i, world)
        gap += tokens[i].gap
        words = " ".join(t.text for t in tokens[i : i + size])
        if "stop" in senses and len(senses) == 1:
            dropped.append(words.lower())
        else:
            items.append(Item(i, i + size, words, senses, gap, tuple(dropped)))
            gap, dropped = "", []
        i += size
    return _names(items, tokens)


def plain(text: str) -> str:
    """The question with casual words put plainly and talk about its layout taken out."""
    text = text.replace("’", "'")
    low = text.lower()
    for section in ("rewrites", "layout"):
        for old, new in _rewrites(section):
            if old in low:
                text = _whole_words(old).sub(new, text)
                low = text.lower()
    return _NAMED_SO.sub(r"whose name starts with \1", text)


@lru_cache(maxsize=2)
def _rewrites(section: str) -> list[tuple[str, str]]:
    """What is replaced, in small letters and the longest first, and what replaces it."""
    book = playbook()[section]
    pairs = [(str(old).lower(), str(book[old]) if isinstance(book, dict) else "") for old in book]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


@lru_cache(maxsize=256)
def _whole_words(phrase: str) -> "re.Pattern[str]":
    return re.compile(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", re.IGNORECASE)


def _at(tokens: list[Token], i: int, world: World) -> tuple[dict[str, Any], int]:
    """The senses of the longest phrase that begins here, and its length in words."""
    timed = _time(tokens, i, world)
    for size in range(min(_LONGEST, len(tokens) - i), 0, -1):
        part = tokens[i : i + size]
        senses: dict[str, Any] = {}
        if not any(t.gap for t in part[1:]):
            senses |= general().get(tuple(t.low for t in part), {})
            if "tail" in senses and i + size < len(tokens) and tokens[i + size].number is not None:
                senses = {}  # "under 2000 or over 20000"
            senses |= _terms(part, world)
        if not _denied_move(tokens, i, size):
            before = general().get((tokens[i - 1].low,), {}) if i else {}
            counted = "each" in before or "most" in before or before.get("scale", (0, 0, 0))[2] == 2
            senses |= _schema_senses(part, world, counted)
        if "noun" in senses and i and tokens[i].low in ("ship", "ships") and _is_verb(tokens, i):
            senses.pop("noun")
        if "noun" in senses:
            senses.pop("event", None)  # "ships" is what sails here, not the verb
        if timed and timed[1] >= size:
            return {"window": timed[0]} | (senses if timed[1] == size == 1 else {}), timed[1]
        if senses:
            return _article(tokens, i, senses), size
    return _single(tokens[i]), 1


def _denied_move(tokens: list[Token], i: int, size: int) -> bool:
    """ "never sailed to X" denies a voyage there, whatever a comment calls "never sailed"."""
    after = tokens[i + size].low if i + size < len(tokens) else ""
    return size > 1 and tokens[i].low == "never" and after in ("to", "from", "into", "in")


def _is_verb(tokens: list[Token], i: int) -> bool:
    """ "did we ship", "who ships most rice"."""
    before = tokens[i - 1].low in ("we", "they", "you", "to", "i", "did", "do", "will")
    return before or (i + 1 < len(tokens) and tokens[i + 1].low == "most")


def _article(tokens: list[Token], i: int, senses: dict[str, Any]) -> dict[str, Any]:
    """ "a day", "an hour": one of them."""
    units = general().get((tokens[i + 1].low,), {}) if i + 1 < len(tokens) else {}
    if tokens[i].low not in ("a", "an") or "unit" not in units:
        return senses
    compared = i > 0 and (tokens[i - 1].low == "than" or "more" in _kinds(tokens, i - 1))
    if "unit_of_time" in units and i + 2 == len(tokens) and not compared:
        return {"each": "each"}  # "how many voyages a month"
    return {"num": 1.0, "article": True}


def _single(token: Token) -> dict[str, Any]:
    if _NUMBER.match(token.low):
        return {"num": float(token.low), "digits": token.text}
    if match := _ORDINAL.match(token.low):
        return {"ordinal": int(match[1])}
    if match := _PERCENT.match(token.low):
        return {"percent": float(match[1])}
    return {"word": str(playbook()["demonyms"].get(token.low, token.text))}


def _time(tokens: list[Token], i: int, world: World) -> tuple[Any, int] | None:
    """A time that begins here. A number that measures or names something is not one."""
    found = find_time(tokens, i, world.today)
    if not found:
        return None
    year = i + found[1] - 1
    if found[1] <= 2 and re.fullmatch(r"\d{4}", tokens[year].low):
        after = _kinds(tokens, year + 1) | _kinds(tokens, year + 2) & {"unit_x"}
        before = general().get(tuple(t.low for t in tokens[max(0, i - 2) : i]), {})
        one = _kinds(tokens, i - 1) if i else set()
        noun = i > 0 and found[1] == 1 and (tokens[i - 1].key,) in world.lexicon.tables
        if "unit" in after or "more" in before or "more" in one or "between" in one or noun:
            return None
    return found


def _kinds(tokens: list[Token], i: int) -> set[str]:
    return set(general().get((tokens[i].low,), {})) if 0 <= i < len(tokens) else set()


def _terms(part: list[Token], world: World) -> dict[str, Any]:
    found = world.terms.get(tuple(stem(t.low) for t in part))
    return {"term": found} if found else {}


def _schema_senses(part: list[Token], world: World, counted: bool) -> dict[str, Any]:
    """What the schema calls so: tables, columns, roles, values and words for NULL.

    `counted`: after a superlative or "each", where "good" is the singular of "goods".
    """
    lexicon, phrase = world.lexicon, tuple(t.key for t in part)
    if part[0].low in playbook()["demonyms"] and len(part) == 1:
        phrase = tuple(key(w) for w in playbook()["demonyms"][part[0].low].split())
    if part[0].low in word_set("no_singular") and len(part) == 1 and counted:
        phrase = (key(f"{part[0].low}s"),)
    plain_sense = general().get((part[0].low,), {}) if len(part) == 1 else {}
    if set(plain_sense) & _GRAMMAR:
        return {}
    made: dict[str, Any] = {}
    if phrase in lexicon.tables:
        made["noun"] = lexicon.tables[phrase]
    strong = [c for c, strength in lexicon.columns.get(phrase, []) if strength > 1]
    if strong:
        made["col"] = tuple(strong)
    if phrase in lexicon.roles:
        made["role"] = tuple(lexicon.roles[phrase])
    pairs = [*lexicon.values.get(phrase, []), *lexicon.glosses.get(phrase, [])]
    if pairs:
        made["val"] = tuple(dict.fromkeys(pairs))
    if len(phrase) == 1 and phrase[0] in lexicon.nulls:
        made["null"] = lexicon.nulls[phrase[0]]
    if len(phrase) == 1 and phrase[0] in lexicon.empties:
        made["empty"] = lexicon.empties[phrase[0]]
    if phrase in lexicon.zeros:
        made["zero"] = lexicon.zeros[phrase]
    return made


def _names(items: list[Item], tokens: list[Token]) -> list[Item]:
    """Words written large beside a word that nobody knows are one name: "Early Plover"."""
    made: list[Item] = []
    for item in items:
        last = made[-1] if made else None
        joins = (
            last is not None
            and "word" in item
            and last.end == item.start
            and not item.gap
            and (
                "word" in last
                or (_large(last, tokens) and _large(item, tokens) and set(last.senses) <= _SOFT)
            )
        )
        if joins and last is not None and _large(last, tokens) == _large(item, tokens):
            words = f"{last.words} {item.words}"
            made[-1] = replace(last, end=item.end, words=words, senses={"word": words})
        else:
            made.append(item)
    return made


def _large(item: Item, tokens: list[Token]) -> bool:
    return all(t.capital for t in tokens[item.start : item.end])


@lru_cache(maxsize=1)
def general() -> dict[tuple[str, ...], dict[str, Any]]:
    """Phrases of general language, and what they can mean."""
    book = playbook()
    made: dict[tuple[str, ...], dict[str, Any]] = {}

    def add(phrase: Any, kind: str, data: Any) -> None:
        if str(phrase):
            made.setdefault(tuple(str(phrase).lower().replace("-", " ").split()), {})[kind] = data

    for kind, options in book["grammar"].items():
        for data, words in options.items():
            for word in words:
                add(word, kind, data)
    for scale in book["scales"]:
        for side in ("more", "less"):
            for forms in scale[side]:
                for degree, word in enumerate(forms):
                    add(word, "scale", (tuple(scale["of"]), side, degree, bool(scale.get("years"))))
    for name, event in book["events"].items():
        for word in event["words"]:
            add(word, "event", name)
    for name, words in book["verbs"].items():
        for word in words:
            add(word, "verb", name)
    for name, unit in book["units"].items():
        for word in unit["words"]:
            for form in _spellings(str(word)):
                add(form, "unit", name)
    for section, kind in (
        ("numbers", "num"),
        ("ordinals", "ordinal"),
        ("weekdays", "weekday"),
        ("scale_of_units", "times"),
        ("halves", "half"),
    ):
        for word, data in book[section].items():
            add(word, kind, float(data) if kind == "num" else data)
            if kind == "weekday":
                add(f"{word}s", kind, data)
    for word in book["senses"]:
        add(word, "sense", word)
    for section in ("light", "stop", "lengths"):
        for word in book[section]:
            add(word, section, True)
    return made


def _spellings(word: str) -> list[str]:
    """A word, its plural, and the words that the playbook takes for the same."""
    same = [str(w) for group in playbook()["synonyms"] if group[0] == word for w in group]
    forms = [word, *same]
    return [*forms, *(f"{w}s" for w in forms if w.isalpha() and len(w) > 2)]
