"""A question with what was spotted in it."""

from dataclasses import dataclass, field
from typing import Any

from harness.standin.brain.words import Token


@dataclass
class Span:
    """Tokens start (included) to end (excluded) that mean `data` in the way of `kind`."""

    kind: str
    start: int
    end: int
    data: Any = None
    used: bool = False
    negated: bool = False


@dataclass
class Marks:
    """A question's tokens with what was spotted in them.

    `roles` and `dates` lie over the other spans: "arrived at" is a status and a direction.
    """

    tokens: list[Token]
    text: str
    spans: list[Span] = field(default_factory=list)
    owner: list[Span | None] = field(default_factory=list)
    roles: list[Span] = field(default_factory=list)
    dates: list[Span] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.owner = self.owner or [None] * len(self.tokens)

    def free(self, start: int, end: int) -> bool:
        """Whether nothing has claimed these tokens."""
        return end <= len(self.tokens) and not any(self.owner[start:end])

    def claim(self, kind: str, start: int, end: int, data: Any = None) -> Span:
        """Claim these tokens."""
        span = Span(kind, start, end, data)
        self.owner[start:end] = [span] * (end - start)
        self.spans.append(span)
        self.spans.sort(key=lambda each: each.start)
        return span

    def words(self, span: Span) -> str:
        """A span's words as written."""
        return self.text[self.tokens[span.start].start : self.tokens[span.end - 1].end]

    def of(self, *kinds: str) -> list[Span]:
        """The spans of these kinds, in order."""
        return [span for span in self.spans if span.kind in kinds]


@dataclass(frozen=True)
class Numeric:
    """A comparison with numbers: op is one of > < >= <= = between; `of` names its measure."""

    op: str
    numbers: tuple[float, ...]
    unit: str = ""
    of: tuple[str, ...] = ()
    age: str = ""
