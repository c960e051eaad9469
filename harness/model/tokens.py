"""Counting tokens, cheaply enough to do it at every step."""

import json
from functools import lru_cache
from typing import Any

_EXACT_UP_TO = 20_000  # characters; beyond that an estimate is close enough for a budget
_PER_MESSAGE = 4  # role and delimiters, as in OpenAI's cookbook on counting tokens


@lru_cache(maxsize=1)
def _encoder() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


@lru_cache(maxsize=4096)
def count_tokens(text: str) -> int:
    """Tokens of `text` in the o200k encoding (exact up to 20,000 characters, then scaled up)."""
    sample = text[:_EXACT_UP_TO].encode("utf-8", "replace").decode("utf-8")
    counted = len(_encoder().encode_ordinary(sample))
    return counted if len(text) <= _EXACT_UP_TO else round(counted * len(text) / _EXACT_UP_TO)


def count_message(message: dict[str, Any]) -> int:
    """Tokens of one chat message: its text, its tool calls, and a little for the envelope."""
    content = message.get("content")
    tokens = _PER_MESSAGE + count_tokens(content if isinstance(content, str) else _plain(content))
    for call in message.get("tool_calls") or ():
        function = call.get("function", {}) if isinstance(call, dict) else {}
        tokens += count_tokens(f"{function.get('name')}{function.get('arguments')}")
    return tokens


def _plain(content: Any) -> str:
    return "" if content is None else json.dumps(content, ensure_ascii=False, default=str)
