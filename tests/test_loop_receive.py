"""What servers send: replies with a twist are put right, or become one typed error."""

import json

import pytest

from harness import TOOLS, WorkshopError, chat, standin
from tests.loop_tools import body, last_results, raw_call, turn_with

SAY = standin.say

pytestmark = pytest.mark.usefixtures("ran")


def ask(turns):
    with standin.script(turns) as seen:
        return chat([{"role": "user", "content": "x"}]), seen


@pytest.mark.parametrize(
    "reply",
    [
        body({"content": "It is 3."}, usage=None),
        {k: v for k, v in body({"content": "It is 3."}).items() if k != "usage"},
        body({"content": [{"type": "text", "text": "It is"}, {"type": "text", "text": " 3."}]}),
        body({"content": "It is 3."}, finish=None),
        body({"content": "It is 3.", "tool_calls": None}),
        body({"content": "It is 3.", "tool_calls": []}),
        body({"content": "It is 3."}, finish="eos"),
        body({"content": "It is 3."}, created="yesterday"),
        {"choices": [{"message": {"content": "It is 3."}}]},
        {"choices": [{"message": "It is 3."}]},
        {"choices": [{"text": "It is 3."}]},
        body({"content": "<think>Hm, 3?\n</think>\nIt is 3."}),
        body({"content": "Hm, 3?\n</think>\nIt is 3."}),  # the first tag stood in the prompt
        body({"content": [{"type": "reasoning", "text": "Hm"}, {"text": "It is 3."}]}),
        body({"content": [{"type": "thinking", "thinking": "Hm"}, {"text": "It is 3."}]}),
        body({"content": "It is 3.", "refusal": False}),
        standin.raw(json.dumps(body({"content": "It is 3."})).encode("utf-16")),
        standin.raw(
            b": waiting\n\n"
            + standin.event({"choices": [{"delta": {"content": "It is 3."}}]})
            + b"data: [DONE]\n\n"
        ),
        standin.raw(b"event: message\n" + standin.event(body({"content": "It is 3."}))),
        standin.stream([{"choices": [{"index": 0, "delta": {"content": "It is 3."}}]}]),
        standin.raw(b"\xef\xbb\xbf" + json.dumps(body({"content": "It is 3."})).encode()),
        standin.raw(
            json.dumps(body({"content": "It is 3."})), headers={"content-type": "text/plain"}
        ),
    ],
)
def test_an_answer_in_an_odd_envelope_is_an_answer(reply):
    result, _ = turn_with([reply])
    assert (result.status, result.answer) == ("completed", "It is 3.")


@pytest.mark.parametrize(
    "reply",
    [
        standin.raw("<html><body>502</body></html>"),
        standin.raw('{"choices": [{"mess'),
        standin.raw(b""),
        standin.raw("null"),
        standin.raw("[]"),
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"index": 0, "finish_reason": "stop"}]},
        {"error": {"message": "overloaded", "code": 503}},
        {"error": "overloaded"},
        standin.raw("[" * 100_000),
        body({"content": "Half an ans"}, finish="error"),
        {"choices": [{"message": {"content": "Half"}, "error": {"message": "overloaded"}}]},
        standin.raw('{"choices": [{"message": {"content": ' + "[" * 900 + "]" * 900 + "}}]}"),
    ],
)
class TestUnusableReplies:
    def test_once_is_asked_again(self, reply):
        result, seen = turn_with([reply, SAY("It is 3.")])
        assert (result.status, result.answer) == ("completed", "It is 3.")
        assert len(seen.requests) == 2

    def test_twice_is_one_typed_error_with_an_answer(self, reply):
        result, seen = turn_with([reply, reply, SAY("never asked for")])
        assert result.status == "provider_error"
        assert "no usable reply" in result.answer
        assert len(seen.requests) == 2


@pytest.mark.parametrize(
    "ids",
    [("same", "same"), ("", ""), (None, None), (standin.turns.NULL, "x"), ("  ", "y"), (7, 7)],
)
def test_call_ids_are_made_unique_and_each_call_is_answered_under_its_own(ids, ran):
    first, second = raw_call("add", '{"a": 1}', ids[0]), raw_call("add", '{"a": 2}', ids[1])
    result, seen = turn_with([body({"content": None, "tool_calls": [first, second]}), SAY("3")])
    assert result.status == "completed"
    assert [arguments["a"] for _, arguments in ran] == [1, 2]
    echo = seen.requests[-1]["messages"][2]
    results = seen.requests[-1]["messages"][3:]
    echoed = [call["id"] for call in echo["tool_calls"]]
    assert len(set(echoed)) == 2 and all(echoed)
    assert [message["tool_call_id"] for message in results] == echoed
    assert ['"sum": 1' in results[0]["content"], '"sum": 2' in results[1]["content"]] == [True] * 2


def test_one_constant_id_every_turn_is_unique_in_the_conversation():
    turns = [body({"content": None, "tool_calls": [raw_call("add", f'{{"a": {i}}}', "call_0")]})
             for i in range(4)]  # fmt: skip
    result, seen = turn_with([*turns, SAY("done")])
    ids = [m["tool_call_id"] for m in seen.requests[-1]["messages"] if m["role"] == "tool"]
    assert len(ids) == len(set(ids)) == 4
    assert result.status == "completed"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}),
        (json.dumps(json.dumps({"a": 1, "b": 2})), {"a": 1, "b": 2}),
        (' {"b": 2, "a": 1} ', {"a": 1, "b": 2}),
        ('{"a": 1, "b": null}', {"a": 1, "b": 0}),
    ],
)
def test_arguments_in_other_encodings_are_the_same_call(arguments, expected, ran):
    turn_with([body({"content": None, "tool_calls": [raw_call("add", arguments)]}), SAY("3")])
    assert ran == [("add", expected)]


@pytest.mark.parametrize("arguments", ["", None, "  ", "null", "{}", {}])
def test_no_arguments_in_any_spelling_run_a_tool_without_parameters(arguments, ran):
    turn_with([body({"content": None, "tool_calls": [raw_call("ping", arguments)]}), SAY("ok")])
    assert ran == [("ping", {})]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ('{"a": 1, "b": ', "not valid JSON"),
        ("[1]", "must be a JSON object, not an array"),
        ('"x"', "must be a JSON object, not a string"),
        ("3", "must be a JSON object, not a number"),
        ("true", "must be a JSON object, not true or false"),
        ('{"a": NaN}', "NaN"),
        ('{"a": Infinity}', "Infinity"),
        ("a=1", "not valid JSON"),
        ("{'a': 1}", "not valid JSON"),
        ('{"a": 1} trailing', "not valid JSON"),
        ("[" * 100_000, "JSON"),
        ([1], "must be a JSON object, not an array"),
    ],
)
@pytest.mark.parametrize("tool", ["ping", "add"])
def test_what_is_no_object_is_never_run_and_the_model_reads_why(tool, arguments, says, ran):
    reply = body({"content": None, "tool_calls": [raw_call(tool, arguments)]})
    result, seen = turn_with([reply, SAY("sorry")])
    assert ran == []
    (content,) = last_results(seen)
    assert content.startswith("ERROR: ") and says in content and tool in content
    assert len(content) < 600
    assert result.status == "completed"


def test_the_position_of_a_json_fault_is_named():
    turns = [standin.call_raw("add", '{"a": 1, "b": '), SAY("sorry")]
    _, seen = turn_with(turns)
    assert "position 14" in last_results(seen)[0]


def test_cut_off_arguments_are_called_cut_off_not_bad_json(ran):
    reply = standin.call_raw("add", '{"a": 1, "b"', finish_reason="length")
    result, seen = turn_with([reply, SAY("sorry")])
    assert "cut off" in last_results(seen)[0]
    assert ran == []
    assert result.steps[0]["status"] == "cut_off"


@pytest.mark.parametrize("finish", ["stop", "length", None, "tool_calls", "weird"])
def test_the_calls_decide_not_the_finish_reason(finish, ran):
    reply = body({"content": "Let me see.", "tool_calls": [raw_call("ping", "{}")]}, finish=finish)
    result, _ = turn_with([reply, SAY("ok")])
    assert ran == [("ping", {})]
    assert result.answer == "ok"


def test_text_beside_calls_is_echoed():
    reply = standin.calls([("ping", {})], text="Let me see.")
    _, seen = turn_with([reply, SAY("ok")])
    assert seen.requests[-1]["messages"][2]["content"] == "Let me see."


def test_the_old_function_call_field_is_a_call(ran):
    function = {"name": "add", "arguments": '{"a": 4}'}
    turn_with([body({"content": None, "function_call": function}), SAY("4")])
    assert ran == [("add", {"a": 4, "b": 0})]


def test_a_refusal_is_an_outcome_of_its_own():
    result, _ = turn_with([SAY(None, refusal="I can't help with that.")])
    assert (result.status, result.answer) == ("refused", "I can't help with that.")


def test_a_content_filter_is_an_outcome_of_its_own():
    result, _ = turn_with([SAY(None, finish_reason="content_filter")])
    assert result.status == "filtered" and result.answer


def test_a_half_answer_is_asked_for_again_and_not_called_completed():
    half = SAY("It is thr", finish_reason="length")
    result, seen = turn_with([half, SAY("It is 3.")])
    assert (result.status, result.answer) == ("completed", "It is 3.")
    assert "cut off" in seen.requests[-1]["messages"][-1]["content"]
    result, _ = turn_with([half, half])
    assert (result.status, result.answer) == ("length", "It is thr")


@pytest.mark.parametrize("empty", [SAY(None), SAY(""), SAY("  \n ")])
def test_an_empty_turn_gets_one_nudge_then_the_forced_final(empty):
    result, seen = turn_with([empty, SAY("It is 3.")])
    assert (result.status, result.answer) == ("completed", "It is 3.")
    result, seen = turn_with([empty, empty, SAY("forced")])
    assert (result.status, result.answer) == ("safety_trip", "forced")
    assert "tools" not in seen.requests[-1] and len(seen.requests) == 3


@pytest.mark.parametrize("name", ["nope", "ADD", "", "functions.nope", "ad d", "x" * 500])
def test_an_unknown_tool_is_an_error_with_the_nearest_names(name, ran):
    reply = body({"content": None, "tool_calls": [raw_call(name, "{}")]})
    result, seen = turn_with([reply, SAY("sorry")])
    (content,) = last_results(seen)
    assert content.startswith("ERROR: ") and "no tool named" in content and len(content) < 500
    assert ran == [] and result.status == "completed"
    assert "add" in content if name == "ADD" else True


@pytest.mark.parametrize(
    "calls",
    [
        [{"id": "c1", "name": "add", "arguments": {"a": 4}}],
        [{"id": "c1", "type": "tool_use", "name": "add", "input": {"a": 4}}],
        [{"id": "c1", "type": "custom", "custom": {"name": "add", "input": '{"a": 4}'}}],
        {"0": raw_call("add", '{"a": 4}')},
        raw_call("add", '{"a": 4}'),
        [None, raw_call("add", '{"a": 4}')],
        json.dumps([raw_call("add", {"a": 4})]),
        [json.dumps(raw_call("add", {"a": 4}))],
    ],
)
def test_calls_in_other_wrappers_are_calls(calls, ran):
    turn_with([body({"content": None, "tool_calls": calls}), SAY("4")])
    assert ran == [("add", {"a": 4, "b": 0})]


@pytest.mark.parametrize("calls", [[{"id": "c1", "type": "function"}], "look_up", ["look_up"]])
def test_a_call_without_anything_is_answered_and_not_taken_for_the_end(calls, ran):
    result, seen = turn_with([body({"content": "Let me look.", "tool_calls": calls}), SAY("ok")])
    assert "no tool named" in last_results(seen)[0]
    assert (result.status, result.answer) == ("completed", "ok")


@pytest.mark.parametrize("arguments", ['{"a": 1e999}', '{"a": -1e999}'])
def test_a_number_beyond_all_bounds_is_refused(arguments, ran):
    _, seen = turn_with([standin.call_raw("add", arguments), SAY("ok")])
    assert ran == [] and "too large" in last_results(seen)[0]


@pytest.mark.parametrize("call_id", ["x" * 64, "x" * 65, 'a"b\n', "\ud800", "\U0001f600"])
def test_odd_ids_are_answered_under_one_that_the_api_takes(call_id, ran):
    reply = body({"content": None, "tool_calls": [raw_call("ping", "{}", call_id)]})
    result, seen = turn_with([reply, SAY("ok")])
    assert result.status == "completed" and not seen.refused and ran == [("ping", {})]


@pytest.mark.parametrize(
    "content", ["<think>Hm", "<think>Hm</think>", False, [{"type": "reasoning"}]]
)
def test_thoughts_alone_are_no_answer(content):
    result, seen = turn_with([body({"content": content}), SAY("It is 3.")])
    assert result.answer == "It is 3." and len(seen.requests) == 2


def test_half_an_emoji_in_the_question_costs_nothing():
    result, seen = turn_with([SAY("ok")], question="How many \ud83d voyages?")
    assert result.status == "completed"
    assert "How many ? voyages?" in seen.requests[0]["messages"][1]["content"]


def test_a_loop_may_echo_the_clients_own_objects(ran):
    messages = [{"role": "user", "content": "x"}]
    with standin.script([standin.call("ping"), SAY("ok"), SAY("ok")]) as seen:
        message = chat(messages, tools=[TOOLS["ping"][1]]).choices[0].message
        result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "pong"}
        chat([*messages, message, result])
        echo = {"role": "assistant", "content": None, "tool_calls": message.tool_calls}
        chat([*messages, echo, result])
    assert not seen.refused and len(seen.requests) == 3


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ([{"role": "user", "content": "y"}], "a list, not a message.\nAdd the messages of a list"),
        (None, "a NoneType, not a message.\nA message is a dict"),
        ("y", "a str, not a message.\nA message is a dict"),
        ({"role": "user", "content": object()}, "not JSON serializable.\nA tool message's content"),
    ],
)
def test_what_is_no_message_is_said_in_two_lines(odd, said):
    with standin.script([SAY("ok")]) as seen, pytest.raises(WorkshopError, match=said):
        chat([{"role": "user", "content": "x"}, odd])
    assert not seen.requests
