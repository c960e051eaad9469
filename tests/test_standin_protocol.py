"""The stand-in as a server: replies, streams and ids like those of the API, and what it accepts."""

import json
import time

import openai
import pytest

from harness import standin
from harness.standin.protocol import check_request
from tests.standin_client import (
    QUESTION,
    SAY,
    assistant,
    call,
    client,
    history,
    parameters,
    result,
    send,
    tool,
)

RIGHT = {
    "content null beside calls": history(assistant(call(), content=None), result()),
    "no content beside calls": history(
        {"role": "assistant", "tool_calls": [call()]}, result(content="")
    ),
    "results in another order": history(assistant(call("a"), call("b")), result("b"), result("a")),
    "an id used again in a later round": history(
        assistant(call("a")), result("a"), assistant(call("a")), result("a")
    ),
    "parts": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
    "tool content in parts": history(
        assistant(call()), result(content=[{"type": "text", "text": "hi"}])
    ),
    "developer": [{"role": "developer", "content": "be brief"}, QUESTION],
    "a whole reply echoed": history(
        {
            "role": "assistant",
            "content": "x",
            "refusal": None,
            "annotations": [],
            "audio": None,
            "function_call": None,
        },
        QUESTION,
    ),
    "a refusal": history(
        {"role": "assistant", "content": None, "refusal": "I can't help with that."}, QUESTION
    ),
    "arguments that are no JSON": history(assistant(call(arguments='{"a": ')), result()),
    "blank arguments": history(assistant(call(arguments="")), result()),
    "a name in a result": history(assistant(call()), {**result(), "name": "probe"}),
    "half an emoji": [{"role": "user", "content": "half \ud83d"}],
}


@pytest.mark.parametrize("case", RIGHT, ids=str)
def test_a_legal_history_is_accepted(case):
    with standin.script([SAY]) as seen:
        response = send({"model": "standin", "messages": RIGHT[case]})
    assert response.status_code == 200, response.text
    assert seen.left == 0


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}},
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {"type": "object", "properties": {"a": {"enum": ["x"]}, "b": {}}},
    ],
)
def test_usual_schemas_are_accepted(schema):
    with standin.script([SAY]):
        client().chat.completions.create(
            model="standin", messages=[QUESTION], tools=parameters(schema)
        )


def test_a_tool_without_parameters_is_accepted():
    with standin.script([SAY]):
        client().chat.completions.create(
            model="standin",
            messages=[QUESTION],
            tools=[{"type": "function", "function": {"name": "now"}}],
            tool_choice={"type": "function", "function": {"name": "now"}},
        )


def test_bad_tools_are_refused_again_after_good_ones():
    good, bad = [tool()], [tool("a b")]
    for tools, status in ((good, 200), (bad, 400), (good, 200), (bad, 400)):
        with standin.script([SAY]):
            assert (
                send({"model": "m", "messages": [QUESTION], "tools": tools}).status_code == status
            )


def test_checking_walks_the_messages_once():
    def seconds(rounds):
        messages = [QUESTION]
        for n in range(rounds):
            messages += [assistant(call(f"c{n}")), result(f"c{n}")]
        request = {"model": "standin", "messages": messages}
        best = 1.0
        for _ in range(20):
            started = time.perf_counter()
            check_request(request, 10)
            best = min(best, time.perf_counter() - started)
        return best

    assert seconds(2000) < 40 * seconds(200)  # ten times as much, with room for a busy machine


def test_the_reply_is_a_well_formed_completion():
    with standin.script([standin.call("probe", n=1)]):
        reply = client().chat.completions.create(
            model="standin", messages=[QUESTION], tools=[tool()]
        )
    choice = reply.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.role == "assistant"
    assert json.loads(choice.message.tool_calls[0].function.arguments) == {"n": 1}
    assert reply.object == "chat.completion"
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert reply.usage.prompt_tokens > 20


def test_ids_are_the_same_in_every_run_and_new_in_every_round():
    def ids():
        messages, found = [QUESTION], []
        with standin.script(lambda request: standin.calls([("probe", {"n": 1}), ("probe", {})])):
            for _ in range(3):
                message = client().chat.completions.create(model="m", messages=messages).choices[0]
                calls = [each.model_dump() for each in message.message.tool_calls]
                messages += [assistant(*calls), *(result(each["id"]) for each in calls)]
                found += [each["id"] for each in calls]
        return found

    first = ids()
    assert len(set(first)) == 6
    assert ids() == first


def test_ids_do_not_depend_on_the_context_around_the_question():
    def first_id(context):
        content = f"# Memory\n{context}\n# Question\nHow many?"
        with standin.script([standin.call("probe", n=1)]):
            reply = client().chat.completions.create(
                model="m", messages=[{"role": "user", "content": content}]
            )
        return reply.choices[0].message.tool_calls[0].id

    assert first_id("one") == first_id("two")


def test_max_completion_tokens_cuts_the_answer():
    with standin.script([standin.say("one two three four five six")]):
        reply = client().chat.completions.create(
            model="m", messages=[QUESTION], max_completion_tokens=2
        )
    assert reply.choices[0].finish_reason == "length"
    assert reply.choices[0].message.content == "one two"


def test_models_are_listed():
    names = [model.id for model in client().models.list()]
    assert names[0] == "standin"
    assert "standin/repeats" in names


def test_other_paths_are_404_and_other_methods_405():
    with pytest.raises(openai.NotFoundError, match=r"Invalid URL \(POST /v1/embeddings\)"):
        client().embeddings.create(model="standin", input="x")
    with pytest.raises(openai.APIStatusError) as caught:
        client().get("/chat/completions", cast_to=object)
    assert caught.value.status_code == 405


def test_a_stream_holds_the_same_message():
    turn = standin.calls([("probe", {"text": "é" * 60}), ("probe", {"n": 2})], text="Looking.")
    with standin.script([turn, turn]):
        whole = client().chat.completions.create(model="m", messages=[QUESTION])
        with client().chat.completions.stream(
            model="m", messages=[QUESTION], stream_options={"include_usage": True}
        ) as stream:
            streamed = stream.get_final_completion()
    assert streamed.choices[0].message.content == "Looking."
    assert streamed.usage == whole.usage
    pairs = zip(
        streamed.choices[0].message.tool_calls, whole.choices[0].message.tool_calls, strict=True
    )
    for mine, theirs in pairs:
        assert mine.id == theirs.id
        assert mine.function.name == theirs.function.name
        assert mine.function.arguments == theirs.function.arguments


def test_a_stream_has_usage_only_when_asked_for():
    with standin.script([SAY, SAY]):
        plain = list(client().chat.completions.create(model="m", messages=[QUESTION], stream=True))
        asked = list(
            client().chat.completions.create(
                model="m",
                messages=[QUESTION],
                stream=True,
                stream_options={"include_usage": True},
            )
        )
    assert all(chunk.choices and chunk.usage is None for chunk in plain)
    assert plain[-1].choices[0].finish_reason == "stop"
    assert asked[-1].choices == [] and asked[-1].usage.total_tokens > 0
