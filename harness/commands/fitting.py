"""Text and tables for a person: no line is wider than the terminal, no word broken, nothing lost.

The width is the terminal's, or COLUMNS. What goes into a pipe or a file is left as it is: who reads
it there looks for whole lines.
"""

import contextlib
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import TextIO

_GAP = 2  # columns between those of a table
_NARROWEST = 20  # columns in which the last cell of a row can still be read
_LABEL = re.compile(
    r"\s*(?:\S+ )*?\S+\s{2,}(?=\S)"
)  # what a line begins with, where its text is lined up


def say(text: object) -> None:
    """Print a text for a person, as soon as it is there."""
    print(fitted(str(text)), flush=True)


@contextlib.contextmanager
def fitting() -> Iterator[None]:
    """While this lasts, what others print is fitted, a line at a time."""
    with contextlib.redirect_stdout(_Lines(sys.stdout)):
        yield


class _Lines(io.TextIOBase):
    """A stream that hands on lines as they fit; the beginning of one once it is asked to."""

    def __init__(self, to: TextIO) -> None:
        self._to, self._begun = to, ""

    def isatty(self) -> bool:
        return self._to.isatty()

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            print(fitted(line), file=self._to, flush=True)
        return len(text)

    def flush(self) -> None:
        self._to.write(self._begun)
        self._to.flush()
        self._begun = ""


def fitted(text: str, always: bool = False) -> str:
    """A text whose lines fit the terminal, if one shows it (`always`: as if one did)."""
    room = _width() if always else _room()
    if room is None:
        return text.rstrip("\n")
    return "\n".join(part for line in text.splitlines() for part in _lines(line, room))


def table(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Rows under their head, which is the first; the columns in `right` hold numbers.

    Where they are too wide, the last cell goes on below itself; where that is no help either, each
    row becomes its first cell, and below it the others behind what their column is called.
    """
    head, room = rows[0], _room()
    widths = [max(len(row[n]) for row in rows) for n in range(len(head))]
    before = sum(widths[:-1]) + _GAP * len(widths[:-1])
    last = max((len(word) for row in rows for word in row[-1].split()), default=0)
    if room is None or before + widths[-1] <= room:
        lines = [_aligned(row, widths, right) for row in rows]
    elif room - before >= max(last, _NARROWEST):
        lines = [
            part for row in rows for part in wrap(_aligned(row, widths, right), room, " " * before)
        ]
    else:
        lines = [part for row in rows[1:] for part in _as_record(head, row, room)]
    return "\n".join(lines)


def cut(line: str) -> str:
    """A line that the terminal shows whole; of a longer one what fits, up to the end of a word."""
    room = _room()
    if room is None or len(line) <= room:
        return line
    start = line[: len(line) - len(line.lstrip())]
    return f"{textwrap.wrap(line.strip(), room - 4, initial_indent=start)[0]} ..."


def wrap(line: str, room: int, indent: str) -> list[str]:
    """A line as several of whole words, those after the first behind the indent."""
    start = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.strip(),
        room,
        initial_indent=start,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def _aligned(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> str:
    cells = [
        cell.rjust(width) if n in right else cell.ljust(width)
        for n, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return (" " * _GAP).join(cells).rstrip()


def _as_record(head: Sequence[str], row: Sequence[str], room: int) -> list[str]:
    named = zip(head[1:], row[1:], strict=True)
    said = "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)
    return [*wrap(row[0], room, "  "), *(wrap(f"  {said}", room, "    ") if said else [])]


def _lines(line: str, room: int) -> list[str]:
    """A line, or its parts: below the text behind its label, or further in than it begins."""
    if len(line) <= room:
        return [line]
    label = _LABEL.match(line)
    if label and label.end() <= room // 2:
        return wrap(line, room, " " * label.end())
    return wrap(line, room, line[: len(line) - len(line.lstrip())] + "  ")


def _room() -> int | None:
    """Columns of a line; None where no terminal shows it."""
    shown = "COLUMNS" in os.environ or (sys.stderr.isatty() and sys.stdout.isatty())
    return _width() if shown else None


def _width() -> int:
    spare = os.name == "nt"  # Windows' console begins a new line after its last column
    return max(shutil.get_terminal_size().columns - spare, 30)
