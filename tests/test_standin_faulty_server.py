"""Servers that misbehave: errors, slow replies, odd envelopes, broken streams."""

import json
import time

import openai
import pytest

from harness import standin
from tests.standin_client import QUESTION, assistant, call, client, result, send
from tests.standin_faulty import (
    ANSWER,
    TOOLS,
    answer,
    fresh,
    is_right,
    little_model,
    raw_answer,
)

BODIES = {
    "bad-gateway": lambda r: r.status_code == 502 and r.text.startswith("<html>"),
    "broken-json": lambda r: r.status_code == 200 and r.text == '{"id": "chatcmpl-1", "cho',
    "error-body": lambda r: r.status_code == 200 and "error" in r.json(),
    "html": lambda r: r.status_code == 200 and r.headers["content-type"].startswith("text/html"),
    "no-body": lambda r: r.status_code == 200 and r.content == b"",
    "no-choices": lambda r: r.json()["choices"] == [],
    "no-message": lambda r: "message" not in r.json()["choices"][0],
    "null-choices": lambda r: r.json()["choices"] is None,
    "rate-limited": lambda r: r.status_code == 429 and r.headers["retry-after"] == "1",
    "server-error": lambda r: r.status_code == 500,
}


@pytest.mark.parametrize("name", BODIES)
def test_a_server_that_fails_once_answers_the_second_try(name):
    question = fresh(f"{name}?")
    for _ in range(2):  # and it does so again in the next run
        assert BODIES[name](raw_answer(name, question))
        assert raw_answer(name, question).json()["choices"][0]["message"]["content"] == ANSWER
    assert [BODIES[name](raw_answer(f"{name}=always", question)) for _ in range(3)] == [True] * 3


@pytest.mark.parametrize("name", BODIES)
def test_a_server_fails_at_the_start_of_a_conversation_only(name):
    history = [QUESTION, assistant(call("a")), result("a")]
    assert raw_answer(name, history).json()["choices"][0]["message"]["content"] == ANSWER


@pytest.mark.parametrize("name", ["disconnects", "unreachable", "cut-off"])
def test_a_connection_that_fails_once(name):
    body = {"model": f"standin/{name}", "messages": fresh(f"{name}?")}
    with pytest.raises(openai.APIConnectionError):
        client().chat.completions.create(**body)
    assert client().chat.completions.create(**body).choices


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("rate-limited-forever", 429, "rate_limit_exceeded"),
        ("retry-later", 429, "rate_limit_exceeded"),
        ("no-quota", 429, "insufficient_quota"),
        ("server-down", 503, None),
    ],
)
def test_a_server_that_fails_always(name, status, code):
    for _ in range(2):
        response = raw_answer(name)
        assert response.status_code == status
        assert response.json()["error"]["code"] == code


def test_the_real_client_retries_what_fails_once():
    reply = client(max_retries=1).chat.completions.create(
        model="standin/server-error", messages=fresh("retry?")
    )
    assert reply.choices[0].message.content


def test_slow_takes_as_long_as_it_is_told():
    started = time.monotonic()
    assert raw_answer("slow=0.05").status_code == 200
    assert 0.05 <= time.monotonic() - started < 2
    with pytest.raises(openai.APITimeoutError):
        client(timeout=0.05).chat.completions.create(model="standin/slow", messages=[QUESTION])
    with pytest.raises(openai.APITimeoutError):
        client(timeout=0.05).chat.completions.create(model="standin/hangs", messages=[QUESTION])


def test_drips_sends_one_byte_after_another():
    with standin.script([standin.fault("drips=0", over=ANSWER)]):
        whole = send({"model": "m", "messages": [QUESTION]}).json()
    assert whole["choices"][0]["message"]["content"] == ANSWER
    started = time.monotonic()
    with client(timeout=0.5) as openai_client:
        request = openai_client.chat.completions.with_streaming_response.create(
            model="standin/drips=0.02", messages=[QUESTION]
        )
        with request as response:
            received = [next(response.iter_bytes(1)) for _ in range(1)]
    assert received == [b"{"] and time.monotonic() - started < 2


def test_a_small_window_refuses_what_does_not_fit():
    long = fresh("voyage " * 5000)
    with pytest.raises(openai.BadRequestError) as caught:
        client().chat.completions.create(model="standin/small-window", messages=long)
    assert caught.value.code == "context_length_exceeded"
    assert "maximum context length is 4000 tokens" in str(caught.value)
    client().chat.completions.create(model="standin/small-window=9000", messages=long)


def test_usage_missing_and_without_numbers():
    assert "usage" not in raw_answer("no-usage").json()
    assert raw_answer("odd-usage").json()["usage"] == {"prompt_tokens": None}


def test_content_in_parts():
    message, _ = answer("content-parts", tools=None)
    assert "".join(part["text"] for part in message["content"]) == ANSWER


def test_fields_that_the_api_does_not_know():
    message, _ = answer("reasoning")
    assert is_right(message) and message["reasoning_content"]


def test_a_second_choice():
    choices = raw_answer("two-choices").json()["choices"]
    assert [choice["index"] for choice in choices] == [0, 1]
    assert choices[0]["message"]["content"] == ANSWER


def chunks_of(name):
    body = {"model": "m", "messages": [QUESTION], "tools": TOOLS, "stream": True}
    with standin.script([standin.fault(name, over=little_model)]):
        lines = send(body).text.split("\n\n")
    done = lines[-2] == "data: [DONE]"
    events = [line.removeprefix("data: ") for line in lines if line]
    return [json.loads(line) for line in events if line != "[DONE]"], done


def test_every_call_at_index_zero():
    chunks, done = chunks_of("index-zero")
    calls = [c for chunk in chunks for c in chunk["choices"][0]["delta"].get("tool_calls", ())]
    assert {each["index"] for each in calls} == {0} and done
    assert len([each for each in calls if "id" in each]) == 3


def test_a_first_chunk_without_choices():
    chunks, _ = chunks_of("empty-first-chunk")
    assert chunks[0]["choices"] == [] and chunks[1]["choices"]


def test_a_stream_that_ends_in_the_middle():
    chunks, done = chunks_of("cut-stream")
    assert not done
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in chunks)


def test_an_error_in_a_stream():
    chunks, _ = chunks_of("stream-error")
    assert "error" in chunks[-1]
    with pytest.raises(openai.APIError, match="overloaded"):
        list(
            client().chat.completions.create(
                model="standin/stream-error", messages=[QUESTION], stream=True
            )
        )


def test_faults_of_streams_leave_other_requests_alone():
    assert len(answer("index-zero")[0]["tool_calls"]) == 3


STREAMED = ["parallel", "bad-json", "duplicate-ids", "content-parts", "arguments-object", "refuses"]


@pytest.mark.parametrize("name", STREAMED)
def test_faults_work_in_a_stream_too(name):
    chunks, done = chunks_of(name)
    assert done and chunks[-1]["choices"][0]["finish_reason"]


def test_a_choice_without_a_message_is_streamed_as_it_is():
    chunks, done = chunks_of("no-message=always")
    assert chunks[0]["choices"] == [{"index": 0, "finish_reason": "stop"}] and done
