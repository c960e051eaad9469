"""Conversations that `fit_window` is checked with."""

from harness.course.staging.judge_window import Message
from harness.model.tokens import count_message


def conversation(*groups: int, words: int = 60) -> list[Message]:
    """A legal history: system, task, then for each number a message with so many calls.

    0 means a message of the assistant without calls. Each text is of about `words` tokens.
    """
    messages: list[Message] = [
        {
            "role": "system",
            "content": " You are the harbour master's assistant. " + _filler(1, 20) + "\n",
        },
        {
            "role": "user",
            "content": "# Question\nWhich berth was free the longest? " + _filler(2, 9) + " \n",
        },
    ]
    for number, calls in enumerate(groups):
        if not calls:
            text = f" Note {number}: " + _filler(number, words) + "\n"
            messages.append({"role": "assistant", "content": text})
            continue
        ids = [f"call_{number}_{i}" for i in range(calls)]
        function = {"name": "read_page", "arguments": f'{{"page": {number}}}'}
        made = [{"id": i, "type": "function", "function": dict(function)} for i in ids]
        messages.append({"role": "assistant", "content": "", "tool_calls": made})
        for i in ids:
            text = f'{{"status": "ok", "page": "{i} {_filler(number, words)}"}}\n'
            messages.append({"role": "tool", "tool_call_id": i, "content": text})
    return messages


def tokens(messages: list[Message]) -> int:
    """Tokens of a list of messages, as the harness counts them."""
    return sum(map(count_message, messages))


def _filler(seed: int, words: int) -> str:
    return " ".join(str((seed * 37 + i * 11) % 97) for i in range(words // 2))
