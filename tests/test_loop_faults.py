"""Every fault that the stand-in knows: the turn ends, in time, with an answer and a record."""

import time
import uuid

import openai._base_client as client
import pytest

from harness import TurnConfig, run_turn, standin
from harness.run.outcome import TurnStatus
from harness.run.recorder import current_turn
from harness.standin.faults.registry import catalogue
from harness.standin.protocol import check_request
from tests.loop_tools import QUESTION, probe_tools, turn_with

BUDGET = 2.0
FAULTS = [name for name, _ in catalogue()]
ALWAYS = [f"{name}=always" for name, says in catalogue() if "always" in says]


@pytest.fixture(autouse=True, scope="module")
def quick_retries():
    """The client's own waits, shortened; and what a first turn loads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "INITIAL_RETRY_DELAY", 0.001)
        run_turn(QUESTION, uuid.uuid4().hex)
        yield


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", FAULTS + ALWAYS)
def test_a_turn_with_a_fault_ends_well(name, stream):
    if stream and name in ("hangs", "drips", "slow"):
        pytest.skip("takes its time, and differs in nothing")
    started = time.monotonic()
    result = run_turn(
        QUESTION,
        uuid.uuid4().hex,
        model=f"standin/{name}",
        budget_seconds=BUDGET,
        stream=stream,
    )
    assert time.monotonic() - started < BUDGET + 2
    assert result.answer.strip() and result.status in list(TurnStatus)
    assert (result.trip is None) == (result.status != "safety_trip")
    assert current_turn() is None
    check_request({"model": "standin", "messages": result.messages}, 0)
    ids = [m["tool_call_id"] for m in result.messages if m["role"] == "tool"]
    assert len(ids) == len(set(ids)) == len(result.steps)


@pytest.mark.parametrize(
    ("name", "trips"),
    [
        ("repeats", {"repeated_call"}),
        ("oscillates", {"oscillation"}),
        ("hops", {"tool_hopping", "no_progress"}),
        ("empty=always", {"empty_reply"}),
        ("calls-when-forced", {"repeated_call"}),
    ],
)
def test_what_never_gets_further_trips_by_name(name, trips):
    result = run_turn(QUESTION, uuid.uuid4().hex, model=f"standin/{name}")
    assert (result.status, result.trip in trips) == ("safety_trip", True), result.trip


def test_a_call_written_as_text_is_neither_run_nor_an_answer():
    text = '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'
    with probe_tools() as ran:
        result, seen = turn_with([standin.say(text), standin.call("ping"), standin.say("pong")])
        assert (result.status, result.answer) == ("completed", "pong") and len(ran) == 1
        assert "as text" in seen.requests[1]["messages"][-1]["content"]
        result, _ = turn_with([standin.say(text), standin.say(text), standin.say("forced")])
        assert (result.trip, result.answer) == ("premature_stop", "forced") and len(ran) == 1


def test_two_faults_at_once():
    with probe_tools() as ran:
        twisted = standin.fault("parallel+constant-id", over=standin.call("add", a=1))
        result, _ = turn_with(
            [twisted, standin.say("ok")], config=TurnConfig(tools=("add", "ping"))
        )
        assert result.answer == "ok" and len(result.steps) > 1
        assert ran
