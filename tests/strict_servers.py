"""Servers that are strict in one way each: what they refuse, in their own words."""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from harness import standin

Request = dict[str, Any]


class Strict(NamedTuple):
    """A way to be strict: `refuses` is the status and the words for a request, or None."""

    name: str
    refuses: Callable[[Request], tuple[int, Any] | None]


def server(strict: Strict, replies: list[Any]) -> Callable[[Request], Any]:
    """Answers with the next reply each request that it does not refuse."""
    left = iter(replies)

    def answer(request: Request) -> Any:
        refused = strict.refuses(request)
        if refused is None:
            return next(left)
        status, words = refused
        return standin.http(status, words, headers={"x-should-retry": "false"})

    return answer


def error(text: str, **more: Any) -> dict[str, Any]:
    """OpenAI's form of an error body."""
    return {"error": {"message": text, "type": "invalid_request_error", "param": None, **more}}


def _when(test: Callable[[Request], Any], status: int, words: Any) -> Callable[[Request], Any]:
    return lambda request: (status, words) if test(request) else None


def _messages(role: str, test: Callable[[dict[str, Any]], Any]) -> Callable[[Request], bool]:
    return lambda request: any(test(m) for m in request["messages"] if m["role"] == role)


def _roles(request: Request) -> list[str]:
    return [message["role"] for message in request["messages"]]


def _after(*pair: str) -> Callable[[Request], bool]:
    def test(request: Request) -> bool:
        roles = _roles(request)
        return any(tuple(roles[i : i + 2]) == pair for i in range(len(roles)))

    return test


def _ids(request: Request) -> list[str]:
    calls = [call for m in request["messages"] for call in m.get("tool_calls") or ()]
    results = [m["tool_call_id"] for m in request["messages"] if m["role"] == "tool"]
    return [call["id"] for call in calls] + results


def _id_form(pattern: str, words: str) -> Callable[[Request], Any]:
    return _when(lambda r: not all(re.fullmatch(pattern, i) for i in _ids(r)), 400, error(words))


def _any_call(test: Callable[[dict[str, Any]], Any]) -> Callable[[Request], bool]:
    return _messages("assistant", lambda m: any(map(test, m.get("tool_calls") or ())))


def _schemas(request: Request) -> list[Any]:
    return [tool["function"]["parameters"] for tool in request.get("tools") or ()]


_HAS_CALLS = _messages("assistant", lambda m: m.get("tool_calls"))

STRICT = [
    Strict("unknown field, OpenAI", _when(
        _messages("assistant", lambda m: "reasoning_content" in m), 400,
        error("Unknown parameter: 'messages[2].reasoning_content'.", code="unknown_parameter"))),
    Strict("unknown field, pydantic", _when(
        _messages("assistant", lambda m: "reasoning_content" in m), 422,
        {"detail": [{"type": "extra_forbidden", "msg": "Extra inputs are not permitted",
                     "loc": ["body", "messages", 2, "assistant", "reasoning_content"],
                     "input": {"role": "assistant", "content": "stream tool_choice"}}]})),
    Strict("unknown field, unnamed", _when(
        _messages("assistant", lambda m: m.keys() - {"role", "content", "tool_calls"}), 400,
        "Additional properties are not allowed in a message")),
    Strict("unknown field, another language", _when(
        _messages("assistant", lambda m: m.keys() - {"role", "content", "tool_calls"}), 400,
        error("Zusätzliche Angaben in einer Nachricht kennt dieser Dienst nicht."))),
    Strict("unknown field in a call", _when(
        _any_call(lambda c: c.keys() - {"id", "type", "function"}), 400,
        error("property 'extra_content' is unsupported in tool_calls"))),
    Strict("tool_choice left out", _when(
        lambda r: r.get("tools") and "tool_choice" not in r, 400,
        error("tool_choice is required when tools are given"))),
    Strict("stream_options", _when(
        lambda r: "stream_options" in r, 400, error("Unrecognized argument: stream_options"))),
    Strict("stream", _when(
        lambda r: r.get("stream"), 400, error("Streaming is not supported for this model."))),
    Strict("stream with tools", _when(
        lambda r: r.get("stream") and r.get("tools"), 501,
        error("tools cannot be used together with stream"))),
    Strict("null content", _when(
        _messages("assistant", lambda m: m.get("content") is None), 400,
        error("Invalid value for 'content': expected a string, got null."))),
    Strict("missing content", _when(
        _messages("assistant", lambda m: m.get("content") is None), 422,
        {"detail": [{"loc": ["body", "messages", 2, "content"], "msg": "field required"}]})),
    Strict("empty content", _when(
        _messages("assistant", lambda m: not (m.get("content") or "").strip()), 400,
        error("messages: text content blocks must be non-empty"))),
    Strict("content beside calls", _when(
        _messages("assistant", lambda m: m.get("tool_calls") and m.get("content")), 400,
        error("content must be null when tool_calls are given"))),
    Strict("content in parts", _when(
        lambda r: any(isinstance(m.get("content"), str) for m in r["messages"]), 400,
        error("messages.0.content: Input should be a valid list"))),
    Strict("nine characters", _id_form(
        r"[a-zA-Z0-9]{9}",
        "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.")),
    Strict("a prefix", _id_form(
        r"call_[a-zA-Z0-9]{24}", "Invalid id: string does not match ^call_[a-zA-Z0-9]{24}$")),
    Strict("a uuid", _id_form(r"[0-9a-f-]{36}", "tool_call_id has an invalid format, not a UUID")),
    Strict("system as user", _when(
        lambda r: "system" in _roles(r), 400, error("System role not supported"))),
    Strict("system on top", _when(
        lambda r: "system" in _roles(r), 400,
        error('messages: Unexpected role "system". The Messages API accepts a top-level `system` '
              'parameter, not "system" as an input message role.'))),
    Strict("only two roles", _when(
        lambda r: "system" in _roles(r), 400, error("Only user and assistant roles work!"))),
    Strict("no developer", _when(
        lambda r: "system" in _roles(r), 400, error("Developer instruction is not enabled"))),
    Strict("developer", _when(
        lambda r: "system" in _roles(r), 400,
        error("'messages[0].role' does not support 'system'; use 'developer' instead."))),
    Strict("arguments as objects", _when(
        _any_call(lambda c: isinstance(c["function"]["arguments"], str)), 500,
        error("Value is not a dict: tool_call.arguments | items"))),
    Strict("names of results", _when(
        _messages("tool", lambda m: "name" not in m), 400,
        error("messages.3.name is required for role tool"))),
    Strict("one call each", _when(
        _messages("assistant", lambda m: len(m.get("tool_calls") or ()) > 1), 400,
        error("This model only supports single tool-calls at once!"))),
    Strict("schema keyword", _when(
        lambda r: "additionalProperties" in json.dumps(r.get("tools", "")), 400,
        error("tools.0.function.parameters: additionalProperties is not supported"))),
    Strict("every parameter required", _when(
        lambda r: any(set(s.get("required", ())) < s["properties"].keys() for s in _schemas(r)),
        400,
        error("Invalid schema for function 'add': In context=(), 'required' is required to be "
              "supplied and to be an array including every key in properties. Missing 'b'."))),
    Strict("required said", _when(
        lambda r: any("required" not in schema for schema in _schemas(r)), 422,
        {"detail": [{"loc": ["body", "tools", 1, "function", "parameters", "required"],
                     "msg": "Field required: 'required'", "type": "missing"}]})),
    Strict("strict said", _when(
        lambda r: any("strict" not in t["function"] for t in r.get("tools") or ()), 400,
        error("tools.0.function.strict is required"))),
    Strict("a grammar made of schemas", _when(
        lambda r: "minimum" in json.dumps(r.get("tools", "")), 400,
        error("failed to parse grammar"))),
    Strict("thoughts missed", _when(
        _messages("assistant", lambda m: not m.get("reasoning_content")), 400,
        error("thinking is enabled but reasoning_content is missing in assistant tool call "
              "message at index 2"))),
    Strict("signature missed", _when(
        _any_call(lambda c: "thought_signature" not in str(c.get("extra_content"))), 400,
        [error("Function call is missing a thought_signature in functionCall parts.")])),
    Strict("no role tool", _when(
        lambda r: "tool" in _roles(r), 400, error("Unexpected message role."))),
    Strict("no role tool, pydantic", _when(
        lambda r: "tool" in _roles(r), 422,
        {"detail": [{"loc": ["body", "messages", 3, "role"], "msg": "value is not a valid "
                     "enumeration member; permitted: 'system', 'user', 'assistant'"}]})),
    Strict("no empty properties", _when(
        lambda r: any(t["function"].get("parameters", {}).get("properties") == {}
                      for t in r.get("tools") or ()), 400,
        [error("tools[0].function_declarations[1].parameters.properties: should be non-empty for "
               "OBJECT type")])),
    Strict("under status 200", lambda r: (200, error("stream_options: unknown field"))
           if "stream_options" in r else None),
]  # fmt: skip

# Strict about the last request, which has no tools and asks for the answer.
STRICT_AT_THE_END = [
    Strict("user after tool", _when(
        _after("tool", "user"), 400, error("Unexpected role 'user' after role 'tool'"))),
    Strict("alternating", _when(
        lambda r: _after("user", "user")(r) or _after("tool", "user")(r), 500,
        error("Conversation roles must alternate user/assistant/user/assistant/..."))),
    Strict("tools of the history", _when(
        lambda r: _HAS_CALLS(r) and not r.get("tools"), 400,
        error("The toolConfig field must be defined when using toolUse content blocks."))),
]  # fmt: skip
