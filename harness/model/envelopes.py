"""A reply found in whatever a gateway has put around it."""

import json
from collections.abc import Mapping
from typing import Any

_DEEPEST = 4


def first_object(text: str) -> Any:
    """The reply in a text that has something before or behind it. Raises ValueError without one."""
    value, _ = json.JSONDecoder().raw_decode(text, max(text.find("{"), 0))
    found = unwrapped(value)
    if not isinstance(found, Mapping) or "choices" not in found:
        raise ValueError("no object in it is a reply")
    return found


def unwrapped(data: Any, part: str = "message", deep: int = 0) -> Any:
    """An object with choices, where one stands in `data`; else `data` itself.

    It may be encoded once more, be the only one of a list, or the value of some field. A message
    on its own becomes a choice, under the name `part`.
    """
    if deep > _DEEPEST:
        return data
    if isinstance(data, str) and data.lstrip()[:1] == "{":
        try:
            return unwrapped(json.loads(data), part, deep + 1)
        except ValueError:
            return data
    if isinstance(data, list) and len(data) == 1:
        return unwrapped(data[0], part, deep + 1)
    if not isinstance(data, Mapping) or data.get("error"):
        return data
    if isinstance(data.get("choices"), Mapping):
        return {**data, "choices": list(data["choices"].values())}
    if "choices" in data:
        return data
    message = data.get("message")
    if isinstance(message, Mapping) and ("content" in message or "tool_calls" in message):
        choice = {"index": 0, part: message, "finish_reason": data.get("done_reason")}
        return {**data, "choices": [choice]}
    for value in data.values():
        if isinstance(value, Mapping):
            inner = unwrapped(value, part, deep + 1)
            if isinstance(inner, Mapping) and isinstance(inner.get("choices"), list):
                return inner
    return data
