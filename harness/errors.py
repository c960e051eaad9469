"""The two kinds of expected trouble, sorted by who must react.

`WorkshopError` is for a person: it says what happened and what to do next, and a notebook shows
those two lines without a traceback. `ToolError` is for the model: dispatch turns it into an
observation that begins with `ERROR: `.
"""

from typing import Literal

ToolErrorKind = Literal[
    "unknown_tool",
    "not_allowed",
    "needs_approval",
    "bad_arguments",
    "failed",
    "timeout",
    "interrupted",
    "cut_off",
    "empty",
]

_LONGEST = 2_000  # characters of a tool's error that the model is shown


class WorkshopError(Exception):
    """Something a person can mend: `message` says what happened, `hint` what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback."""
        return str(self).splitlines()


class ToolError(Exception):
    """A tool call that did not work, in words that the model can act on.

    `kind` is one of `ToolErrorKind`; `message` names the argument or the cause; `hint` says what
    to do next.
    """

    def __init__(self, kind: ToolErrorKind, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind: ToolErrorKind = kind
        self.message = _carried(message)
        self.hint = _carried(hint)

    def __str__(self) -> str:
        end = "" if self.message.endswith((".", "!", "?", ":")) else "."
        return f"{self.message}{end} {self.hint}".strip()


def _carried(text: str) -> str:
    """Text that a request can carry: without lone surrogates, not endless."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"
