"""What the API says about a broken history: the stand-in says the same."""

import pytest

from tests.standin_client import QUESTION, assistant, call, history, refused, result

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
