"""The echo: what a server said comes back to it as it said it, whatever the loop made of it.

A loop may build the assistant message anew and keep only what it knows of: id, name, arguments.
What the server added (reasoning_content, signatures in extra_content) is put back when the message
is sent. Arguments that were no JSON object are sent as one: servers parse what they get back.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from openai.types.chat import ChatCompletion

from harness.model.tool_calls import in_a_field, is_sendable

Message = dict[str, Any]
_OF_THE_PROTOCOL = {"role", "content", "refusal", "tool_calls", "function_call"}
_OF_A_CALL = {"id", "type", "function"}
_MOST = 512  # messages that are remembered
_SHOWN = 2_000  # characters of arguments that were no JSON

_said: OrderedDict[tuple[str, str, str], Message] = OrderedDict()


def remember(turn_id: str, reply: ChatCompletion) -> None:
    """Keep what a message with calls says beyond what every loop sends back."""
    choice = reply.choices[0]
    message, own = choice.message, getattr(choice, "own_content", choice.message.content)
    more = {k: v for k, v in (message.model_extra or {}).items() if v is not None}
    asked: list[Any] = message.tool_calls or []
    of_calls_more = any(call.model_extra or call.function.model_extra for call in asked)
    if not asked or not (more or of_calls_more or own != message.content):
        return
    calls = [_dumped(call) for call in asked]
    of_calls = {call["id"]: _beyond(call) for call in calls}
    for call in calls:
        kept = {"more": more, "content": own, "sorted": message.content, "calls": of_calls}
        _said[turn_id, call["id"], call["function"]["name"]] = kept
    while len(_said) > _MOST:
        _said.popitem(last=False)


def as_sent(turn_id: str, messages: list[Message], odd: bool = True) -> list[Message]:
    """The messages as they go to the server; the list itself where nothing is to be added.

    `odd` says whether the arguments of a call may be no JSON object.
    """
    if not (odd or _said):
        return messages
    made = [_as_sent(turn_id, m) if m.get("tool_calls") else m for m in messages]
    return messages if all(a is b for a, b in zip(made, messages, strict=True)) else made


def of_the_protocol(message: Message) -> Message:
    """A message as every API takes it back: without what its own server added."""
    if message.get("role") != "assistant":
        return message
    made = {key: value for key, value in message.items() if key in _OF_THE_PROTOCOL}
    if calls := message.get("tool_calls"):
        made["tool_calls"] = [_plain_call(_dumped(call)) for call in calls]
    return made


def _plain_call(call: Message) -> Message:
    function = {key: call["function"].get(key) for key in ("name", "arguments")}
    return {"id": call.get("id"), "type": "function", "function": function}


def _as_sent(turn_id: str, message: Message) -> Message:
    calls = message["tool_calls"]
    if not isinstance(calls, list):
        return message
    if _said:
        message = _with_own(turn_id, message, [_dumped(call) for call in calls])
        calls = message["tool_calls"]
    if all(is_sendable(call) for call in calls):
        return message
    return {**message, "tool_calls": [_sendable(_dumped(call)) for call in calls]}


def _with_own(turn_id: str, message: Message, calls: list[Message]) -> Message:
    first = calls[0] if calls else {}
    name = (first.get("function") or {}).get("name")
    kept = _said.get((turn_id, str(first.get("id")), str(name)))
    if kept is None:
        return message
    made = {**kept["more"], **{k: v for k, v in message.items() if v is not None}}
    same = (message.get("content") or None) == (kept["sorted"] or None)
    made["content"] = kept["content"] if same else message.get("content")
    made["tool_calls"] = [_merged(kept["calls"].get(call.get("id")), call) for call in calls]
    return made


def _merged(more: Mapping[str, Any] | None, call: Message) -> Message:
    if not more:
        return call
    function = {**more["function"], **call["function"]}
    return {**{k: v for k, v in more.items() if k != "function"}, **call, "function": function}


def _beyond(call: Message) -> Message:
    """What a call holds beyond id, type, name and arguments; {} where that is nothing."""
    function = {k: v for k, v in call["function"].items() if k not in ("name", "arguments")}
    more = {k: v for k, v in call.items() if k not in _OF_A_CALL and v is not None}
    return {**more, "function": function} if more or function else {}


def _sendable(call: Message) -> Message:
    if is_sendable(call):
        return call
    arguments = in_a_field("not_json", call["function"]["arguments"], _SHOWN)
    return {**call, "function": {**call["function"], "arguments": arguments}}


def _dumped(call: Any) -> Message:
    return call if isinstance(call, dict) else call.model_dump(exclude_none=True)
