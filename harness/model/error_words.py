"""The sentences of an error body, in whatever form a server keeps them."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any

# How fields that hold the sentence end (message, error_msg, faultString), the best first.
_SAID = ("message", "msg", "detail", "details", "description", "string", "reason", "title", "error",
         "raw", "cause", "text")  # fmt: skip
_MOST = 3  # sentences
_TAGS = re.compile(r"<(script|style|head)\b.*?</\1>|<[^>]+>", re.DOTALL | re.IGNORECASE)


def words_in(value: Any) -> str:
    """The best sentences of an error body, "" where it holds none.

    Where the fields that hold one by their name say a single word at most, any text of several
    words is one.
    """
    said = list(dict.fromkeys(_sentences(value)))
    if not any(" " in text for text in said):
        said = list(dict.fromkeys([*said, *(text for text in _texts(value) if " " in text)]))
    return "; ".join(said[:_MOST])


def without_tags(text: str) -> str:
    """What a page says, on one line."""
    return " ".join((html.unescape(_TAGS.sub(" ", text)) if "<" in text else text).split())


def loaded(text: str) -> Any:
    """A text's JSON; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _sentences(value: Any, deep: int = 0) -> Iterator[str]:
    if deep > 6:
        return
    if isinstance(value, str):
        inner = loaded(value) if value.lstrip()[:1] in ("{", "[") else None
        if inner is not None:
            yield from _sentences(inner, deep + 1)
        elif value.strip():
            yield value.strip()
    elif isinstance(value, list):
        for each in value:
            yield from _sentences(each, deep + 1)
    elif isinstance(value, dict):
        fields = {str(name).lower(): each for name, each in value.items()}
        loc = fields.pop("loc", None)
        place = ".".join(map(str, loc)) + ": " if isinstance(loc, list) else ""
        for ending in _SAID:
            for name in [name for name in fields if name.endswith(ending)]:
                yield from (place + said for said in _sentences(fields.pop(name), deep + 1))
        for each in fields.values():
            if isinstance(each, dict | list):
                yield from _sentences(each, deep + 1)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
