"""The stand-in behind the real openai client, in the same process: no port, no server.

openai.OpenAI(api_key="none", http_client=httpx2.Client(transport=StandinTransport()))
"""

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any

import httpx2

from harness.standin.service import models, respond, unknown_route
from harness.standin.turns import JSON, Piece, Reply
from harness.standin.wire import refusal


class StandinTransport(httpx2.BaseTransport):
    """Answers POST .../chat/completions and GET .../models of any host, and nothing else.

    It keeps the request's read timeout as a socket would: each wait of the stand-in may last that
    long, then httpx2.ReadTimeout is raised.
    """

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request. Raises what the reply says must go wrong."""
        timeout = (request.extensions.get("timeout") or {}).get("read")
        reply = answer(request.method, request.url.path, request.read())
        pause(reply.wait, timeout)
        if reply.failure is not None:
            raise client_error(reply.failure)
        if isinstance(reply.body, bytes):
            return httpx2.Response(reply.status, headers=reply.headers, content=reply.body)
        stream = _Pieces(reply.body, timeout)
        return httpx2.Response(reply.status, headers=reply.headers, stream=stream)


class _Pieces(httpx2.SyncByteStream):
    def __init__(self, pieces: Iterable[Piece], timeout: float | None) -> None:
        self._pieces = pieces
        self._timeout = timeout

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, BaseException):
                raise client_error(piece)
            if isinstance(piece, bytes):
                yield piece
            else:
                pause(piece, self._timeout)


def answer(method: str, path: str, body: bytes) -> Reply:
    """Route one request."""
    if method == "POST" and path.endswith("/chat/completions"):
        return respond(body)
    if method == "GET" and path.endswith("/models"):
        return Reply(headers=dict(JSON), body=_json(models()))
    return refusal(unknown_route(method, path))


def pause(seconds: float, timeout: float | None) -> None:
    """Wait, but no longer than a client with this read timeout would. Raises ReadTimeout."""
    if seconds <= 0:
        return
    if timeout is not None and seconds > timeout:
        time.sleep(max(timeout, 0))
        raise httpx2.ReadTimeout("The read operation timed out")
    time.sleep(seconds)


def client_error(error: BaseException) -> BaseException:
    """Python's own connection errors, as the HTTP client would report them."""
    if isinstance(error, TimeoutError):
        return httpx2.ReadTimeout(str(error) or "The read operation timed out")
    if isinstance(error, ConnectionResetError):
        return httpx2.ReadError(str(error) or "Connection reset by peer")
    if isinstance(error, EOFError):
        return httpx2.RemoteProtocolError(str(error) or "peer closed connection")
    if isinstance(error, ConnectionError):
        return httpx2.ConnectError(str(error) or "Connection refused")
    return error


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
