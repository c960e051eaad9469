"""What gateways make of replies and streams: other APIs' own forms, retries, odd ends and names."""

import json
from typing import Any

from harness import standin
from tests.loop_tools import body, raw_call
from tests.test_loop_stream import chunk, piece

ANSWER = "Three ships."
ADD = {"a": 1, "b": 2}
TEXT = json.dumps(ADD)
PARTS = ("Three ", "ships.")
_USE = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": ADD}
_ITEM = {"type": "function_call", "call_id": "c9", "name": "add", "arguments": TEXT}
_GOOGLE = {"functionCall": {"name": "add", "args": ADD}}


def _gemini(parts: Any, finish: str | None = "STOP") -> dict[str, Any]:
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": finish, "index": 0}]}


def _responses(*output: dict[str, Any]) -> dict[str, Any]:
    return {"id": "r", "object": "response", "status": "completed", "output": list(output)}


def _message(text: str = ANSWER) -> dict[str, Any]:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }


def _called(name: str) -> dict[str, Any]:
    return body({"content": None, "tool_calls": [raw_call(name, TEXT)]}, "tool_calls")


# Bodies that call add(1, 2).
CALLS = {
    "Ollama": {"message": {"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "add", "arguments": ADD}}]}, "done": True, "done_reason": "stop"},
    "Anthropic, in a message": body({"content": [{"type": "text", "text": "I add."}, _USE]}),
    "Anthropic": {"id": "msg", "type": "message", "role": "assistant", "content": [_USE],
        "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 4}},
    "Gemini, in a message": body({"content": [{**_GOOGLE, "thoughtSignature": "x"}]}),
    "Gemini": _gemini([_GOOGLE]),
    "Responses, in a message": body({"content": None, "output": [_ITEM]}),
    "Responses": _responses({"type": "reasoning", "summary": []}, _ITEM),
    "Cohere 2": {"finish_reason": "TOOL_CALL", "message": {"role": "assistant",
        "tool_plan": "I will add.", "tool_calls": [raw_call("add", TEXT)]}},
    "Cohere 1": {"text": "", "finish_reason": "COMPLETE", "tool_calls": [
        {"name": "add", "parameters": ADD}]},
    "Bedrock": {"stopReason": "tool_use", "output": {"message": {"role": "assistant", "content": [
        {"text": "I add."}, {"toolUse": {"toolUseId": "t", "name": "add", "input": ADD}}]}}},
    "OCI": {"chatResponse": {"apiFormat": "GENERIC", "choices": [{"finishReason": "tool_calls",
        "message": {"role": "ASSISTANT", "content": None, "toolCalls": [
            {"id": "c", "type": "FUNCTION", "name": "add", "arguments": TEXT}]}}]}},
    "a channel behind the name": _called("add<|channel|>commentary"),
    "an id for a name": _called("functions.add:0"),
    "a namespace": _called("default_api:add"),
    "a call without its list": body({"content": None, "tool_calls": {
        "id": "0", "type": "function", "function": {"name": "add", "arguments": ADD}}}),
}  # fmt: skip

# Bodies that say "Three ships."
BODIES = {
    "Anthropic": {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [
        {"type": "thinking", "thinking": "Hm", "signature": "s"},
        {"type": "text", "text": ANSWER}]},
    "Gemini": _gemini([{"text": "Hm", "thought": True}, {"text": ANSWER}]),
    "Gemini, in a message": body({"content": {"role": "model", "parts": [{"text": ANSWER}]}}),
    "Responses": _responses({"type": "reasoning", "summary": [
        {"type": "summary_text", "text": "Hm"}]}, _message()),
    "Responses, cut off for a reason in one word": {
        **_responses(_message()), "incomplete_details": "max_output_tokens"},
    "OCI for Cohere": {"chatResponse": {"apiFormat": "COHERE", "text": ANSWER,
        "finishReason": "COMPLETE", "chatHistory": [{"role": "CHATBOT", "message": ANSWER}]}},
    "sentence tokens": body({"content": f"<｜begin▁of▁sentence｜>{ANSWER}<｜end▁of▁sentence｜>"}),
    "references between text": body({"content": [{"type": "text", "text": PARTS[0]},
        {"type": "reference", "reference_ids": [1]}, {"type": "text", "text": PARTS[1]}]}),
    "text generation": [{"generated_text": ANSWER, "details": {"tokens": []}}],
    "tools that the server ran itself": body({"content": ANSWER, "executed_tools": [
        {"name": "add", "arguments": TEXT, "output": "3"}]}),
    "a token that is none of its end": body({"content": f"<|begin_of_text|>{ANSWER}"}),
    "an echo of its tools": body({"content": ANSWER, "tools": [
        {"type": "function", "name": "add", "parameters": {}}]}),
}  # fmt: skip
BODIES["text generation"][0]["finish_reason"] = "eos_token"  # type: ignore[index]

# Text that is a call, or nothing at all: the model is asked once more.
ASKED_AGAIN = {
    "a call within thoughts": body({"content": "", "reasoning_content":
        f"<|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{TEXT}<|tool_call_end|>"}),
    "a function in tags": body({"content": "<tool_call>\n<function=add>\n<parameter=a>\n1\n"
        "</parameter>\n</function>\n</tool_call>"}),
    "a method": body({"content": "<|python_tag|>add.call(a=1, b=2)"}),
    "nothing, and a network error": {"choices": [{"index": 0, "finish_reason": "stop",
        "native_finish_reason": "network_error", "message": {"content": ""}}]},
}  # fmt: skip


def _data(*values: Any) -> bytes:
    return b"".join(map(standin.event, values))


def _typed(*values: Any) -> bytes:
    """Events that are named by their type."""
    lines = (f"event: {v['type']}\ndata: {json.dumps(v)}\n\n" for v in values)
    return "".join(lines).encode()


def _try(name: str, *pieces: str, finish: str | None = "stop") -> list[dict[str, Any]]:
    said = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": p}) for p in pieces)]
    return [{**each, "id": name} for each in [*said, *([chunk({}, finish)] if finish else [])]]


def _adding(name: str, call_id: str) -> list[dict[str, Any]]:
    pieces = [piece(0, call_id, "add", ""), piece(0, None, None, TEXT[:9])]
    pieces += [piece(0, None, None, TEXT[9:]), chunk({}, "tool_calls")]
    return [{**each, "id": name} for each in pieces]


def _each_its_own(*chunks: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**each, "id": f"id-{number}"} for number, each in enumerate(chunks)]


def _block(start: dict[str, Any], *deltas: dict[str, Any], stop: str) -> bytes:
    message = {"id": "msg", "role": "assistant", "content": [], "model": "m"}
    return _typed(
        {"type": "message_start", "message": message},
        {"type": "ping"},
        {"type": "content_block_start", "index": 0, "content_block": start},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    )


# Streams that say "Three ships."
STREAMS = {
    "said again under another id": standin.stream([*_try("A", *PARTS), *_try("B", *PARTS)]),
    "cut, and said again": standin.stream([
        *_try("A", "Three shi", finish=None), *_try("B", *PARTS)]),
    "said again, and cut": standin.stream([
        *_try("A", *PARTS), *_try("B", "Three ", "ships.", finish=None)]),
    "an id for the first chunks": standin.stream([
        *_try("A", PARTS[0], finish=None), *_try("B", PARTS[1])[1:]]),
    "an id for each chunk": standin.stream(_each_its_own(
        *(chunk({"role": "assistant", "content": each}) for each in PARTS), chunk({}, "stop"))),
    "an end in each chunk": standin.stream([chunk({"content": each}, "stop") for each in PARTS]),
    "an end said twice": standin.stream([*_try("A", *PARTS), chunk({"content": ""}, "stop")]),
    "Anthropic": standin.raw(_block({"type": "text", "text": ""}, *(
        {"type": "text_delta", "text": each} for each in PARTS), stop="end_turn")),
    "Gemini": standin.raw(_data(_gemini([{"text": PARTS[0]}], None),
        _gemini([{"text": PARTS[1]}]))),
    "Cohere": standin.raw(_typed(
        *({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": each}}}}
          for each in PARTS),
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}})),
    "Responses": standin.raw(_typed(
        {"type": "response.created", "response": {**_responses(), "status": "in_progress"}},
        *({"type": "response.output_text.delta", "delta": each} for each in PARTS),
        {"type": "response.output_item.done", "item": _message()},
        {"type": "response.completed", "response": _responses(_message())})),
    "Ollama": standin.raw(b"".join(
        json.dumps({"message": {"role": "assistant", "content": text}, "done": not text}).encode()
        + b"\n" for text in (*PARTS, ""))),
    "comments of a router": standin.stream([b": PROCESSING\n\n"] * 3 + _try("A", *PARTS)),
    "thoughts in details": standin.stream([chunk({"content": "", "reasoning": "Hm",
        "reasoning_details": [{"type": "reasoning.text", "text": "Hm", "index": 0}]}),
        *_try("s", *PARTS)]),
    "no delta at its end": standin.stream([*_try("A", *PARTS, finish=None),
        {"choices": [{"index": 0, "delta": None, "finish_reason": "stop"}]}, {"choices": None}]),
    "a token in two pieces": standin.stream(
        _try("A", *PARTS, "<｜end▁of▁", "sentence｜>")),
}  # fmt: skip

# Streams that call add(1, 2), once.
CALLING_STREAMS = {
    "made again under another id": standin.stream([*_adding("A", "c1"), *_adding("B", "c2")]),
    "stop behind a call": standin.stream([piece(0, "c1", "add", TEXT), chunk({}, "stop")]),
    "an id for each chunk, and no end": standin.stream(
        _each_its_own(*_adding("A", "c1")[:-1]), done=False),
    "null arguments first": standin.stream([chunk({"tool_calls": [raw_call("add", None)]}),
        piece(0, None, None, TEXT[:7]), piece(0, None, None, TEXT[7:])]),
    "Anthropic": standin.raw(_block({**_USE, "input": {}}, *(
        {"type": "input_json_delta", "partial_json": each} for each in (TEXT[:6], TEXT[6:])),
        stop="tool_use")),
    "Gemini": standin.raw(_data(_gemini([_GOOGLE]))),
    "Responses": standin.raw(_typed(
        {"type": "response.output_item.added", "item": {**_ITEM, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "delta": TEXT},
        {"type": "response.completed", "response": _responses(_ITEM)})),
}  # fmt: skip

# What a server answers in place of a reply: status, body, and the words that reach the person.
ERRORS = {
    "a deployment": (404, {"error": {"code": "DeploymentNotFound",
        "message": "The API deployment does not exist."}}, "deployment does not exist"),
    "a list": (400, [{"error": {"code": 400, "message": "API key not valid.", "details": [
        {"reason": "API_KEY_INVALID"}]}}], "API key not valid"),
    "overloaded": (529, {"type": "error", "error": {"type": "overloaded_error",
        "message": "Overloaded"}}, "Overloaded"),
    "wrapped by a router": (400, {"error": {"message": "Provider returned error", "metadata": {
        "raw": json.dumps({"message": "The region has no such profile."})}}}, "no such profile"),
    "no tools": (400, {"error": "library/gemma:2b does not support tools"}, "not support tools"),
    "a window": (400, {"error": {"message": "request (9000 tokens) exceeds the available context "
        "size (4096 tokens)", "n_ctx": 4096}}, "available context size"),
    "detail in a message": (422, {"message": {"detail": [{"loc": ["body", "safe_prompt"],
        "msg": "Field required"}]}}, "safe_prompt: Field required"),
    "errors of a platform": (400, {"success": False, "result": None, "errors": [
        {"code": 7003, "message": "Could not route to the account"}]}, "Could not route"),
    "capitals": (429, {"__type": "ThrottlingException", "Message": "Too many"}, "Too many"),
    "nothing": (503, b" ", "Service Unavailable"),
    "another script": (429, {"error": {"code": "1113", "message": "余额不足。"}}, "余额不足"),
    "cut off": (429, '{"error": {"message": "Rate limit reached for the mod', "Rate limit"),
    "a prompt that is blocked": (200, {"candidates": [], "promptFeedback": {
        "blockReasonMessage": "The prompt was blocked by policy."}}, "blocked by policy"),
}  # fmt: skip
