"""Plots. Each prints its figures too, because a picture can't be compared with yesterday's."""

from collections import Counter
from typing import Any

from harness.model.tokens import count_message

_COLOURS = {
    "system": "#9aa5b1",
    "user": "#4c78a8",
    "assistant": "#f58518",
    "tool": "#54a24b",
}


def draw_conversation(messages: list[dict[str, Any]]) -> None:
    """A bar for each message, as long as its tokens, in the order in which the model reads them."""
    import matplotlib.pyplot as plt

    labels = [_label(message) for message in messages]
    tokens = [count_message(message) for message in messages]
    colours = [_COLOURS[message["role"]] for message in messages]
    figure, axes = plt.subplots(figsize=(8, 0.32 * len(messages) + 0.8))
    axes.barh(range(len(messages)), tokens, color=colours)
    axes.set_yticks(range(len(messages)), labels)
    axes.invert_yaxis()
    axes.set_xlabel("tokens")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    plt.show()
    for label, count in zip(labels, tokens, strict=True):
        print(f"{label:<34}{count:>6} tokens")
    print(f"{'all that the last request carried':<34}{sum(tokens):>6} tokens")


def _label(message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    if calls:
        names = Counter(call["function"]["name"] for call in calls)
        return "calls " + ", ".join(f"{n} x {name}" if n > 1 else name for name, n in names.items())
    return "  result" if message["role"] == "tool" else message["role"]
