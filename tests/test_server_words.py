"""What a server says when it refuses reaches the person; a full window is understood."""

import json
import uuid

import httpx2
import openai
import pytest

from harness import TurnConfig, WorkshopError, chat, register, run_turn, standin
from harness.model.overflow import overflow_of
from harness.model.server_errors import words_of
from tests.loop_tools import QUESTION, body, raw_call
from tests.seed_loop import seed_turn
from tests.strict_servers import error

SAY = standin.say
SAID = "The moon is in the wrong house"
pytestmark = pytest.mark.usefixtures("ran", "long_tool")
CONFIG = TurnConfig(tools=("long",), k_tools=1, max_iterations=20)


@pytest.fixture
def long_tool(ran):
    """A tool that says a lot, another thing each time."""

    @register(when="reading.", replace=True)
    def long(n: int) -> dict[str, str]:
        """Read a page."""
        return {"page": f"{n} " + "word " * 400}


BODIES = [
    {"error": {"message": SAID, "type": "x", "param": None, "code": None}},
    {"error": SAID},
    {"error": {"code": 7, "status": "X", "message": SAID}},
    [{"error": {"code": 400, "message": SAID}}],
    {"message": SAID},
    {"Message": SAID},
    {"code": "InvalidParameter", "message": SAID},
    {"detail": SAID},
    {"detail": [{"loc": ["body", "model"], "msg": SAID, "type": "x"}]},
    {"errors": [{"message": SAID}]},
    {"error": {"message": '{"error": {"message": "' + SAID + '"}}'}},
    {"error": {"message": "Provider returned error", "metadata": {"raw": SAID}}},
    {"fault": {"faultstring": SAID}},
    {"title": "Bad", "detail": SAID},
    {"type": "error", "error": {"type": "x", "message": SAID}},
    {"error": {"type": "x", "details": {"reason": SAID}}},
    {"object": "error", "message": SAID},
    {"success": False, "result": {"msg": SAID}},
    {"strange": {"words": [SAID]}},
    {"errors": {"model": [SAID]}},
    {"error": "unauthorized", "hint": SAID},
    {"error": {"code": "bad", "innererror": {"content": SAID}}},
    {"base_resp": {"status_code": 1004, "status_msg": SAID}},
    {"error_code": 336003, "error_msg": SAID},
    "upstream said: " + json.dumps({"error": {"message": SAID}}),
    SAID,
    f"<html><head><title>Sorry</title></head><body><h1>{SAID}</h1></body></html>",
    f'<?xml version="1.0"?><Error><Code>7</Code><Message>{SAID}</Message></Error>',
]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 413, 422, 429, 451, 500])
@pytest.mark.parametrize("body", BODIES[::4])
def test_of_every_status(status, body):
    assert SAID in told(status, body)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("status", [403, 422])
def test_of_every_form(status, body):
    assert SAID in told(status, body)


@pytest.mark.parametrize("body", BODIES[::3])
def test_and_whoever_catches_a_400_reads_it_too(body):
    with (
        standin.script(lambda request: standin.http(400, body)),
        pytest.raises(openai.BadRequestError, match=SAID),
    ):
        chat([{"role": "user", "content": "x"}])


def told(status, body):
    """What a learner reads when the server answers this, whatever they ask."""
    reply = standin.http(status, body, headers={"x-should-retry": "false"})
    with (
        standin.script(lambda request: reply),
        pytest.raises((WorkshopError, openai.APIError)) as c,
    ):
        chat([{"role": "user", "content": "x"}])
    lines = c.value._render_traceback_()
    assert 1 <= len(lines) <= 2
    return "\n".join(lines)


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_without_a_word_the_status_has_one(status):
    said = told(status, {}) if status != 500 else told(status, "")
    assert str(status) in said or "Internal Server Error" in said


def test_a_key_that_a_server_repeats_is_not_shown():
    response = httpx2.Response(
        401, json=error("Incorrect API key: sk-abcdefghijklmnop1234"),
        request=httpx2.Request("POST", "http://x"),
    )  # fmt: skip
    said = words_of(openai.AuthenticationError("x", response=response, body=None))
    assert "Incorrect API key" in said and "abcdefgh" not in said


WINDOWS = [  # (words, status, window, sent)
    (error("This model's maximum context length is 900 tokens. However, your messages resulted in "
           "1500 tokens. Please reduce the length.", code="context_length_exceeded"),
     400, 900, 1500),
    (error("prompt is too long: 1500 tokens > 900 maximum"), 400, 900, 1500),
    (error("Prompt contains 1500 tokens and 0 draft tokens, too large for model with 900 maximum "
           "context length"), 400, 900, 1500),
    ({"message": "too many tokens: total number of tokens in the prompt cannot exceed 900 - "
                 "received 1500"}, 400, 900, 1500),
    ({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 900. Given: "
               "1500 `inputs` tokens and 100 `max_new_tokens`"}, 422, 900, 1500),
    (error("The input token count (1,500) exceeds the maximum number of tokens allowed (900)."),
     400, 900, 1500),
    ({"error": {"code": 400, "message": "the request exceeds the available context size, try "
     "increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 1500,
     "n_ctx": 900}}, 400, 900, 1500),
    (error("Request too large: Limit 900, Requested 1500, please reduce your message size"),
     413, 900, 1500),
    (error("You passed 1500 input tokens. However, the model's context length is only 900 tokens"),
     400, 900, 1500),
    ("Requested tokens (1500) exceed context window of 900", 400, 900, 1500),
    ("Input is too long for requested model.", 400, None, None),
    (error("Please reduce the length of the messages or completion."), 400, None, None),
    ("Payload Too Large", 413, None, None),
    ("", 413, None, None),
    (error("context window full"), 500, None, None),
    (error("KV cache is full: the prompt does not fit"), 503, None, None),
]  # fmt: skip
OTHERS = [
    (429, "Rate limit reached for tokens per minute: Limit 30000, Used 20000"),
    (400, "Invalid 'messages[1].tool_calls[0].id': string too long. Expected maximum length 40"),
    (401, "Invalid token"),
    (400, "Unknown parameter: 'messages[2].reasoning_content'."),
    (400, "max_tokens is too large: 100000"),
    (422, "Extra inputs are not permitted"),
    (422, "body -> messages -> 2 -> content: none is not an allowed value"),
    (400, "Conversation roles must alternate"),
    (402, "You exceeded your current quota of tokens"),
]


@pytest.mark.parametrize(("words", "status", "window", "sent"), WINDOWS)
def test_a_window_is_understood(words, status, window, sent):
    found = overflow_of(str(words), status)
    assert found is not None and (found.window, found.sent) == (window, sent)


@pytest.mark.parametrize(("status", "words"), OTHERS)
def test_what_is_about_something_else(status, words):
    assert overflow_of(words, status) is None


def full(words, status):
    """A server that takes only short requests, and answers every one with another call."""
    sums = iter(range(1000))
    sizes = []

    def answer(request):
        size = sum(len(str(message.get("content"))) for message in request["messages"])
        if size > 9_000:
            return standin.http(status, words, headers={"x-should-retry": "false"})
        sizes.append(size)
        if "tools" not in request or len(sizes) > 7:
            return SAY("It is 3.")
        call = raw_call("long", json.dumps({"n": next(sums)}))
        return body({"content": None, "tool_calls": [call]})

    return answer


@pytest.mark.parametrize(("words", "status", "window", "sent"), WINDOWS)
def test_what_overflows_is_compacted_and_tried_again(words, status, window, sent):
    with standin.script(full(words, status), strict=False) as seen:
        result = run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG)
    assert result.answer == "It is 3.", result.answer
    assert len(seen.requests) <= 24


@pytest.mark.parametrize("words", ["Prompt 超长", "Das Kontextfenster ist zu klein.", "E1261"])
def test_whatever_its_language_a_long_conversation_is_tried_shorter_once(words):
    assert overflow_of(words, 400) is None
    with standin.script(full(words, 400), strict=False):
        assert run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG).answer == "It is 3."
    refusing = [standin.call("long", n=1), *[standin.call("long", n=n) for n in range(2, 9)]]
    server = iter([*refusing, *[standin.http(400, words)] * 9])
    with standin.script(lambda request: next(server), strict=False) as seen:
        result = run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG)
    assert words in result.answer and len(seen.requests) == len(refusing) + 2


@pytest.mark.parametrize(("words", "status", "window", "sent"), WINDOWS[::5])
def test_and_under_a_learners_loop(words, status, window, sent):
    with standin.script(full(words, status), strict=False):
        assert seed_turn(QUESTION, uuid.uuid4().hex, max_iterations=12) == "It is 3."


def test_a_window_in_which_nothing_fits_ends_with_the_servers_words():
    words = error("prompt is too long: 999999 tokens > 9 maximum")
    with standin.script(lambda request: standin.http(400, words), strict=False) as seen:
        result = run_turn(QUESTION, uuid.uuid4().hex)
    assert result.status == "provider_error" and "too long" in result.answer
    assert len(seen.requests) <= 4


@pytest.mark.parametrize("stream", [False, True])
def test_a_window_under_status_200_is_understood_too(stream):
    said = error("prompt is too long: 1500 tokens > 900 maximum")
    with standin.script(full(said, 200), strict=False):
        result = run_turn(QUESTION, uuid.uuid4().hex, config=CONFIG, stream=stream)
    assert result.answer == "It is 3.", result.answer
