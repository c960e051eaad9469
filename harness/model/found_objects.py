"""JSON objects found anywhere in a text, also with Python's quotes."""

import ast
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

LONGEST = 20_000  # characters of a text that are looked at


class Found(NamedTuple):
    """An object found in a text, and where it is."""

    value: Any
    start: int
    end: int


def objects_in(text: str) -> Iterator[Found]:
    """The JSON objects of a text, outermost first; also those with Python's quotes."""
    position = 0
    while (position := text.find("{", position)) >= 0:
        found = object_at(text, position)
        if found is None:
            position += 1
        else:
            yield found
            position = found.end


def object_at(text: str, start: int) -> Found | None:
    """The object that opens at `start`, None where none does."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
        return Found(value, start, end)
    except (ValueError, RecursionError):
        pass
    closed = closing_of(text, start)
    if closed is None:
        return None
    try:
        value = ast.literal_eval(text[start:closed])
    except Exception:
        return None
    return Found(value, start, closed) if isinstance(value, dict) else None


def closing_of(text: str, start: int) -> int | None:
    """The end of what opens with a bracket at `start`, brackets within quotes left out."""
    closes = {"{": "}", "(": ")", "[": "]"}
    stack: list[str] = []
    quote = ""
    position = start
    while position < min(len(text), start + LONGEST):
        letter = text[position]
        if quote:
            if letter == "\\":
                position += 1
            elif text.startswith(quote, position):
                position += len(quote) - 1
                quote = ""
        elif letter in "\"'":
            quote = letter * 3 if text.startswith(letter * 3, position) else letter
            position += len(quote) - 1
        elif letter in closes:
            stack.append(closes[letter])
        elif stack and letter == stack[-1]:
            stack.pop()
            if not stack:
                return position + 1
        position += 1
    return None
