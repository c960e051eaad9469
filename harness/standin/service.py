"""The stand-in as a service: a request's body in, a response out. Both transports call it."""

import json
import zlib
from dataclasses import replace
from typing import Any

from pydantic_core import from_json

from harness.standin.faults.registry import catalogue, misbehave
from harness.standin.protocol import MODEL, check_request
from harness.standin.refusals import ApiError
from harness.standin.scripting import active_script
from harness.standin.turns import Delegate, Message, Reply, Slow
from harness.standin.wire import CREATED, message_of, refusal, render

_NOT_JSON = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using "
    "your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not "
    "valid JSON.)"
)


def respond(body: bytes) -> Reply:
    """Answer one chat completion request, scripted or by the model that it names."""
    key = zlib.crc32(body)
    script = active_script()
    try:
        request = parse(body)
        if script is None:
            check_request(request, len(body))
            turn: Any = Delegate(request["model"])
        else:
            turn = script.take(request, len(body))
        return play(turn, request, key)
    except ApiError as error:
        return refusal(error)


def parse(body: bytes) -> dict[str, Any]:
    """The request of a body. Raises ApiError when it is no JSON object."""
    try:
        request = from_json(body)
    except ValueError:  # json is slower, but takes half an emoji, as a lenient server would
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            raise ApiError(_NOT_JSON) from None
    if not isinstance(request, dict):
        raise ApiError(_NOT_JSON)
    return request


def play(turn: Any, request: dict[str, Any], key: int) -> Reply:
    """Work a turn out into a reply: functions are called, delegates asked."""
    wait = 0.0
    while not isinstance(turn, type) and (isinstance(turn, Delegate) or callable(turn)):
        if isinstance(turn, Slow):
            wait += turn.seconds
        turn = _ask(turn, request) if isinstance(turn, Delegate) else turn(request)
    reply = render(turn, request, key)
    return replace(reply, wait=reply.wait + wait) if wait else reply


def think(request: dict[str, Any]) -> Message:
    """The stand-in's own answer to a request, without any fault."""
    from harness.standin.brain import reply  # large, and scripts and faults may need none of it

    if request.get("tool_choice") == "none":
        request = {name: value for name, value in request.items() if name != "tools"}
    return message_of(reply(request))


def models() -> dict[str, Any]:
    """The answer to GET /v1/models: the stand-in, and its faults."""
    names = [MODEL] + [f"{MODEL}/{name}" for name, _ in catalogue()]
    entries = [
        {"id": name, "object": "model", "created": CREATED, "owned_by": "workshop"}
        for name in names
    ]
    return {"object": "list", "data": entries}


def unknown_route(method: str, path: str) -> ApiError:
    """The error for a path that the stand-in does not serve."""
    if path.rstrip("/").endswith(("/chat/completions", "/models")):
        return ApiError(
            f"Not allowed to {method} on {path}. (HINT: Perhaps you meant to use a different HTTP "
            "method?)",
            status=405,
            code="method_not_supported",
        )
    return ApiError(f"Invalid URL ({method} {path})", status=404)


def _ask(asked: Delegate, request: dict[str, Any]) -> Any:
    if asked.model == MODEL:
        return think(request)
    if asked.over is None:
        return misbehave(asked.model, request, think)
    return misbehave(asked.model, request, lambda seen: _message(asked.over, seen))


def _message(turn: Any, request: dict[str, Any]) -> Message:
    """A scripted turn as the message that a fault can twist."""
    while callable(turn) and not isinstance(turn, type):
        turn = turn(request)
    if isinstance(turn, Delegate):
        turn = _ask(turn, request)
    if isinstance(turn, str):
        turn = Message(content=turn)
    if isinstance(turn, dict):
        turn = message_of(turn)
    if not isinstance(turn, Message):
        raise TypeError("only a message can be twisted by a fault: use say() or call()")
    return turn
