"""Twists of servers beyond those that the other corpora know, in our loop and in a learner's."""

import functools
import json
import uuid

import pytest

import tests.seed_loop
from harness import TOOLS, chat, run_turn, standin
from harness.config import configured
from harness.model.reply_sorting import finish_of
from harness.model.thoughts import without_thoughts
from harness.model.written_calls import written_call
from tests import reply_corpus
from tests.loop_tools import CONFIG, NAMES, QUESTION, turn_with
from tests.seed_loop import seed_turn
from tests.strict_servers import error
from tests.test_reply_sorting import heard, pieces
from tests.twist_corpus import ANSWER, BODIES, CALLS, ENDS, PLAIN, STREAMS, THOUGHTS

SAY = standin.say
pytestmark = pytest.mark.usefixtures("ran")


@pytest.fixture
def learners(monkeypatch):
    """(answer, what the server saw) of a learner's loop that is offered all the test's tools."""
    offered = [TOOLS[name][1] for name in NAMES]
    monkeypatch.setattr(tests.seed_loop, "retrieve_tools", lambda query, k: offered)

    def ask(turns, stream=False):
        monkeypatch.setattr(tests.seed_loop, "chat", functools.partial(chat, stream=stream))
        with standin.script(turns) as seen, configured(CONFIG):
            return seed_turn(QUESTION, uuid.uuid4().hex), seen

    return ask


@pytest.mark.parametrize("name", THOUGHTS)
def test_thoughts_are_no_part_of_an_answer(name, learners):
    assert without_thoughts(THOUGHTS[name])[0].strip() == ANSWER
    assert learners([SAY(THOUGHTS[name])])[0].strip() == ANSWER


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("name", THOUGHTS)
def test_nor_of_what_a_listener_hears(name, size):
    events = []
    turn_with([pieces(THOUGHTS[name], size)], stream=True, on_event=events.append)
    assert heard(events).strip() == ANSWER
    assert "Hm" not in "".join(event.get("text", "") for event in events)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_in_any_spelling_gets_a_nudge(name, ran, learners):
    turns = [SAY(CALLS[name]), standin.call("ping"), SAY(ANSWER)]
    for answer, seen in (learners(turns), (turn_with(turns)[0].answer, None)):
        assert answer == ANSWER
        assert seen is None or "as text" in seen.requests[1]["messages"][-1]["content"]
    assert [tool for tool, _ in ran] == ["ping", "ping"]


@pytest.mark.parametrize("name", PLAIN)
def test_what_only_looks_like_a_mark_stays(name):
    assert without_thoughts(PLAIN[name]) == (PLAIN[name], "")
    assert written_call(PLAIN[name], reply_corpus.TOOLS_OFFERED) is None


@pytest.mark.parametrize("name", [*BODIES, *STREAMS])
def test_a_reply_is_found_in_what_is_around_it(name, learners):
    stream = name in STREAMS
    reply = STREAMS[name] if stream else BODIES[name]
    result, _ = turn_with([reply], stream=stream)
    assert (result.status, result.answer) == ("completed", ANSWER)
    assert learners([reply], stream)[0] == ANSWER


@pytest.mark.parametrize("name", ENDS)
def test_an_end_counts_by_what_it_means(name):
    assert finish_of(name, has_calls=False) == ENDS[name]


@pytest.mark.parametrize("stream", [False, True])
def test_an_option_refused_as_not_found_is_left_out(stream):
    words = "No endpoints found that support stream_options."

    def server(request):
        if "stream_options" in request:
            return standin.http(404, error(words), headers={"x-should-retry": "false"})
        return SAY(ANSWER)

    with standin.script(server, strict=False) as seen:
        result = run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG, stream=stream)
    assert result.answer == ANSWER and len(seen.requests) == 1 + stream


@pytest.mark.parametrize("words", ["The model `m` does not exist", "404 page not found", ""])
def test_a_model_or_page_that_is_not_there_is_asked_for_once(words):
    refusal = standin.http(404, words, headers={"x-should-retry": "false"})
    with standin.script(lambda request: refusal, strict=False) as seen:
        result = run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG, stream=True)
    assert result.status == "provider_error" and len(seen.requests) == 1


# --- the other corpora through a learner's loop: a part of them, all with --full


def part_of(corpus):
    return [
        pytest.param(text, marks=[] if number % 6 == 0 else pytest.mark.full)
        for number, text in enumerate(corpus)
    ]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("text", part_of(reply_corpus.THOUGHT))
def test_a_learners_loop_gets_answers_without_thoughts(text, stream, learners):
    reply = pieces(text, 3) if stream else SAY(text)
    assert learners([reply], stream)[0].strip() == ANSWER


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("text", part_of(reply_corpus.CALLS))
def test_a_learners_loop_gets_no_call_for_an_answer(text, stream, ran, learners):
    turns = [pieces(text, 3) if stream else SAY(text), standin.call("ping"), SAY(ANSWER)]
    answer, seen = learners(turns, stream)
    assert answer == ANSWER and [tool for tool, _ in ran] == ["ping"]
    assert "as text" in json.dumps(seen.requests[1]["messages"][-1])


@pytest.mark.parametrize("text", part_of(reply_corpus.EXPLAINED))
def test_a_learners_loop_gets_sentences_about_marks_whole(text, learners):
    assert learners([pieces(text, 3)], True)[0].strip() == text.strip()
