"""The clock: no tool, no server and no jump holds a turn beyond its budget."""

import json
import time

import pytest

from harness import TurnConfig, chat, clock, retrieve_tools, run_turn, session, standin
from harness.config import configured
from harness.model.response_parsing import ProviderError
from tests.loop_tools import (
    CONFIG,
    NAMES,
    QUESTION,
    adding,
    body,
    kinds,
    last_results,
    turn_with,
)

SAY, CALL = standin.say, standin.call
SOON = {"retry-after-ms": "1"}
DRIP = standin.dripping(json.dumps(body({"content": "too late"})).encode())
BUDGET = 2.0  # seconds; what is asserted is an upper bound two seconds later

pytestmark = pytest.mark.usefixtures("warm_turn", "ran")


class TestClock:
    def timed(self, turns, **options):
        started = time.monotonic()
        result, seen = turn_with(turns, **{"budget_seconds": BUDGET, **options})
        return result, seen, time.monotonic() - started

    def test_a_tool_that_sleeps_for_an_hour(self):
        result, seen, took = self.timed([CALL("hang"), SAY("forced")])
        assert took < BUDGET + 2
        assert (result.status, result.answer) == ("deadline", "forced")
        assert result.steps[0]["status"] == "timeout"
        assert "hang" in last_results(seen)[0] and last_results(seen)[0].startswith("ERROR: ")

    def test_a_row_of_sleeping_tools_shares_the_budget(self):
        turns = [standin.calls([("hang", {})] * 2 + [("ping", {})]), SAY("forced")]
        result, seen, took = self.timed(turns)
        assert took < BUDGET + 2 and result.answer == "forced"
        assert len(last_results(seen)) == 3

    @pytest.mark.parametrize("stream", [True, False])
    def test_a_server_that_drips_a_byte_a_second(self, stream):
        result, _, took = self.timed([DRIP, SAY("forced")], stream=stream)
        assert took < BUDGET + 2
        assert (result.status, result.answer) == ("deadline", "forced")

    def test_a_server_that_drips_to_the_end(self):
        result, _, took = self.timed([CALL("add", a=41, b=1), DRIP, DRIP])
        assert took < BUDGET + 2
        assert result.status == "deadline" and '"sum": 42' in result.answer

    def test_a_server_that_says_nothing(self):
        result, _, took = self.timed([standin.slowly(3600, SAY("x")), SAY("forced")])
        assert took < BUDGET + 2 and (result.status, result.answer) == ("deadline", "forced")

    def test_a_stream_that_stalls_is_told_no_more_after_the_end(self):
        events = []
        first = standin.event({"choices": [{"index": 0, "delta": {"content": "half"}}]})
        slow = standin.raw([first, BUDGET + 1, first])
        result, _, took = self.timed([slow, SAY("forced")], stream=True, on_event=events.append)
        assert took < BUDGET + 2 and result.answer == "forced"
        time.sleep(1.2)
        assert [event["text"] for event in events if "text" in event] == ["half", "forced"]

    def test_a_wait_that_the_turn_cannot_afford_is_not_begun(self):
        later = standin.http(429, headers={"retry-after": "30"})
        result, seen, took = self.timed([later, SAY("x")], budget_seconds=20.0)
        assert took < 5
        assert len(seen.requests) == 1 and result.status == "provider_error"
        assert "limiting" in result.answer

    @pytest.mark.parametrize("value", ["3600", "soon", "", "-1", "nan", "99999999999"])
    def test_an_odd_retry_after_neither_hangs_nor_breaks(self, value):
        later = standin.http(503, headers={"retry-after": value})
        result, _, took = self.timed([later, SAY("It is 3."), SAY("x")])
        assert took < BUDGET + 2 and result.answer

    def test_no_time_at_all_asks_for_the_answer_only(self):
        result, seen, _ = self.timed([SAY("forced")], budget_seconds=0.0)
        assert (result.status, result.answer, kinds(seen)) == ("deadline", "forced", ["forced"])

    def test_a_nearer_deadline_of_the_session_holds_and_leaves_time_for_the_answer(self):
        with session(deadline=BUDGET):
            result, _, took = self.timed([CALL("hang"), SAY("forced")], budget_seconds=360.0)
        assert took < BUDGET + 2
        assert (result.status, result.answer) == ("deadline", "forced")

    def test_a_deadline_that_has_passed_is_an_answer_at_once(self):
        with session(deadline=-1.0):
            result, seen, took = self.timed([SAY("x")], budget_seconds=360.0)
        assert took < 2 and result.status == "deadline" and result.answer
        assert seen.requests == []

    def test_the_deadline_is_the_turns_not_the_processes(self):
        self.timed([SAY("x")], budget_seconds=0.0)
        result, _, _ = self.timed([CALL("ping"), SAY("ok")])
        assert result.status == "completed"

    def test_chat_outside_of_a_turn_keeps_to_the_session(self):
        started = time.monotonic()
        with standin.script([DRIP]), session(deadline=0.5), pytest.raises(ProviderError):
            chat([{"role": "user", "content": "x"}])
        assert time.monotonic() - started < 2.5


class TestJumpingClock:
    @pytest.fixture
    def jump(self, monkeypatch):
        shift = [0.0]
        real = clock.now
        monkeypatch.setattr(clock, "now", lambda: real() + shift[0])
        return lambda seconds: shift.__setitem__(0, shift[0] + seconds)

    def test_forwards_over_the_end_is_a_deadline_with_an_answer(self, jump):
        def reply(request):
            jump(3600)
            return CALL("add", a=41, b=1)

        result, seen = turn_with(reply, budget_seconds=60.0)
        assert result.status == "deadline" and result.answer
        assert len(seen.requests) == 1 and len(result.steps) == 1

    def test_into_the_time_kept_back_forces_an_answer(self, jump):
        def reply(request):
            jump(52)
            return CALL("add", a=1) if "tools" in request else SAY("forced")

        result, seen = turn_with(reply, budget_seconds=60.0)
        assert (result.status, result.answer) == ("deadline", "forced")
        assert kinds(seen) == ["tools", "forced"]

    def test_backwards_costs_nothing(self, jump):
        def reply(request):
            jump(-3600)
            number = len(request["messages"])
            return CALL("add", a=number) if number < 8 else SAY("done")

        result, _ = turn_with(reply, budget_seconds=60.0)
        assert (result.status, result.answer) == ("completed", "done")

    def test_a_clock_at_zero_is_a_clock(self, monkeypatch):
        monkeypatch.setattr(clock, "now", lambda: 0.0)
        with session(deadline=0.0):
            result, seen = turn_with([SAY("x")])
        assert result.status == "deadline" and seen.requests == []


class TestNestedTurns:
    def nested(self, **options):
        from harness import register

        inner = {}

        @register(when="delegating.", replace=True, timeout=3600.0)
        def delegate() -> dict[str, str]:
            """Ask a turn of its own."""
            inner["result"] = run_turn(QUESTION, "child", **options)
            return {"answer": inner["result"].answer}

        retrieve_tools(QUESTION)  # loads the model for the new tool's text, outside of any turn
        return inner

    def test_a_child_draws_on_its_parents_time(self):
        inner = self.nested(budget_seconds=3600.0)
        turns = [CALL("delegate"), DRIP, DRIP, SAY("the end")]
        started = time.monotonic()
        result, _ = turn_with(turns, budget_seconds=BUDGET, config=TurnConfig())
        assert time.monotonic() - started < BUDGET + 2
        assert (result.status, result.answer) == ("deadline", "the end")
        assert inner == {} or inner["result"].status == "deadline"

    def test_a_child_has_limits_and_a_record_of_its_own(self):
        inner = self.nested(max_iterations=1)
        turns = [CALL("delegate"), CALL("list_skills"), SAY("child"), SAY("parent")]
        config = TurnConfig(max_iterations=5, require_tools=("delegate",))
        result, _ = turn_with(turns, config=config)
        assert (result.status, result.answer) == ("completed", "parent")
        assert [step["tool"] for step in result.steps] == ["delegate"]
        assert (inner["result"].status, inner["result"].answer) == ("iteration_cap", "child")
        assert [step["tool"] for step in inner["result"].steps] == ["list_skills"]

    def test_what_configured_says_holds_for_every_turn_in_it(self):
        with configured(max_iterations=1, tools=NAMES), standin.script(adding()) as seen:
            result = run_turn(QUESTION)
        assert result.status == "iteration_cap" and kinds(seen) == ["tools", "forced"]
        assert CONFIG.max_iterations is None
