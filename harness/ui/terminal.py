"""Words for a terminal; those of others may hold what makes it do things."""

import re

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def tame(text: object) -> str:
    """A text in which escape sequences and turned letters are question marks."""
    return _CONTROLS.sub("?", str(text))


def many(count: int, word: str) -> str:
    """A count with its word: 1 task, 2 tasks."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
