"""Replies in another API's own form, as the protocol has them.

Gateways hand on what Anthropic, Google, Cohere, Amazon or the Responses API say. The rule: what
a model says stands in a field that is called so; what names a tool beside arguments is a call.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.model.content_parts import ARGUMENTS, text_of

_ENDS = ("finish_reason", "stop_reason", "done_reason", "status")
_TEXTS = ("text", "response", "generated_text")
_DEEPEST = 4
_OF_THE_PROTOCOL = {"role", "content", "refusal", "tool_calls", "function_call", "tools"}

Offered = Mapping[str, frozenset[str]]  # tool: its parameters


def native_choice(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The choice of a body that has none under that name; None where nothing is said in it."""
    candidates = data.get("candidates")
    if isinstance(candidates, list) and candidates and isinstance(candidates[0], Mapping):
        return _choice(candidates[0].get("content"), candidates[0])
    if data.get("output") and not isinstance(data["output"], Mapping):
        why = data.get("incomplete_details")
        return _choice(data["output"], {**data, **why} if isinstance(why, Mapping) else data)
    ended = any(data.get(name) for name in (*_ENDS, "done"))
    said = next((data[name] for name in _TEXTS if isinstance(data.get(name), str)), None)
    if ended and said is not None:
        return _choice(said, data)
    return None


def _choice(content: Any, around: Mapping[str, Any]) -> dict[str, Any]:
    reason = around.get("reason") or next((around[n] for n in _ENDS if around.get(n)), None)
    message = {"role": "assistant", "content": content, "tool_calls": around.get("tool_calls")}
    return {"index": 0, "message": message, "finish_reason": reason}


def piece_of_a_block(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """A chunk of a stream whose messages grow block by block; None for one of another kind."""
    block, delta = data.get("content_block"), data.get("delta")
    if isinstance(block, Mapping):
        said = _begun(block, data.get("index"))
    elif isinstance(delta, Mapping):
        said = _grown(delta.get("message") or delta, data.get("index"))
    else:
        return None
    ends = delta if isinstance(delta, Mapping) else {}
    finish = next((ends[name] for name in _ENDS if ends.get(name)), None)
    return {**data, "choices": [{"index": 0, "delta": said, "finish_reason": finish}]}


def _begun(block: Mapping[str, Any], index: Any) -> dict[str, Any]:
    if not isinstance(block.get("name"), str):
        return {"content": text_of(dict(block))}
    arguments = next((block[key] for key in ARGUMENTS if block.get(key)), "")
    call = {"index": index, "id": block.get("id"), "name": block["name"], "arguments": arguments}
    return {"tool_calls": [call]}


def _grown(delta: Mapping[str, Any], index: Any) -> dict[str, Any]:
    if "partial_json" in delta:
        return {"tool_calls": [{"index": index, "arguments": delta["partial_json"]}]}
    calls = delta.get("tool_calls")
    calls = [{"index": index, **calls}] if isinstance(calls, Mapping) else calls
    said = {"content": text_of(delta.get("content") or dict(delta)), "tool_calls": calls}
    return {**said, "reasoning_content": text_of(delta.get("thinking"))}


def calls_beside(
    message: Mapping[str, Any], offered: Callable[[], Offered]
) -> list[dict[str, Any]]:
    """The calls of offered tools that a message holds outside of the fields that are for them.

    Beside an answer there are none: what is named there was run by the server.
    """
    if text_of(message.get("content")).strip() or message.get("refusal"):
        return []
    others = [v for k, v in message.items() if k not in _OF_THE_PROTOCOL]
    others = [value for value in others if isinstance(value, list | dict)]
    if not others:
        return []
    tools = offered()
    return [call for value in others for call in _named(value, tools)]


def _named(value: Any, tools: Offered, deep: int = 0) -> Iterator[dict[str, Any]]:
    if deep > _DEEPEST or not isinstance(value, list | dict):
        return
    if isinstance(value, dict) and isinstance(value.get("name"), str) and value["name"] in tools:
        given = next((value[key] for key in ARGUMENTS if key in value), None)
        arguments = _loaded(given) if isinstance(given, str) else given
        if isinstance(arguments, dict) and arguments.keys() <= tools[value["name"]]:
            call_id = value.get("call_id") or value.get("id")
            yield {"id": call_id, "function": {"name": value["name"], "arguments": arguments}}
            return
    for each in value if isinstance(value, list) else value.values():
        yield from _named(each, tools, deep + 1)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
