"""The window: histories stay legal, the system message, the task and pairs are never lost."""

import copy
import json
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import TurnConfig, WorkshopError, chat, register, run_turn, standin
from harness.config import configured
from harness.standin.protocol import check_request
from harness.tokens import count_message
from harness.turn import INTERRUPTED, Seen, Turn
from harness.window import SUMMARY_MARK, compact, fit, repair_history, summarise_by_rule
from tests.loop_tools import QUESTION, last_results, probe_tools, turn_with

FAST = settings(deadline=None, max_examples=100, derandomize=True)
SYSTEM = {"role": "system", "content": "You are the agent."}
TASK = {"role": "user", "content": "# Question\nHow many voyages?"}


def accepted(messages):
    """Raise what the strict stand-in would answer a request with these messages."""
    check_request({"model": "standin", "messages": messages}, 0)


def assistant(*ids, text=None, arguments="{}"):
    function = {"name": "run_sql", "arguments": arguments}
    calls = [{"id": each, "type": "function", "function": function} for each in ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def result(call_id, content="ok"):
    return {"role": "tool", "tool_call_id": call_id, "content": content}


texts = st.one_of(st.text(max_size=12), st.integers(1, 9000).map(lambda n: "row " * n))


@st.composite
def histories(draw, first=(SYSTEM, TASK)):
    """A legal conversation: rounds of calls with their results, words of both sides between."""
    messages = [dict(each) for each in first]
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["calls", "calls", "calls", "said", "asked"]))
        if kind == "calls":
            ids = [f"c{number}_{i}" for i in range(draw(st.integers(1, 4)))]
            messages.append(assistant(*ids, text=draw(st.none() | st.just("Let me see."))))
            messages += [result(each, draw(texts)) for each in draw(st.permutations(ids))]
        elif kind == "said":
            messages.append({"role": "assistant", "content": "So far: 3."})
        else:
            messages.append({"role": "user", "content": draw(st.just("And now?") | texts) or "x"})
    return messages


class TestRepair:
    @FAST
    @given(histories(), st.data())
    def test_any_prefix_of_a_legal_history_repaired_is_legal(self, messages, data):
        accepted(messages)
        prefix = messages[: data.draw(st.integers(1, len(messages)))]
        before = copy.deepcopy(prefix)
        repaired = repair_history(prefix)
        accepted(repaired)
        assert prefix == before, "it must not change what it is given"
        assert repair_history(repaired) is repaired, "repairing twice changes nothing"

    @FAST
    @given(histories(), st.data())
    def test_whatever_was_done_to_the_results_it_is_legal_again(self, messages, data):
        extra = [result("nobody"), result("c0_0", "again"), {"role": "tool", "content": "lost"}]
        results = [m for m in messages if m["role"] == "tool"] + extra
        others = [m for m in messages if m["role"] != "tool"]
        damaged = list(others)
        for each in data.draw(st.permutations(results)):
            if data.draw(st.booleans()):
                damaged.insert(data.draw(st.integers(0, len(damaged))), each)
        repaired = repair_history(damaged)
        accepted(repaired)
        assert [m for m in repaired if m["role"] != "tool"] == others
        assert repair_history(repaired) is repaired

    @FAST
    @given(histories())
    def test_a_legal_history_in_order_comes_back_itself(self, messages):
        ordered = repair_history(messages)
        assert repair_history(ordered) is ordered
        legal = len(ordered) // 2
        while legal < len(ordered) and ordered[legal]["role"] == "tool":
            legal += 1
        assert repair_history(ordered, legal) is ordered

    @pytest.mark.parametrize(
        ("tail", "expected"),
        [
            ([assistant("a")], [("a", INTERRUPTED)]),
            ([assistant("a", "b"), result("b", "B")], [("a", INTERRUPTED), ("b", "B")]),
            ([assistant("a", "b"), result("b", "B"), result("a", "A")], [("a", "A"), ("b", "B")]),
            ([assistant("a"), result("a", "1"), result("a", "2")], [("a", "1")]),
            ([assistant("a"), TASK, result("a", "late")], [("a", "late")]),
            ([result("a", "early"), assistant("a")], [("a", INTERRUPTED)]),
            ([result("x", "orphan")], []),
            (
                [assistant("a"), assistant("b"), result("a", "A"), result("b", "B")],
                [("a", "A"), ("b", "B")],
            ),
            (
                [assistant("a"), assistant("a"), result("a", "second")],
                [("a", INTERRUPTED), ("a", "second")],
            ),
        ],
    )
    def test_cases(self, tail, expected):
        repaired = repair_history([SYSTEM, TASK, *tail])
        accepted(repaired)
        tools = [m for m in repaired if m["role"] == "tool"]
        assert [(m["tool_call_id"], m["content"]) for m in tools] == expected

    def test_a_window_that_begins_with_an_orphan(self):
        accepted(repair_history([result("gone"), TASK]))


class TestCompact:
    @FAST
    @given(histories(), st.integers(60, 3000), st.integers(1, 10))
    def test_nothing_that_matters_is_lost(self, messages, limit, keep):
        messages = repair_history(messages)
        before = copy.deepcopy(messages)
        made = compact(messages, limit, 10_000, keep)
        assert messages == before
        assert made[:2] == [SYSTEM, TASK]
        accepted(made)
        again = compact(made, limit, 10_000, keep)
        accepted(again)
        assert again[:2] == [SYSTEM, TASK]
        assert sum(map(count_message, again)) <= max(limit, sum(map(count_message, made)))

    @FAST
    @given(histories(), st.integers(600, 4000))
    def test_it_fits_when_the_parts_allow(self, messages, limit):
        messages = repair_history(messages)
        made = compact(messages, limit, 10_000, 8)
        last = max((i for i, m in enumerate(messages) if m["role"] != "tool"), default=0)
        least = [*messages[:2], *messages[max(last, 2) :]]
        least = [{**m, "content": m["content"][:450]} if m["role"] == "tool" else m for m in least]
        if sum(map(count_message, least)) + 300 <= limit:
            assert sum(map(count_message, made)) <= limit
        short = sum(map(count_message, messages)) <= limit
        assert not short or fit(messages, Seen().update(messages)) is messages

    @pytest.mark.parametrize(
        "first", [(), (SYSTEM,), (TASK,), ({"role": "developer", "content": "x"}, TASK),
                  (SYSTEM, {"role": "assistant", "content": "Hello"}, TASK)]
    )  # fmt: skip
    def test_other_beginnings(self, first):
        rounds = [m for i in range(30) for m in (assistant(f"c{i}"), result(f"c{i}", "row " * 200))]
        made = compact([*first, *rounds], 1500, 10_000, 8)
        assert made[: len(first)] == list(first)
        accepted(made)
        assert sum(map(count_message, made)) <= 1500

    def test_the_tail_and_the_trace_of_the_middle_are_kept(self):
        rounds = [
            m
            for i in range(30)
            for m in (assistant(f"c{i}", arguments=f'{{"n": {i}}}'), result(f"c{i}", f"row {i}"))
        ]
        made = compact([SYSTEM, TASK, *rounds], 900, 10_000, 8)
        assert made[-8:] == rounds[-8:]
        assert made[2]["content"].startswith(SUMMARY_MARK)
        assert '- called run_sql({"n": 25})' in made[2]["content"]
        assert "- result: row 25" in made[2]["content"]

    def test_results_are_shortened_before_the_tail_is(self):
        rounds = [m for i in range(4) for m in (assistant(f"c{i}"), result(f"c{i}", "row " * 3000))]
        made = compact([SYSTEM, TASK, *rounds], 4000, 10_000, 8)
        assert [m["role"] for m in made] == [m["role"] for m in [SYSTEM, TASK, *rounds]]
        assert sum(map(count_message, made)) <= 4000
        shown = json.loads(made[3]["content"])
        assert shown["offloaded"] and shown["tool_call_id"] == "c0" and shown["omitted_chars"] > 0

    def test_what_the_user_said_last_is_kept_word_for_word(self):
        asked = {"role": "user", "content": "And only those of 2026, please."}
        rounds = [m for i in range(30) for m in (assistant(f"c{i}"), result(f"c{i}", "row " * 40))]
        once = compact([SYSTEM, TASK, asked, *rounds], 900, 10_000, 4)
        assert asked in once
        more = [m for i in range(9) for m in (assistant(f"d{i}"), result(f"d{i}", "row " * 40))]
        assert asked in compact([*once, *more], 900, 10_000, 4)

    def test_an_error_that_is_shortened_stays_an_error(self):
        rounds = [assistant("a"), result("a", "ERROR: " + "long " * 2000)]
        made = compact([SYSTEM, TASK, *rounds], 500, 10_000, 8)
        assert made[-1]["content"].startswith("ERROR: ") and len(made[-1]["content"]) < 4000

    def test_two_compactions_keep_the_summary_of_the_first(self):
        rounds = [m for i in range(12) for m in (assistant(f"c{i}"), result(f"c{i}", f"row {i}"))]
        once = compact([SYSTEM, TASK, *rounds], 450, 10_000, 4)
        later = [m for i in range(5) for m in (assistant(f"d{i}"), result(f"d{i}", "x"))]
        twice = compact([*once, *later], 700, 10_000, 4)
        assert twice[:2] == [SYSTEM, TASK]
        assert "- result: row 9" in once[2]["content"] and "- result: row 9" in twice[2]["content"]

    def test_a_window_smaller_than_the_prompt_is_said(self):
        long = {"role": "system", "content": "word " * 500}
        with pytest.raises(WorkshopError, match="window of 300 tokens"):
            compact([long, TASK, assistant("a"), result("a")], 180, 300, 8)
        with pytest.raises(WorkshopError, match="window of 300 tokens"):
            turn_with([standin.say("x")], config=TurnConfig(window_tokens=300))

    def test_a_turn_that_could_not_begin_is_over(self):
        from harness.session import current_turn

        with pytest.raises(WorkshopError):
            turn_with([standin.say("x")], config=TurnConfig(window_tokens=1))
        assert current_turn() is None


class TestSummaryByTheModel:
    def rounds(self, count):
        return [m for i in range(count) for m in (assistant(f"c{i}"), result(f"c{i}", "row " * 60))]

    def grown(self, summarise, rounds=40):
        """The compacted request after each round of a long turn."""
        turn = Turn("t", "thread", "question", 0.0, summarise=summarise)
        messages = [SYSTEM, TASK, *self.rounds(rounds)]
        return [compact(messages[:end], 900, 9000, 8, turn) for end in range(20, len(messages), 2)]

    def test_it_is_asked_every_few_messages_only(self):
        asked = []

        def summarise(middle):
            asked.append(len(middle))
            return f"Summary number {len(asked)}."

        made = self.grown(summarise)
        assert 2 < len(asked) <= len(made) / 2
        assert asked == sorted(set(asked))
        for messages in made:
            accepted(messages)
            assert "Summary number" in messages[2]["content"]

    @pytest.mark.parametrize("broken", ["", RuntimeError("down"), WorkshopError("no key")])
    def test_where_it_gives_none_the_rule_does(self, broken):
        asked = []

        def summarise(middle):
            asked.append(1)
            if isinstance(broken, Exception):
                raise broken
            return broken

        made = self.grown(summarise)
        assert all("- called run_sql" in messages[2]["content"] for messages in made)
        assert len(asked) <= len(made) / 2

    def test_a_real_model_writes_it_within_the_turn(self, monkeypatch):
        """A model that is not the stand-in by name; the script answers for it."""
        summaries, numbers = [], iter(range(100))

        def reply(request):
            if "tools" not in request and "Summarise" in request["messages"][0]["content"]:
                summaries.append(request)
                return standin.say("They looked things up.")
            done = len(summaries) > 1
            return standin.say("done") if done else standin.call("omega", n=next(numbers))

        monkeypatch.setenv("OPENAI_API_KEY", "none")
        config = TurnConfig(window_tokens=4500, model="gpt-x", tools=("omega",), idle_rounds=99)
        with probe_tools():
            register_wide()
            result, seen = turn_with(reply, config=config, max_iterations=60)
        assert (result.status, result.answer) == ("completed", "done")
        assert not seen.refused and summaries
        ids = [m["tool_call_id"] for m in result.messages if m["role"] == "tool"]
        assert len(ids) == len(set(ids))
        assert any("They looked things up." in str(r["messages"][2:]) for r in seen.requests)


def register_wide():
    @register(name="omega", when="looking.", replace=True)
    def wide(n: int) -> dict[str, str]:
        """Give a row back."""
        return {"row": f"{n} " * 100}


class TestInTheLoop:
    @pytest.fixture(autouse=True)
    def tools(self):
        with probe_tools():
            register_wide()
            yield

    def test_requests_stop_growing(self):
        numbers = iter(range(100))
        config = TurnConfig(window_tokens=3000, tools=("omega",), max_iterations=30)
        turns = [standin.call("omega", n=next(numbers)) for _ in range(29)]
        result, seen = turn_with([*turns, standin.say("done")], config=config)
        assert result.answer == "done" and not seen.refused
        sizes = [sum(map(count_message, r["messages"])) for r in seen.requests]
        assert len(result.messages) == 2 + 2 * 29, "the turn's own list is whole"
        assert max(sizes) < 2500 < sum(map(count_message, result.messages))
        for request in seen.requests:
            assert request["messages"][:2] == seen.requests[0]["messages"][:2]

    def test_the_callers_list_is_never_changed(self):
        messages = [SYSTEM, TASK]
        for i in range(20):
            messages += [assistant(f"c{i}"), result(f"c{i}", "row " * 100)]
        before = copy.deepcopy(messages)
        with configured(window_tokens=1000), standin.script([standin.say("x")]) as seen:
            chat(messages)
        assert messages == before
        assert len(seen.requests[0]["messages"]) < len(messages)

    def test_a_long_output_can_be_fetched_whole(self):
        whole = "".join(f"line {i}; " for i in range(4000))

        @register(name="omega", when="reading.", replace=True)
        def long(n: int = 0) -> dict[str, str]:
            """Return a lot."""
            return {"text": whole}

        pages = []

        def reply(request):
            results = [m for m in request["messages"] if m["role"] == "tool"]
            if not results:
                return standin.call("omega")
            first = json.loads(results[0]["content"])
            assert first["offloaded"] and first["omitted_chars"] > 0
            offset = 0
            if len(results) > 1:
                page = json.loads(results[-1]["content"])
                pages.append(page["content"])
                offset = page["next_offset"]
            if offset is None:
                return standin.say("read")
            arguments = {"tool_call_id": first["tool_call_id"], "offset": offset}
            return standin.call("fetch_tool_output", **arguments)

        result, _ = turn_with(reply, config=TurnConfig(max_iterations=30))
        assert result.answer == "read"
        assert json.loads("".join(pages))["text"] == whole

    @pytest.mark.parametrize("stream", [True, False])
    def test_a_server_with_a_smaller_window_than_we_were_told(self, stream):
        numbers = iter(range(100))

        def reply(request):
            done = next(numbers) >= 40
            return standin.say("done") if done else standin.call("omega", n=next(numbers))

        config = TurnConfig(tools=("omega",), max_iterations=30)
        with standin.script(reply, window=3000) as seen:
            result = run_turn(QUESTION, uuid.uuid4().hex, config=config, stream=stream)
        assert (result.status, result.answer) == ("completed", "done")
        assert len(seen.refused) == 1, "the window is remembered"

    def test_results_of_the_last_round_are_in_full(self):
        config = TurnConfig(window_tokens=4000, tools=("omega",), max_iterations=30)
        turns = [standin.call("omega", n=i) for i in range(20)]
        _, seen = turn_with([*turns, standin.say("done")], config=config)
        assert json.loads(last_results(seen)[-1])["row"] == "19 " * 100


def test_the_rule_reads_the_last_steps_only():
    messages = [m for i in range(500) for m in (assistant(f"c{i}"), result(f"c{i}", f"row {i}"))]
    lines = summarise_by_rule(messages).splitlines()
    assert len(lines) == 40 and lines[-1] == "- result: row 499"
