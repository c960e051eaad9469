"""Histories stay legal; compaction loses neither the system message, the task nor a pair."""

import copy
import json

import pytest

from harness import TurnConfig, WorkshopError, standin
from harness.model.tokens import count_message
from harness.run.compaction import SUMMARY_MARK, compact, fit, repair_history, summarise_by_rule
from harness.run.turn import INTERRUPTED, Seen
from tests.loop_tools import turn_with
from tests.properties import given, settings, st
from tests.window_messages import SYSTEM, TASK, accepted, assistant, result

FAST = settings(max_examples=100)
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

    def test_a_result_that_is_shortened_again_still_shows_its_own_ends(self):
        """Two of them in a small window: each is shortened step by step, in one go and later."""
        text = "".join(f"{number:05d}," for number in range(3000))
        rounds = [m for i in range(2) for m in (assistant(f"c{i}"), result(f"c{i}", text))]
        made = compact([SYSTEM, TASK, *rounds], 3000, 10_000, 8)
        again = compact(made, 1000, 10_000, 8)
        for messages in (made, again):
            shown = json.loads(messages[3]["content"])
            assert shown["head"].startswith("00000,00001,") and shown["tail"].endswith(",02999,")
            kept = len(shown["head"]) + len(shown["tail"])
            assert shown["omitted_chars"] == len(text) - kept
        assert len(again[3]["content"]) < len(made[3]["content"])

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
        from harness.run.recorder import current_turn

        with pytest.raises(WorkshopError):
            turn_with([standin.say("x")], config=TurnConfig(window_tokens=1))
        assert current_turn() is None


def test_the_rule_reads_the_last_steps_only():
    messages = [m for i in range(500) for m in (assistant(f"c{i}"), result(f"c{i}", f"row {i}"))]
    lines = summarise_by_rule(messages).splitlines()
    assert len(lines) == 40 and lines[-1] == "- result: row 499"
