"""Twists of servers that nobody had listed: replies, streams, refusals, ends, in a row each."""

import json

from harness import standin
from tests.loop_tools import body
from tests.test_loop_stream import chunk

ANSWER = "It is 3."


def _raw(value):
    return standin.raw(json.dumps(value))


def _lines(*values):
    return standin.raw("".join(f"{json.dumps(value)}\n" for value in values))


# Texts: each says "It is 3."; whatever holds "Hm" is thoughts.
THOUGHTS = {
    "cot": "<cot>Hm</cot>It is 3.",
    "a comment": "<!-- Hm -->\nIt is 3.",
    "a comment of lines": "<!--\nHm, a > b\n-->It is 3.",
    "details": "<details>\n<summary>Thought process</summary>\n\nHm\n</details>\n\nIt is 3.",
    "details with a type": '<details type="reasoning" done="true">\n<summary>Took 3 s</summary>\n'
    "> Hm\n</details>\nIt is 3.",
    "analysis": "<analysis>\nHm\n</analysis>\nIt is 3.",
    "planning": "<planning>Hm</planning>\n\nIt is 3.",
    "two names": "<think>Hm</thinking>It is 3.",
    "entities": "&lt;think&gt;Hm&lt;/think&gt;It is 3.",
    "wide brackets": "＜think＞Hm＜/think＞It is 3.",
    "an end too many": "<think>Hm</think>It is 3.</think>",
    "roles between tokens": "<|im_assistant|>assistant<|im_middle|><think>Hm</think>It is 3.",
    "sections": "<|think|>Hm<|end|><|content|>It is 3.<|end|>",
    "a box": "<think>Hm</think><|begin_of_box|>It is 3.<|end_of_box|>",
    "spoken": "Thinking...\nHm\n...done thinking.\n\nIt is 3.",
}

# Texts that are calls.
CALLS = {
    "slash": "/add a=1",
    "slash, behind words": "Let me add them.\n/add a=1 b=2",
    "options": "add --a 1 --b 2",
    "await": "await add(a=1, b=2)",
    "assigned": "result = add(a=1, b=2)",
    "a list": "**add**\n- a: 1\n- b: 2",
    "yaml": "```yaml\ntool: add\narguments:\n  a: 1\n```",
    "tool_use": '{"type": "tool_use", "id": "x", "name": "add", "input": {"a": 1}}',
    "arguments in a list": '{"function": "add", "args": [1, 2]}',
    "entities": '&lt;tool_call&gt;{"name": "add", "arguments": {"a": 1}}&lt;/tool_call&gt;',
    "execute": "<execute_tool>\nadd(a=1)\n</execute_tool>",
    "lisp": "(add :a 1 :b 2)",
    "tokens around words": '<|open|>tools<|sep|><|open|>call tool="ping" index="1"<|sep|>'
    "<|close|>call<|sep|><|close|>tools<|sep|>",
    "tokens around words, arguments": '<|open|>call tool="add" index="0"<|sep|><|open|>argument '
    'key="a" type="int"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|>',
    "its beginning missing": "add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
    "an id between marks": '[TOOL_CALLS]add[CALL_ID]abc123def[ARGS]{"a": 1}',
}

# Texts that are answers and stay as they are.
PLAIN = {
    "a comment shown": "Write `<!-- note -->` above the table.",
    "a comment in a sentence": "In HTML <!-- this --> is a comment.",
    "details of the rows": "<details>\n<summary>All 3 rows</summary>\n\nA, B, C\n</details>\nDone.",
    "a path": "The file is in /add and /ping.",
    "analysis as a word": "My <analysis> of the ports is below.",
    "comparison": "a &lt; b, and 3 &gt; 2.",
    "an answer tag in a sentence": "<answer>3</answer> is what the grader expects.",
    "a word between tags": "<i>add</i> one more <u>number</u>.",
    "cottage": "<cottage>3</cottage>",
}

# Bodies: each is a reply that says "It is 3."
BODIES = {
    "content as an object": body({"content": {"type": "text", "text": ANSWER}}),
    "in data": _raw({"data": body({"content": ANSWER})}),
    "in result": _raw({"result": body({"content": ANSWER}), "success": True}),
    "in a list": _raw([body({"content": ANSWER})]),
    "choices as an object": _raw(body({"content": ANSWER}) | {
        "choices": {"0": {"message": {"content": ANSWER}, "finish_reason": "stop"}}}),
    "encoded twice": _raw(json.dumps(body({"content": ANSWER}))),
    "a guard in front": standin.raw(b")]}',\n" + json.dumps(body({"content": ANSWER})).encode()),
    "two objects": _lines(body({"content": ANSWER}), {"took_ms": 3}),
    "a message alone": _raw({"message": {"role": "assistant", "content": ANSWER}, "done": True}),
}  # fmt: skip

# Streams that say "It is 3."
STREAMS = {
    "pings": standin.raw(
        b"event: ping\ndata: {\"type\": \"ping\"}\n\n"
        + standin.event(chunk({"content": ANSWER})) + standin.event(chunk({}, "stop"))
        + b"data: [DONE]\n\n"),
    "null deltas": standin.stream([
        chunk({"role": "assistant"}), {"choices": [{"index": 0, "delta": None}]},
        chunk({"content": ANSWER}), chunk({}, "stop")]),
    "text behind the finish": standin.stream([
        chunk({"content": "It is"}, "stop"), chunk({"content": " 3."})]),
    "parts": standin.stream([
        chunk({"content": [{"type": "text", "text": "It is"}]}),
        chunk({"content": [{"type": "text", "text": " 3."}]}), chunk({}, "stop")]),
    "lines of messages": _lines(
        {"message": {"role": "assistant", "content": "It is"}, "done": False},
        {"message": {"role": "assistant", "content": " 3."}, "done": True, "done_reason": "stop"}),
    "in data": standin.stream([
        {"data": chunk({"content": "It is"})}, {"data": chunk({"content": " 3."}, "stop")}]),
}  # fmt: skip

# A finish reason, and how a half answer with it ends.
ENDS = {
    "max_completion_tokens": "length",
    "token_budget_exhausted": "length",
    "model_length": "length",
    "guardrail_intervened": "content_filter",
    "content_blocked": "content_filter",
    "BLOCKED": "content_filter",
    "insufficient_system_resource": "error",
    "timeout": "error",
    "MALFORMED_FUNCTION_CALL": "tool_calls",
    "function_call_filter: MALFORMED_FUNCTION_CALL": "tool_calls",
    "COMPLETE": "stop",
}
