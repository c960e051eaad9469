"""Turning an exception of a learner's function into a finding, with the line where it happened."""

import linecache
import traceback
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.runner.transfer import file_of


def crash(
    error: BaseException,
    fn: Callable[..., Any],
    situation: str,
    code: str = "crash",
    hint: str = "",
) -> Finding:
    """What it means that `fn` raised `error` in this situation.

    `code` and `hint` are for an ordinary exception; the special ones have their own.
    """
    where = line_of(error, fn)
    text = f"{type(error).__name__}: {first_line(error)}".rstrip(": ")
    if isinstance(error, NotImplementedError):
        return Finding(
            "not_written",
            "It still raises NotImplementedError.",
            "Write the numbered steps, then take the `raise` out.",
        )
    if type(error).__name__ == "InputAsked":
        return Finding(
            "asks_for_input", f"It asks a person for input {where}.", "Take input() out."
        )
    if isinstance(error, SystemExit):
        return Finding(
            "exits",
            f"It ends the program (sys.exit or exit) {where}. A caller gets no answer.",
            "Return the answer instead.",
        )
    if isinstance(error, RecursionError):
        return Finding(
            "endless_recursion",
            f"It calls itself without end {where}.",
            "Give the recursion an end, or write a loop.",
        )
    return Finding(
        code,
        f"It raised {text} {where}, when {situation}.",
        hint or "Call yours by hand, with this line in mind.",
    )


def line_of(error: BaseException, fn: Callable[..., Any]) -> str:
    """The last line of the learner's own code that the error passed through, quoted."""
    file = file_of(fn)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    if not frames:
        return "in what it called"
    return quoted(file, frames[-1].lineno or 0)


def quoted(file: str, line: int) -> str:
    """A line in words: its number, and its text where that is known."""
    text = linecache.getline(file, line).strip()
    return f"in line {line} (`{text}`)" if text else f"in line {line}"


def first_line(error: BaseException) -> str:
    """The first line of an error's text, not too long."""
    return (str(error).splitlines() or [""])[0][:200]
