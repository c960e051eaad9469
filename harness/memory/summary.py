"""The rolling summary of a thread, by rule. A model can take this place (see Thread.summariser)."""

from collections.abc import Callable, Sequence

from harness.memory.shapes import Message
from harness.memory.storable_text import one_line

# (summary so far, the messages to fold into it) -> the new summary
Summariser = Callable[[str, Sequence[Message]], str]

_MAX_CHARS = 1_600
_LINE_CHARS = 160


def summarise_by_rule(previous: str, messages: Sequence[Message]) -> str:
    """A line a message: who, and how it began. The oldest lines go when it grows too long."""
    lines = previous.splitlines()
    lines += [
        f"{m.role}: {one_line(m.content, _LINE_CHARS)}" for m in messages if m.content.strip()
    ]
    while len(lines) > 1 and sum(map(len, lines)) + len(lines) > _MAX_CHARS:
        del lines[0]
    return "\n".join(lines)
