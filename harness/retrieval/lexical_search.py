"""The words of a text, as retrieval by word sees them, and a ranking of a few texts by them.

Meaning misses exact codes and names; words find them. An identifier is taken apart, so that
`capacity_teu` and "TEU capacity" meet, and it also stays whole.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_WORDS = 64  # of a question: a pasted page need not become a query of a thousand terms

STOPWORDS = frozenset(
    """a about all also am an and any are as at be been being but by can could did do does each
    every for from get give got had has have how i if in into is it its just let list many me more
    much my of off on only or our out over per please show so some tell than that the their them
    then there these they this those to up us use used uses using want was we were what when where
    which while who whom whose why will with within would you your""".split()
)


def fold(text: str) -> str:
    """Lower case, compatibility forms replaced, accents removed: Gdańsk, GDANSK and gdansk meet."""
    plain = unicodedata.normalize("NFKD", _CAMEL.sub(" ", text)).casefold()
    return "".join(c for c in plain if not unicodedata.combining(c))


def stem(word: str) -> str:
    """A word without its commonest endings; codes and short words stay as they are."""
    if len(word) < 5 or any(c.isdigit() for c in word):
        return word[:-1] if len(word) == 4 and word[-1] == "s" and word[-2] not in "su" else word
    for ending, replacement in (("ies", "y"), ("ing", ""), ("ed", ""), ("s", "")):
        if word.endswith(ending) and not word.endswith(("ss", "us", "is")):
            return word[: -len(ending)] + replacement
    return word


@lru_cache(maxsize=4096)
def search_words(text: str) -> tuple[str, ...]:
    """The stemmed words of a text that carry meaning, in order, repetitions included."""
    return tuple(stem(word) for word in _WORD.findall(fold(text)) if word not in STOPWORDS)


def question_words(text: str) -> list[str]:
    """The distinct search words of a question, at most 64."""
    return list(dict.fromkeys(search_words(text[:20_000])))[:_MAX_WORDS]


def searchable(text: str) -> str:
    """A text as it goes into an FTS5 table: folded and stemmed as questions are."""
    return " ".join(search_words(text))


def rank_by_words(question: str, texts: Mapping[str, str]) -> list[str]:
    """The keys of the texts that share a word with the question, best first (BM25).

    Meant for a few hundred short texts: skills, corrections. Ties are in the order of the keys.
    """
    asked = question_words(question)
    counts = {key: Counter(search_words(text)) for key, text in texts.items()}
    if not asked or not counts:
        return []
    average = sum(c.total() for c in counts.values()) / len(counts) or 1.0
    found_in = {word: sum(word in c for c in counts.values()) for word in asked}
    weight = {w: math.log(1 + (len(counts) - n + 0.5) / (n + 0.5)) for w, n in found_in.items()}

    def score(count: Counter[str]) -> float:
        long = 0.25 + 0.75 * count.total() / average
        return sum(weight[w] * count[w] * 2.2 / (count[w] + 1.2 * long) for w in asked if count[w])

    scores = {key: score(count) for key, count in counts.items()}
    return sorted((k for k, s in scores.items() if s > 0), key=lambda k: (-scores[k], k))
