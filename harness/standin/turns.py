"""What a model, or a server, can be made to answer: the forms of a scripted turn.

A turn is a `Message` (what `say`, `call`, `call_raw` and `calls` make), a whole response as a
dict, a `Reply` (what `http`, `raw`, `stream` and `slowly` make), bytes, an exception to raise, or
a function of the request that returns any of these. A str is short for `say`.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

# A piece of a body: bytes to send, seconds to wait, or an exception that breaks the connection.
Piece = bytes | float | BaseException
NULL = "<null>"  # as the id of a call: send null, where None means "fill in a proper one"
JSON = {"content-type": "application/json"}
HTML = {"content-type": "text/html; charset=utf-8"}
EVENTS = {"content-type": "text/event-stream; charset=utf-8"}


@dataclass(frozen=True)
class Message:
    """An assistant message to wrap in a well-formed response.

    `finish_reason` is worked out when None. `extra` is added to the response's top level, where a
    value of None takes a key away (`{"usage": None}` leaves usage out).
    """

    content: Any = None
    tool_calls: tuple[dict[str, Any], ...] = ()
    finish_reason: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """An HTTP response, byte by byte: wait, then fail or send."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: dict(JSON))
    body: bytes | tuple[Piece, ...] = b""
    wait: float = 0.0
    failure: BaseException | None = None


@dataclass(frozen=True)
class Delegate:
    """A turn that the named model of the stand-in takes ("standin", "standin/repeats", ...).

    `over` is a turn, or a function of the request, that a fault twists instead of what the
    stand-in itself would say.
    """

    model: str
    over: Any = None


Turn = (
    Message
    | Reply
    | Delegate
    | dict[str, Any]
    | str
    | bytes
    | BaseException
    | type[BaseException]
    | Callable[[dict[str, Any]], Any]
)


def say(text: str | None, *, finish_reason: str | None = None, **fields: Any) -> Message:
    """A final answer. Other keywords become fields of the message (`refusal="..."`)."""
    return Message(content=text, finish_reason=finish_reason, fields=fields)


def call(tool_name: str, /, **arguments: Any) -> Message:
    """One call of a tool, with these arguments."""
    return calls([(tool_name, arguments)])


def call_raw(
    tool_name: Any, arguments: Any, *, id: Any = None, finish_reason: str | None = None
) -> Message:
    """One call whose arguments are sent exactly as given: text that is no JSON, an object, None.

    Without `id` the call gets a proper one.
    """
    return Message(tool_calls=(one_call(tool_name, arguments, id),), finish_reason=finish_reason)


def calls(
    several: Iterable[Any], *, text: str | None = None, finish_reason: str | None = None
) -> Message:
    """Several calls in one message: (name, arguments), (name, arguments, id), Messages or dicts."""
    made: list[dict[str, Any]] = []
    for each in several:
        if isinstance(each, Message):
            made += each.tool_calls
        elif isinstance(each, dict):
            made.append(each)
        else:
            name, arguments, *rest = each
            made.append(one_call(name, _text_of(arguments), *rest))
    return Message(content=text, tool_calls=tuple(made), finish_reason=finish_reason)


def one_call(name: Any, arguments: Any, id: Any = None) -> dict[str, Any]:
    """A tool call as the API sends it; an `id` of None is filled in when the reply is built."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def http(status: int, body: Any = b"", *, headers: dict[str, str] | None = None) -> Reply:
    """A response with this status; a dict as body is sent as JSON, a str as it is.

    An error status without a body gets the API's own error object.
    """
    if body in (b"", None) and status >= 400:
        body = {"error": {"message": f"HTTP {status}", "type": "api_error", "param": None}}
        body["error"]["code"] = None
    content, kind = _encoded(body)
    return Reply(status=status, headers={**kind, **_lower(headers)}, body=content)


def raw(
    body: bytes | str | Iterable[Piece], *, status: int = 200, headers: dict[str, str] | None = None
) -> Reply:
    """A body as it is: bytes, or pieces with waits (seconds) and exceptions between them."""
    if isinstance(body, (bytes, str)):
        return http(status, body, headers=headers)
    return Reply(status=status, headers={**JSON, **_lower(headers)}, body=tuple(body))


def stream(chunks: Iterable[Any], *, done: bool = True) -> Reply:
    """Server-sent events: a dict is a chunk, bytes go out as they are, a number is a wait."""
    pieces: list[Piece] = [event(c) if isinstance(c, (dict, list)) else c for c in chunks]
    if done:
        pieces.append(b"data: [DONE]\n\n")
    return Reply(headers=dict(EVENTS), body=tuple(pieces))


def slowly(seconds: float, turn: Any = "") -> Callable[[dict[str, Any]], Any]:
    """Wait before answering with `turn`. The client's read timeout ends the wait, as it would."""
    return Slow(seconds, turn)


def dripping(data: bytes, seconds: float = 1.0, step: int = 1) -> Reply:
    """A body that arrives `step` bytes at a time, `seconds` apart."""
    pieces: list[Piece] = []
    for start in range(0, len(data), step):
        pieces += [data[start : start + step], seconds]
    return raw(pieces[:-1])


def normal() -> Delegate:
    """Let the stand-in itself answer this turn."""
    return Delegate("standin")


def event(chunk: Any) -> bytes:
    """One server-sent event."""
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


@dataclass(frozen=True)
class Slow:
    """A turn that comes after so many seconds; made by `slowly`."""

    seconds: float
    turn: Any

    def __call__(self, request: dict[str, Any]) -> Any:
        """The turn itself; the wait before it is the service's."""
        return self.turn(request) if callable(self.turn) else self.turn


def _encoded(body: Any) -> tuple[bytes, dict[str, str]]:
    if isinstance(body, str):
        body = body.encode()
    if isinstance(body, bytes):
        return body, dict(HTML if body.lstrip()[:1] == b"<" else JSON)
    return json.dumps(body).encode(), dict(JSON)


def _lower(headers: dict[str, str] | None) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in (headers or {}).items()}


def _text_of(arguments: Any) -> Any:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
