"""What a check found, and how it is told."""

import textwrap
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.course.todos import TODOS
from harness.ui.html import bundle
from harness.ui.report_card import report_html

Owner = Literal["yours", "lent", "ours"]

_WIDTH = 88
_TOLD = 5  # more at once only discourage, and some go away with the first


@dataclass(frozen=True)
class Finding:
    """One thing that a function does wrong: a stable `code`, what happened, and what to try."""

    code: str
    message: str
    hint: str = ""

    def as_dict(self) -> dict[str, str]:
        """The finding as plain data, to cross a process boundary."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


@dataclass(frozen=True)
class Report:
    """The outcome of a check.

    `owner` says whose function is in use from here on: "yours" (the one that was handed in),
    "ours" (it was our solution that was handed in) or "lent" (yours did not pass, so `check` put
    ours in its place). `output` is what the function printed, cut to a few thousand characters.
    """

    name: str
    passed: bool
    findings: list[Finding] = field(default_factory=list)
    owner: Owner = "yours"
    output: str = ""

    @property
    def codes(self) -> list[str]:
        """The codes of the findings, in order."""
        return [finding.code for finding in self.findings]

    def __str__(self) -> str:
        return "\n".join([*self._head(), *self._body(), *self._tail()])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        todo = TODOS.get(self.name)
        return bundle(str(self), report_html(self, _TOLD, todo.hints if todo else ()))

    def _head(self) -> list[str]:
        if self.passed and self.owner == "ours":
            return [f"{self.name}: passes, but this is our solution, word for word."]
        if self.passed:
            return [f"{self.name}: passed. It is yours."]
        if self.codes == ["lent"]:
            return [f"{self.name}: this is ours, lent to you."]
        count = len(self.findings)
        return [f"{self.name}: not yet. {count} finding{'s' if count != 1 else ''}."]

    def _body(self) -> list[str]:
        lines = []
        for number, finding in enumerate(self.findings[:_TOLD], 1):
            lines += _wrapped(f"{number}. ", f"[{finding.code}] {finding.message}")
            if finding.hint:
                lines += _wrapped("   Try: ", finding.hint)
        more = len(self.findings) - _TOLD
        return [*lines, f"... and {more} more. Mend these first."] if more > 0 else lines

    def _tail(self) -> list[str]:
        if self.owner != "lent" or self.codes == ["lent"]:
            return []
        return _wrapped(
            "",
            f"Until yours passes, {self.name} is ours, lent to you, so the notebook runs on; "
            f'yours is my_{self.name}, to try by hand. hint("{self.name}") says more.',
        )


def findings_from(data: list[dict[str, Any]]) -> list[Finding]:
    """Findings that came over a process boundary."""
    return [Finding(str(d["code"]), str(d["message"]), str(d.get("hint", ""))) for d in data]


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
