"""Hopping, errors, silence, stopping early: each ends by name, and in an answer."""

import pytest
from pydantic import BaseModel

from harness import (
    TurnConfig,
    register,
    standin,
)
from tests.loop_tools import (
    NAMES,
    assert_tripped,
    body,
    last_results,
    traced,
    turn_with,
)

SAY, CALL = standin.say, standin.call

pytestmark = pytest.mark.usefixtures("ran")


class TestTrips:
    def test_one_tool_after_another_without_a_result(self):
        names = iter(("alpha", "beta", "gamma", "delta", "omega"))
        reply = lambda request: CALL(next(names)) if "tools" in request else SAY("forced")  # noqa: E731
        result, seen = turn_with(reply)
        assert len(seen.requests) <= 6
        assert_tripped(result, "tool_hopping")

    def test_many_tools_in_one_message_without_a_result(self):
        names = ("alpha", "beta", "gamma", "delta", "omega")
        result, _ = turn_with([standin.calls([(name, {}) for name in names]), SAY("forced")])
        assert_tripped(result, "tool_hopping")

    def test_many_tools_with_results_are_work(self):
        turns = [CALL("add", a=1), CALL("ping"), CALL("list_skills", query="mean"), SAY("done")]
        result, _ = turn_with(turns, config=TurnConfig())
        assert (result.status, result.answer) == ("completed", "done")

    def test_rounds_that_bring_errors_only(self):
        turns = [CALL("add", a=str(i)) for i in range(4)]
        result, seen = turn_with([*turns, SAY("forced")])
        assert len(seen.requests) == 5
        assert_tripped(result, "same_error")

    def test_the_same_result_of_other_calls_is_work(self, ran):
        turns = [CALL("add", a=1 + i, b=1 - i) for i in range(6)]
        result, _ = turn_with([*turns, SAY("done")])
        assert (result.status, len(ran)) == ("completed", 6)

    def test_a_few_errors_among_results_do_not_trip(self):
        turns = [CALL("add", a=1), CALL("boom"), CALL("add", a=2), CALL("boom", word="y"),
                 CALL("add", a=3), SAY("done")]  # fmt: skip
        result, _ = turn_with(turns)
        assert result.status == "completed"

    def test_a_tool_that_is_silent_twice(self):
        @register(name="omega", when="never.", replace=True)
        def blank(n: int = 0) -> str:
            """Return an empty text."""
            return ""

        turns = [CALL("nothing", n=1), CALL("omega", n=2), CALL("omega", n=3), SAY("forced")]
        result, seen = turn_with(turns)
        assert all("returned nothing" in content for content in last_results(seen))
        assert_tripped(result, "silent_failure")

    def test_the_limits_are_the_configurations(self):
        config = TurnConfig(tools=NAMES, idle_rounds=1)
        result, seen = turn_with([CALL("ping"), CALL("ping"), SAY("forced")], config=config)
        assert len(seen.requests) == 3
        assert_tripped(result, "no_progress")
        config = TurnConfig(tools=NAMES, error_rounds=2)
        turns = [CALL("boom", word="a"), CALL("boom", word="b"), SAY("forced")]
        result, _ = turn_with(turns, config=config)
        assert_tripped(result, "same_error")

    @pytest.mark.parametrize(
        ("fault", "names"),
        [
            ("oscillates", {"oscillation", "repeated_call", "same_error"}),
            ("repeats", {"repeated_call"}),
            ("hops", {"tool_hopping", "no_progress", "same_error"}),
            ("empty=always", {"empty_reply"}),
        ],
    )
    def test_misbehaving_models_by_name(self, fault, names):
        turns = lambda request: (  # noqa: E731
            standin.fault(fault, over=CALL("add", a=1)) if "tools" in request else SAY("forced")
        )
        config = TurnConfig(tools=tuple(name for name in NAMES if name != "hang"))
        result, _ = turn_with(turns, max_iterations=30, config=config)
        assert result.trip in names
        assert_tripped(result, result.trip)


class Answer(BaseModel):
    """What a structured answer must be."""

    count: int
    unit: str


class TestPrematureStop:
    NEEDS_ADD = TurnConfig(tools=NAMES, require_tools=("add",))

    def test_an_answer_before_the_required_tool_is_sent_back_once(self):
        turns = [SAY("42"), CALL("add", a=1), SAY("It is 1.")]
        result, seen = turn_with(turns, config=self.NEEDS_ADD)
        assert (result.status, result.answer) == ("completed", "It is 1.")
        told = seen.requests[1]["messages"]
        assert told[-2] == {"role": "assistant", "content": "42"} and "add" in told[-1]["content"]

    def test_twice_is_a_trip_with_the_answer_that_there_is(self):
        result, _ = turn_with([SAY("42"), SAY("42, I said")], config=self.NEEDS_ADD)
        assert_tripped(result, "premature_stop", "42, I said")

    def test_a_call_that_failed_does_not_count(self):
        turns = [CALL("add", a="x"), SAY("42"), SAY("42")]
        result, _ = turn_with(turns, config=self.NEEDS_ADD)
        assert result.trip == "premature_stop"

    STRUCTURED = TurnConfig(tools=NAMES, answer_model=Answer)

    def test_an_answer_that_fits_its_schema_is_completed(self):
        text = '{"count": 3, "unit": "TEU"}'
        result, seen = turn_with([SAY(text)], config=self.STRUCTURED)
        assert (result.status, result.answer, len(seen.requests)) == ("completed", text, 1)

    @pytest.mark.parametrize(
        "text", ["It is 3.", '{"count": "many", "unit": "TEU"}', '{"count": 3}', "[]", "null"]
    )
    def test_one_that_does_not_is_sent_back_with_the_fault(self, text):
        good = '{"count": 3, "unit": "TEU"}'
        result, seen = turn_with([SAY(text), SAY(good)], config=self.STRUCTURED)
        assert (result.status, result.answer) == ("completed", good)
        assert "schema" in seen.requests[1]["messages"][-1]["content"]
        result, _ = turn_with([SAY(text), SAY(text)], config=self.STRUCTURED)
        assert_tripped(result, "premature_stop", text)

    def test_the_model_is_told_the_schema(self):
        _, seen = turn_with([SAY("x"), SAY("y")], config=self.STRUCTURED)
        assert '"count"' in seen.requests[1]["messages"][-1]["content"]


class TestTrace:
    @pytest.mark.parametrize(
        ("turns", "options", "phase", "level"),
        [
            ([SAY("x")], {}, "COMPLETED", "info"),
            ([SAY("x")], {"max_iterations": 0}, "CAP_REACHED", "warning"),
            ([SAY("x")], {"budget_seconds": 0.0}, "CAP_REACHED", "warning"),
            ([CALL("ping")] * 3 + [SAY("x")], {}, "SAFETY_TRIP", "warning"),
            ([standin.http(401)], {}, "COMPLETED", "error"),
            ([SAY(None, refusal="no")], {}, "COMPLETED", "info"),
        ],
    )
    def test_the_end_of_a_turn_and_how_it_came(self, turns, options, phase, level):
        result, _ = turn_with(turns, **options)
        last = traced(result)[-1]
        assert (last["phase"], last["level"]) == (phase, level)
        assert last["status"] == last["model_decision"] == result.status

    def test_the_raw_finish_reason_is_kept(self):
        result, _ = turn_with([body({"content": "x"}, finish="eos_token")])
        assert "eos_token" in [event.get("finish_reason") for event in traced(result)]
