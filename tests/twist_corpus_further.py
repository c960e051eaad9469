"""Further twists of servers: bodies of other APIs, odd frames, odd parts, words of an error."""

import json

from harness import standin
from tests.loop_tools import body, raw_call
from tests.test_loop_stream import chunk, piece

ANSWER = "It is 3."
PARTS = ("It is", " 3.")
ENDED = [*(chunk({"content": each}) for each in PARTS), chunk({}, "stop")]


def _raw(value):
    return standin.raw(json.dumps(value))


def _events(*values):
    return b"".join(standin.event(value) for value in values)


def _said(content, **more):
    return body({"content": content, **more})


# Bodies that say "It is 3."
BODIES = {
    "a message of blocks": _raw({"id": "m", "type": "message", "role": "assistant",
        "content": [{"type": "text", "text": ANSWER}], "stop_reason": "end_turn"}),
    "camel case": _raw({"choices": [{"finishReason": "stop", "message": {
        "role": "assistant", "content": ANSWER, "toolCalls": None}}]}),
    "capitals": _raw({"Choices": [{"Message": {"Role": "assistant", "Content": ANSWER}}]}),
    "a list of messages": _raw({"choices": [{"message": [
        {"role": "assistant", "content": ANSWER}]}]}),
    "a message as text": _raw({"choices": [{"message": json.dumps(
        {"role": "assistant", "content": ANSWER})}]}),
    "a delta though nothing was streamed": _raw({"choices": [{"delta": {"content": ANSWER}}]}),
    "text with a value": _said([{"type": "text", "text": {"value": ANSWER, "annotations": []}}]),
    "a part with content": _said([{"type": "text", "content": ANSWER}]),
    "parts in parts": _said([[{"type": "text", "text": ANSWER}]]),
    "a refusal that is false": _said(ANSWER, refusal=False),
    "usage in words": body({"content": ANSWER}, usage={"prompt_tokens": "many",
        "completion_tokens": -3, "total_tokens": [1]}),
    "an error that says none": body({"content": ANSWER}, error={"message": "", "code": 0}),
    "an end as an object": body({"content": ANSWER}, {"type": "stop"}),
}  # fmt: skip

# Streams that say "It is 3."
STREAMS = {
    "two chunks an event": standin.raw(_events(
        [chunk({"content": PARTS[0]}), chunk({"content": PARTS[1]}, "stop")])),
    "chunks encoded twice": standin.raw(_events(
        *(json.dumps(chunk({"content": each})) for each in PARTS),
        json.dumps(chunk({}, "stop")))),
    "text sequences": standin.raw(b"".join(
        b"\x1e" + json.dumps(chunk({"content": each})).encode() + b"\n" for each in PARTS)
        + b"\x1e" + json.dumps(chunk({}, "stop")).encode()),
    "an end without brackets": standin.raw(_events(
        *(chunk({"content": each}) for each in PARTS)) + b"data: DONE\n\n"),
    "a heartbeat that is no JSON": standin.raw(
        b"event: heartbeat\ndata: 2026-01-02T03:04:05Z\n\n"
        + _events(chunk({"content": PARTS[0]})) + b"event: ping\ndata: ok\n\n"
        + _events(chunk({"content": PARTS[1]}, "stop"))),
    "a waiting line that is no JSON": standin.raw(
        b"data: keep-alive\n\n" + _events(chunk({"content": ANSWER}, "stop"))),
    "field names in capitals": standin.raw(
        _events(*ENDED).replace(b"data:", b"DATA:")),
    "field names behind blanks": standin.raw(
        b"".join(b"  " + _events(each) for each in ENDED)),
    "data twice": standin.raw(
        b"".join(b"data: " + _events(each) for each in ENDED)),
    "camel case": standin.raw(_events(
        *({"choices": [{"index": 0, "delta": {"content": each}, "finishReason": None}]}
          for each in PARTS),
        {"choices": [{"index": 0, "delta": {}, "finishReason": "stop"}]})),
    "the whole text so far, each time": standin.raw(_events(
        *(chunk({"content": ANSWER[:end]}) for end in range(1, 9)), chunk({}, "stop"))),
    "no line end before the last event": standin.raw(
        (_events(chunk({"content": PARTS[0]})) + _events(chunk({"content": PARTS[1]}, "stop")))
        .rstrip() + b"data: [DONE]\n\n"),
    "an error when all was said": standin.raw(_events(
        *ENDED, {"error": {"message": "usage service down", "code": 500}})),
    "usage for an end": standin.raw(_events(
        *(chunk({"content": each}) for each in PARTS),
        {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})),
    "numbers for text": standin.raw(_events(chunk({"content": "It is "}), chunk({"content": 3}),
        chunk({"content": "."}, "stop"))),
}  # fmt: skip

# Replies that call ping.
CALLS = {
    "a part that is a call": _said([{"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "t1", "name": "ping", "input": {}}]),
    "a part with a call in it": _said([{"type": "tool_call", "tool_call": raw_call("ping", "{}")}]),
    "camel case": _raw({"choices": [{"finishReason": "tool_calls", "message": {
        "role": "assistant", "content": None, "toolCalls": [raw_call("ping", "{}")]}}]}),
    "a block of another API": _raw({"type": "message", "role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "ping", "input": {}}],
        "stop_reason": "tool_use"}),
    "a namespace": body({"content": None, "tool_calls": [raw_call("functions.ping", "{}")]}),
    "brackets": body({"content": None, "tool_calls": [raw_call("ping()", "{}")]}),
    "a number for an id": body({"content": None, "tool_calls": [raw_call("ping", "{}", 7)]}),
    "fenced arguments": body({"content": None, "tool_calls": [
        raw_call("ping", "```json\n{}\n```")]}),
    "a token behind arguments": body({"content": None, "tool_calls": [
        raw_call("ping", "{}<|im_end|>")]}),
    "parameters": _raw(body({"content": None, "tool_calls": [{"id": "c1", "type": "function",
        "function": {"name": "ping", "parameters": {}}}]})),
    "streamed under ids that change": standin.raw(_events(
        piece(0, "c1", "ping", ""), piece(0, "c2", "ping", "{"), piece(0, "c3", "ping", "}"),
        chunk({}, "tool_calls"))),
    "streamed under its name in pieces": standin.raw(_events(
        piece(0, "c1", "pi", ""), piece(0, None, "ng", "{}"), chunk({}, "tool_calls"))),
}  # fmt: skip

# Bodies with status 200 that are an error, and the words that reach the person.
ERRORS = {
    "detail": ({"detail": "The model is still loading."}, "still loading"),
    "errors in a list": ({"success": False, "result": None,
        "errors": [{"code": 1, "message": "Quota used up."}]}, "Quota used up"),
    "a reason": ({"status": "error", "reason": "No worker is free."}, "No worker is free"),
    "a code and a message": ({"code": "Throttling", "message": "Slow down."}, "Slow down"),
    "within a choice": ({"choices": [{"error": {"message": "Upstream is down."},
        "finish_reason": "error"}]}, "Upstream is down"),
    "words under a name of their own": ({"choices": None, "base_resp": {"status_code": 1004,
        "status_msg": "The key is wrong."}}, "The key is wrong"),
    "raw words below": ({"error": {"message": None, "metadata": {"raw": "No route."}}}, "No route"),
}  # fmt: skip
