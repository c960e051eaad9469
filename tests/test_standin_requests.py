"""What the API says about broken tools, models and bodies: the stand-in says the same."""

import openai
import pytest

from harness import standin
from tests.standin_client import QUESTION, SAY, client, parameters, refused, send, tool

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
