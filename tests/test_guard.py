"""The guarded call: authorise, validate, run, observe, by hand, by dispatch and inside a turn."""

import asyncio
import datetime
import decimal
import itertools
import json
import threading
import time
import types
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field

from harness import TOOLS, ToolError, TurnConfig, dispatch, register, run_turn, session, standin

pytestmark = pytest.mark.usefixtures("toolbox_kept")

SECRET = "sk-abcdefghijklmnopqrstuvwxyz123456"


def tool_returning(value, **words):
    @register(name="probe", replace=True, **words)
    def probe() -> Any:
        """Return what the test wants."""
        return value() if callable(value) else value

    return probe


def tool_raising(error):
    def raise_it():
        raise error

    return tool_returning(raise_it)


def both_ways(name, **arguments):
    """The observation by hand and by dispatch; they must be one text, or one error."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    result = dispatch({"id": "c1", "type": "function", "function": function})
    try:
        text = TOOLS[name][0](**arguments)
    except ToolError as error:
        assert (result.status, result.content) == (error.kind, f"ERROR: {error}")
        return error
    assert (result.status, result.content) == ("ok", text)
    return json.loads(text, parse_constant=pytest.fail)


def turn_with(turns, *tools):
    with standin.script(turns) as seen:
        result = run_turn("What is it?", config=TurnConfig(tools=tools))
    return result, seen


def observations(seen):
    return [m["content"] for m in seen.requests[-1]["messages"] if m["role"] == "tool"]


# Validate


@pytest.fixture
def order():
    ran = []

    @register(when="ordering.", returns="'n'.", replace=True)
    def order(
        item: Annotated[str, Field(min_length=2)],
        n: Annotated[int, Field(ge=1, le=9)] = 1,
        mode: Literal["air", "sea"] = "sea",
        tags: list[str] | None = None,
        price: float = 1.0,
    ) -> dict[str, Any]:
        """Order something."""
        ran.append(item)
        return {"n": n, "mode": mode, "tags": tags, "price": price}

    return ran


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
    assert "[removed]" in observed
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


# Observe


@dataclass
class Point:
    x: int
    y: decimal.Decimal


class Model(BaseModel):
    day: datetime.date


class Thing:
    def __str__(self) -> str:
        return "a thing"


class Wordless:
    def __str__(self) -> str:
        raise RuntimeError("no words")


def circular():
    value: dict[str, Any] = {"a": 1}
    value["self"] = [value, value]
    return value


def deep():
    value: list[Any] = []
    for _ in range(50_000):
        value = [value]
    return {"deep": value}


DAY = datetime.datetime(2026, 1, 31, 12, 30)
MANY = {
    "datetime": ({"at": DAY, "on": DAY.date()}, {"at": "2026-01-31T12:30:00", "on": "2026-01-31"}),
    "decimal": ({"d": decimal.Decimal("1.50"), "n": decimal.Decimal("3")}, {"d": 1.5, "n": 3}),
    "odd decimals": (
        {"i": decimal.Decimal("Infinity"), "n": decimal.Decimal("NaN")},
        {"i": "Infinity", "n": None},
    ),
    "huge decimal": (decimal.Decimal("1E+1000000"), {"result": "1E+1000000"}),  # not in minutes
    "generator": (None, {"result": [0, 1]}),
    "generator in it": (None, {"n": [0, 1], "x": None}),
    "range": (range(2), {"result": [0, 1]}),
    "keys": ({"k": {"a": 1}.keys()}, {"k": ["a"]}),
    "mapping": (types.MappingProxyType({"a": 1}), {"a": 1}),
    "dataclasses": ([Point(1, decimal.Decimal("2"))], {"result": [{"x": 1, "y": 2}]}),
    "set": ({"s": {"b", "a"}}, {"s": ["a", "b"]}),
    "set with nan": ({"s": {float("nan")}}, {"s": [None]}),
    "object": ({"o": Thing()}, {"o": "a thing"}),
    "wordless": ({"o": Wordless()}, {"o": "<Wordless>"}),
    "bytes": ({"b": b"caf\xc3\xa9 \xff"}, {"b": "café \ufffd"}),
    "nan": ({"x": float("nan"), "y": [float("-inf"), 1]}, {"x": None, "y": [None, 1]}),
    "surrogate": ({"t": "a\ud800b"}, {"t": "a?b"}),
    "surrogate key": ({"\ud800": 1}, {"?": 1}),
    "tuple key": ({(1, 2): "x"}, {"(1, 2)": "x"}),
    "dataclass": (Point(1, decimal.Decimal("2.5")), {"x": 1, "y": 2.5}),
    "pydantic": (Model(day=DAY.date()), {"day": "2026-01-31"}),
    "array": (np.arange(3), {"result": [0, 1, 2]}),
    "array in it": ({"a": np.float32(0.5)}, {"a": 0.5}),
    "list": ([1, 2], {"result": [1, 2]}),
    "zero": (0, {"result": 0}),
    "false": (False, {"result": False}),
    "empty list": ([], {"result": []}),
    "empty dict": ({}, {}),
    "text": ("pong", {"result": "pong"}),
    "json text": ('{"a": 1}', {"a": 1}),
    "half json": ('{"a": ', {"result": '{"a": '}),
    "own status": ({"status": "error", "why": "x"}, {"status": "error", "why": "x"}),
}


@pytest.mark.parametrize("kind", MANY)
def test_whatever_a_tool_returns_becomes_json_with_a_status(kind):
    value, expected = MANY[kind]
    fresh = {"generator": lambda: iter(range(2)),
             "generator in it": lambda: {"n": iter(range(2)), "x": float("nan")}}  # fmt: skip
    tool_returning(fresh.get(kind, lambda: value))
    assert both_ways("probe") == {"status": "ok", **expected}


@pytest.mark.parametrize(
    "value", [circular, deep, lambda: {"n": 10 ** (10**5)}, lambda: "{" * 10**5, itertools.count]
)
def test_what_json_cannot_write_is_bounded_and_not_an_error(value):
    tool_returning(value)
    assert both_ways("probe")["status"] == "ok"


def test_a_generator_that_raises_is_a_tool_that_failed():
    tool_returning(lambda: {"n": (1 // n for n in (1, 0))})
    assert "ZeroDivisionError" in str(both_ways("probe"))


def test_a_value_that_cannot_be_copied_is_shown():
    @dataclass
    class Held:
        lock: Any

    held = Held(threading.Lock())
    tool_returning(lambda: held)
    assert "lock" in both_ways("probe")["lock"]


@pytest.mark.parametrize("value", [None, "", "  \n", {"status": ""}, {"status": None}])
def test_nothing_is_an_error_that_says_so(value):
    tool_returning(lambda: value)
    error = both_ways("probe")
    assert error.kind == "empty"
    assert "returned no" in str(error) and "success" in str(error)


# Inside a turn


def test_disclosure_is_once_a_turn_and_the_output_contract_every_time(order):
    register(when="x.", returns="'n' is a number.", instructions="HEAVY RULES", replace=True)(
        TOOLS["order"][0].__wrapped__
    )
    turns = [
        standin.call("order", item="tea"),
        standin.calls([("order", {"item": "milk"}), ("order", {"item": "x"})]),
        standin.call("order", item="sugar"),
        standin.say("done"),
    ]
    for _ in range(2):  # and again in the next turn
        _, seen = turn_with(turns, "order")
        first, second, wrong, third = observations(seen)
        assert json.loads(first)["instructions"] == "HEAVY RULES"
        assert "instructions" not in json.loads(second) | json.loads(third)
        contracts = [json.loads(each)["contract"] for each in (first, second, third)]
        assert contracts == ["'n' is a number."] * 3
        assert wrong.startswith("ERROR: order: parameter 'item'")
        assert "HEAVY" not in json.dumps(seen.requests[0])


def test_by_hand_and_outside_of_a_turn_there_is_no_disclosure():
    tool_returning({"a": 1}, returns="'a'.", instructions="HEAVY")
    assert both_ways("probe") == {"status": "ok", "a": 1}


def test_a_long_output_is_offloaded_and_comes_back_whole():
    rows = [f'row {i}: "é\\n' for i in range(2_000)]
    tool_returning({"rows": rows})
    pages: list[dict[str, Any]] = []

    def next_page(request):
        last = json.loads(request["messages"][-1]["content"])
        if "content" in last:
            pages.append(last)
        offset = last["next_offset"] if "content" in last else 0
        if offset is None:
            return standin.say("read it all")
        first = next(m for m in request["messages"] if m["role"] == "tool")
        call_id = json.loads(first["content"])["tool_call_id"]
        return standin.call("fetch_tool_output", tool_call_id=call_id, offset=offset)

    config = TurnConfig(tools=("probe", "fetch_tool_output"), max_iterations=40)
    turns = [standin.call("probe"), *[next_page] * 30]
    with standin.script(turns) as seen:
        result = run_turn("Read it.", config=config)
    assert result.answer == "read it all"
    shown = json.loads(observations(seen)[0])
    whole = "".join(page["content"] for page in pages)
    assert json.loads(whole) == {"status": "ok", "rows": rows}
    assert shown["offloaded"] is True
    assert whole.startswith(shown["head"]) and whole.endswith(shown["tail"])
    assert shown["omitted_chars"] == len(whole) - len(shown["head"]) - len(shown["tail"])
    assert pages[0]["total_chars"] == len(whole)
    assert len(observations(seen)[0]) < 8_000


@pytest.mark.parametrize("value", ["x" * 100_000, {"big": {str(i): i for i in range(9_000)}}])
def test_an_offloaded_output_still_carries_its_contract(value):
    tool_returning(value, returns="long.", instructions="HEAVY")
    _, seen = turn_with([standin.call("probe"), standin.say("done")], "probe")
    shown = json.loads(observations(seen)[0])
    assert (shown["contract"], shown["instructions"]) == ("long.", "HEAVY")


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
