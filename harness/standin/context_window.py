"""The context window: what a request takes up, and what happens when it does not fit."""

from typing import Any

from harness.model.tokens import count_message, count_tokens
from harness.standin.refusals import ApiError

CONTEXT_TOKENS = 128_000  # the window of the stand-in, as large as that of a small OpenAI model


def check_window(request: dict[str, Any], window: int) -> None:
    """The messages and tools must fit the model's context window of `window` tokens."""
    in_messages, in_tools = count_prompt(request)
    total = in_messages + in_tools
    if total <= window:
        return
    parts = f" ({in_messages} in the messages, {in_tools} in the functions)" if in_tools else ""
    what = "messages or functions" if in_tools else "messages"
    raise ApiError(
        f"This model's maximum context length is {window} tokens. However, your messages resulted "
        f"in {total} tokens{parts}. Please reduce the length of the {what}.",
        param="messages",
        code="context_length_exceeded",
    )


def count_prompt(request: dict[str, Any]) -> tuple[int, int]:
    """Tokens of the messages and of the tools of a request."""
    tools = request.get("tools") or ()
    in_tools = sum(count_tokens(repr(tool)) for tool in tools)
    return sum(count_message(message) for message in request["messages"]), in_tools
