"""From what a server sent to a reply that a loop can rely on.

Servers speak almost the protocol: arguments as an object, ids missing or used twice, content in
parts, no usage. Whatever can be read without guessing is put right here, once, so that no loop
has to know about it. What can't be is a ProviderError.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from harness.errors import WorkshopError
from harness.model.streaming import accumulate, events, listed_calls
from harness.model.tool_calls import parse_arguments
from harness.settings import settings

_FINISHED = {"stop", "length", "tool_calls", "content_filter"}
_ID_CHARS = 40  # the API takes no longer one back
_THOUGHTS = ("thinking", "reasoning", "redacted_thinking")
_LENGTH = {"length", "max_tokens", "max_output_tokens", "model_length"}


class ProviderError(WorkshopError):
    """The model's server can't be reached, refuses, or sends what is no reply."""


class UnusableReply(Exception):
    """A reply that holds no message; worth one more try."""


def shown_short(error: openai.BadRequestError) -> openai.BadRequestError:
    """The API's own 400, which a notebook then shows as one line instead of a traceback."""
    line = f"openai.BadRequestError: {error.message}"
    error._render_traceback_ = lambda: [line]  # type: ignore[attr-defined]
    return error


def explained(error: openai.APIError, model: str) -> ProviderError:
    """What the server or the network said, in two lines for a person."""
    where = settings().base_url or "the OpenAI API"
    if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
        return ProviderError(
            f"{where} refused the key.", "Check OPENAI_API_KEY in .env (and OPENAI_BASE_URL)."
        )
    if isinstance(error, openai.NotFoundError):
        return ProviderError(
            f"{where} knows no model {model!r}.", "Set WORKSHOP_MODEL in .env to one that it has."
        )
    if isinstance(error, openai.RateLimitError):
        return ProviderError(
            f"{where} is limiting requests or the quota is used up.",
            "Wait a minute, or use another key or WORKSHOP_MODEL=standin.",
        )
    if isinstance(error, openai.APIConnectionError):
        return ProviderError(
            f"{where} can't be reached.",
            "Check the network and OPENAI_BASE_URL; without a key the offline stand-in answers.",
        )
    status = getattr(error, "status_code", "?")
    return ProviderError(
        f"{where} answered with an error (status {status}): {str(error.message)[:200]}",
        "Try again; if it stays, look at the server's log.",
    )


def read_reply(raw: bytes, used_ids: Iterable[str]) -> ChatCompletion:
    """The body of a response as a clean ChatCompletion. Raises UnusableReply."""
    try:
        data = _body_of(raw)
    except (ValueError, RecursionError) as error:
        start = " ".join(raw[:60].decode("utf-8", "replace").split())
        raise UnusableReply(f"it sent something else than JSON: {start!r}") from error
    return clean_reply(data, used_ids)


def _body_of(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode(json.detect_encoding(raw), "replace").lstrip("\ufeff"))
    except ValueError:
        if b"data:" not in raw:
            raise
        return accumulate(events([raw]))  # a stream that nobody asked for


def clean_reply(data: Any, used_ids: Iterable[str]) -> ChatCompletion:
    """Put a reply right. `used_ids` are the call ids already in the conversation.

    Call ids that are missing, empty, repeated or already used are replaced, in the message itself,
    so that the echo and the results carry the same new ones. Raises UnusableReply.
    """
    try:
        return _cleaned(data, used_ids)
    except RecursionError as error:
        raise UnusableReply("its reply is nested too deeply") from error


def _cleaned(data: Any, used_ids: Iterable[str]) -> ChatCompletion:
    choice, message = _message_of(data)
    calls = _calls(message, set(used_ids))
    said = choice.get("finish_reason")
    finish = str(said or ("tool_calls" if calls else "stop"))
    finish = "length" if finish in _LENGTH else finish
    return ChatCompletion.model_validate(
        {
            "id": str(data.get("id") or "reply"),
            "object": "chat.completion",
            "created": _count(data.get("created")),
            "model": str(data.get("model") or "unknown"),
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish if finish in _FINISHED else "stop",
                    "raw_finish_reason": said,  # for the trace
                    "message": {
                        "role": "assistant",
                        "content": _answer(message.get("content")),
                        "refusal": _text(message.get("refusal")) or None,
                        "tool_calls": calls or None,
                    },
                }
            ],
            "usage": _usage(data.get("usage")),
        }
    )


def _message_of(data: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    if not isinstance(data, Mapping):
        raise UnusableReply("it sent JSON that is no object")
    if data.get("error") and not data.get("choices"):
        error = data["error"]
        text = error.get("message") if isinstance(error, Mapping) else error
        raise UnusableReply(f"it sent an error with status 200: {str(text)[:200]}")
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, Mapping):
        raise UnusableReply("its reply holds no message")
    message = first.get("message", first.get("text"))  # "text": the API before chats
    if isinstance(message, str):
        message = {"content": message}
    if not isinstance(message, Mapping):
        raise UnusableReply("its reply holds no message")
    if first.get("finish_reason") == "error" or first.get("error"):
        raise UnusableReply("its reply broke off with an error")
    return first, message


def _calls(message: Mapping[str, Any], used: set[str]) -> list[dict[str, Any]]:
    raw = listed_calls(message.get("tool_calls"))
    if not raw and isinstance(message.get("function_call"), Mapping):  # the API before tools
        raw = [{"function": message["function_call"]}]
    calls = []
    for each in raw:
        function = each.get("function", each.get("custom"))
        if not isinstance(function, Mapping):
            function = each  # name and arguments without their wrapper; "unnamed" if not even those
        call_id = _fresh_id(each.get("id"), used)
        name = _legal_name(function.get("name"))
        arguments = _arguments_text(function.get("arguments", function.get("input")))
        calls.append(
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        )
    return calls


def _legal_name(given: Any) -> str:
    """A name that the API takes back in the echo, as near to the given one as that can be."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", str(given or "").strip())[:64] or "unnamed"


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
    try:
        value = parse_arguments(raw)
    except ValueError:
        return speakable(raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))
    if isinstance(raw, str) and raw.lstrip().startswith("{"):
        return speakable(raw)
    return speakable(json.dumps(value, ensure_ascii=False))


def speakable(text: str) -> str:
    """Surrogate pairs as the characters that they are; a half, which no request can carry, as ?."""
    if text.isascii():
        return text
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return paired.encode("utf-8", "replace").decode("utf-8")


def _answer(content: Any) -> str | None:
    """The text, without the thoughts that some local models put before it.

    The first tag can be missing (it stood in the prompt), and the last one where it was cut off.
    """
    text = _text(content)
    if text and "think>" in text:
        thoughts, end, rest = text.partition("</think>")
        if thoughts.lstrip().startswith("<think>") or (end and "<think>" not in thoughts):
            return rest.lstrip()
    return text


def _text(content: Any) -> str | None:
    """Content that came in parts, as one text; parts that are thoughts are none of it."""
    if content is None or isinstance(content, bool):
        return None
    if isinstance(content, str):
        return speakable(content)
    if isinstance(content, Mapping):
        if content.get("type") in _THOUGHTS:
            return None
        return _text(content.get("text") or content.get("refusal") or "")
    if isinstance(content, list):
        return "".join(_text(part) or "" for part in content)
    return speakable(str(content))


def _usage(usage: Any) -> dict[str, int] | None:
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": _count(usage.get("total_tokens")) or prompt + completion,
    }


def _count(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and 0 < value < 1e15 else 0
