"""Reading a request the way a fault needs it: what was asked, offered, called and observed."""

import json
from typing import Any

from harness.standin.wire import task_of


def offered(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The function of each tool that the request offers."""
    if request.get("tool_choice") == "none":
        return []
    return [tool["function"] for tool in request.get("tools") or ()]


def made_calls(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Every call that the assistant made so far, oldest first."""
    calls: list[dict[str, Any]] = []
    for message in request["messages"]:
        calls += message.get("tool_calls") or ()
    return calls


def observations(request: dict[str, Any]) -> list[str]:
    """The text of every tool result so far."""
    return [text_of(m) for m in request["messages"] if m.get("role") == "tool"]


def text_of(message: dict[str, Any]) -> str:
    """The content of a message as text."""
    content = message.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def told(request: dict[str, Any]) -> bool:
    """Whether the harness said something after the question: a nudge, or that time is up."""
    messages = request["messages"]
    first = next((i for i, m in enumerate(messages) if m.get("role") == "user"), len(messages))
    return any(m.get("role") in ("user", "system") for m in messages[first + 1 :])


def failed(text: str) -> bool:
    """Whether an observation reports an error."""
    if text.startswith("ERROR"):
        return True
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and ("error" in value or value.get("status") == "error")


def without_first_failure(request: dict[str, Any]) -> dict[str, Any]:
    """The request without the first round of calls, if one of that round's results is an error.

    This is how a fault learns: the model underneath never sees the slip, so it does next what it
    would have done at first.
    """
    messages = request["messages"]
    start = next((i for i, m in enumerate(messages) if m.get("tool_calls")), None)
    if start is None:
        return request
    end = start + 1
    while end < len(messages) and messages[end].get("role") == "tool":
        end += 1
    if not any(failed(text_of(message)) for message in messages[start + 1 : end]):
        return request
    return {**request, "messages": messages[:start] + messages[end:]}


def without(request: dict[str, Any], dropped: list[int]) -> dict[str, Any]:
    """The request without the messages at these indices."""
    kept = [m for index, m in enumerate(request["messages"]) if index not in dropped]
    return {**request, "messages": kept}


def plausible(function: dict[str, Any], request: dict[str, Any], salt: str = "") -> dict[str, Any]:
    """Arguments that fit a tool's schema well enough to run, made from the question."""
    schema = function.get("parameters") or {}
    properties = schema.get("properties") or {}
    needed = schema.get("required") or list(properties)[:1]
    question = task_of(request)[:200] + salt
    return {name: _value(properties.get(name) or {}, question) for name in needed}


def _value(schema: dict[str, Any], question: str) -> Any:
    for key in ("const", "default"):
        if key in schema and schema[key] is not None:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return _value(schema[key][0], question)
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return {"boolean": False, "array": [], "object": {}}.get(str(kind), question)
