"""Sending a request: the openai client says how and mends what fails, httpx alone does the rest.

For each request the client would put address, headers and options together anew, at several times
the price of sending them. So it makes one, which the others are copied from. A request that does
not succeed goes on in the client, from what came: errors, waiting and retries are its own.
"""

import functools
from typing import Any

import httpx2
import openai

from harness.model.request_text import written

_PATH = "/chat/completions"
# What the client would tell every server of this machine. No server needs it, and a header costs.
_UNTOLD = "Lang Package-Version OS Arch Runtime Runtime-Version Async Read-Timeout".split()
_HEADERS = {f"X-Stainless-{name}": openai.omit for name in _UNTOLD}


def post(
    client: openai.OpenAI, body: dict[str, Any], seconds: float, stream: bool = False
) -> httpx2.Response:
    """The response to a request; with `stream` it is still to be read.

    `seconds` bound each single wait, as httpx has it. Raises openai's errors.
    """
    made = written(body)
    if "content" not in made:
        return _by_client(client, made, seconds, stream)
    http = client._client  # it has no public name, nor has the client another way to send
    came: httpx2.Response | Exception
    try:
        came = http.send(_request(client, made["content"], seconds), stream=stream)
        if came.is_success:
            return came
    except Exception as error:
        came = error
    return _by_client(_through(_From(came, http), client), made, seconds, stream)


def _by_client(
    client: openai.OpenAI, made: dict[str, Any], seconds: float, stream: bool
) -> httpx2.Response:
    """`chat.completions.create` without its walk through the whole message list."""
    how: dict[str, Any] = {"stream": True, "stream_cls": openai.Stream[Any]} if stream else {}
    options: Any = {"timeout": seconds, "headers": _HEADERS}
    return client.post(_PATH, **made, cast_to=httpx2.Response, options=options, **how)


def _request(client: openai.OpenAI, text: bytes, seconds: float) -> httpx2.Request:
    first, cookies = _first_request(client), client._client.cookies
    headers = httpx2.Headers(first.headers, encoding=first.headers.encoding)
    headers["Content-Length"] = str(len(text))
    waits = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
    request = httpx2.Request(
        first.method,
        first.url,
        headers=headers,
        stream=httpx2.ByteStream(text),
        extensions={"timeout": waits},
    )
    request.read()
    if cookies:
        cookies.set_cookie_header(request)
    return request


@functools.lru_cache(maxsize=8)
def _first_request(client: openai.OpenAI) -> httpx2.Request:
    """What the client would send, were there something to say."""
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200)

    looking = _through(httpx2.MockTransport(answer), client)
    _by_client(looking, {"content": b"{}"}, 1.0, stream=False)
    sent[0].headers.pop("cookie", None)  # that changes
    return sent[0]


def _through(transport: httpx2.BaseTransport, client: openai.OpenAI) -> openai.OpenAI:
    """The same client, which sends through another transport."""
    http = client._client
    other = httpx2.Client(
        transport=transport, headers=http.headers, params=http.params, cookies=http.cookies
    )
    return client.with_options(http_client=other)


class _From(httpx2.BaseTransport):
    """Begins with what has come already, a response or an error; after that it asks."""

    def __init__(self, came: httpx2.Response | Exception, http: httpx2.Client) -> None:
        self._came: httpx2.Response | Exception | None = came
        self._http = http

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response; raises what httpx raised."""
        came, self._came = self._came, None
        if isinstance(came, Exception):
            raise came
        return came or self._http.send(request, stream=True)
