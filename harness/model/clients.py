"""The openai client of each endpoint. It does the retries, and stops them when nobody waits."""

import functools
import threading
from contextvars import ContextVar
from typing import Any

import httpx2
import openai

from harness.model.response_parsing import ProviderError
from harness.session import current_session
from harness.settings import Settings, settings
from harness.standin.scripting import active_script as active_script

_RETRIES = 2  # of a request, by the client

given_up: ContextVar[threading.Event | None] = ContextVar("workshop_given_up", default=None)


def client_for(model: str) -> openai.OpenAI:
    """The openai client that a model name calls for.

    The stand-in answers in this process when a script is active, when its misbehaving models are
    asked for by name (standin/...), or when no other endpoint is configured.
    """
    here = model == "standin" and settings().base_url is None
    if here or model.startswith("standin/") or active_script():
        return _standin_client()
    now = settings()
    if now.api_key is None and now.base_url is None:
        raise ProviderError(
            f"The model {model!r} needs a key, and OPENAI_API_KEY is not set.",
            "Put it into .env, or leave WORKSHOP_MODEL empty to use the offline stand-in.",
        )
    return _real_client(now)


@functools.lru_cache(maxsize=1)
def _standin_client() -> openai.OpenAI:
    from harness.standin.transport import StandinTransport  # what answers: not for an endpoint

    return openai.OpenAI(
        api_key="standin",
        base_url="http://standin.invalid/v1",
        max_retries=_RETRIES,
        http_client=httpx2.Client(transport=StandinTransport(), event_hooks=_HOOKS),
    )


@functools.lru_cache(maxsize=4)
def _real_client(now: Settings) -> openai.OpenAI:
    signing: dict[str, Any] = {}
    if now.oci_auth:
        from harness.model.oci_signing import auth_of, headers_of  # where it is asked for

        signing = {"auth": auth_of(now), "headers": headers_of(now)}
    return openai.OpenAI(
        api_key=now.api_key or "none",  # local servers want no key, the client wants some text
        base_url=now.base_url,
        max_retries=_RETRIES,
        http_client=openai.DefaultHttpxClient(event_hooks=_HOOKS, **signing),
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
    event = given_up.get()
    if event is not None and event.is_set():
        raise openai.OpenAIError("nobody waits for this request any more")


_HOOKS: dict[str, list[Any]] = {
    "request": [_no_retry_for_nobody],
    "response": [_no_wait_beyond_deadline],
}
