"""Repeats, hopping, errors, silence, stopping early: each ends by name, and in an answer."""

import json
import time
import uuid
from typing import Annotated

import pytest
from pydantic import BaseModel

from harness import (
    SYSTEM_PROMPT,
    TOOLS,
    TurnConfig,
    WorkshopError,
    build_context,
    chat,
    log_message,
    register,
    retrieve_tools,
    session,
    standin,
    trace,
)
from harness.config import configured
from harness.memory import journal
from harness.settings import settings
from tests.loop_tools import (
    CONFIG,
    NAMES,
    QUESTION,
    body,
    last_results,
    probe_tools,
    raw_call,
    turn_with,
)

SAY, CALL = standin.say, standin.call
AGAIN = "You already made this call"


@pytest.fixture(autouse=True)
def ran():
    with probe_tools() as calls:
        yield calls


def results(seen):
    """Every tool result of the last request, as (id, content)."""
    messages = seen.requests[-1]["messages"]
    return [(m["tool_call_id"], m["content"]) for m in messages if m["role"] == "tool"]


def traced(result):
    """The events of the turn in today's trace file."""
    (path, *_) = sorted((settings().home / "traces").glob("*.jsonl"))[-1:]
    return [event for event in trace.read(path) if event["trace_id"] == result.trace_id]


def assert_tripped(result, name, answer="forced"):
    assert (result.status, result.trip, result.answer) == ("safety_trip", name, answer)
    last = traced(result)[-1]
    assert (last["phase"], last["status"], last["trip"]) == ("CAP_REACHED", "safety_trip", name)
    assert last["level"] == "warning"


def seed_turn(user_query, thread_id="default", max_iterations=8, budget_seconds=360.0):
    """The loop of the workshop's part 7 as it was published, its prints left out."""
    started = time.time()
    log_message(thread_id, "user", user_query)
    context = build_context(thread_id, user_query)
    messages = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": context},
    ]
    tool_schemas = retrieve_tools(user_query, k=6)
    final = ""
    for _step in range(max_iterations):
        if time.time() - started > budget_seconds:
            break
        resp = chat(messages, tools=tool_schemas)
        msg = resp.choices[0].message
        if not msg.tool_calls:
            final = msg.content or ""
            break
        messages.append(
            {
                "role": "assistant",
                "content": msg.content or "",
                "tool_calls": [
                    {
                        "id": tc.id,
                        "type": "function",
                        "function": {"name": tc.function.name, "arguments": tc.function.arguments},
                    }
                    for tc in msg.tool_calls
                ],
            }
        )
        for tc in msg.tool_calls:
            name = tc.function.name
            try:
                args = json.loads(tc.function.arguments or "{}")
            except json.JSONDecodeError:
                args = {}
            if name not in TOOLS:
                output = json.dumps({"error": f"unknown tool: {name}"})
            else:
                fn, _ = TOOLS[name]
                try:
                    output = fn(**args)
                except Exception as e:
                    output = json.dumps({"error": f"{type(e).__name__}: {e}"})
            messages.append({"role": "tool", "tool_call_id": tc.id, "content": output})
    if not final:
        messages.append({"role": "user", "content": "Budget exhausted. Provide your best answer."})
        resp = chat(messages, tools=None)
        final = resp.choices[0].message.content or "(no answer produced)"
    log_message(thread_id, "assistant", final)
    return final


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

    def test_three_in_one_message_are_three_in_a_row(self, ran):
        result, seen = turn_with([standin.calls([("ping", {})] * 3), SAY("forced")])
        assert len(ran) == 1 and len(last_results(seen)) == 3
        assert_tripped(result, "repeated_call")

    def test_an_error_is_repeated_too(self, ran):
        result, seen = turn_with([CALL("boom")] * 3 + [SAY("forced")])
        assert len(ran) == 1
        first, second, third = last_results(seen)
        assert first.startswith("ERROR: ") and second.startswith(first[:40]) and AGAIN in second
        assert second == third  # the word does not pile up
        assert_tripped(result, "repeated_call")

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
        assert_tripped(result, "no_progress")

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
        turns = [CALL("add", a=str(i)) for i in range(3)]
        result, seen = turn_with([*turns, SAY("forced")])
        assert len(seen.requests) == 4
        assert_tripped(result, "no_progress")

    def test_results_that_are_known_already_are_no_progress(self, ran):
        turns = [CALL("add", a=1 + i, b=1 - i) for i in range(4)]
        result, _ = turn_with([*turns, SAY("forced")])
        assert len(ran) == 4  # not equal calls, but the same result each time
        assert_tripped(result, "no_progress")

    def test_most_calls_fail(self):
        good, bad = ("add", {"a": 1}), ("boom", {"word": "x"})
        turns = [
            standin.calls([good, bad]),
            standin.calls([("add", {"a": 2}), ("boom", {"word": "y"}), ("boom", {"word": "z"})]),
        ]
        result, seen = turn_with([*turns, SAY("forced")])
        assert len(seen.requests) == 3
        assert_tripped(result, "error_rate")

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

        turns = [CALL("nothing", n=1), CALL("omega", n=2), SAY("forced")]
        result, seen = turn_with(turns)
        assert all("returned nothing" in content for content in last_results(seen))
        assert_tripped(result, "silent_failure")

    def test_the_limits_are_the_configurations(self):
        config = TurnConfig(tools=NAMES, idle_rounds=1)
        result, seen = turn_with([CALL("boom"), SAY("forced")], config=config)
        assert len(seen.requests) == 2
        assert_tripped(result, "no_progress")
        config = TurnConfig(tools=NAMES, error_rate=0.5, error_calls=2)
        turns = [standin.calls([("ping", {}), ("boom", {})]), SAY("forced")]
        result, _ = turn_with(turns, config=config)
        assert_tripped(result, "error_rate")

    @pytest.mark.parametrize(
        ("fault", "names"),
        [
            ("oscillates", {"no_progress", "repeated_call", "error_rate"}),
            ("repeats", {"repeated_call"}),
            ("hops", {"tool_hopping", "no_progress", "error_rate"}),
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
        config = TurnConfig(tools=NAMES, error_rate=1.0)
        result, seen = turn_with(turns, config=config)
        assert [each for each, _ in results(seen)] == [f"c{i}" for i in range(1, 8)]
        errors = [content.startswith("ERROR: ") for content in last_results(seen)]
        assert errors == [False, True, True, True, True, True, False]
        kinds = ["ok", "unknown_tool", "bad_arguments", "failed", "bad_arguments", "empty", "ok"]
        assert [step["status"] for step in result.steps] == kinds
        assert [name for name, _ in ran] == ["add", "boom", "nothing", "ping"]

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
        assert phases == ["TOOL_CALLING", "OBSERVING", "PLANNING", "COMPLETED"]

    def events(self, thread):
        (path, *_) = sorted((settings().home / "traces").glob("*.jsonl"))[-1:]
        return [event for event in trace.read(path) if event["thread_id"] == thread]


class TestTrace:
    @pytest.mark.parametrize(
        ("turns", "options", "phase", "level"),
        [
            ([SAY("x")], {}, "COMPLETED", "info"),
            ([SAY("x")], {"max_iterations": 0}, "CAP_REACHED", "warning"),
            ([SAY("x")], {"budget_seconds": 0.0}, "CAP_REACHED", "warning"),
            ([CALL("ping")] * 3 + [SAY("x")], {}, "CAP_REACHED", "warning"),
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
        assert traced(result)[0]["finish_reason"] == "eos_token"
