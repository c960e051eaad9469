"""A server that refuses is asked once more, in the form that its refusal asks for."""

import json
import uuid

import pytest

from harness import WorkshopError, chat, run_turn, standin
from harness.commands import doctor
from harness.model.adaptations import rows
from harness.model.endpoint_memory import forget_endpoints, known_endpoints
from harness.settings import settings
from tests.loop_tools import CONFIG, QUESTION, body, raw_call, traced, turn_with
from tests.seed_loop import seed_turn
from tests.strict_servers import STRICT, STRICT_AT_THE_END, Strict, error, server

SAY = standin.say
ADDS = [raw_call("add", '{"a": 1}', "call_1"), raw_call("add", '{"a": 2}', "call_2")]
ADDS[0]["extra_content"] = {"google": {"thought_signature": "c2ln"}}
REPLIES = [
    body({"content": "Let me add.", "tool_calls": ADDS, "reasoning_content": "Hm"}),
    body({"content": None, "tool_calls": [raw_call("ping", "{}", "call_3")]}),
    SAY("It is 3."),
]
NAMES = [strict.name for strict in STRICT]


pytestmark = pytest.mark.usefixtures("ran")


def whole(answers, **options):
    """(result, what the server saw) of a turn against a server that is strict in its own way."""
    with standin.script(answers, strict=False) as seen:
        return run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG, **options), seen


def refused(strict, seen):
    return [request for request in seen.requests if strict.refuses(request)]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("strict", STRICT, ids=NAMES)
def test_each_refusal_changes_the_request_once(strict, stream, ran):
    result, seen = whole(server(strict, REPLIES), stream=stream)
    assert (result.status, result.answer) == ("completed", "It is 3."), result.answer
    assert [name for name, _ in ran] == ["add", "add", "ping"]
    assert len(refused(strict, seen)) <= 1
    assert bool(refused(strict, seen)) == (len(seen.requests) > 3)


@pytest.mark.parametrize("strict", STRICT, ids=NAMES)
def test_a_learners_loop_gets_the_same(strict, ran):
    with standin.script(server(strict, REPLIES), strict=False) as seen:
        assert seed_turn(QUESTION, uuid.uuid4().hex) == "It is 3."
    assert [name for name, _ in ran] == ["add", "add", "ping"]
    assert len(refused(strict, seen)) <= 1


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("strict", STRICT_AT_THE_END, ids=[s.name for s in STRICT_AT_THE_END])
def test_the_forced_answer_comes_from_a_strict_server_too(strict, stream):
    repeated = body({"content": None, "tool_calls": [raw_call("ping", "{}")]})
    result, seen = whole(server(strict, [repeated] * 3 + [SAY("forced")]), stream=stream)
    assert (result.status, result.answer) == ("safety_trip", "forced")
    assert len(refused(strict, seen)) == 1


@pytest.mark.parametrize("strict", STRICT_AT_THE_END, ids=[s.name for s in STRICT_AT_THE_END])
def test_and_so_does_that_of_a_learners_loop(strict):
    calls = [standin.call("add", a=n) for n in range(2)]
    with standin.script(server(strict, [*calls, SAY("forced")]), strict=False) as seen:
        assert seed_turn(QUESTION, uuid.uuid4().hex, max_iterations=2) == "forced"
    assert len(refused(strict, seen)) == 1


def test_what_was_learnt_holds_for_the_endpoint_and_shows_in_the_trace():
    strict = STRICT[0]
    with standin.script(server(strict, REPLIES * 2), strict=False) as seen:
        results = [run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG) for _ in range(2)]
    assert len(refused(strict, seen)) == 1
    told = [event.get("adapted") for result in results for event in traced(result)]
    assert ["without reasoning_content"] in told


def test_an_adaptation_that_is_refused_in_turn_ends_with_the_servers_own_words():
    def never(request):
        return standin.http(400, error("The stream_options, tools, content and roles displease me"))

    with standin.script(never, strict=False) as seen:
        result = run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG, stream=True)
    assert result.status == "provider_error" and "displease me" in result.answer
    assert len(seen.requests) <= 8


def test_a_change_that_did_not_help_is_not_kept():
    asked = []

    def strict(request):
        asked.append(request)
        if any(m["role"] == "system" for m in request["messages"]):
            return standin.http(
                400, error("content: system prompt is not supported, stream_options")
            )
        return SAY("It is 3.")

    result, _ = whole(strict, stream=True)
    assert result.status == "completed"
    assert asked[-1]["stream_options"] == {"include_usage": True}


def test_a_server_that_changes_its_mind_gets_the_field_back():
    strict = [Strict("no", STRICT[0].refuses)]

    def answer(request):
        if len(asked) < 3:
            return strict[0].refuses(request)
        missing = "reasoning_content" not in request["messages"][2]
        said = "The `reasoning_content` in the thinking mode must be passed back to the API."
        return (400, error(said)) if missing else None

    asked, left = [], iter(REPLIES)

    def replies(request):
        asked.append(request)
        refusal = answer(request)
        return standin.http(*refusal) if refusal else next(left)

    result, _ = whole(replies)
    assert (result.status, result.answer) == ("completed", "It is 3.")
    assert len(asked) == 5  # one refusal each way


@pytest.mark.parametrize("status", [401, 402, 403, 404, 429])
def test_what_no_other_request_would_help_against_is_not_asked_again(status):
    def never(request):
        words = error("reasoning_content: no")
        return standin.http(status, words, headers={"x-should-retry": "false"})

    messages = [{"role": "user", "content": "x"},
                {"role": "assistant", "content": "y", "reasoning_content": "z"},
                {"role": "user", "content": "x"}]  # fmt: skip
    with standin.script(never, strict=False) as seen, pytest.raises(WorkshopError):
        chat(messages)
    assert len(seen.requests) == 1


def test_a_request_that_breaks_the_protocol_is_refused_as_the_api_words_it():
    import openai

    calls = [raw_call("ping", "{}")]
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": calls}]
    with standin.script([SAY("never")]) as seen, pytest.raises(openai.BadRequestError) as caught:
        chat(messages)
    assert "must be followed by tool messages" in str(caught.value)
    assert len(seen.requests) == 1


def test_over_real_http_it_is_remembered_on_disk_and_doctor_says_so(monkeypatch, prepared_home):
    forget_endpoints()
    strict = STRICT[0]
    with (
        standin.serving() as url,
        standin.script(server(strict, REPLIES * 2), strict=False) as seen,
    ):
        monkeypatch.setattr("harness.model.clients._standin_client", lambda: _client(url))
        monkeypatch.setattr("harness.model.chat.active_script", lambda: None)
        for _ in range(2):
            result = run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG)
            assert result.answer == "It is 3."
        assert len(refused(strict, seen)) == 1
        (known,) = known_endpoints()
        assert known.name.startswith(url) and known.words == ["without reasoning_content"]
        said = [finding.text for finding in doctor.learnt()]
        assert any("without reasoning_content" in text for text in said)
    forget_endpoints()
    assert not list(known_endpoints())


def _client(url):
    import openai

    return openai.OpenAI(api_key="any", base_url=url, max_retries=0)


def test_a_file_that_is_no_memory_is_none():
    (settings().home / "endpoints.json").write_text('[{"name": 7}, 3]', encoding="utf-8")
    assert not list(known_endpoints())
    forget_endpoints()


@pytest.mark.full
def test_every_row_of_the_table_is_asked_for_by_some_server():
    asked = set()
    for strict in [*STRICT, *STRICT_AT_THE_END]:
        with standin.script(server(strict, REPLIES * 2), strict=False) as seen:
            result = run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG, stream=True)
            asked |= {name for event in traced(result) for name in event.get("adapted") or ()}
        assert seen
    missing = {row.words for row in rows().values()} - asked
    print(f"adaptations: {len(rows())} rows, {len(rows()) - len(missing)} asked for in one turn")
    assert len(missing) <= 8, missing
    assert json.dumps(sorted(asked))


@pytest.mark.parametrize("stream", [False, True])
def test_what_the_model_wrote_badly_is_asked_for_once_more(stream, ran):
    words = error("Failed to call a function.", code="tool_use_failed", failed_generation="<f{")
    refusal = standin.http(400, words, headers={"x-should-retry": "false"})
    result, seen = turn_with([refusal, standin.say("It is 3.")], stream=stream)
    assert (result.answer, len(seen.requests)) == ("It is 3.", 2)
    result, seen = turn_with([refusal] * 9, stream=stream)
    assert "Failed to call a function" in result.answer and len(seen.requests) == 2
