"""Each misbehaving model, seen through the client or as the bytes that it sends.

Under each fault thinks a small model that calls `probe` until it has seen a result that is no
error, and then answers.
"""

import json

import pytest

from harness import standin
from tests.standin_client import QUESTION, send
from tests.standin_faulty import (
    ANSWER,
    ARGUMENTS,
    ERROR,
    TOOLS,
    answer,
    fresh,
    is_no_json,
    is_right,
    little_model,
    only_call,
    round_of,
)


def has_extra(function):
    return set(json.loads(function["arguments"])) - set(ARGUMENTS)


SLIPS = {
    "bad-json": is_no_json,
    "truncated": is_no_json,
    "cut-call": is_no_json,
    "unknown-tool": lambda f: f["name"] == "probe_tool",
    "extra-args": has_extra,
    "wrong-types": lambda f: json.loads(f["arguments"])["n"] == {"value": 3},
    "missing-args": lambda f: json.loads(f["arguments"]) == {"n": 3},
    "out-of-range": lambda f: json.loads(f["arguments"])["n"] == 10**9,
    "nan-arguments": lambda f: '"n": NaN' in f["arguments"],
    "null-arguments": lambda f: f["arguments"] is None,
    "blank-arguments": lambda f: f["arguments"] == "",
    "list-arguments": lambda f: f["arguments"] == "[1]",
    "blank-name": lambda f: f["name"] == "",
    "surrogates": lambda f: json.loads(f["arguments"])["question"].endswith("\ud83d"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_happens_once_and_is_mended_after_the_error(name):
    message, _ = answer(name)
    assert SLIPS[name](only_call(message))
    history = [QUESTION, *round_of(message, ERROR)]
    mended, _ = answer(name, history)
    assert is_right(mended)
    history += round_of(mended, '{"status": "ok"}')
    assert answer(name, history)[0]["content"] == ANSWER


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_can_happen_every_time(name):
    message, _ = answer(f"{name}=always")
    message, _ = answer(f"{name}=always", [QUESTION, *round_of(message, ERROR)])
    assert SLIPS[name](only_call(message))


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_does_not_touch_an_answer(name):
    assert answer(name, tools=None)[0]["content"] == ANSWER


def test_a_name_of_two_words_loses_its_underscore():
    message, _ = answer("unknown-tool", model=standin.call("run_sql", sql="SELECT 1"))
    assert only_call(message)["name"] == "runsql"


def test_a_slip_that_nobody_noticed_is_not_mended():
    message, _ = answer("bad-json")
    after, _ = answer("bad-json", [QUESTION, *round_of(message, '{"status": "ok"}')])
    assert after["content"] == ANSWER  # it goes on with what it was given


@pytest.mark.parametrize(("name", "finish"), [("truncated", "length"), ("cut-call", "tool_calls")])
def test_a_cut_call_says_so_or_not(name, finish):
    assert answer(name)[1] == finish


HABITS = {
    "arguments-object": lambda each: each["function"]["arguments"] == ARGUMENTS,
    "double-encoded": lambda each: (
        json.loads(json.loads(each["function"]["arguments"])) == ARGUMENTS
    ),
    "constant-id": lambda each: each["id"] == "call_0",
    "missing-ids": lambda each: "id" not in each,
    "null-ids": lambda each: each["id"] is None,
    "empty-ids": lambda each: each["id"] == "",
    "long-ids": lambda each: len(each["id"]) == 200,
    "odd-ids": lambda each: "\n" in each["id"] and '"' in each["id"],
}


@pytest.mark.parametrize("name", HABITS)
def test_a_habit_shows_in_every_call(name):
    message, _ = answer(name)
    assert HABITS[name](message["tool_calls"][0])
    message, _ = answer(name, [QUESTION, *round_of(message, ERROR)])
    assert HABITS[name](message["tool_calls"][0])


def test_parallel_calls_ask_several_tools_at_once():
    message, finish = answer("parallel")
    names = [each["function"]["name"] for each in message["tool_calls"]]
    assert names == ["probe", "search_knowledge", "list_skills"]
    assert len({each["id"] for each in message["tool_calls"]}) == 3
    assert finish == "tool_calls"


def test_duplicate_ids_are_all_the_same():
    message, _ = answer("duplicate-ids")
    assert [each["id"] for each in message["tool_calls"]] == ["same"] * 3


def test_without_another_tool_the_same_one_is_called_with_other_arguments():
    message, _ = answer("duplicate-ids", tools=TOOLS[:1])
    assert [each["id"] for each in message["tool_calls"]] == ["same"] * 2
    first, second = (each["function"]["arguments"] for each in message["tool_calls"])
    assert json.loads(first) == ARGUMENTS and json.loads(second) != ARGUMENTS


def test_faults_are_joined_from_left_to_right():
    message, _ = answer("parallel+bad-json+constant-id")
    assert [is_no_json(each["function"]) for each in message["tool_calls"]] == [True, False, False]
    assert {each["id"] for each in message["tool_calls"]} == {"call_0"}


def test_an_outer_fault_leaves_an_http_error_alone():
    with standin.script([standin.fault("server-down+bad-json", over=little_model)]):
        assert send({"model": "m", "messages": [QUESTION]}).status_code == 503


def test_the_old_function_call_field():
    message, finish = answer("function-call")
    assert message["function_call"]["name"] == "probe" and "tool_calls" not in message
    assert finish == "function_call"


def test_a_call_written_as_text_is_written_properly_when_asked_again():
    message, finish = answer("calls-as-text")
    assert '"name": "probe"' in message["content"] and finish == "stop"
    told = [QUESTION, {"role": "assistant", "content": message["content"]},
            {"role": "user", "content": "Call the tool."}]  # fmt: skip
    assert is_right(answer("calls-as-text", told)[0])


def test_stop_with_calls():
    message, finish = answer("stop-with-calls")
    assert is_right(message) and finish == "stop"


def test_text_beside_calls():
    message, _ = answer("talks-and-calls")
    assert is_right(message) and "How many voyages" in message["content"]


def test_every_fault_can_be_asked_for_a_stream():
    for name, _ in standin.catalogue():
        if name in ("hangs", "slow", "drips", "disconnects", "unreachable", "cut-off"):
            continue
        body = {"model": f"standin/{name}", "messages": fresh(f"Stream of {name}?")}
        response = send({**body, "tools": TOOLS, "stream": True})
        assert response.status_code in (200, 429, 500, 502, 503), name


def test_every_fault_has_a_line_and_answers_a_plain_question():
    for name, line in standin.catalogue():
        assert 10 < len(line) <= 76 and not line.endswith("."), name
        if name in ("hangs", "slow", "drips"):
            continue
        body = {"model": f"standin/{name}", "messages": fresh("What is there?"), "tools": TOOLS}
        try:
            first, second = send(body), send(body)
        except Exception as error:
            assert name in ("disconnects", "unreachable", "cut-off"), (name, error)
            continue
        assert first.status_code in (200, 429, 500, 502, 503), (name, first.text)
        if name not in ("rate-limited", "server-error", "bad-gateway"):
            assert first.status_code == second.status_code


@pytest.mark.parametrize("name", ["slow=x", "slow=-1", "bad-json=never", "bad-json+", "", "SLOW"])
def test_a_fault_that_is_none_is_no_model(name):
    with pytest.raises(ValueError, match="no fault is called"):
        standin.fault(name)


def test_only_a_message_can_be_twisted():
    with standin.script([standin.fault("bad-json", over=b"<html>")]), pytest.raises(TypeError):
        send({"model": "m", "messages": [QUESTION]})
