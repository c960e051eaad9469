"""`chat`: the only place that talks to a model.

It sends what it is given, waits no longer than the session's deadline, and hands back a reply
that has been put right (see receive.py). The openai client does the retries.
"""

import contextlib
import functools
import itertools
import json
import threading
from contextvars import ContextVar
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletion

from harness.config import current_config
from harness.errors import WorkshopError
from harness.model.response_parsing import (
    ProviderError,
    UnusableReply,
    clean_reply,
    explained,
    read_reply,
    shown_short,
)
from harness.model.streaming import accumulate, events
from harness.model.timeout import run_bounded
from harness.model.tokens import count_message
from harness.model.tool_calls import as_message, pending_call, plain
from harness.run import recorder, trace
from harness.run.compaction import fit, fit_refused
from harness.run.turn import Seen, Turn
from harness.session import current_session
from harness.settings import settings

REQUEST_SECONDS = 300.0  # for a request outside of any deadline
_RETRIES = 2


def chat(
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None = None,
    *,
    model: str | None = None,
    tool_choice: Any = None,
    stream: bool = False,
) -> ChatCompletion:
    """Ask the model for its next message.

    `messages` (dicts, or a reply's own message) and `tools` are those of the chat completions API.
    A conversation that outgrows the window is compacted for the request; the list itself is never
    changed. With `stream` the reply comes in pieces, each told to the turn's `on_event`, and is put
    together again.

    Raises ProviderError when there is no usable reply (two lines, for a person), and
    openai.BadRequestError when the request breaks the protocol, as the API words it, and
    WorkshopError for something among the messages that is no message at all.
    """
    started = trace.timer()
    messages = [m if isinstance(m, dict) else as_message(m, i) for i, m in enumerate(messages)]
    turn = recorder.turn_of_request(messages)
    if turn is not None:
        recorder.settle(turn, messages)
    seen = (turn.seen if turn else Seen()).update(messages)
    used, tokens = seen.ids, seen.tokens  # kept here: a summary by the model reads other messages
    body = _body(fit(messages, seen, turn), tools, model, tool_choice)
    try:
        try:
            reply = _twice(body, used, stream, turn)
        except openai.BadRequestError as error:
            body["messages"] = fit_refused(messages, tokens, error, turn)
            reply = _twice(body, used, stream, turn)
        except UnicodeEncodeError:  # half of an emoji, which no request can carry
            text = json.dumps(body, ensure_ascii=False, default=plain)
            body = json.loads(text.encode("utf-8", "replace"))
            reply = _twice(body, used, stream, turn)
    except openai.BadRequestError as error:
        raise shown_short(error) from None
    except TypeError as error:
        if "not JSON serializable" not in str(error):
            raise
        raise WorkshopError(
            f"The messages can't be sent: {error}.",
            "A tool message's content is text: dispatch(call).content.",
        ) from None
    except openai.APIError as error:
        raise explained(error, body["model"]) from error
    if turn is not None:
        _announce(turn, reply, body, started, tokens)
    return reply


def _body(
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
    model: str | None,
    tool_choice: Any,
) -> dict[str, Any]:
    config = current_config()
    body: dict[str, Any] = {
        "model": model or config.model or settings().model,
        "messages": messages,
    }
    if tools:  # the API refuses an empty list
        body["tools"] = tools
        if tool_choice is not None:
            body["tool_choice"] = tool_choice
    if config.temperature is not None:
        body["temperature"] = config.temperature
    if config.top_p is not None:
        body["top_p"] = config.top_p
    return body


def _twice(body: dict[str, Any], used: set[str], stream: bool, turn: Turn | None) -> ChatCompletion:
    """A reply without a message is asked for once more, then it is an error."""
    for last in (False, True):
        try:
            return _within_deadline(body, used, stream, turn)
        except UnusableReply as error:
            if stream and turn is not None:
                trace.tell(turn, {"restarted": str(error)})
            if last or current_session().seconds_left() <= 1:
                raise ProviderError(
                    f"The model's server sent no usable reply: {error}.",
                    "Check OPENAI_BASE_URL and the server's log, or try again.",
                ) from error
    raise AssertionError("unreachable")


def _within_deadline(
    body: dict[str, Any], used: set[str], stream: bool, turn: Turn | None
) -> ChatCompletion:
    """One request. Its own timeout is per read, so the clock over all of it is ours."""
    seconds = min(REQUEST_SECONDS, current_session().seconds_left())
    client = client_for(body["model"])
    given_up = threading.Event()

    def send() -> ChatCompletion:
        _given_up.set(given_up)  # in this request's copy of the context
        if stream:
            return _send_streaming(client, body, used, seconds, given_up, turn)
        return _send(client, body, used, seconds)

    try:
        return run_bounded(send, seconds)
    except TimeoutError as error:
        raise ProviderError(
            f"The model did not answer within {max(seconds, 0):.0f} s.",
            "Raise budget_seconds, or try again.",
        ) from error
    finally:
        given_up.set()


def _send(
    client: openai.OpenAI, body: dict[str, Any], used: set[str], seconds: float
) -> ChatCompletion:
    # `chat.completions.create` walks the whole message list at every call; `post` is the same
    # client (auth, retries, errors) without that walk.
    response = client.post(
        "/chat/completions", body=body, cast_to=httpx2.Response, options={"timeout": seconds}
    )
    return read_reply(response.content, used)


def _send_streaming(
    client: openai.OpenAI,
    body: dict[str, Any],
    used: set[str],
    seconds: float,
    given_up: threading.Event,
    turn: Turn | None,
) -> ChatCompletion:
    """Read the stream as it comes, until nobody waits for it any more."""
    tell = functools.partial(trace.tell, turn) if turn else None
    response: Any = client.post(
        "/chat/completions",
        body={**body, "stream": True, "stream_options": {"include_usage": True}},
        cast_to=httpx2.Response,
        options={"timeout": seconds},
        stream=True,
        stream_cls=openai.Stream[Any],
    )
    with contextlib.closing(response):
        pieces = itertools.takewhile(lambda _: not given_up.is_set(), response.iter_bytes())
        try:
            return clean_reply(accumulate(events(pieces), tell), used)
        except (httpx2.HTTPError, ValueError, RecursionError) as error:
            raise UnusableReply(f"its stream broke off ({type(error).__name__})") from error


def client_for(model: str) -> openai.OpenAI:
    """The openai client that a model name calls for.

    The stand-in answers in this process when a script is active, when its misbehaving models are
    asked for by name (standin/...), or when no other endpoint is configured.
    """
    from harness.standin import script_is_active

    here = model == "standin" and settings().base_url is None
    if here or model.startswith("standin/") or script_is_active():
        return _standin_client()
    if settings().api_key is None and settings().base_url is None:
        raise ProviderError(
            f"The model {model!r} needs a key, and OPENAI_API_KEY is not set.",
            "Put it into .env, or leave WORKSHOP_MODEL empty to use the offline stand-in.",
        )
    return _real_client(settings().api_key, settings().base_url)


@functools.lru_cache(maxsize=1)
def _standin_client() -> openai.OpenAI:
    from harness.standin.transport import StandinTransport

    return openai.OpenAI(
        api_key="standin",
        base_url="http://standin.invalid/v1",
        max_retries=_RETRIES,
        http_client=httpx2.Client(transport=StandinTransport(), event_hooks=_HOOKS),
    )


@functools.lru_cache(maxsize=4)
def _real_client(api_key: str | None, base_url: str | None) -> openai.OpenAI:
    return openai.OpenAI(
        api_key=api_key or "none",  # local servers want no key, the client wants some text
        base_url=base_url,
        max_retries=_RETRIES,
        http_client=openai.DefaultHttpxClient(event_hooks=_HOOKS),
    )


def _no_wait_beyond_deadline(response: httpx2.Response) -> None:
    """Tell the client not to retry when the wait would outlast the turn."""
    if response.status_code < 400:
        return
    try:
        wait = float(response.headers.get("retry-after", 1))
    except ValueError:
        wait = 1.0
    if current_session().seconds_left() <= wait:
        response.headers["x-should-retry"] = "false"


def _no_retry_for_nobody(request: httpx2.Request) -> None:
    """Stop the client when the turn no longer waits for the request that it is about to retry."""
    given_up = _given_up.get()
    if given_up is not None and given_up.is_set():
        raise openai.OpenAIError("nobody waits for this request any more")


_given_up: ContextVar[threading.Event | None] = ContextVar("workshop_given_up", default=None)
_HOOKS: dict[str, list[Any]] = {
    "request": [_no_retry_for_nobody],
    "response": [_no_wait_beyond_deadline],
}


def _announce(
    turn: Turn, reply: ChatCompletion, body: dict[str, Any], started: float, sent: int
) -> None:
    """Tell the turn what came in, so that the guarded calls know their ids and the thread them.

    `sent` is our own count of the tokens sent, for a server that does not count.
    """
    choice = reply.choices[0]
    usage = reply.usage
    if usage and usage.prompt_tokens:
        tokens = usage.prompt_tokens, usage.completion_tokens
    else:
        tokens = sent, count_message(choice.message.model_dump(exclude_none=True))
    turn.prompt_tokens += tokens[0]
    turn.completion_tokens += tokens[1]
    calls = (choice.message.tool_calls or []) if "tools" in body else []
    if calls:
        cut = choice.finish_reason == "length"
        message = choice.message.model_dump(exclude_none=True)
        recorder.announce(
            turn,
            message,
            [pending_call(c.id, c.function.name, c.function.arguments, cut) for c in calls],  # type: ignore[union-attr]
        )
    trace.record(
        turn,
        "TOOL_CALLING" if calls else "PLANNING",
        decision=", ".join(c.function.name for c in calls) or "answer",  # type: ignore[union-attr]
        output=choice.message.content,
        started=started,
        tokens=tokens,
        finish_reason=getattr(choice, "raw_finish_reason", choice.finish_reason),
    )
