"""Legal ways to cut a reply into a stream of server-sent events, drawn at random."""

import itertools
import json
from typing import Any

from hypothesis import strategies as st

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="<[◁"), min_size=0, max_size=30
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def messages(draw: Any) -> dict[str, Any]:
    """An assistant's message: text, a refusal, calls, and what a server adds of its own."""
    message: dict[str, Any] = {"role": "assistant", "content": draw(st.none() | TEXT)}
    if draw(st.booleans()):
        message["reasoning_content"] = draw(TEXT)
    if draw(st.booleans()):
        details = [
            {"type": "reasoning.text", "index": i, "text": draw(TEXT.filter(bool))}
            for i in range(draw(st.integers(1, 2)))
        ]
        message["reasoning_details"] = details
    calls = []
    for number in range(draw(st.integers(0, 3))):
        arguments = draw(st.dictionaries(TEXT, VALUES, max_size=3))
        text = json.dumps(arguments, ensure_ascii=draw(st.booleans()))
        call = {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": draw(st.sampled_from(["add", "ping"])), "arguments": text},
        }
        if draw(st.booleans()):
            call["extra_content"] = {"google": {"thought_signature": draw(TEXT.filter(bool))}}
        calls.append(call)
    if calls:
        message["tool_calls"] = calls
    elif draw(st.booleans()):
        message["refusal"] = draw(TEXT)
    return message


@st.composite
def streams(draw: Any, message: dict[str, Any], finish: str) -> bytes:
    """The bytes of a stream that says this message."""
    style = {
        "index": draw(st.sampled_from(["right", "zero", "missing"])),
        "again": draw(st.booleans()),  # id and name in every piece
        "before": draw(st.sampled_from(["", "{}"])),  # before the whole arguments
        "twice": draw(st.booleans()),
    }
    deltas = _texts(draw, message) + _calls(draw, message, style)
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if draw(st.booleans()):  # the index counts the pieces
        for number, chunk in enumerate(chunks):
            chunk["choices"][0]["index"] = number
    chunks.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}})
    return b"".join(_event(draw, chunk) for chunk in chunks) + _end(draw)


def _texts(draw: Any, message: dict[str, Any]) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None}]
    for field in ("reasoning_content", "content", "refusal"):
        deltas += [{field: piece} for piece in _pieces(draw, message.get(field))]
    for detail in message.get("reasoning_details", ()):
        deltas += [
            {"reasoning_details": [{**detail, "text": piece}]}
            for piece in _pieces(draw, detail["text"])
        ]
    return deltas


def _calls(draw: Any, message: dict[str, Any], style: dict[str, Any]) -> list[dict[str, Any]]:
    deltas = []
    for number, call in enumerate(message.get("tool_calls", ())):
        arguments = call["function"]["arguments"]
        pieces = _pieces(draw, arguments)
        if style["twice"] and arguments != "{}":
            pieces = [*pieces, arguments]
        if style["before"]:
            pieces = ["{}", *pieces]
        for place, piece in enumerate(pieces or [""]):
            part: dict[str, Any] = {"function": {"arguments": piece}}
            if place == 0:
                part = {**call, "function": {**call["function"], "arguments": piece}}
            elif style["again"]:
                part["id"], part["function"]["name"] = call["id"], call["function"]["name"]
            if style["index"] != "missing":
                part["index"] = number if style["index"] == "right" else 0
            deltas.append({"tool_calls": [part]})
    return deltas


def _pieces(draw: Any, text: str | None) -> list[str]:
    """A text in pieces; a character beyond the BMP may be cut into its two halves."""
    if not text:
        return []
    units = text.encode("utf-16-le", "surrogatepass")
    places = draw(st.lists(st.integers(1, max(len(units) // 2 - 1, 1)), max_size=4, unique=True))
    cuts = [0, *sorted(2 * place for place in places), len(units)]
    parts = [units[a:b].decode("utf-16-le", "surrogatepass") for a, b in itertools.pairwise(cuts)]
    return [part for part in parts if part]


def _event(draw: Any, chunk: dict[str, Any]) -> bytes:
    end = draw(st.sampled_from([b"\n", b"\r", b"\r\n"]))
    space = draw(st.sampled_from([b"", b" "]))
    text = json.dumps(chunk, indent=draw(st.sampled_from([None, None, 1]))).encode()
    data = end.join(b"data:" + space + line for line in text.split(b"\n"))
    before = draw(st.sampled_from([
        b"", b": waiting" + end, b"event: message" + end, b"id: 7" + end + b"retry: 10" + end,
        b"data:" + end + end, b"data" + end + end, b":" + end + end, end + end, b"other: x" + end,
    ]))  # fmt: skip
    return before + data + end + end


def _end(draw: Any) -> bytes:
    return draw(st.sampled_from([b"", b"data: [DONE]\n\n", b"data:[DONE]\r\r", b"data: [DONE]"]))
