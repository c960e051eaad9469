"""The window in a turn: summaries by the model, shorter requests, outputs fetched whole."""

import copy
import json
import uuid
from types import SimpleNamespace

import pytest

from harness import TurnConfig, WorkshopError, chat, register, run_turn, standin
from harness.config import configured
from harness.model.tokens import count_message
from harness.run.compaction import compact
from harness.run.turn import Turn
from harness.session import Question
from tests.loop_tools import QUESTION, last_results, probe_tools, turn_with
from tests.window_messages import SYSTEM, TASK, accepted, assistant, result


class TestSummaryByTheModel:
    def rounds(self, count):
        return [m for i in range(count) for m in (assistant(f"c{i}"), result(f"c{i}", "row " * 60))]

    def grown(self, summarise, rounds=40):
        """The compacted request after each round of a long turn."""
        question = Question("t", "thread", "question", "user", (0, 0))
        turn = Turn(question, summariser=SimpleNamespace(of_steps=summarise))
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
