"""Values and texts in messages: short, whole words, and "..." where something was left out."""

import reprlib
from typing import Any

_LEFT_OUT = "..."
_STEPS = ((8, 60), (6, 40), (4, 30), (3, 20), (2, 12), (1, 8))  # items, characters of a text


def short_repr(value: Any, width: int = 60) -> str:
    """`repr(value)` where it has at most `width` characters.

    Of a longer one, what fits: texts end after a whole word and "...", lists and dicts after some
    items and "..."; quotes and brackets are closed.
    """
    whole = repr(value)
    if len(whole) <= width:
        return whole
    if isinstance(value, str):
        return _quoted(value, width)
    for items, characters in _STEPS:
        said = _Short(items, characters, width).repr(value)
        if len(said) <= width:
            break
    return said


def excerpt(text: str, width: int = 60) -> str:
    """The text in one line of at most `width` characters: whole words, then "..." for the rest."""
    line = " ".join(text.split())
    return line if len(line) <= width else _head(line, width)


def _head(text: str, width: int) -> str:
    """The first whole words; a single word that is too long is cut."""
    room = max(width - len(_LEFT_OUT), 0)
    head = text[:room].rstrip() or text[:room]
    if not text[room : room + 1].isspace() and len(head) == room:
        words = head.rsplit(None, 1)
        head = words[0] if len(words) == 2 and 2 * len(words[0]) >= room else head
    between = " " if len(head) < room and text[len(head) : len(head) + 1].isspace() else ""
    return f"{head}{between}{_LEFT_OUT}"


def _quoted(text: str, width: int) -> str:
    """The head of a text in quotes; what `repr` escapes takes more room than it has characters."""
    room = width - 2
    said = repr(_head(text, room))
    while len(said) > width and room > len(_LEFT_OUT):
        room -= max((len(said) - width) // 2, 1)
        said = repr(_head(text, room))
    return said


class _Short(reprlib.Repr):
    """As many items of each container, as many characters of each text."""

    def __init__(self, items: int, characters: int, width: int) -> None:
        super().__init__()
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = items
        self.maxstring, self.maxother, self.maxlong = characters, width, width

    def repr_str(self, x: str, level: int) -> str:
        """A text by its first words, where the parent class would leave out its middle."""
        return repr(x) if len(x) <= self.maxstring else _quoted(x, self.maxstring)
