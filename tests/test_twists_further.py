"""Twists of bodies, streams, calls and errors beyond the other corpora, under two loops."""

from typing import Any

import pytest

from harness import standin
from harness.model.response_parsing import ProviderError
from tests import twist_corpus_further as twists
from tests.loop_tools import QUESTION, turn_with
from tests.slices import in_part
from tests.test_request_text import naive

AGAIN = standin.say("It was read as something else.")


def under_both_loops(turns: list[Any], stream: bool) -> list[str]:
    with standin.script(turns):
        return [turn_with(turns, stream=stream)[0].answer, naive(QUESTION, stream)]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", in_part(twists.BODIES, 5))
def test_a_body_in_another_form_is_read(name, stream, ran):
    assert under_both_loops([twists.BODIES[name], AGAIN], stream) == [twists.ANSWER] * 2


@pytest.mark.parametrize("name", in_part(twists.STREAMS, 5))
def test_a_stream_in_another_form_is_read(name, ran):
    assert under_both_loops([twists.STREAMS[name], AGAIN], True) == [twists.ANSWER] * 2


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", in_part(twists.CALLS, 4))
def test_a_call_in_another_form_runs(name, stream, ran):
    turns = [twists.CALLS[name], standin.say(twists.ANSWER)]
    assert under_both_loops(turns, stream) == [twists.ANSWER] * 2
    assert ran == [("ping", {})] * 2


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", in_part(twists.ERRORS, 3))
def test_an_error_under_status_200_reaches_the_person_in_its_words(name, stream, ran):
    said, words = twists.ERRORS[name]
    reply = standin.http(200, said)
    assert words in turn_with([reply] * 3, stream=stream)[0].answer
    with standin.script([reply] * 3), pytest.raises(ProviderError, match=words):
        naive(QUESTION, stream)
