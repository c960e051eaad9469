"""The same call again: the stored result and a word about it, then the forced answer."""

import json
import time

import pytest

from harness import (
    register,
    standin,
)
from harness.run import weighing
from tests.loop_tools import (
    assert_tripped,
    body,
    last_results,
    raw_call,
    results,
    turn_with,
)

SAY, CALL = standin.say, standin.call
AGAIN = "You already made this call"

pytestmark = pytest.mark.usefixtures("ran")


class TestRepeats:
    def test_the_second_time_brings_the_stored_result_and_a_word(self, ran):
        result, seen = turn_with([CALL("add", a=1), CALL("add", a=1), SAY("1")])
        assert len(ran) == 1
        (_, first), (_, second) = results(seen)
        assert AGAIN not in first and AGAIN in second
        assert json.loads(second)["sum"] == json.loads(first)["sum"] == 1
        assert [step["status"] for step in result.steps] == ["ok", "repeated"]
        assert result.status == "completed"

    def test_the_third_time_in_a_row_forces_the_answer(self, ran):
        result, seen = turn_with([CALL("add", a=1)] * 3 + [SAY("forced")])
        assert len(ran) == 1 and len(seen.requests) == 4
        assert "tools" not in seen.requests[-1]
        assert_tripped(result, "repeated_call")

    @pytest.mark.parametrize(
        "again",
        [
            '{"b": 2, "a": 1}',
            '{"a":1,"b":2}',
            ' {"a": 1,\n "b": 2}\n',
            '{"\\u0061": 1, "b": 2}',
            '{"a": 9, "a": 1, "b": 2}',
            {"b": 2, "a": 1},
            json.dumps('{"a": 1, "b": 2}'),
        ],
    )
    def test_equal_arguments_written_otherwise_are_the_same_call(self, again, ran):
        first = standin.call_raw("add", '{"a": 1, "b": 2}', id="c1")
        second = body({"content": None, "tool_calls": [raw_call("add", again, "c2")]})
        _, seen = turn_with([first, second, SAY("3")])
        assert len(ran) == 1 and AGAIN in last_results(seen)[1]

    @pytest.mark.parametrize(
        "other", [CALL("add", a=1, b=3), CALL("add", a=2), CALL("boom", word="1"), CALL("ping")]
    )
    def test_other_calls_are_not_the_same(self, other, ran):
        turn_with([CALL("add", a=1), other, SAY("x")])
        assert len(ran) == 2

    @pytest.mark.parametrize(("between", "runs"), [(0, 1), (1, 1), (2, 1), (3, 2)])
    def test_within_the_last_three_only(self, between, runs, ran):
        others = [CALL("add", a=100 + i) for i in range(between)]
        turn_with([CALL("add", a=1), *others, CALL("add", a=1), SAY("x")])
        assert ran.count(("add", {"a": 1, "b": 0})) == runs

    def test_three_that_are_not_in_a_row_do_not_trip(self, ran):
        turns = [CALL("add", a=1), CALL("add", a=1), CALL("add", a=2), CALL("add", a=1), SAY("x")]
        result, _ = turn_with(turns)
        assert result.status == "completed" and len(ran) == 2

    def test_duplicates_in_one_message_run_once_and_are_each_answered(self, ran):
        turns = [standin.calls([("add", {"a": 1}), ("add", {"a": 1}), ("add", {"a": 2})]), SAY("x")]
        result, seen = turn_with(turns)
        assert [arguments["a"] for _, arguments in ran] == [1, 2]
        contents = last_results(seen)
        assert len(contents) == 3 and AGAIN in contents[1] and '"sum": 2' in contents[2]
        assert result.status == "completed"

    def test_three_in_one_message_run_once_and_count_once(self, ran):
        result, seen = turn_with([standin.calls([("ping", {})] * 3), SAY("done")])
        assert len(ran) == 1 and len(last_results(seen)) == 3
        assert (result.status, result.answer) == ("completed", "done")

    def test_a_read_that_failed_is_tried_again_until_the_third_time_trips(self, ran):
        result, seen = turn_with([CALL("boom")] * 3 + [SAY("forced")])
        assert len(ran) == 3 and len(set(last_results(seen))) == 1
        assert_tripped(result, "repeated_call")

    def test_the_error_of_what_may_have_written_is_repeated(self, ran):
        @register(replace=True, tier="write")
        def boom(word: str = "x") -> dict[str, str]:
            """Fail, perhaps half-way."""
            ran.append(("boom", {"word": word}))
            raise KeyError(word)

        result, seen = turn_with([CALL("boom")] * 3 + [SAY("forced")])
        assert len(ran) == 1
        first, second, third = last_results(seen)
        assert first.startswith("ERROR: ") and second.startswith(first[:40]) and AGAIN in second
        assert second == third  # the word does not pile up
        assert_tripped(result, "repeated_call")

    @pytest.mark.parametrize(
        ("said", "runs"),
        [({}, 2), ({"tier": "read"}, 2), ({"tier": "write"}, 1), ({"idempotent": True}, 2)],
    )
    def test_what_failed_is_tried_again_unless_it_is_to_happen_once(self, said, runs, ran):
        @register(replace=True, **said)
        def boom(word: str = "x") -> dict[str, int]:
            """Fail the first time."""
            ran.append(("boom", {"word": word}))
            return {"inverse": 1 // (len(ran) - 1)}

        _, seen = turn_with([CALL("boom"), CALL("boom"), SAY("x")])
        assert len(ran) == runs
        assert last_results(seen)[1].startswith("ERROR") == (runs == 1)

    @pytest.mark.parametrize(
        ("said", "runs"),
        [({}, 1), ({"tier": "read"}, 2), ({"tier": "write"}, 1), ({"idempotent": True}, 2)],
    )
    def test_what_may_still_be_at_work_is_not_begun_again(self, said, runs, ran):
        @register(replace=True, timeout=0.02, **said)
        def hang() -> str:
            """Take too long."""
            ran.append(("hang", {}))
            time.sleep(0.1)
            return "late"

        _, seen = turn_with([CALL("hang"), CALL("hang"), SAY("x")])
        assert len(ran) == runs
        assert all("took longer" in content for content in last_results(seen))

    @pytest.mark.parametrize(
        ("said", "runs"), [({}, 4), ({"tier": "read"}, 1), ({"tier": "write"}, 1)]
    )
    def test_without_a_tier_the_next_round_runs_it_again(self, said, runs, ran):
        @register(replace=True, **said)
        def ping() -> dict[str, int]:
            """Give the next number."""
            ran.append(("ping", {}))
            return {"number": len(ran)}

        twice = standin.calls([("ping", {})] * 2)
        result, seen = turn_with([twice, CALL("ping"), twice, CALL("ping"), SAY("x")])
        assert len(ran) == runs
        if runs == 4:
            numbers = [json.loads(content)["number"] for content in last_results(seen)]
            assert numbers == [1, 1, 2, 3, 3, 4] and result.status == "completed"

    def test_bad_arguments_again_and_again_trip_by_some_name(self, ran):
        result, _ = turn_with([standin.call_raw("add", '{"a": ')] * 3 + [SAY("forced")])
        assert ran == [] and result.status == "safety_trip" and result.answer == "forced"

    def test_an_unknown_tool_again_and_again_trips(self):
        result, seen = turn_with([CALL("nope")] * 3 + [SAY("forced")])
        assert len(seen.requests) == 4
        assert result.status == "safety_trip" and result.answer == "forced"

    def test_back_and_forth_between_two_calls_trips(self, ran):
        def reply(request):
            number = len(request["messages"])
            return CALL("add", a=number % 4) if "tools" in request else SAY("forced")

        result, _ = turn_with(reply, max_iterations=20)
        assert len(ran) == 2
        assert_tripped(result, "oscillation")

    def test_a_tool_can_opt_out(self, ran):
        count = []

        @register(name="omega", when="polling.", repeatable=True, replace=True)
        def poll() -> dict[str, int]:
            """Say how often it was asked."""
            count.append(1)
            return {"polls": len(count)}

        result, seen = turn_with([CALL("omega")] * 4 + [SAY("done")])
        assert len(count) == 4 and result.status == "completed"
        assert AGAIN not in "".join(last_results(seen))

    def test_the_next_turn_begins_afresh(self, ran):
        turn_with([CALL("add", a=1), SAY("1")], thread_id="same")
        turn_with([CALL("add", a=1), SAY("1")], thread_id="same")
        assert len(ran) == 2

    def test_heavy_instructions_come_once_and_the_contract_each_time(self):
        @register(
            name="omega",
            when="always.",
            returns="'n' is n.",
            instructions="Think twice.",
            replace=True,
        )
        def heavy(n: int) -> dict[str, int]:
            """Give n back."""
            return {"n": n}

        turns = [CALL("omega", n=1), CALL("omega", n=1), CALL("omega", n=2), SAY("x")]
        _, seen = turn_with(turns)
        assert ["Think twice" in content for content in last_results(seen)] == [True, False, False]
        assert all("'n' is n." in content for content in last_results(seen))


def test_what_an_error_echoes_is_not_looked_for_where_it_can_t_be(monkeypatch):
    looked_for = []
    escape = weighing.re.escape
    monkeypatch.setattr(weighing.re, "escape", lambda text: looked_for.append(text) or escape(text))
    result, _ = turn_with([CALL("add", a="x" * 100_000), CALL("add", a="one"), SAY("done")])
    assert result.status == "completed"
    assert "one" in looked_for and max(map(len, looked_for)) < 5_000
