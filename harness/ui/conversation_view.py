"""A conversation and a context, to look at."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from harness.model.tokens import count_message
from harness.ui.html import View, card, escape, faint, fold, pre, table

_SHORT = 90  # characters of a message in its summary


def show_conversation(messages: Sequence[dict[str, Any]], before: int = 0) -> View:
    """Every message as the model reads it; those after the first `before` are marked as new."""
    lines, parts = [], []
    for number, message in enumerate(messages):
        tokens, text = count_message(message), message_text(message)
        short = " ".join(text.split())
        short = short if len(short) <= _SHORT else f"{short[:_SHORT].rsplit(' ', 1)[0]} ..."
        new = "+ " if before and number >= before else ""
        lines.append(f"{new}{message['role']:<10}{tokens:>6} tokens  {short}")
        head = f"{new}<strong>{escape(message['role'])}</strong> {escape(short)}"
        parts.append(fold(f"{head} {faint(f'{tokens:,} tokens')}", pre(text)))
    count, tokens = len(messages), sum(map(count_message, messages))
    total = f"{count} message{'' if count == 1 else 's'}, {tokens:,} tokens"
    return View("\n".join([*lines, total]), card(total, "".join(parts)))


def show_layers(layers: Iterable[Any]) -> View:
    """The layers of a context: a line each with its tokens, and its text to fold open."""
    layers = list(layers)
    total = sum(layer.tokens for layer in layers)
    text = "\n".join(f"{layer.name:<12}{layer.tokens:>6} tokens" for layer in layers)
    rows = [(layer.name, f"{layer.tokens:,}") for layer in layers]
    folds = "".join(fold(escape(layer.name), pre(layer.text)) for layer in layers if layer.text)
    shown = table(("layer", "tokens"), [*rows, ("together", f"{total:,}")], (1,))
    return View(f"{text}\n{'together':<12}{total:>6} tokens", card("The context", shown + folds))


def message_text(message: dict[str, Any]) -> str:
    """A message's text and its calls, as one reads them."""
    content = message.get("content")
    parts = [content if isinstance(content, str) else json.dumps(content)] if content else []
    for call in message.get("tool_calls") or ():
        function = call.get("function", {})
        parts.append(f"calls {function.get('name')}({function.get('arguments')})")
    return "\n".join(parts)
