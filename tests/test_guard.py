"""The guarded call: authorise, validate, run, observe, by hand, by dispatch and inside a turn."""

import asyncio
import json
import threading
import time
from typing import Annotated, Any

import pytest
from pydantic import Field

from harness import TOOLS, ToolError, dispatch, register, session, standin
from tests.guarded_tools import both_ways, observations, tool_returning, turn_with

pytestmark = pytest.mark.usefixtures("toolbox_kept")

SECRET = "sk-abcdefghijklmnopqrstuvwxyz123456"


def tool_raising(error):
    def raise_it():
        raise error

    return tool_returning(raise_it)


# Validate


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "parameter 'item' is missing"),
        ({"item": "tea", "colour": "red"}, "unknown parameter 'colour' (it has: item, n, mode"),
        ({"item": 7}, "parameter 'item' is wrong"),
        ({"item": None}, "parameter 'item' is wrong"),
        ({"item": "x"}, "at least 2 characters"),
        ({"item": "tea", "n": "3"}, "parameter 'n' is wrong: input should be a valid integer"),
        ({"item": "tea", "n": True}, "parameter 'n' is wrong"),
        ({"item": "tea", "n": 2.5}, "parameter 'n' is wrong"),
        ({"item": "tea", "n": 0}, "greater than or equal to 1, not 0"),
        ({"item": "tea", "n": 10}, "less than or equal to 9, not 10"),
        ({"item": "tea", "mode": "rail"}, "'air' or 'sea', not 'rail'"),
        ({"item": "tea", "tags": "a"}, "parameter 'tags' is wrong"),
        ({"item": "tea", "tags": ["a", 1]}, "parameter 'tags.1' is wrong"),
        ({"n": 0, "x": 1}, "'item' is missing; parameter 'n' is wrong"),
        ({"item": "tea", "price": "y" * 10_000}, "..."),
    ],
)
def test_every_wrong_argument_is_named_and_nothing_runs(order, arguments, named):
    error = both_ways("order", **arguments)
    assert error.kind == "bad_arguments"
    assert str(error).startswith("order: ") and named in str(error)
    assert "call it again" in str(error)
    assert len(str(error)) < 500
    assert order == []


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"item": "tea"}, {"n": 1, "mode": "sea", "tags": None, "price": 1.0}),
        ({"item": "tea", "n": None, "tags": None}, {"n": 1, "tags": None}),
        ({"item": "tea", "n": 3.0, "price": 2}, {"n": 3, "price": 2.0}),
        ({"item": "日本", "tags": []}, {"tags": []}),
    ],
)
def test_what_the_contract_allows_runs(order, arguments, result):
    value = both_ways("order", **arguments)
    assert value["status"] == "ok"
    assert result.items() <= value.items()


def test_what_to_do_about_a_missing_parameter_is_the_contracts_word():
    @register(missing="Ask the user.")
    def book(day: str, n: Annotated[int, Field(ge=1)] = 1) -> str:
        return day

    assert str(both_ways("book")).endswith("parameter 'day' is missing. Ask the user.")
    assert str(both_ways("book", day="x", n=0)).endswith("call it again.")


# Authorise


@pytest.fixture
def write_tool():
    ran = []

    @register(tier="write", permission="", idempotent=False)
    def wipe(n: int = 0) -> str:
        """Wipe the board."""
        ran.append(n)
        return "wiped"

    return ran


def test_a_read_only_session_writes_by_no_way(write_tool):
    with session(read_only=True):
        error = both_ways("wipe")
        assert error.kind == "not_allowed" and "may only read" in str(error)
        both_ways("wipe", n="not even this is looked at")
        _, seen = turn_with([standin.call("wipe"), standin.say("I could not.")], "wipe")
        assert observations(seen)[0].startswith("ERROR: wipe writes")
        assert json.loads(TOOLS["list_skills"][0](query="distance"))["status"] == "ok"
    assert write_tool == []
    assert both_ways("wipe")["result"] == "wiped"


def test_authority_comes_before_validation(write_tool):
    with session(read_only=True):
        assert both_ways("wipe", nonsense=1).kind == "not_allowed"


def test_a_permission_is_the_roles():
    @register(permission="operations")
    def rebook() -> str:
        return "done"

    with session(role="analyst"):
        error = both_ways("rebook")
    assert error.kind == "not_allowed"
    assert "'operations'" in str(error) and "'analyst'" in str(error)
    with session(role="dispatcher"):
        assert both_ways("rebook")["result"] == "done"


# Look up


@pytest.mark.parametrize(
    ("name", "near"),
    [("runsql", "run_sql"), ("RUN_SQL", "run_sql"), ("search_knowlege", "search_knowledge")],
)
def test_an_unknown_tool_gets_the_nearest_names(name, near):
    result = dispatch({"id": "c", "function": {"name": name, "arguments": "{}"}})
    assert result.status == "unknown_tool"
    assert result.content.startswith(f'ERROR: there is no tool named "{name}"')
    assert near in result.content


@pytest.mark.parametrize("name", ["", None, "x" * 100_000, "\ud800", "zzz\n", 7, {"a": 1}])
def test_any_name_gets_a_bounded_answer(name):
    result = dispatch({"id": "c", "function": {"name": name, "arguments": "{}"}})
    assert result.status == "unknown_tool"
    assert len(result.content) < 300
    result.content.encode()


@pytest.mark.parametrize("broken", [{}, {"id": "c", "function": None}, {"function": "run_sql"}])
def test_a_call_without_a_function_is_answered(broken):
    assert dispatch(broken).content.startswith("ERROR: ")


def test_a_plain_function_in_tools_is_guarded_by_dispatch_as_well():
    def mine(a: int = 1) -> Any:
        return {"a": a} if a else None

    def star(*values: int) -> int:
        return len(values)

    schema = {"type": "function", "function": {"name": "mine", "parameters": {"type": "object"}}}
    TOOLS["mine"], TOOLS["run_sql"], TOOLS["star"] = (mine, schema), (mine, schema), (star, schema)

    def by_dispatch(name, arguments):
        call = {"id": "c", "function": {"name": name, "arguments": arguments}}
        return dispatch(call)

    assert json.loads(by_dispatch("mine", '{"a": 2}').content) == {"status": "ok", "a": 2}
    assert json.loads(by_dispatch("run_sql", "{}").content) == {"status": "ok", "a": 1}
    assert by_dispatch("mine", '{"a": "x"}').status == "bad_arguments"
    assert by_dispatch("mine", '{"a": 0}').status == "empty"
    assert by_dispatch("star", "{}").status == "failed"


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ('{"item": ', "bad_arguments"),
        ("[1]", "bad_arguments"),
        ('"x"', "bad_arguments"),
        ('{"item": NaN}', "bad_arguments"),
        ("", "bad_arguments"),  # no arguments: item is missing
        (None, "bad_arguments"),
        ('"{\\"item\\": \\"tea\\"}"', "ok"),
        ({"item": "tea"}, "ok"),
    ],
)
def test_arguments_are_parsed_as_data(order, raw, status):
    result = dispatch({"id": "c", "function": {"name": "order", "arguments": raw}})
    assert result.status == status
    assert order == (["tea"] if status == "ok" else [])


# Run


class Quitting(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("run_sql"), "probe failed: KeyError: 'run_sql'. Change"),
        (ValueError(), "probe failed: ValueError. Change"),
        (ValueError("first\nsecond"), "probe failed: ValueError: first. Change"),
        (ValueError("x" * 100_000), "x" * 500 + ". Change"),
        (ValueError("bad \ud800 text"), "bad ? text"),
        (Mute(), "probe failed: Mute. Change"),
        (SystemExit(3), "probe failed: SystemExit: 3. Change"),
        (RecursionError("deep"), "RecursionError"),
        (StopIteration(), "StopIteration"),
        (MemoryError(), "MemoryError"),
        (AssertionError("not so"), "AssertionError: not so"),
        (asyncio.CancelledError(), "CancelledError. Change"),
        (GeneratorExit(), "GeneratorExit. Change"),
        (BaseExceptionGroup("two", [SystemExit(1)]), "BaseExceptionGroup: two"),
        (Quitting(), "Quitting. Change"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_exception_is_its_class_and_first_line(error, said):
    tool_raising(error)
    observed = both_ways("probe")
    assert observed.kind == "failed"
    assert said in str(observed)
    assert "Traceback" not in str(observed)


@pytest.mark.parametrize(
    "text",
    [
        f"refused the key {SECRET}",
        "Bearer abcdefghijklmnop123",
        "postgres failed: password=hunter2-hunter2",
    ],
)
def test_secrets_in_an_exception_are_removed(text):
    tool_raising(RuntimeError(text))
    observed = str(both_ways("probe"))
    assert "[removed: " in observed
    assert not any(word in observed for word in (SECRET, "abcdefghijklmnop123", "hunter2"))


def test_a_tools_own_error_keeps_its_kind_and_is_bounded():
    tool_raising(ToolError("not_allowed", "the door is shut.", "Knock."))
    assert str(both_ways("probe")) == "the door is shut. Knock."
    tool_raising(ToolError("failed", "y" * 1_000_000 + "\udfff"))
    assert len(str(both_ways("probe"))) < 2_100


def test_an_interrupt_in_a_tool_is_not_swallowed():
    tool = tool_raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        tool()


def test_a_tool_beyond_its_time_is_left_behind():
    tool_returning(lambda: time.sleep(30) or "late", timeout=0.2)
    started = time.monotonic()
    observed = both_ways("probe")
    assert time.monotonic() - started < 5
    assert observed.kind == "timeout"
    assert "probe took longer than 0.2 s" in str(observed)


def test_the_sessions_deadline_is_a_limit_too():
    tool_returning(lambda: time.sleep(30) or "late")
    started = time.monotonic()
    with session(deadline=0.2), pytest.raises(ToolError) as caught:
        TOOLS["probe"][0]()
    assert caught.value.kind == "timeout"
    assert time.monotonic() - started < 5


def test_a_timeout_without_words_is_one_all_the_same():
    tool_raising(TimeoutError())
    assert "probe timed out" in str(both_ways("probe"))


def test_the_same_call_again_is_not_run_and_its_error_is_not_lost(order):
    turns = [standin.call("order", item="tea")] * 2 + [standin.say("done")]
    _, seen = turn_with(turns, "order")
    assert order == ["tea"]
    assert "repeated" in json.loads(observations(seen)[1])
    turns = [standin.call("order", item=1)] * 2 + [standin.say("done")]
    _, seen = turn_with(turns, "order")
    assert observations(seen)[1].startswith("ERROR: order: parameter 'item' is wrong")
    assert "already made this call" in observations(seen)[1]


def test_a_name_that_no_store_can_hold_is_answered_inside_a_turn_too():
    turns = [standin.call("\ud800\x00zz"), standin.say("done")]
    result, seen = turn_with(turns, "run_sql")
    assert result.answer == "done"
    assert observations(seen)[0].startswith("ERROR: there is no tool named")


@pytest.mark.parametrize("n", [5, 99])
def test_what_a_tool_calls_itself_answers_no_call_of_the_model(n):
    """A sibling of the same name still runs, with its own arguments."""
    ran = []

    @register(name="probe", replace=True)
    def probe(n: int) -> int:
        """Note it."""
        ran.append(n)
        return n

    @register(name="outer", replace=True)
    def outer(n: int) -> str:
        """Call probe."""
        return TOOLS["probe"][0](n=n)

    turns = [standin.calls([("outer", {"n": 5}), ("probe", {"n": n})]), standin.say("ok")]
    _, seen = turn_with(turns, "outer", "probe")
    assert ran == [5, n]
    assert [json.loads(text)["result"] for text in
            observations(seen)] == [5, n]  # fmt: skip


def test_threads_that_were_left_behind_are_used_again():
    tool = tool_returning(lambda: time.sleep(0.05) or "late", timeout=0.01)
    before = threading.active_count()
    for _ in range(8):
        with pytest.raises(ToolError):
            tool()
        time.sleep(0.06)
    assert threading.active_count() <= before + 2
