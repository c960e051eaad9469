"""Arguments of a command line, with help and errors that fit the terminal.

The width is the terminal's, or COLUMNS. What goes into a pipe or a file is left as it is: who reads
it there looks for whole lines.
"""

import argparse
import os
import re
import shutil
import sys
import textwrap
from typing import NoReturn

_GROUP = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]")  # of a usage: [--last LAST] stays together
_FIXED = "\xa0"


class Parser(argparse.ArgumentParser):
    """argparse's, except that no line of it is wider than the terminal."""

    def format_usage(self) -> str:
        """The usage alone."""
        return _usage(super().format_usage())

    def format_help(self) -> str:
        """The whole help; its usage is the first paragraph."""
        usage, _, rest = super().format_help().partition("\n\n")
        return f"{_usage(usage)}\n{fitted(rest, always=True)}\n"

    def error(self, message: str) -> NoReturn:
        """Say how the command is used and what is wrong, and exit with 2."""
        self.print_usage(sys.stderr)
        self.exit(2, fitted(f"{self.prog}: error: {message}") + "\n")


def fitted(text: str, always: bool = False) -> str:
    """A text for a person whose lines fit the terminal, if one shows it; words stay whole."""
    if not (always or "COLUMNS" in os.environ or (sys.stderr.isatty() and sys.stdout.isatty())):
        return text.rstrip("\n")
    return "\n".join(part for line in text.splitlines() for part in _lines(line))


def _usage(text: str) -> str:
    joined = _GROUP.sub(lambda found: found[0].replace(" ", _FIXED), " ".join(text.split()))
    lines = textwrap.wrap(joined, _width(), subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines).replace(_FIXED, " ") + "\n"


def _lines(line: str) -> list[str]:
    """A line, or its parts, further in than it begins."""
    if len(line) <= _width():
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.strip(),
        _width(),
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _width() -> int:
    return max(shutil.get_terminal_size().columns - 1, 30)
