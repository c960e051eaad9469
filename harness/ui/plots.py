"""The conversation of a turn as a picture: what each message costs."""

from collections import Counter
from typing import Any

from harness.model.tokens import count_message
from harness.ui.bar_chart import bars
from harness.ui.html import View, show


def draw_conversation(messages: list[dict[str, Any]]) -> None:
    """A bar for each message, as long as its tokens, in the order in which the model reads them."""
    labels = [_label(message) for message in messages]
    tokens = [count_message(message) for message in messages]
    lines = [f"{label:<34}{n:>6} tokens" for label, n in zip(labels, tokens, strict=True)]
    lines.append(f"{'all that the last request carried':<34}{sum(tokens):>6} tokens")
    rows = {f"{i} {label.strip()}": tokens[i - 1] for i, label in enumerate(labels, 1)}
    picture = bars("What the last request carried", rows, unit="tokens")
    show(View("\n".join(lines), picture.html))


def _label(message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    if calls:
        names = Counter(call["function"]["name"] for call in calls)
        return "calls " + ", ".join(f"{n} x {name}" if n > 1 else name for name, n in names.items())
    return "  result" if message["role"] == "tool" else message["role"]
