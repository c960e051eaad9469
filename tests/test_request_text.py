"""What a request can't say in JSON, what is too long for it, and a reply that says nothing."""

import datetime
import json
import uuid
from collections.abc import Iterator
from typing import Any
from unittest import mock

import httpx2
import openai
import pytest

from harness import chat, dispatch, retrieve_tools, standin
from harness.config import configured
from harness.errors import WorkshopError
from harness.model.response_parsing import ProviderError
from tests.loop_tools import CONFIG, QUESTION, body, probe_tools, raw_call, turn_with

USER = {"role": "user", "content": "x"}
NAN, INF = float("nan"), float("inf")
CALLED = {"id": "a", "type": "function", "function": {"name": "f", "arguments": {"n": NAN}}}
CYCLE: list[Any] = []
CYCLE += [CYCLE, CYCLE]


def content(value: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": value}]


@pytest.fixture(autouse=True)
def ran() -> Iterator[Any]:
    with probe_tools() as calls:
        yield calls


def naive(question: str, stream: bool = False) -> Any:
    """The loop of part 1: it knows of no turn, no budget, no empty reply."""
    with configured(CONFIG):
        messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
        tools = retrieve_tools(question, CONFIG.k_tools, CONFIG.tools)
        for _ in range(4):
            message = chat(messages, tools, stream=stream).choices[0].message
            if not message.tool_calls:
                return message.content
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                result = dispatch(call).content
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        return chat(messages).choices[0].message.content


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("messages", "place"),
    [
        (content([{"type": "text", "text": "x", "score": NAN}]), r"\[0\]\.content\[0\]\.score is"),
        ([{**USER, "weight": -INF}], r"messages\[0\]\.weight is -inf"),
        ([USER, {"role": "assistant", "tool_calls": [CALLED]}], r"function\.arguments\.n is nan"),
        (content([{"type": "text", ("a", "b"): 1}]), r"content\[0\] has a key of type tuple"),
        (content({b"a": 1}), "has a key of type bytes"),
        (content([{"text": "x", NAN: 1}]), "is nan"),
        (content({1, 2}), "is a set, which is not JSON serializable"),
        (content(CYCLE), "nested too deeply, or holds itself"),
    ],
)
def test_what_json_cannot_say_is_told_with_its_place(messages, place, stream):
    with standin.script([standin.say("ok")]) as seen, pytest.raises(WorkshopError, match=place):
        chat(messages, stream=stream)
    assert not seen.requests


def test_nor_can_a_schema():
    schema = {"type": "object", "properties": {"n": {"type": "number", "maximum": INF}}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    with standin.script([standin.say("ok")]), pytest.raises(WorkshopError, match="maximum is inf"):
        chat([USER], tools)


@pytest.mark.parametrize(
    "more", [{"at": None}, {"at": datetime.datetime(2026, 1, 2)}, {"at": uuid.UUID(int=1)}, {1: 2}]
)
def test_what_the_client_or_orjson_can_write_is_sent(more):
    with standin.script([standin.say("ok")], strict=False):
        assert chat([{**USER, **more}]).choices[0].message.content == "ok"


def test_long_arguments_of_an_earlier_call_are_shortened_under_any_loop(ran):
    turns = [standin.call("boom", word="x" * 3_000_000), standin.say("It is 3.")]
    with standin.script(turns) as seen:
        assert naive(QUESTION) == "It is 3."
    echoed = next(m for m in seen.requests[-1]["messages"] if m.get("tool_calls"))
    arguments = echoed["tool_calls"][0]["function"]["arguments"]
    assert "characters)" in json.loads(arguments)["shortened"] and len(arguments) < 6_000
    assert turn_with(turns)[0].answer == "It is 3." and len(ran) == 2


def test_a_part_that_is_null_is_never_sent_back():
    parts = [None, {"type": "text", "text": "Well."}, None]
    calling = body({"content": parts, "tool_calls": [raw_call("ping", "{}")]}, "tool_calls")
    _, seen = turn_with([calling, standin.say("ok")])
    echo = seen.requests[-1]["messages"][2]
    assert echo["content"] in ("Well.", [{"type": "text", "text": "Well."}]) and not seen.refused


NOTHING = [body({"role": None, "content": None}, None), standin.say(""), standin.say("\u200b")]


@pytest.mark.parametrize("reply", NOTHING)
def test_a_reply_that_says_nothing_is_asked_about_once_under_any_loop(reply):
    with standin.script([reply, standin.say("It is 3.")]) as seen:
        assert naive(QUESTION) == "It is 3."
    assert "empty" in seen.requests[1]["messages"][-1]["content"]
    with standin.script([reply] * 4), pytest.raises(ProviderError, match="empty, twice"):
        naive(QUESTION)
    result, _ = turn_with([reply] * 4, thread_id=uuid.uuid4().hex)
    assert result.trip == "empty_reply" and "empty" in result.answer


def test_a_request_tells_the_server_nothing_of_this_machine():
    asked = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        message = {"role": "assistant", "content": "Yes."}
        return httpx2.Response(200, json={"choices": [{"message": message}]})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    client = openai.OpenAI(api_key="of-the-test", http_client=http)
    with mock.patch("harness.model.chat.client_for", lambda model: client):
        chat([{"role": "user", "content": "Are you there?"}])
    told = asked[0].headers
    assert told["authorization"] == "Bearer of-the-test"
    named = ("-os", "-arch", "-runtime", "-runtime-version", "-lang")
    assert [name for name in told if name.endswith(named)] == []
