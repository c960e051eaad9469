"""However a reply is cut into a stream, it comes out as the one that came whole."""

import json
from typing import Any

from harness.model.response_parsing import clean_reply, read_reply
from harness.model.sse import events
from harness.model.streaming import accumulate
from harness.model.visible_text import VisibleText
from tests.properties import given, settings, st
from tests.stream_cuts import TEXT, messages, streams

MARKED = st.lists(
    st.sampled_from(
        ["<think>", "</think>", "It is 3.", " ", "\n", "`", "<b>", "Hm", "<|im_end|>", "["]
    ),
    max_size=9,
).map("".join)


@settings(max_examples=100)
@given(st.data())
def test_any_cut_of_any_reply_comes_out_as_the_whole(data: Any) -> None:
    message = data.draw(messages())
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    sent = data.draw(streams(message, finish))
    size = data.draw(st.sampled_from([1, 2, 7, 64, 10_000]))
    pieces = [sent[i : i + size] for i in range(0, len(sent), size)]
    usage = {"prompt_tokens": 7, "completion_tokens": 1}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    whole = read_reply(json.dumps({"choices": [choice], "usage": usage}).encode(), set())
    streamed = clean_reply(accumulate(events(pieces)), set())
    assert streamed.choices[0].message.model_dump() == whole.choices[0].message.model_dump()
    assert streamed.choices[0].finish_reason == whole.choices[0].finish_reason
    assert streamed.usage == whole.usage


@settings(max_examples=200)
@given(TEXT | MARKED, st.lists(st.integers(1, 8), min_size=1), st.booleans())
def test_what_a_listener_hears_is_the_answer(text: str, sizes: list[int], held: bool) -> None:
    heard: list[str] = []

    def tell(event: dict[str, Any]) -> None:
        if "restarted" in event:
            heard.clear()
        heard.append(event.get("text", ""))

    visible, rest = VisibleText(tell, held), text
    for size in sizes * (1 + len(text) // len(sizes)):
        visible.hear(rest[:size])
        rest = rest[size:]
    visible.hear(rest)
    body = {"choices": [{"message": {"content": text}}]}
    answer = read_reply(json.dumps(body).encode(), set()).choices[0].message.content or ""
    visible.finish(answer)
    assert "".join(heard).rstrip() == answer.rstrip()


def test_an_object_sent_twice_is_one_where_its_first_copy_was_cut_within_a_character() -> None:
    whole = '{"\U00010000": 1, "\ue000": 2}'  # in pieces, the halves sort before the second key
    halves = whole.encode("utf-16-le")[:6].decode("utf-16-le", "surrogatepass")
    rest = whole.encode("utf-16-le")[6:].decode("utf-16-le", "surrogatepass")
    sent = []
    for arguments in (halves, rest, whole):
        call = {"index": 0, "id": "c", "function": {"name": "add", "arguments": arguments}}
        sent.append({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    lines = "".join(f"data: {json.dumps(each)}\n\n" for each in sent).encode()
    reply = clean_reply(accumulate(events([lines])), set())
    assert reply.choices[0].message.tool_calls[0].function.arguments == whole
