"""Answers for where they are read: tables as HTML in a notebook, as aligned text in a terminal.

A model writes tables in Markdown, or lined up with a row of dashes under the head; both are found.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from harness.ui.html import escape, table

_RULE = re.compile(r"-{2,}(?: {2,}-{2,})*\Z")
_MARKDOWN_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\Z")
_NUMBER = re.compile(r"[-+$]*[\d.,]+\s*%?\Z")
_TEXT = "white-space:pre-wrap;overflow-wrap:break-word;margin:.2em 0"


@dataclass(frozen=True)
class AnswerTable:
    """A table of an answer: its head, and rows of as many cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The columns that hold numbers only."""
        columns = range(len(self.head))
        return tuple(n for n in columns if all(_NUMBER.match(row[n] or "0") for row in self.rows))


def answer_html(answer: str) -> str:
    """An answer as HTML, its tables as tables."""
    return "".join(
        f'<div style="{_TEXT}">{escape(piece)}</div>'
        if isinstance(piece, str)
        else table(piece.head, piece.rows, piece.numbers)
        for piece in pieces(answer)
    )


def answer_text(answer: str) -> str:
    """An answer as text, its tables lined up."""
    return "\n".join(each if isinstance(each, str) else _aligned(each) for each in pieces(answer))


def pieces(answer: str) -> Iterator[str | AnswerTable]:
    """The texts and tables of an answer, in order; a fenced block of code is text."""
    lines, text, at, fenced = answer.split("\n"), [], 0, False
    while at < len(lines):
        fenced ^= lines[at].lstrip().startswith("```")
        found = None if fenced else _markdown(lines, at) or _lined_up(lines, at)
        if found is None:
            text.append(lines[at])
            at += 1
            continue
        if text:
            yield "\n".join(text)
        text, at = [], found[1]
        yield found[0]
    if text:
        yield "\n".join(text)


def _markdown(lines: list[str], at: int) -> tuple[AnswerTable, int] | None:
    """A Markdown table that begins here, and the line after it."""
    if at + 1 >= len(lines) or "|" not in lines[at] or "|" not in lines[at + 1]:
        return None
    if not _MARKDOWN_RULE.match(lines[at + 1].strip()):
        return None
    head, end, rows = _cells(lines[at]), at + 2, []
    while end < len(lines) and "|" in lines[end]:
        row = (*_cells(lines[end]), *[""] * len(head))
        rows.append(row[: len(head)])
        end += 1
    return AnswerTable(head, tuple(rows)), end


def _cells(line: str) -> tuple[str, ...]:
    parts = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return tuple(part.strip().replace("\\|", "|") for part in parts)


def _lined_up(lines: list[str], at: int) -> tuple[AnswerTable, int] | None:
    """A table over a row of dashes that begins here, and the line after it."""
    if at + 1 >= len(lines) or not _RULE.match(lines[at + 1]):
        return None
    spans = [match.span() for match in re.finditer("-+", lines[at + 1])]
    if _RULE.match(lines[at]) or not _fits(lines[at], spans):
        return None
    end = at + 2
    while end < len(lines) and _fits(lines[end], spans):
        end += 1
    head, _, *rows = [tuple(line[a:b].strip() for a, b in spans) for line in lines[at:end]]
    return AnswerTable(head, tuple(rows)), end


def _fits(line: str, spans: list[tuple[int, int]]) -> bool:
    """Whether a line has nothing outside of its columns, and isn't a sentence."""
    if not line.strip() or line.startswith(("(", "...")) or len(line) > spans[-1][1]:
        return False
    if len(spans) == 1 and line.rstrip().endswith((".", ":")):
        return False
    return all(not line[a:b].strip() for (_, a), (b, _) in pairwise(spans))


def _aligned(each: AnswerTable) -> str:
    columns = range(len(each.head))
    width = [max(len(row[n]) for row in (each.head, *each.rows)) for n in columns]
    made = [each.head, tuple("-" * n for n in width), *each.rows]
    return "\n".join(
        "  ".join(
            row[n].rjust(width[n]) if n in each.numbers else row[n].ljust(width[n]) for n in columns
        ).rstrip()
        for row in made
    )
