"""What a tool returns becomes an observation: JSON, bounded, disclosed once, offloaded if long."""

import datetime
import decimal
import itertools
import json
import threading
import types
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

from harness import TOOLS, TurnConfig, register, run_turn, standin
from tests.guarded_tools import both_ways, observations, tool_returning, turn_with

pytestmark = pytest.mark.usefixtures("toolbox_kept")

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
