"""From what a server sent to a reply that a loop can rely on.

Servers speak almost the protocol: arguments as an object, ids missing or used twice, content in
parts, no usage. Whatever can be read without guessing is put right here, once, so that no loop
has to know about it. What can't be is unusable.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from openai.types.chat import ChatCompletion
from pydantic import ValidationError

from harness.errors import WorkshopError
from harness.model.envelopes import first_object, message_of, unwrapped
from harness.model.error_words import without_tags, words_in
from harness.model.foreign_forms import calls_beside
from harness.model.json_text import speakable
from harness.model.message_parts import whole_message
from harness.model.reply_sorting import SortedReply, sort_reply
from harness.model.sse import events
from harness.model.streaming import accumulate
from harness.model.tool_calls import one_object, parse_arguments
from harness.model.written_calls import Offered

_ID_CHARS = 40  # the API takes no longer one back
# Around arguments: a fence, or a special token at their end.
_MARKS = re.compile(r"\A\s*```\w*\s*|\s*(?:```|<[|｜][^<>{}]{1,60}[|｜]>)\s*\Z")
# What counts as sent and as received, as servers name it.
_SENT, _RECEIVED = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")
_READ, _SHOWN = 4_000, 100  # bytes of what is no reply, and characters of it that are told


class ProviderError(WorkshopError):
    """The model's server can't be reached, refuses, or sends something other than a reply."""


class UnusableReply(Exception):
    """A reply that holds no message; worth one more try.

    `refusal` is what the server said where it refused under status 200.
    """

    def __init__(self, message: str, refusal: str = "") -> None:
        super().__init__(message)
        self.refusal = refusal


def read_reply(
    raw: bytes, used_ids: Iterable[str], offered: Callable[[], Offered] = dict
) -> ChatCompletion:
    """The body of a response as a clean ChatCompletion. Raises UnusableReply."""
    try:
        data = _body_of(raw)
    except (ValueError, RecursionError) as error:
        start = without_tags(raw[:_READ].decode("utf-8", "replace"))[:_SHOWN]
        raise UnusableReply(f"it sent something else than JSON: {start!r}") from error
    return clean_reply(data, used_ids, offered)


def _body_of(raw: bytes) -> Any:
    try:
        return json.loads(text := raw.decode(json.detect_encoding(raw), "replace").lstrip("\ufeff"))
    except ValueError:
        if b"data:" not in raw:
            return first_object(text)
        return accumulate(events([raw]))  # a stream that nobody asked for


def clean_reply(
    data: Any, used_ids: Iterable[str], offered: Callable[[], Offered] = dict
) -> ChatCompletion:
    """Put a reply right. `used_ids` are the call ids already in the conversation.

    Call ids that are missing, empty, repeated or already used are replaced, in the message itself,
    so that the echo and the results carry the same new ones. `offered` are the request's tools and
    their parameters. What the server says beyond the protocol stays in the message. Raises
    UnusableReply.
    """
    try:
        return _cleaned(data, used_ids, offered)
    except RecursionError as error:
        raise UnusableReply("its reply is nested too deeply") from error


def _cleaned(data: Any, used_ids: Iterable[str], offered: Callable[[], Offered]) -> ChatCompletion:
    data = unwrapped(data)
    said, message = _message_of(data)
    asked = message["tool_calls"] or calls_beside(message, offered)
    calls = _calls(asked, set(used_ids), offered)
    found = sort_reply(message, said, offered, bool(calls))
    if found.finish == "error":
        raise UnusableReply("its reply broke off with an error")
    reply: dict[str, Any] = {
        "id": str(data.get("id") or "reply"),
        "object": "chat.completion",
        "created": _count(data.get("created")),
        "model": str(data.get("model") or "unknown"),
        "choices": [_choice(said, message, found, calls)],
        "usage": _usage(data.get("usage")),
    }
    try:
        return ChatCompletion.model_validate(reply)
    except ValidationError:  # of a field that the client types and no loop needs
        for name in ("annotations", "audio"):
            reply["choices"][0]["message"].pop(name, None)
        return ChatCompletion.model_validate(reply)


def _choice(
    said: Any, message: Mapping[str, Any], found: SortedReply, calls: list[dict[str, Any]]
) -> dict[str, Any]:
    """The choice, and beside its message what the harness wants to know of it."""
    return {
        "index": 0,
        "finish_reason": found.finish,
        "raw_finish_reason": said,  # for the trace
        "thoughts": found.thoughts,
        "written_call": found.written,
        "own_content": message["content"],  # as the server sent it
        "message": {
            **message,
            "role": "assistant",
            "content": found.answer,
            "refusal": found.refusal,
            "tool_calls": calls or None,
        },
    }


def _message_of(data: Any) -> tuple[Any, dict[str, Any]]:
    """(finish_reason, message) of a reply, of whichever of its choices says something."""
    if not isinstance(data, Mapping):
        raise UnusableReply("it sent JSON that isn't an object")
    if data.get("error") and not data.get("choices"):
        error = data["error"]
        text = words_in(error) or str(error)
        raise UnusableReply(f"it sent an error with status 200: {text[:200]}", str(error))
    listed = data.get("choices")
    listed = listed if isinstance(listed, list) else []
    choices = [each for each in listed if isinstance(each, Mapping)]
    choices.sort(key=lambda choice: choice["index"] if type(choice.get("index")) is int else 0)
    read = [(choice, _whole(choice)) for choice in choices]
    if errors := [choice["error"] for choice in choices if choice.get("error")]:
        raise _without_message("its reply broke off with an error", errors)
    usable = [(choice.get("finish_reason"), message) for choice, message in read if message]
    if not usable:
        raise _without_message("its reply holds no message", {**data, "choices": None})
    full = [each for each in usable if each[1]["content"] or each[1]["refusal"]]
    calling = [each for each in usable if each[1]["tool_calls"]]
    finish, message = (full or calling or usable)[0]
    if calling and not message["tool_calls"]:  # some put text and calls into choices of their own
        finish, with_calls = calling[0]
        message = {**with_calls, "content": with_calls["content"] or message["content"]}
    return finish, message


def _without_message(what: str, said: Any) -> UnusableReply:
    """A reply that is none, with the server's own words where it holds some."""
    words = words_in(said)
    return UnusableReply(f"{what}: {words[:200]}" if words else what, words)


def _whole(choice: Mapping[str, Any]) -> dict[str, Any] | None:
    message = message_of(choice, "message", "delta", "text")  # "text": the API before chats
    if isinstance(message, str):
        message = {"content": message}
    return whole_message(dict(message)) if isinstance(message, Mapping) else None


def _calls(
    listed: list[dict[str, Any]], used: set[str], offered: Callable[[], Offered]
) -> list[dict[str, Any]]:
    calls = []
    for each in listed:
        function = each["function"]
        name, arguments = (
            _legal_name(function["name"], offered),
            _arguments_text(function["arguments"]),
        )
        function = {**function, "name": name, "arguments": arguments}
        made = {"id": _fresh_id(each["id"], used), "type": "function", "function": function}
        calls.append({**each, **made})
    return calls


def _legal_name(given: Any, offered: Callable[[], Offered]) -> str:
    """A name that the API takes back in the echo, as near to the given one as that can be.

    Of `functions.add` or `add()` that is the tool, where one word of it names one.
    """
    name = str(given or "").strip()
    words = set(re.split(r"[^a-zA-Z0-9_-]+", name))
    if len(words) > 1 and len(known := words & offered().keys()) == 1:
        return known.pop()
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unnamed"


def _fresh_id(given: Any, used: set[str]) -> str:
    call_id = speakable(given) if isinstance(given, str) and given.strip() else ""
    call_id = call_id if len(call_id) <= _ID_CHARS else ""
    number = len(used) + 1
    while not call_id or call_id in used:
        call_id = f"call_{number}"
        number += 1
    used.add(call_id)
    return call_id


def _arguments_text(raw: Any) -> str:
    """The arguments as JSON text of an object; text that is none stays as the model wrote it."""
    raw = speakable(raw) if isinstance(raw, str) else raw  # whole, since pieces may cut a character
    try:
        value = parse_arguments(raw)
    except ValueError:
        if isinstance(raw, str) and (once := one_object(_MARKS.sub("", raw))) != raw:
            return _arguments_text(once)
        return raw if isinstance(raw, str) else speakable(json.dumps(raw, ensure_ascii=False))
    if isinstance(raw, str) and raw.lstrip().startswith("{"):
        return raw
    return speakable(json.dumps(value, ensure_ascii=False))


def _usage(usage: Any) -> dict[str, int] | None:
    if not isinstance(usage, Mapping):
        return None
    prompt = max(_count(usage.get(name)) for name in _SENT)
    completion = max(_count(usage.get(name)) for name in _RECEIVED)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": _count(usage.get("total_tokens")) or prompt + completion,
    }


def _count(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and 0 < value < 1e15 else 0
