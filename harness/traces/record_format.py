"""The record of a trace event: one JSON object a line.

In memory an event has the plain names of the course: phase, iteration, tool, input, output ... In a
file it has the names of OpenTelemetry's conventions for generative AI, where those have one. A text
that is long is stored once a file, as a line of its own, and referred to by its hash.
"""

import datetime
import hashlib
import json
import math
from collections.abc import Callable
from typing import Any, Literal

import orjson

from harness.guards.secrets import redact

Phase = Literal[
    "PLANNING",
    "TOOL_SELECTION",
    "EXECUTION",
    "OBSERVING",
    "COMPLETED",
    "CAP_REACHED",
    "SAFETY_TRIP",
]
ENDED = ("COMPLETED", "CAP_REACHED", "SAFETY_TRIP")  # the phases that a turn ends in

VERSION = 2
HEAD = f'{{"v":{VERSION},'  # how the line of an event begins
PAYLOAD_HEAD = '{"payload":'  # and that of a stored text
TURN, CHAT, TOOL, CONTEXT = "invoke_agent", "chat", "execute_tool", "build_context"
SHARED_FROM = 400  # characters: a longer text is stored on a line of its own
_MOST_CHARS = 1_000_000  # of one text
_NUMBERS = (int, float, type(None))  # what holds no text
_MISSING = "[this text was not found in the file]"

# Our names, and the conventions' for the same thing.
_NAMES = {
    "operation": "gen_ai.operation.name",
    "thread_id": "gen_ai.conversation.id",
    "model": "gen_ai.request.model",
    "answered_by": "gen_ai.response.model",
    "tool": "gen_ai.tool.name",
    "tool_call_id": "gen_ai.tool.call.id",
    "user": "user.id",
    "error": "error.type",
}
_CONTENT = {  # input and output are called by what they are
    TOOL: ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
    CHAT: ("gen_ai.input.messages", "gen_ai.output.messages"),
}
_FIELDS: dict[Any, dict[str, str]] = {
    operation: {**_NAMES, "input": given, "output": got}
    for operation, (given, got) in _CONTENT.items()
}
_PLAIN = {theirs: ours for ours, theirs in _NAMES.items()}


def clean(value: Any) -> Any:
    """A value as plain data, without secrets, each text bounded."""
    try:
        return _clean(value)
    except RecursionError:
        return "(nested too deeply)"


def _clean(value: Any) -> Any:
    if type(value) is str:
        return redact(value[:_MOST_CHARS])
    if isinstance(value, _NUMBERS):
        return value
    if isinstance(value, dict):
        return {str(key): _clean(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(each) for each in value]
    try:
        return redact(str(value)[:_MOST_CHARS])
    except Exception:  # its own __str__ raises
        return f"({type(value).__name__})"


def to_lines(event: dict[str, Any], stored: set[str]) -> bytes:
    """The lines of an event: its record, and before it each long text that is not `stored` yet."""
    payloads: list[bytes] = []

    def share(text: str) -> dict[str, str]:
        name = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]
        if name not in stored:
            stored.add(name)
            payloads.append(f'{PAYLOAD_HEAD}"{name}","text":'.encode() + _dumps(text) + b"}\n")
        return {"payload": name}

    record = _dumps(_walk({"v": VERSION, **to_record(event)}, share))
    return b"".join([*payloads, record, b"\n"])


def to_record(event: dict[str, Any]) -> dict[str, Any]:
    """An event under the names of the conventions; what is empty is left out."""
    names = _FIELDS.get(event.get("operation"), _NAMES)
    record: dict[str, Any] = {}
    for name, value in event.items():
        if value is None or value == "":
            continue
        if name == "tokens":
            record["gen_ai.usage.input_tokens"] = value["prompt"]
            record["gen_ai.usage.output_tokens"] = value["completion"]
        elif name == "finish_reason":
            record["gen_ai.response.finish_reasons"] = [value]
        else:
            record[names.get(name, name)] = value
    return record


def from_record(record: dict[str, Any], text_of: dict[str, str] | None = None) -> dict[str, Any]:
    """The event that a record holds, of this version, an older or a later one.

    `text_of` has the stored texts by name; without it references stay as they are.
    """
    if "v" not in record:
        return _first_version(record)
    record = dict(record)
    record.pop("v")
    tokens = [record.pop(f"gen_ai.usage.{way}_tokens", None) for way in ("input", "output")]
    event: dict[str, Any] = {}
    given, got = _content(record.get(_NAMES["operation"]))
    for name, value in record.items():
        ours = "input" if name == given else "output" if name == got else _PLAIN.get(name, name)
        event[ours] = value
    reasons = event.pop("gen_ai.response.finish_reasons", None)
    if isinstance(reasons, list) and reasons:
        event["finish_reason"] = reasons[0]
    if tokens[0] is not None:
        event["tokens"] = {"prompt": tokens[0], "completion": tokens[1] or 0}
    if text_of is not None:
        event = {name: _resolve(value, text_of) for name, value in event.items()}
    return _typed({**_BLANK, **event})


def messages_added(event: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages that a request had more than the one before it."""
    sent = event["input"] if isinstance(event["input"], dict) else {}
    added = sent.get("added")
    return [each for each in added if isinstance(each, dict)] if isinstance(added, list) else []


def _typed(event: dict[str, Any]) -> dict[str, Any]:
    """The event with each field of the kind that readers rely on; a file may hold anything."""
    for name, value in event.items():
        if value is not None and name in _KINDS:
            event[name] = _KINDS[name](value)
    event["phase"] = event["phase"] or ""
    return event


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _number(value: Any) -> float | None:
    try:
        return float(value) if math.isfinite(float(value)) else None
    except (TypeError, ValueError, OverflowError):
        return None


def _whole(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)


def _counts(value: Any) -> dict[str, int]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(name): whole for name, each in pairs if (whole := _whole(each)) is not None}


def _tokens(value: Any) -> dict[str, int] | None:
    counts = _counts(value)
    return {"prompt": 0, "completion": 0} | counts if counts else None


def _time(value: Any) -> str:
    """ISO time; the first version had seconds since 1970."""
    if isinstance(value, str):
        return value
    try:
        moment = datetime.datetime.fromtimestamp(float(value), datetime.UTC)
        return moment.isoformat(timespec="milliseconds")
    except (TypeError, ValueError, OverflowError, OSError):
        return ""


def _texts(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


_KINDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("latency_ms",), _number),
    **dict.fromkeys(("iteration", "calls", "errors"), _whole),
    **dict.fromkeys(("timestamp", "began"), _time),
    "tokens": _tokens,
    "layers": _counts,
    "offered": _texts,
    **dict.fromkeys(
        "trace_id thread_id phase operation model_decision tool tool_call_id status question path"
        " user model answered_by trip error level finish_reason".split(),
        _text,
    ),
}
_BLANK: dict[str, Any] = dict.fromkeys(
    "trace_id thread_id timestamp iteration phase operation model_decision tool tool_call_id input"
    " output latency_ms tokens status".split()
)


def references(value: Any) -> set[str]:
    """The names of the stored texts that a record refers to."""
    found: set[str] = set()
    _walk_references(value, found.add)
    return found


def _content(operation: Any) -> tuple[str, str]:
    return _CONTENT.get(operation, ("input", "output"))


def _dumps(value: Any) -> bytes:
    try:
        return orjson.dumps(value, default=str)
    except TypeError:  # half of an emoji, or an integer of more than 64 bits
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "replace")


def _walk(value: Any, share: Callable[[str], Any]) -> Any:
    """A value with each long text shared. What is short is passed in place: there is much of it."""
    if isinstance(value, str):
        return share(value) if len(value) > SHARED_FROM else value
    if isinstance(value, dict):
        return {
            key: each
            if (len(each) <= SHARED_FROM if isinstance(each, str) else isinstance(each, _NUMBERS))
            else _walk(each, share)
            for key, each in value.items()
        }
    return [_walk(each, share) for each in value] if isinstance(value, list) else value


def _is_reference(value: dict[str, Any]) -> bool:
    return len(value) == 1 and isinstance(value.get("payload"), str)


def _walk_references(value: Any, found: Callable[[str], Any]) -> None:
    if isinstance(value, dict):
        if _is_reference(value):
            found(value["payload"])
        for each in value.values():
            _walk_references(each, found)
    elif isinstance(value, list):
        for each in value:
            _walk_references(each, found)


def _resolve(value: Any, text_of: dict[str, str]) -> Any:
    if isinstance(value, dict):
        if _is_reference(value):
            return text_of.get(value["payload"], _MISSING)
        return {key: _resolve(each, text_of) for key, each in value.items()}
    return [_resolve(each, text_of) for each in value] if isinstance(value, list) else value


def _first_version(record: dict[str, Any]) -> dict[str, Any]:
    """Records of before had our names, seconds since 1970, and one phase less."""
    event = {**_BLANK, **record}
    if event["phase"] == "TOOL_CALLING" or event["phase"] == "PLANNING":
        event |= {"phase": "PLANNING", "operation": CHAT}
    elif event["phase"] == "OBSERVING":
        event["operation"] = TOOL
    elif event["phase"] in ENDED:
        tripped = event.get("status") == "safety_trip"
        event |= {"phase": "SAFETY_TRIP" if tripped else event["phase"], "operation": TURN}
    return _typed(event)
