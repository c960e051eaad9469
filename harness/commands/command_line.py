"""Arguments of a command line, with help and errors that fit the terminal."""

import argparse
import re
import sys
from typing import NoReturn

from harness.commands.fitting import fitted

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


def _usage(text: str) -> str:
    joined = _GROUP.sub(lambda found: found[0].replace(" ", _FIXED), " ".join(text.split()))
    return fitted(joined, always=True).replace(_FIXED, " ") + "\n"
