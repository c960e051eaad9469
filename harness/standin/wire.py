"""Turning a turn into the bytes of a response: completions, streamed chunks, ids, usage."""

import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.model.tokens import count_tokens
from harness.standin.context_window import count_prompt
from harness.standin.refusals import ApiError
from harness.standin.turns import EVENTS, JSON, NULL, Message, Reply, event, http

CREATED = 1_767_225_600  # a fixed moment (2026-01-01), so that nothing differs between two runs
_DELTA_CHARACTERS = 24


def render(turn: Any, request: dict[str, Any], key: int) -> Reply:
    """The response described by `turn`. `key` is a number that identifies the request."""
    if isinstance(turn, Reply):
        return turn
    if isinstance(turn, ApiError):
        return refusal(turn)
    if isinstance(turn, BaseException):
        return Reply(failure=turn)
    if isinstance(turn, type) and issubclass(turn, BaseException):
        return Reply(failure=turn())
    if isinstance(turn, bytes):
        return http(200, turn)
    if isinstance(turn, str):
        turn = Message(content=turn)
    if isinstance(turn, dict):
        if not {"content", "tool_calls"} & turn.keys():
            return _whole(turn, request)
        turn = message_of(turn)
    if not isinstance(turn, Message):
        raise TypeError(f"a turn can't be {type(turn).__name__}: use say(), call(), http(), ...")
    body = completion(turn, request, key)
    if request.get("stream"):
        return streamed(body, request)
    return Reply(headers=_headers(JSON, key), body=_dump(body))


def refusal(error: ApiError) -> Reply:
    """The response for an error of the API."""
    return Reply(status=error.status, headers={**JSON, **error.headers}, body=error.body())


def message_of(message: dict[str, Any]) -> Message:
    """An assistant message given as a dict; calls may also be {"name", "arguments"}."""
    made = []
    for each in message.get("tool_calls") or ():
        function = each.get("function", each)
        arguments = function.get("arguments")
        if isinstance(arguments, dict) and "function" not in each:
            arguments = json.dumps(arguments, ensure_ascii=False)
        function = {"name": function.get("name"), "arguments": arguments}
        made.append({"id": each.get("id"), "type": "function", "function": function})
    known = {"role", "content", "tool_calls", "finish_reason"}
    fields = {name: value for name, value in message.items() if name not in known}
    return Message(message.get("content"), tuple(made), message.get("finish_reason"), fields)


def completion(turn: Message, request: dict[str, Any], key: int) -> dict[str, Any]:
    """The ChatCompletion object for one assistant message."""
    turn = _shortened(with_ids(turn, request), request)
    message: dict[str, Any] = {"role": "assistant", "content": turn.content, "refusal": None}
    if turn.tool_calls:
        message["tool_calls"] = list(turn.tool_calls)
    message.update(turn.fields)
    finish = turn.finish_reason or ("tool_calls" if turn.tool_calls else "stop")
    body = {
        "id": f"chatcmpl-standin-{key}",
        "object": "chat.completion",
        "created": CREATED,
        "model": request.get("model"),
        "choices": [
            {"index": index, "message": message, "logprobs": None, "finish_reason": finish}
            for index in range(request.get("n") or 1)
        ],
        "usage": _usage(message, request),
        "system_fingerprint": "fp_standin",
    }
    for name, value in turn.extra.items():
        if value is None:
            body.pop(name, None)
        else:
            body[name] = value
    return body


def with_ids(turn: Message, request: dict[str, Any]) -> Message:
    """Give every call that has no id one that is new in this conversation.

    The id names the question and counts on, so it stays the same however the context around the
    question changes from run to run.
    """
    if not turn.tool_calls:
        return turn
    prefix = f"call_{zlib.crc32(task_of(request).encode('utf-8', 'replace')):08x}_"
    count = _highest(request["messages"], prefix)
    made = []
    for each in turn.tool_calls:
        if each.get("id", "") is None:
            count += 1
            each = {**each, "id": f"{prefix}{count}"}
        elif each.get("id") == NULL:
            each = {**each, "id": None}
        made.append(each)
    return replace(turn, tool_calls=tuple(made))


def task_of(request: dict[str, Any]) -> str:
    """The question of a request: the end of its first user message, as text."""
    for message in request.get("messages") or ():
        if message.get("role") == "user":
            content = message.get("content")
            text = content if isinstance(content, str) else json.dumps(content)
            return text.rpartition("# Question\n")[2].strip()
    return ""


def streamed(body: dict[str, Any], request: dict[str, Any]) -> Reply:
    """A completion as server-sent events, in small deltas."""
    pieces = [event(chunk) for chunk in chunks_of(body, request)]
    pieces.append(b"data: [DONE]\n\n")
    return Reply(headers=dict(EVENTS), body=tuple(pieces))


def chunks_of(body: dict[str, Any], request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The chunks of a streamed completion; one with usage last when the request asks for it."""
    head = {name: body[name] for name in ("id", "created", "model", "system_fingerprint")}
    head["object"] = "chat.completion.chunk"
    asked = bool((request.get("stream_options") or {}).get("include_usage"))
    usage = {"usage": None} if asked else {}
    for choice in body["choices"]:
        if "message" not in choice:  # a server's fault, passed on as it is
            yield {**head, "choices": [choice], **usage}
            continue
        for delta in _deltas(choice["message"]):
            part = {"index": choice["index"], "delta": delta, "finish_reason": None}
            yield {**head, "choices": [part], **usage}
        last = {"index": choice["index"], "delta": {}, "finish_reason": choice["finish_reason"]}
        yield {**head, "choices": [last], **usage}
    if asked and "usage" in body:
        yield {**head, "choices": [], "usage": body["usage"]}


_OF_THE_PROTOCOL = ("role", "content", "refusal", "tool_calls")


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "" if message.get("content") else None}
    for name in ("content", "refusal"):
        for piece in _pieces(message.get(name)):
            yield {name: piece}
    others = {k: v for k, v in message.items() if k not in _OF_THE_PROTOCOL and v is not None}
    if others:
        yield others
    for index, each in enumerate(message.get("tool_calls") or ()):
        function = each["function"]
        first = {**each, "index": index, "function": {**function, "arguments": ""}}
        yield {"tool_calls": [first]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(value: Any) -> Iterator[Any]:
    if not isinstance(value, str):
        if value is not None:
            yield value
        return
    for start in range(0, len(value), _DELTA_CHARACTERS):
        yield value[start : start + _DELTA_CHARACTERS]


def _whole(body: dict[str, Any], request: dict[str, Any]) -> Reply:
    """A response given as a dict: as it is, or in chunks where it can be streamed."""
    if request.get("stream") and body.get("choices"):
        head = {"id": "chatcmpl-standin", "created": CREATED, "model": request.get("model")}
        return streamed({**head, "system_fingerprint": "fp_standin", **body}, request)
    return Reply(body=_dump(body))


def _shortened(turn: Message, request: dict[str, Any]) -> Message:
    """Honour max_completion_tokens: a longer text is cut and its finish_reason says so."""
    limit = request.get("max_completion_tokens") or request.get("max_tokens")
    if not limit or not isinstance(turn.content, str) or count_tokens(turn.content) <= limit:
        return turn
    lengths = range(len(turn.content))
    fits = bisect_right(lengths, limit, key=lambda length: count_tokens(turn.content[:length]))
    return replace(turn, content=turn.content[: max(fits - 1, 0)], finish_reason="length")


def _usage(message: dict[str, Any], request: dict[str, Any]) -> dict[str, int]:
    prompt = sum(count_prompt(request))
    content = message.get("content")
    out = count_tokens(content if isinstance(content, str) else json.dumps(content or ""))
    for each in message.get("tool_calls") or ():
        out += count_tokens(str(each.get("function")))
    return {"prompt_tokens": prompt, "completion_tokens": out, "total_tokens": prompt + out}


def _highest(messages: list[dict[str, Any]], prefix: str) -> int:
    highest = 0
    for message in messages:
        for each in message.get("tool_calls") or ():
            identity = each.get("id") if isinstance(each, dict) else None
            if isinstance(identity, str) and identity.startswith(prefix):
                number = identity[len(prefix) :]
                highest = max(highest, int(number) if number.isdigit() else 0)
    return highest


def _headers(kind: dict[str, str], key: int) -> dict[str, str]:
    return {**kind, "x-request-id": f"req_standin_{key}"}


def _dump(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()
