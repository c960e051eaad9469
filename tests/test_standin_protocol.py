import json
import time

import openai
import pytest

from harness import standin
from harness.standin.protocol import check_request
from tests.standin_client import QUESTION, assistant, call, client, result, send, tool

SAY = standin.say("ok")


def refused(status=400, **body):
    """The error that the API answers with, as the openai client reports it."""
    body = {"model": "standin", "messages": [QUESTION], **body}
    body = {name: value for name, value in body.items() if value is not ...}
    with standin.script([SAY] * 2) as seen:
        kind = {400: openai.BadRequestError, 404: openai.NotFoundError}[status]
        with pytest.raises(kind) as caught:
            client().post("/chat/completions", body=body, cast_to=object)
    assert seen.left == 2  # a refused request uses no turn up
    assert [error.message for error in seen.refused] == [caught.value.body["message"]]
    assert caught.value.status_code == status
    assert caught.value.type == "invalid_request_error"
    return caught.value


def history(*messages):
    return [QUESTION, *messages]


MESSAGES = {
    "result without a call": (
        history(result()),
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
        "with 'tool_calls'.",
        "messages.[1].role",
        None,
    ),
    "result after an answer": (
        history(assistant(call()), result(), {"role": "assistant", "content": "x"}, result()),
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
        "with 'tool_calls'.",
        "messages.[4].role",
        None,
    ),
    "result first of all": (
        [result(), QUESTION],
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
        "with 'tool_calls'.",
        "messages.[0].role",
        None,
    ),
    "call without a result": (
        history(assistant(call("a"), call("b")), result("a"), QUESTION),
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
        "messages.[3].role",
        None,
    ),
    "calls at the end": (
        history(assistant(call("a"), call("b"))),
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: a, b",
        "messages.[1].role",
        None,
    ),
    "wrong id": (
        history(assistant(call("a")), result("b")),
        "Invalid parameter: 'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
        "messages.[2].tool_call_id",
        None,
    ),
    "same result twice": (
        history(assistant(call("a")), result("a"), result("a")),
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'a', in messages[2] and "
        "messages[3].",
        "messages.[3].tool_call_id",
        None,
    ),
    "no tool_call_id": (
        history(assistant(call("a")), {"role": "tool", "content": "x"}),
        "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
        "messages.[2].tool_call_id",
        None,
    ),
    "same id in one message": (
        history(assistant(call("a"), call("a")), result("a"), result("a")),
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'a', in "
        "messages[1].tool_calls[0] and messages[1].tool_calls[1].",
        "messages.[1].tool_calls",
        None,
    ),
    "arguments as an object": (
        history(assistant(call(arguments={"n": 1})), result()),
        "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but "
        "got an object instead.",
        "messages[1].tool_calls[0].function.arguments",
        "invalid_type",
    ),
    "arguments null": (
        history(assistant(call(arguments=None)), result()),
        "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but "
        "got null instead.",
        "messages[1].tool_calls[0].function.arguments",
        "invalid_type",
    ),
    "call without an id": (
        history(assistant({k: v for k, v in call().items() if k != "id"}), result()),
        "Missing required parameter: 'messages[1].tool_calls[0].id'.",
        "messages[1].tool_calls[0].id",
        "missing_required_parameter",
    ),
    "empty id": (
        history(assistant(call("")), result("")),
        "Invalid 'messages[1].tool_calls[0].id': empty string. Expected a string with minimum "
        "length 1, but got an empty string instead.",
        "messages[1].tool_calls[0].id",
        "empty_string",
    ),
    "long id": (
        history(assistant(call("x" * 65)), result("x" * 65)),
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum "
        "length 64, but got a string with length 65 instead.",
        "messages[1].tool_calls[0].id",
        "string_above_max_length",
    ),
    "index left in a call": (
        history(assistant({**call(), "index": 0}), result()),
        "Unknown parameter: 'messages[1].tool_calls[0].index'.",
        "messages[1].tool_calls[0].index",
        "unknown_parameter",
    ),
    "call with a name that no tool can have": (
        history(assistant(call(name="run sql")), result()),
        "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. "
        "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        "messages[1].tool_calls[0].function.name",
        "invalid_value",
    ),
    "no calls in tool_calls": (
        history({"role": "assistant", "content": "x", "tool_calls": []}),
        "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, "
        "but got an empty array instead.",
        "messages[1].tool_calls",
        "empty_array",
    ),
    "tool_calls null": (
        history({"role": "assistant", "content": "x", "tool_calls": None}),
        "Invalid type for 'messages[1].tool_calls': expected an array of objects, but got null "
        "instead.",
        "messages[1].tool_calls",
        "invalid_type",
    ),
    "user content null": (
        [{"role": "user", "content": None}],
        "Invalid value for 'content': expected a string, got null.",
        "messages.[0].content",
        None,
    ),
    "assistant content null and no calls": (
        history({"role": "assistant", "content": None}),
        "Invalid value for 'content': expected a string, got null.",
        "messages.[1].content",
        None,
    ),
    "tool content null": (
        history(assistant(call()), result(content=None)),
        "Invalid value for 'content': expected a string, got null.",
        "messages.[2].content",
        None,
    ),
    "no content": (
        [{"role": "user"}],
        "Missing required parameter: 'messages[0].content'.",
        "messages[0].content",
        "missing_required_parameter",
    ),
    "tool content a dict": (
        history(assistant(call()), result(content={"status": "ok"})),
        "Invalid type for 'messages[2].content': expected one of a string or array of objects, "
        "but got an object instead.",
        "messages[2].content",
        "invalid_type",
    ),
    "content a number": (
        [{"role": "user", "content": 3}],
        "Invalid type for 'messages[0].content': expected one of a string or array of objects, "
        "but got an integer instead.",
        "messages[0].content",
        "invalid_type",
    ),
    "no parts": (
        [{"role": "user", "content": []}],
        "Invalid 'messages[0].content': empty array. Expected an array with minimum length 1, but "
        "got an empty array instead.",
        "messages[0].content",
        "empty_array",
    ),
    "part without a type": (
        [{"role": "user", "content": [{"text": "x"}]}],
        "Missing required parameter: 'messages[0].content[0].type'.",
        "messages[0].content[0].type",
        "missing_required_parameter",
    ),
    "part of an unknown type": (
        [{"role": "user", "content": [{"type": "output_text", "text": "x"}]}],
        "Invalid value: 'output_text'. Supported values are: 'text', 'image_url', 'input_audio', "
        "'refusal', 'audio', and 'file'.",
        "messages[0].content[0].type",
        "invalid_value",
    ),
    "unknown role": (
        [{"role": "robot", "content": "x"}],
        "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', 'function', "
        "'tool', and 'developer'.",
        "messages[0].role",
        "invalid_value",
    ),
    "no role": (
        [{"content": "x"}],
        "Missing required parameter: 'messages[0].role'.",
        "messages[0].role",
        "missing_required_parameter",
    ),
    "a field that messages don't have": (
        history({"role": "assistant", "content": "x", "reasoning_content": "y"}),
        "Unknown parameter: 'messages[1].reasoning_content'.",
        "messages[1].reasoning_content",
        "unknown_parameter",
    ),
    "a message that is a string": (
        ["hello"],
        "Invalid type for 'messages[0]': expected an object, but got a string instead.",
        "messages[0]",
        "invalid_type",
    ),
    "no messages": (
        [],
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an "
        "empty array instead.",
        "messages",
        "empty_array",
    ),
    "messages a string": (
        "hello",
        "Invalid type for 'messages': expected an array of objects, but got a string instead.",
        "messages",
        "invalid_type",
    ),
    "messages missing": (
        ...,
        "Missing required parameter: 'messages'.",
        "messages",
        "missing_required_parameter",
    ),
}


@pytest.mark.parametrize("case", MESSAGES, ids=str)
def test_a_broken_history_gets_the_error_of_the_api(case):
    messages, message, param, code = MESSAGES[case]
    error = refused(messages=messages)
    assert (error.body["message"], error.param, error.code) == (message, param, code)


def named(**changes):
    return [{"type": "function", "function": {**tool()["function"], **changes}}]


def parameters(schema, **more):
    return named(parameters=schema, **more)


PATTERN = "string does not match pattern. Expected a string that matches the pattern "
SCHEMA = "Invalid schema for function 'probe': "
TOOLS = {
    "no tools in tools": (
        {"tools": []},
        "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty "
        "array instead.",
        "tools",
        "empty_array",
    ),
    "too many tools": (
        {"tools": [tool(f"t{i}") for i in range(129)]},
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an "
        "array with length 129 instead.",
        "tools",
        "array_above_max_length",
    ),
    "a dot in a name": (
        {"tools": [tool("a.b")]},
        f"Invalid 'tools[0].function.name': {PATTERN}'^[a-zA-Z0-9_-]+$'.",
        "tools[0].function.name",
        "invalid_value",
    ),
    "a newline after a name": (
        {"tools": [tool("ab\n")]},
        f"Invalid 'tools[0].function.name': {PATTERN}'^[a-zA-Z0-9_-]+$'.",
        "tools[0].function.name",
        "invalid_value",
    ),
    "a name of 65 characters": (
        {"tools": [tool("a" * 65)]},
        "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length "
        "64, but got a string with length 65 instead.",
        "tools[0].function.name",
        "string_above_max_length",
    ),
    "a name twice": (
        {"tools": [tool("same"), tool("same")]},
        "Invalid 'tools[1].function.name': function names must be unique, but 'same' is there "
        "more than once.",
        "tools[1].function.name",
        "invalid_value",
    ),
    "no type": (
        {"tools": [{"function": tool()["function"]}]},
        "Missing required parameter: 'tools[0].type'.",
        "tools[0].type",
        "missing_required_parameter",
    ),
    "a bare function": (
        {"tools": [{"type": "function", "name": "probe"}]},
        "Missing required parameter: 'tools[0].function'.",
        "tools[0].function",
        "missing_required_parameter",
    ),
    "parameters a list": (
        {"tools": parameters([])},
        f"{SCHEMA}[] is not of type 'object', 'boolean'.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "parameters a string schema": (
        {"tools": parameters({"type": "string"})},
        SCHEMA + "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "parameters without a type": (
        {"tools": parameters({"properties": {}})},
        SCHEMA + "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "an object without properties": (
        {"tools": parameters({"type": "object"})},
        SCHEMA + "In context=(), object schema missing properties.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "an array without items": (
        {"tools": parameters({"type": "object", "properties": {"a": {"type": "array"}}})},
        SCHEMA + "In context=('properties', 'a'), array schema missing items.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "a Python type": (
        {"tools": parameters({"type": "object", "properties": {"a": {"type": "str"}}})},
        SCHEMA + "'str' is not valid under any of the given schemas.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "a choice at the top": (
        {"tools": parameters({"anyOf": [{"type": "object", "properties": {}}]})},
        SCHEMA + "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' "
        "at the top level.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "strict but open": (
        {"tools": parameters({"type": "object", "properties": {}}, strict=True)},
        SCHEMA
        + "In context=(), 'additionalProperties' is required to be supplied and to be false.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "strict with something optional": (
        {
            "tools": parameters(
                {
                    "type": "object",
                    "properties": {"a": {"type": "string"}},
                    "additionalProperties": False,
                },
                strict=True,
            )
        },
        SCHEMA
        + "In context=(), 'required' is required to be supplied and to be an array including "
        "every key in properties. Missing 'a'.",
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "a choice without tools": (
        {"tool_choice": "auto"},
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "
        "specified.",
        "tool_choice",
        None,
    ),
    "an unknown choice": (
        {"tools": [tool()], "tool_choice": "any"},
        "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
        "tool_choice",
        "invalid_value",
    ),
    "the choice of a tool that is not there": (
        {"tools": [tool()], "tool_choice": {"type": "function", "function": {"name": "gone"}}},
        "Invalid value for 'tool_choice': no function named 'gone' is specified in 'tools'.",
        "tool_choice",
        None,
    ),
    "parallel calls without tools": (
        {"parallel_tool_calls": False},
        "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when "
        "'tools' are specified.",
        "parallel_tool_calls",
        None,
    ),
    "hot": (
        {"temperature": 3},
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 "
        "instead.",
        "temperature",
        "decimal_above_max_value",
    ),
    "cold": (
        {"temperature": -0.5},
        "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -0.5 "
        "instead.",
        "temperature",
        "decimal_below_min_value",
    ),
    "top_p": (
        {"top_p": 1.5},
        "Invalid 'top_p': decimal above maximum value. Expected a value <= 1, but got 1.5 instead.",
        "top_p",
        "decimal_above_max_value",
    ),
    "temperature in words": (
        {"temperature": "low"},
        "Invalid type for 'temperature': expected a decimal, but got a string instead.",
        "temperature",
        "invalid_type",
    ),
    "no tokens": (
        {"max_tokens": 0},
        "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 "
        "instead.",
        "max_tokens",
        "integer_below_min_value",
    ),
    "an unknown parameter": (
        {"max_steps": 3},
        "Unrecognized request argument supplied: max_steps",
        None,
        None,
    ),
    "usage without a stream": (
        {"stream_options": {"include_usage": True}},
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        "stream_options",
        None,
    ),
    "no model": ({"model": ...}, "you must provide a model parameter", None, None),
    "a blank model": ({"model": ""}, "you must provide a model parameter", None, None),
}


@pytest.mark.parametrize("case", TOOLS, ids=str)
def test_a_broken_request_gets_the_error_of_the_api(case):
    body, message, param, code = TOOLS[case]
    error = refused(**body)
    assert (error.body["message"], error.param, error.code) == (message, param, code)


@pytest.mark.parametrize("model", ["gpt-9", "standin/", "standin/nonsense", "standin/parallel+x"])
def test_an_unknown_model_is_a_404(model):
    with pytest.raises(openai.NotFoundError) as caught:
        client().chat.completions.create(model=model, messages=[QUESTION])
    assert caught.value.code == "model_not_found"
    assert caught.value.body["message"] == (
        f"The model `{model}` does not exist or you do not have access to it."
    )


def test_a_conversation_that_does_not_fit_is_refused_with_its_size():
    long = {"role": "user", "content": "voyage " * 3000}
    with standin.script([SAY], window=1000), pytest.raises(openai.BadRequestError) as caught:
        client().chat.completions.create(model="standin", messages=[long], tools=[tool()])
    error = caught.value
    assert (error.code, error.param) == ("context_length_exceeded", "messages")
    assert error.body["message"].startswith(
        "This model's maximum context length is 1000 tokens. However, your messages resulted in 3"
    )
    assert "in the messages" in error.body["message"]
    assert error.body["message"].endswith("Please reduce the length of the messages or functions.")


def test_the_window_counts_tokens_and_not_bytes():
    message = {"role": "user", "content": "voyage " * 600}  # 4,200 bytes, about 600 tokens
    with standin.script([SAY], window=1000):
        client().chat.completions.create(model="standin", messages=[message])


@pytest.mark.parametrize("body", [b"{", b"", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(body):
    response = send(body)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["message"].startswith("We could not parse the JSON body of your request.")
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", None, None)


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
