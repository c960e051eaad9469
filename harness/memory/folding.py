"""A text as it is compared with another: one case, one Unicode form, single spaces, nothing hidden.

Works in any script, and tells for each character of the result where it came from.
"""

import unicodedata
from functools import lru_cache

import regex

_CLUSTER = regex.compile(r"\X")
_IGNORED = regex.compile(r"[\p{DI}\p{Cc}]")
_DASH = regex.compile(r"\p{Pd}")
_QUOTE = regex.compile(r"[\p{QMark}`´]")
_AROUND = regex.compile(r"^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$")
_ASCII_QUOTES = str.maketrans('"`', "''")
_WORD = regex.compile(r"\d+(?:[.,]\d+)*|[\w\p{M}]+")


def folded(text: str) -> str:
    """The text as it is compared."""
    if text.isascii() and text.isprintable():  # most are, and this is ten times as fast
        return " ".join(text.lower().translate(_ASCII_QUOTES).split())
    return folded_with_places(text)[0].strip()


def words(text: str) -> list[str]:
    """The folded words and numbers, in order; identifiers keep their underscores."""
    return _WORD.findall(folded(text).replace("'", ""))


def trimmed(text: str) -> str:
    """A folded text without the punctuation around it."""
    return _AROUND.sub("", text)


@lru_cache(maxsize=256)
def folded_with_places(text: str) -> tuple[str, tuple[int, ...]]:
    """The folded text, and for each of its characters the place that it came from."""
    letters: list[str] = []
    places: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        for letter in _fold(cluster[0]):
            if letter != " " or (letters and letters[-1] != " "):
                letters.append(letter)
                places.append(cluster.start())
    return "".join(letters), tuple(places)


@lru_cache(maxsize=8_192)
def _fold(cluster: str) -> str:
    if cluster.isspace():
        return " "
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", cluster).casefold())
    plain = _QUOTE.sub("'", _DASH.sub("-", _IGNORED.sub("", plain)))
    return " " if plain.isspace() else plain
