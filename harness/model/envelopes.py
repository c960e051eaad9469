"""A reply found in whatever a gateway has put around it."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from harness.model.foreign_forms import native_choice

_DEEPEST = 4
_HOLD = (
    "choices",
    "message",
    "delta",
    "tool_calls",
    "function",
    "candidates",
)  # whose fields are looked at too
_LABELS = {"id", "type", "object", "model", "created", "usage", "stop_reason", "stop_sequence"}
_NAMES = {*_HOLD, "role", "content", "refusal", "finish_reason", "index", "arguments", "usage"}


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
    data = respelled(data)
    if not isinstance(data, Mapping) or data.get("error"):
        return data
    if isinstance(data.get("choices"), Mapping):
        return {**data, "choices": list(data["choices"].values())}
    if "choices" in data:
        return data
    message = data if isinstance(data.get("role"), str) else data.get("message")
    if isinstance(message, Mapping) and ("content" in message or "tool_calls" in message):
        finish = data.get("done_reason", data.get("stop_reason"))
        finish = finish or ("stop" if data.get("done") is True else None)
        message = {each: message[each] for each in message if _is_said(each, message is data)}
        return {**data, "choices": [{"index": 0, part: message, "finish_reason": finish}]}
    if (choice := native_choice(data)) is not None:
        return {**data, "choices": [choice]}
    for value in data.values():
        if isinstance(value, Mapping):
            inner = unwrapped(value, part, deep + 1)
            if isinstance(inner, Mapping) and isinstance(inner.get("choices"), list):
                return inner
    return data


def _is_said(name: str, of_the_reply: bool) -> bool:
    """Whether a field of a message on its own is the message's, and no label of the reply."""
    return name in _NAMES if of_the_reply else name not in _LABELS


def message_of(choice: Mapping[str, Any], *names: str) -> Any:
    """The message of a choice under the first of `names` that it has: an object, or text.

    Some servers send a list of one, or the message as JSON text.
    """
    said = next((choice[name] for name in names if choice.get(name) is not None), None)
    if isinstance(said, list) and said and isinstance(said[0], Mapping):
        said = said[0]
    if isinstance(said, str) and said.lstrip()[:1] == "{":
        with suppress(ValueError, RecursionError):
            inner = json.loads(said)
            said = inner if "role" in inner else said
    return said


def respelled(value: Any) -> Any:
    """A reply in the protocol's spelling, where a server writes finishReason or Choices."""
    if isinstance(value, list):
        return [respelled(each) for each in value]
    if not isinstance(value, dict):
        return value
    if not all(map(str.islower, value)):
        value = _in_snake_case(value)
    return {**value, **{name: respelled(value[name]) for name in _HOLD if name in value}}


def _in_snake_case(value: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, each in value.items():
        name = key if key.islower() else _snake(key)
        if made.get(name) is None:
            made[name] = each
    return made


def _snake(key: str) -> str:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()
    return snake if snake in _NAMES else key
