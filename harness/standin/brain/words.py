"""Words: tokens of a question, stems, and the playbook's general language."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

_PLAYBOOK = Path(__file__).resolve().parents[3] / "data" / "standin"
_TOKEN = re.compile(
    r"\d{4}-\d\d-\d\d|\d{4}-\d\d(?!\d)"  # dates
    r"|(?<![\w-])-\d+(?:\.\d+)?"  # negative numbers
    r"|\d+(?:\.\d+)?(?:st|nd|rd|th)\b|\d+(?:\.\d+)?"
    r"|[^\W\d_][^\W_]*|%|°c\b|[.,;:?!()]"
)
_BREAKS = frozenset(".,;:?!()")
_US = re.compile(r"\bU\.?S\.?(?!\w)(?! ?(?:\$|dollars?\b|cents?\b))")  # and not "us"
_MONEY_COMMAS = re.compile(r"(?<=\d),(?=\d{3}\b)")


@dataclass(frozen=True)
class Token:
    """One word: as written, in small letters, its key (canonical stem); `gap`: what parts it."""

    text: str
    low: str
    key: str
    start: int
    end: int
    gap: str = ""
    first: bool = False

    @property
    def capital(self) -> bool:
        """Whether it is written with a capital letter."""
        return self.text[:1].isupper()

    @property
    def number(self) -> float | None:
        """Its value where it is a plain number."""
        try:
            return float(self.text)
        except ValueError:
            return None


@lru_cache(maxsize=1)
def playbook() -> dict[str, Any]:
    """Every data/standin/*.yaml as one dictionary."""
    merged: dict[str, Any] = {}
    for path in sorted(_PLAYBOOK.glob("*.yaml")):
        with path.open(encoding="utf-8") as file:
            merged |= yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
    return merged


def phrase(name: str, among: Mapping[str, Any] | None = None, **values: Any) -> str:
    """A sentence of the playbook with its gaps filled; "reasons.need" lies in a section of it."""
    return str(_entry(name, playbook() if among is None else among)).format(**values)


def _entry(name: str, among: Any) -> Any:
    for part in name.split("."):
        among = among[part]
    return among


@lru_cache(maxsize=64)
def pattern(name: str) -> "re.Pattern[str]":
    """A pattern of the playbook, for any case of letters; <<name>> in it is any word of a list."""
    text = playbook()["patterns"][name]
    listed = re.sub(r"<<([\w.]+)>>", lambda m: either(_entry(m[1], playbook())), text)
    return re.compile(listed, re.IGNORECASE)


def either(words: Iterable[Any]) -> str:
    """A pattern for any of these words."""
    return "|".join(re.escape(w) for w in sorted(map(str, words), key=len, reverse=True))


def tidy(text: str) -> str:
    """The text with plain quotes, without commas inside numbers and without possessive endings."""
    text = text.replace("’", "'").replace("“", '"').replace("”", '"')
    text = _MONEY_COMMAS.sub("", text)
    text = re.sub(r"\$ ?(\d+(?:\.\d+)?(?: (?:million|billion|thousand))?)", r"\1 dollars", text)
    text = re.sub(r"\bminus (?=\d)", "-", text, flags=re.IGNORECASE)
    text = re.sub(r"\bkm ?/ ?h\b", "kmh", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(the) us\b", r"\1 USA", text, flags=re.IGNORECASE)
    if text != text.upper():
        text = _US.sub("USA", text)
    text = re.sub(r"\bcan't\b|\bcannot\b", "can not", text, flags=re.IGNORECASE)
    text = re.sub(r"n't\b", " not", text)
    return re.sub(r"(?<=\w)'(?:s|re|ve|ll|m|d)?\b|(?<=s)'(?=\s)", " ", text)


def tokenise(text: str) -> list[Token]:
    """The words of a text that `tidy` has prepared."""
    tokens: list[Token] = []
    gap, first = "", True
    for match in _TOKEN.finditer(text):
        word = match.group()
        if word in _BREAKS:
            gap += word
            first = first or word in ".?!:"
            continue
        low = word.lower()
        tokens.append(Token(word, low, key(low), match.start(), match.end(), gap, first))
        gap, first = "", False
    return tokens


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The singular of a word in small letters."""
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes", "zes", "uses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "as")):
        return word[:-1]
    return word


@lru_cache(maxsize=8192)
def key(word: str) -> str:
    """The stem of a word, or of the word that the playbook takes for the same.

    The singular of some nouns is another word: "good" has nothing to do with "goods".
    """
    if word.lower() in word_set("no_singular"):
        return word.lower()
    return _same_words().get(stem(word.lower()), stem(word.lower()))


@lru_cache(maxsize=4096)
def keys(text: str) -> tuple[str, ...]:
    """The keys of all words of a text, identifiers taken apart."""
    return tuple(token.key for token in tokenise(tidy(text)))


@lru_cache(maxsize=1)
def _same_words() -> dict[str, str]:
    return {stem(word): stem(group[0]) for group in playbook()["synonyms"] for word in group}


@lru_cache(maxsize=64)
def word_set(section: str) -> frozenset[str]:
    """A section of the playbook that is a plain list of words."""
    return frozenset(str(word).lower() for word in playbook()[section])


def verb_forms(verb: str) -> set[str]:
    """The forms of a verb that a comment may have."""
    return {str(form).split()[0] for form in playbook()["verbs"].get(verb, ())}
