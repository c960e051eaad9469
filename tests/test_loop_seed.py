"""A loop that knows nothing of guards gets them all the same; each call gets one result."""

import time
import uuid
from typing import Annotated

import pytest

from harness import TOOLS, TurnConfig, WorkshopError, register, session, standin
from harness.config import configured
from harness.memory import journal
from harness.settings import settings
from harness.traces.trace_reader import read
from tests.loop_tools import (
    CONFIG,
    NAMES,
    QUESTION,
    body,
    last_results,
    raw_call,
    results,
    turn_with,
)
from tests.seed_loop import seed_turn

SAY, CALL = standin.say, standin.call
AGAIN = "You already made this call"

pytestmark = pytest.mark.usefixtures("ran")


class TestDispatch:
    def test_one_result_a_call_in_declared_order_and_siblings_survive(self, ran):
        several = [
            raw_call("add", '{"a": 1}', "c1"),
            raw_call("nope", "{}", "c2"),
            raw_call("add", '{"a": ', "c3"),
            raw_call("boom", "{}", "c4"),
            raw_call("add", '{"a": "x"}', "c5"),
            raw_call("nothing", "{}", "c6"),
            raw_call("ping", "{}", "c7"),
        ]
        turns = [body({"content": None, "tool_calls": several}), SAY("ok")]
        config = TurnConfig(tools=NAMES)
        result, seen = turn_with(turns, config=config)
        assert [each for each, _ in results(seen)] == [f"c{i}" for i in range(1, 8)]
        errors = [content.startswith("ERROR: ") for content in last_results(seen)]
        assert errors == [False, True, True, True, True, True, False]
        kinds = ["ok", "unknown_tool", "bad_arguments", "failed", "bad_arguments", "empty", "ok"]
        assert [step["status"] for step in result.steps] == kinds
        assert [name for name, _ in ran] == ["add", "boom", "nothing", "ping"]

    def test_bad_arguments_taken_for_none_run_no_tool(self, ran):
        """The published loop makes them {}, and `ping` would take that."""
        broken = standin.call_raw("ping", '{"a": ')
        with configured(CONFIG), standin.script([broken, SAY("ok")]) as seen:
            assert seed_turn(QUESTION, uuid.uuid4().hex) == "ok"
        assert ran == [] and "was not run" in seen.requests[-1]["messages"][-1]["content"]

    def test_a_key_error_inside_a_tool_is_not_an_unknown_tool(self):
        _, seen = turn_with([CALL("boom", word="port"), SAY("ok")])
        (content,) = last_results(seen)
        assert "boom failed: KeyError: 'port'" in content and "no tool" not in content

    def test_a_registered_tool_that_was_not_retrieved_runs(self, ran):
        result, seen = turn_with([CALL("add", a=1), SAY("ok")], config=TurnConfig(k_tools=0))
        assert "add" not in [tool["function"]["name"] for tool in seen.requests[0]["tools"]]
        assert ran == [("add", {"a": 1, "b": 0})] and result.status == "completed"

    def test_a_tool_that_the_configuration_leaves_out_does_not(self, ran):
        _, seen = turn_with([CALL("add", a=1), SAY("ok")], config=TurnConfig(tools=("ping",)))
        assert ran == [] and "not among the tools" in last_results(seen)[0]

    def test_plain_functions_in_tools_are_guarded_and_recorded(self):
        def plain(n: int) -> int:
            raise LookupError(f"nothing at {n}")

        TOOLS["omega"] = (plain, {"type": "function", "function": {"name": "omega"}})
        result, seen = turn_with([CALL("omega", n=3), SAY("ok")])
        assert "LookupError: nothing at 3" in last_results(seen)[0]
        assert result.steps[0]["status"] == "failed"


class TestSeedLoop:
    """A loop that knows nothing of guards gets them from TOOLS and chat."""

    def run(self, turns, thread="seed", **options):
        with configured(CONFIG), standin.script(turns) as seen:
            answer = seed_turn(QUESTION, thread, **options)
        assert not seen.refused
        return answer, seen

    def test_it_runs_unchanged(self, ran):
        answer, seen = self.run([CALL("list_skills", query="mean"), SAY("It is 3.")])
        assert answer == "It is 3." and len(seen.requests) == 2

    def test_validation(self, ran):
        answer, seen = self.run([CALL("add", a="one"), CALL("add", a=1, z=2), SAY("x")])
        assert ran == [] and answer == "x"
        first, second = last_results(seen)
        assert "'a'" in first and "'z'" in second

    def test_the_repeat_guard(self, ran):
        _, seen = self.run([CALL("add", a=1)] * 3 + [SAY("x")])
        assert len(ran) == 1
        assert [AGAIN in content for content in last_results(seen)] == [False, True, True]

    def test_duplicate_ids_and_odd_arguments(self, ran):
        pair = [raw_call("add", {"a": 1}, "same"), raw_call("add", {"a": 2}, "same")]
        _, seen = self.run([body({"content": None, "tool_calls": pair}), SAY("x")])
        assert [arguments["a"] for _, arguments in ran] == [1, 2]
        assert len({each for each, _ in results(seen)}) == 2

    def test_limits(self):
        @register(name="omega", when="never.", timeout=0.5, replace=True)
        def sleep() -> None:
            """Sleep for an hour."""
            time.sleep(3600)

        started = time.monotonic()
        answer, seen = self.run([CALL("omega"), SAY("x")])
        assert time.monotonic() - started < 3
        assert answer == "x" and "0.5 s" in last_results(seen)[0]

    def test_the_sessions_deadline_ends_a_request(self):
        drip = standin.dripping(b"x" * 3600)
        started = time.monotonic()
        with session(deadline=0.5), pytest.raises(WorkshopError, match="did not answer"):
            self.run([drip])
        assert time.monotonic() - started < 3

    def test_authority(self, ran):
        @register(name="omega", when="writing.", tier="write", replace=True)
        def write(n: Annotated[int, "n"] = 0) -> str:
            """Write."""
            ran.append(("omega", {}))
            return "written"

        with session(read_only=True):
            _, seen = self.run([CALL("omega"), SAY("x")])
        assert ran == [] and "may only read" in last_results(seen)[0]

    def test_records_of_every_call_also_of_those_that_it_answers_itself(self):
        calls = [("add", {"a": 1}), ("nope", {}), ("boom", {})]
        thread = uuid.uuid4().hex
        self.run([standin.calls(calls), SAY("x")], thread)
        assert journal.unfinished_calls(thread) == []
        outputs = journal.outputs_of_turn(thread, self.events(thread)[0]["trace_id"])
        assert [(output.name, output.status) for output in outputs] == [
            ("add", "ok"),
            ("nope", "error"),
            ("boom", "error"),
        ]

    def test_a_trace_with_the_states_of_a_turn(self):
        thread = uuid.uuid4().hex
        self.run([CALL("add", a=1), SAY("x")], thread)
        phases = [event["phase"] for event in self.events(thread)]
        assert (
            phases
            == ["PLANNING"] * 3 + "TOOL_SELECTION EXECUTION OBSERVING PLANNING COMPLETED".split()
        )

    def events(self, thread):
        (path, *_) = sorted((settings().home / "traces").glob("*.jsonl"))[-1:]
        return [event for event in read(path) if event["thread_id"] == thread]
