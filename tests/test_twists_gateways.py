"""Other APIs' own forms and what gateways make of streams, in our loop and in a learner's."""

import json
from typing import Any

import pytest

from harness import standin
from tests import twist_corpus_gateways as twists
from tests.loop_tools import QUESTION, turn_with
from tests.slices import in_part
from tests.test_reply_sorting import heard
from tests.test_request_text import naive

ADDED = [("add", twists.ADD)]


def answers(turns: list[Any], stream: bool) -> list[str]:
    with standin.script(turns):
        return [turn_with(turns, stream=stream)[0].answer, naive(QUESTION, stream)]


def sent(value: Any) -> Any:
    return standin.raw(json.dumps(value))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", in_part(twists.CALLS, 5))
def test_a_call_in_any_apis_form_runs(name, stream, ran):
    turns = [sent(twists.CALLS[name]), standin.say(twists.ANSWER)]
    assert answers(turns, stream) == [twists.ANSWER] * 2
    assert ran == ADDED * 2


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", in_part(twists.BODIES, 3))
def test_a_body_in_any_apis_form_is_read(name, stream, ran):
    turns = [sent(twists.BODIES[name]), standin.say("It was read as something else.")]
    assert answers(turns, stream) == [twists.ANSWER] * 2


@pytest.mark.parametrize("name", in_part(twists.STREAMS, 6))
def test_a_stream_says_its_answer_once(name, ran):
    turns = [twists.STREAMS[name], standin.say("It was read as something else.")]
    assert answers(turns, True) == [twists.ANSWER] * 2


@pytest.mark.parametrize("name", in_part(twists.STREAMS, 3))
def test_and_so_hears_who_listens(name, ran):
    events: list[dict[str, Any]] = []
    turn_with([twists.STREAMS[name]], stream=True, on_event=events.append)
    assert heard(events).strip() == twists.ANSWER


@pytest.mark.parametrize("name", in_part(twists.CALLING_STREAMS, 3))
def test_a_streamed_call_is_made_once(name, ran):
    turns = [twists.CALLING_STREAMS[name], standin.say(twists.ANSWER)]
    assert answers(turns, True) == [twists.ANSWER] * 2
    assert ran == ADDED * 2


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", in_part(twists.ASKED_AGAIN, 2))
def test_what_is_no_answer_is_asked_again(name, stream, ran):
    turns = [sent(twists.ASKED_AGAIN[name]), standin.say(twists.ANSWER)]
    result, seen = turn_with(turns, stream=stream)
    assert (result.answer, len(seen.requests), ran) == (twists.ANSWER, 2, [])


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", in_part(twists.ERRORS, 4))
def test_the_servers_words_reach_the_person(name, stream, ran):
    status, said, words = twists.ERRORS[name]
    reply = standin.http(status, said if status != 200 else json.dumps(said),
                         headers={"x-should-retry": "false"})  # fmt: skip
    result, _ = turn_with([reply] * 3, stream=stream)
    assert result.status == "provider_error" and words in result.answer
