"""Rounds, tokens and errors of the server: each ends a turn with an answer."""

import re

import pytest

from harness import TurnConfig, WorkshopError, agent_turn, chat, run_turn, session, standin
from harness.model.response_parsing import ProviderError
from tests.loop_tools import NAMES, QUESTION, adding, body, kinds, turn_with

SAY, CALL = standin.say, standin.call
SOON = {"retry-after-ms": "1"}

pytestmark = pytest.mark.usefixtures("warm_turn", "ran")


class TestRounds:
    @pytest.mark.parametrize("rounds", [0, 1, 2, 5])
    def test_exactly_so_many_with_tools_then_one_without(self, rounds, ran):
        result, seen = turn_with(adding(), max_iterations=rounds)
        assert kinds(seen) == ["tools"] * rounds + ["forced"]
        assert len(ran) == len(result.steps) == rounds
        assert (result.status, result.answer) == ("iteration_cap", "forced")

    def test_an_answer_in_the_last_round_is_completed(self):
        result, seen = turn_with([CALL("ping"), SAY("done")], max_iterations=2)
        assert (result.status, result.answer, len(seen.requests)) == ("completed", "done", 2)

    def test_agent_turn_has_eight(self):
        with standin.script(lambda request: CALL("list_skills", query=str(len(request["messages"])))
                            if "tools" in request else SAY("forced")) as seen:  # fmt: skip
            assert agent_turn(QUESTION, verbose=False) == "forced"
        assert kinds(seen) == ["tools"] * 8 + ["forced"]

    @pytest.mark.parametrize(
        ("limit", "name"),
        [
            ({"max_iterations": -1}, "max_iterations"),
            ({"budget_seconds": -0.5}, "budget_seconds"),
            ({"budget_seconds": float("nan")}, "budget_seconds"),
            ({"max_iterations": "many"}, "max_iterations"),
            ({"max_iterations": 2.5}, "max_iterations"),
        ],
    )
    def test_a_limit_that_cannot_be_is_named_and_nothing_is_asked(self, limit, name):
        with standin.script([SAY("x")]) as seen, pytest.raises(WorkshopError, match=name):
            run_turn(QUESTION, **limit)
        assert seen.requests == []
        with pytest.raises(WorkshopError, match=name):
            agent_turn(QUESTION, **limit)
        with pytest.raises(WorkshopError, match=name):
            TurnConfig(**limit)

    @pytest.mark.parametrize("question", ["", "  \n"])
    def test_an_empty_question_is_refused(self, question):
        with pytest.raises(WorkshopError, match="empty"):
            run_turn(question)


class TestForcedFinal:
    def test_it_has_no_tools_and_says_why(self):
        _, seen = turn_with(adding(), max_iterations=1)
        forced = seen.requests[-1]
        assert "tools" not in forced and "tool_choice" not in forced
        assert "rounds" in forced["messages"][-1]["content"]
        assert forced["messages"][-1]["role"] == "user"

    def test_calls_in_its_reply_are_ignored(self, ran):
        turns = [CALL("add", a=1), standin.calls([("add", {"a": 9})], text="It is 1.")]
        result, _ = turn_with(turns, max_iterations=1)
        assert result.answer == "It is 1."
        assert [arguments["a"] for _, arguments in ran] == [1]

    @pytest.mark.parametrize(
        "last",
        [
            SAY(None),
            SAY(""),
            SAY(" \n"),
            CALL("add", a=9),
            standin.http(401),
            standin.http(400, {"error": {"message": "no"}}),
        ],
    )
    def test_nothing_in_it_becomes_a_summary_of_what_was_found(self, last, ran):
        result, _ = turn_with([CALL("add", a=41, b=1), last], max_iterations=1)
        assert result.status == "iteration_cap"
        assert '"sum": 42' in result.answer and "rounds" in result.answer
        assert len(ran) == 1

    def test_nothing_at_all_is_still_an_answer(self):
        result, _ = turn_with([SAY(None)], max_iterations=0)
        assert "could not finish" in result.answer

    def test_it_streams_too(self):
        events = []
        turn_with([SAY("the end")], max_iterations=0, stream=True, on_event=events.append)
        assert "".join(event.get("text", "") for event in events) == "the end"


class TestTokens:
    def test_the_cap_ends_the_rounds(self):
        config = TurnConfig(tools=NAMES, token_cap=1500)
        result, seen = turn_with(adding(), config=config)
        assert (result.status, result.answer) == ("token_cap", "forced")
        assert kinds(seen) == ["tools", "tools", "forced"] or kinds(seen) == ["tools", "forced"]

    @pytest.mark.parametrize(
        ("limits", "until", "said"),
        [
            ({"max_iterations": 1}, None, r"max_iterations=1\)"),
            ({"token_cap": 1}, None, r"token_cap=1, used \d+\)"),
            ({"budget_seconds": 0}, None, r"budget_seconds=0\.0, used \d\)"),
            ({"budget_seconds": 60}, 0, r"the session's deadline=0, used \d\)"),
        ],
    )
    def test_whoever_hits_a_cap_reads_which_setting_and_what_was_used(self, limits, until, said):
        with session(deadline=until):
            result, seen = turn_with(adding(), config=TurnConfig(tools=NAMES, **limits))
        shown = result._repr_mimebundle_()
        assert all(re.search(said, text.replace("&#x27;", "'")) for text in shown.values())
        asked = seen.requests[-1]["messages"][-1]["content"] if seen.requests else result.answer
        assert re.search(said, asked)

    def test_a_cap_of_zero_asks_for_the_answer_only(self):
        result, seen = turn_with(adding(), config=TurnConfig(tools=NAMES, token_cap=0))
        assert (result.status, kinds(seen)) == ("token_cap", ["forced"])

    def test_a_server_that_does_not_count_is_counted_for(self):
        def reply(request):
            if "tools" not in request:
                return SAY("forced")
            number = len(request["messages"])
            call = CALL("add", a=number).tool_calls[0] | {"id": f"c{number}"}
            return body({"content": None, "tool_calls": [call]}, usage=None)

        config = TurnConfig(tools=NAMES, token_cap=2500, max_iterations=50)
        result, _ = turn_with(reply, config=config)
        assert result.status == "token_cap"
        assert 2500 <= result.usage["total_tokens"] < 6000

    @pytest.mark.parametrize("usage", [{"prompt_tokens": float("inf")}, {"prompt_tokens": "9"}, []])
    def test_a_count_that_is_none_is_not_believed(self, usage):
        result, _ = turn_with([body({"content": "It is 3."}, usage=usage)])
        assert result.status == "completed" and 0 < result.usage["total_tokens"] < 10_000


class TestServerErrors:
    @pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
    @pytest.mark.parametrize("stream", [True, False])
    def test_what_passes_is_tried_again(self, status, stream):
        result, seen = turn_with(
            [standin.http(status, headers=SOON), SAY("It is 3.")], stream=stream
        )
        assert (result.status, result.answer) == ("completed", "It is 3.")
        assert len(seen.requests) == 2

    @pytest.mark.parametrize("error", [ConnectionRefusedError, ConnectionResetError, EOFError])
    def test_a_connection_that_breaks_is_made_again(self, error):
        result, seen = turn_with([error(), SAY("It is 3.")])
        assert (result.status, result.answer) == ("completed", "It is 3.")
        assert len(seen.requests) == 2

    @pytest.mark.parametrize(
        ("status", "says"),
        [
            (401, "refused the key"),
            (403, "refused the key"),
            (404, "knows no model"),
            (422, "status 422"),
            (500, "status 500"),
            (429, "limiting"),
        ],
    )
    def test_what_stays_is_a_typed_error_in_two_lines(self, status, says):
        turns = [standin.http(status, headers=SOON)] * 3
        with standin.script(turns), pytest.raises(ProviderError, match=says) as caught:
            chat([{"role": "user", "content": "x"}])
        assert len(str(caught.value).splitlines()) == 2
        result, _ = turn_with([standin.http(status, headers=SOON)] * 3)
        assert result.status == "provider_error" and says in result.answer

    def test_an_error_keeps_what_was_found_before(self):
        result, _ = turn_with([CALL("add", a=41, b=1), standin.http(401)])
        assert "refused the key" in result.answer and '"sum": 42' in result.answer

    def test_a_page_of_html_as_error_is_bounded(self):
        page = standin.http(500, "<html>" + "x" * 100_000, headers=SOON)
        result, _ = turn_with([page] * 3)
        assert result.status == "provider_error" and len(result.answer) < 600

    def test_a_request_refused_by_a_content_filter_is_filtered(self):
        error = {"error": {"message": "filtered", "code": "content_filter", "type": None}}
        result, _ = turn_with([standin.http(400, error)])
        assert result.status == "filtered" and result.answer

    def test_a_protocol_error_is_a_status_with_the_servers_words(self):
        error = {"error": {"message": "Unknown parameter: 'x'.", "type": "invalid_request_error"}}
        result, _ = turn_with([standin.http(400, error)])
        assert result.status == "provider_error" and "Unknown parameter" in result.answer
