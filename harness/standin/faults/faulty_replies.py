"""Faults of the server: statuses, bodies, streams, time.

Where a fault strikes once, it strikes the first request of a conversation, and the same request
sent again is answered properly. "=always" makes it strike every time.
"""

import json
import threading
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.standin.context_window import check_window
from harness.standin.faults.faulty_calls import several
from harness.standin.faults.registry import ALWAYS, Fault, Think, named, number
from harness.standin.refusals import ApiError
from harness.standin.turns import Message, Reply, dripping, http, raw, slowly, stream
from harness.standin.wire import chunks_of, completion, render

Request = dict[str, Any]
_HTML = (
    "<html><head><title>Sign in</title></head><body>Please sign in to the network.</body></html>"
)
_failed_once: dict[tuple[str, int], None] = {}
_lock = threading.Lock()


def _key(request: Request) -> int:
    return zlib.crc32(json.dumps(request["messages"]).encode())


def _strikes(name: str, request: Request, option: str) -> bool:
    """Whether a fault that strikes once is due: at the start, and not on the second try."""
    if option == ALWAYS:
        return True
    if any(message.get("role") in ("tool", "assistant") for message in request["messages"]):
        return False
    mark = (name, _key(request))
    with _lock:
        if mark in _failed_once:
            del _failed_once[mark]
            return False
        _failed_once[mark] = None
        while len(_failed_once) > 200:
            del _failed_once[next(iter(_failed_once))]
        return True


def forget_failures() -> None:
    """Let the faults that strike once strike again, for an agent that starts afresh."""
    with _lock:
        _failed_once.clear()


def _once(name: str, description: str, make: Callable[[], Any]) -> None:
    def run(request: Request, think: Think, option: str) -> Any:
        return make() if _strikes(name, request, option) else think(request)

    named(name, f"{description}, once (=always)")(run)


def _always(make: Callable[[], Any]) -> Fault:
    return lambda request, think, option: make()


def _limited(seconds: int) -> ApiError:
    return ApiError(
        f"Rate limit reached for the stand-in. Please try again in {seconds}s.",
        status=429,
        kind="requests",
        code="rate_limit_exceeded",
        headers={"retry-after": str(seconds)},
    )


def _server_error(status: int = 500) -> ApiError:
    words = {500: "The server had an error while processing your request. Sorry about that!"}
    return ApiError(words.get(status, "The engine is currently overloaded."), status=status,
                    kind="server_error")  # fmt: skip


def _error_under_200() -> Reply:
    return http(200, {"error": {"message": "upstream timed out", "type": "proxy", "code": 504}})


_once("rate-limited", "answers 429 with Retry-After: 1", lambda: _limited(1))
_once("server-error", "answers 500", _server_error)
_once("bad-gateway", "answers 502 with a page of HTML", lambda: http(502, _HTML))
_once("html", "answers 200 with a page of HTML", lambda: http(200, _HTML))
_once("broken-json", "answers 200 with half a JSON body", lambda: raw(b'{"id": "chatcmpl-1", "cho'))
_once("no-body", "answers 200 with an empty body", lambda: raw(b""))
_once("error-body", "answers 200 with an error object", _error_under_200)
_once("no-choices", "answers without choices", lambda: {"id": "x", "choices": [], "usage": None})
_once("null-choices", "answers with choices null", lambda: {"id": "x", "choices": None})
_once("no-message", "answers with a choice that has no message",
      lambda: {"id": "x", "choices": [{"index": 0, "finish_reason": "stop"}]})  # fmt: skip
_once("disconnects", "closes the connection without an answer", lambda: ConnectionResetError())
_once("unreachable", "refuses the connection", lambda: ConnectionRefusedError())
_once("cut-off", "breaks the connection in the middle of the body",
      lambda: raw([b'{"id": "chatcmpl-1", ', EOFError()]))  # fmt: skip

named("rate-limited-forever", "answers 429 with Retry-After: 2, always")(
    _always(lambda: _limited(2))
)
named("retry-later", "answers 429 with Retry-After: 3600, always")(_always(lambda: _limited(3600)))
named("server-down", "answers 503, always")(_always(lambda: _server_error(503)))
named("no-quota", "answers 429 insufficient_quota, always")(
    _always(
        lambda: ApiError(
            "You exceeded your current quota, please check your plan and billing details.",
            status=429,
            kind="insufficient_quota",
            code="insufficient_quota",
        )
    )
)


@named("slow", "takes 3 seconds for every answer (=0.5: that many)")
def _slow(request: Request, think: Think, option: str) -> Any:
    return slowly(number(option, 3), lambda asked: think(asked))


@named("hangs", "does not answer within the hour")
def _hangs(request: Request, think: Think, option: str) -> Any:
    return slowly(3600, lambda asked: think(asked))


@named("drips", "sends its answer a byte a second (=0.01: that far apart)")
def _drips(request: Request, think: Think, option: str) -> Reply:
    reply = render(think(request), request, _key(request))
    body = reply.body if isinstance(reply.body, bytes) else b"".join(
        piece for piece in reply.body if isinstance(piece, bytes))  # fmt: skip
    return replace(dripping(body, number(option, 1)), headers=reply.headers)


@named("small-window", "has a context window of 4,000 tokens (=1000: that many)")
def _small_window(request: Request, think: Think, option: str) -> Message:
    check_window(request, int(number(option, 4000)))
    return think(request)


def _with_extra(**extra: Any) -> Fault:
    return lambda request, think, option: replace(think(request), extra=extra)


named("no-usage", "leaves usage out of its responses")(_with_extra(usage=None))
named("odd-usage", "sends a usage without numbers")(_with_extra(usage={"prompt_tokens": None}))


@named("content-parts", "sends its text as a list of parts")
def _content_parts(request: Request, think: Think, option: str) -> Message:
    message = think(request)
    if not isinstance(message.content, str):
        return message
    half = len(message.content) // 2
    texts = (message.content[:half], message.content[half:])
    return replace(message, content=[{"type": "text", "text": text} for text in texts])


@named("reasoning", "adds fields that the API does not know to its message")
def _reasoning(request: Request, think: Think, option: str) -> Message:
    message = think(request)
    return replace(message, fields={"reasoning_content": "Hmm.", "provider_data": {"a": 1}})


@named("two-choices", "sends a second choice that nobody asked for")
def _two_choices(request: Request, think: Think, option: str) -> Any:
    body = completion(think(request), request, _key(request))
    other = {"role": "assistant", "content": "Or something else.", "refusal": None}
    second = {"index": 1, "message": other, "logprobs": None, "finish_reason": "stop"}
    return {**body, "choices": [*body["choices"], second]}


def _in_chunks(
    name: str, description: str, change: Callable[[list[dict[str, Any]]], list[Any]], done: bool
) -> None:
    """A fault of streams only; a request without stream gets several calls, well formed."""

    def run(request: Request, think: Think, option: str) -> Any:
        message = several(request, think)
        if not request.get("stream"):
            return message
        chunks = list(chunks_of(completion(message, request, _key(request)), request))
        return stream(change(chunks), done=done)

    named(name, f"{description} (streams only)")(run)


def _at_index_zero(chunks: list[dict[str, Any]]) -> list[Any]:
    for chunk in chunks:
        for choice in chunk["choices"]:
            for call in choice["delta"].get("tool_calls") or ():
                call["index"] = 0
    return chunks


def _with_empty_first(chunks: list[dict[str, Any]]) -> list[Any]:
    return [{"id": "", "object": "", "created": 0, "model": "", "choices": []}, *chunks]


_in_chunks("index-zero", "gives every call the index 0, like Ollama", _at_index_zero, True)
_in_chunks("empty-first-chunk", "starts with a chunk without choices, like Azure",
           _with_empty_first, True)  # fmt: skip
_in_chunks("cut-stream", "ends in the middle, without a word",
           lambda chunks: chunks[: max(len(chunks) * 2 // 3, 1)], False)  # fmt: skip
_in_chunks("stream-error", "sends an error in the middle of a stream",
           lambda chunks: [chunks[0], {"error": {"message": "overloaded", "type": "server_error",
                                                 "code": None}}], True)  # fmt: skip
