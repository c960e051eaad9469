"""The gym's model, under each misbehaviour: it calls a tool once and answers with what came back.

It knows no tool beforehand: it takes the first that is offered and only reads, with arguments that
fit the schema. Its answer carries a mark, so that a program can see whether the answer arrived.
"""

import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

from harness.standin.faults.history import failed, offered, plausible, text_of
from harness.standin.turns import Message, call_raw, say

MOST_TRIES = 4  # calls without a good result, then it gives up
GAVE_UP = "I could not find that out."

_ENDS_WITH_A_TOOL = ("final_answer", "final_result")  # libraries that want the answer as a call
_WRITES = re.compile(
    r"\b(?:send|book|rebook|cancel|submit|delete|drop|remove|write|update|create|pay)", re.I
)
_ERROR_WORDS = re.compile(
    r"error|invalid|fail|exception|unknown|missing|required|must|not (?:a |an )?(?:found|valid|"
    r"allowed|exist|tool|defined)|no (?:such|tool)|n't|cannot|could not|unable|fix|does not",
    re.I,
)

Call = dict[str, Any]


def mark_of(case: str) -> str:
    """What the right answer in a case ends with."""
    return f"gym-{zlib.crc32(case.encode()):08x}"


def next_message(request: dict[str, Any], mark: str, beginning: str = "") -> Message:
    """The next message of the model that behaves; `beginning` is how a good result starts."""
    results = list(rounds(request))
    good = [text for call, text in results if is_good(call, text, request, beginning)]
    tools = offered(request)
    if good:
        return _answer(f"The tool says: {good[-1][:300].strip()} ({mark})", tools)
    use = [tool for tool in tools if tool["name"] not in _ENDS_WITH_A_TOOL]
    if not use or len(results) >= MOST_TRIES:
        return _answer(GAVE_UP, tools)
    reads = [tool for tool in use if not _WRITES.search(tool["name"].replace("_", " "))]
    tool = (reads or use)[0]
    return call_raw(tool["name"], json.dumps(plausible(tool, request)))


def rounds(request: dict[str, Any]) -> Iterator[tuple[Call, str]]:
    """Each call of the conversation with the text of its result, in order."""
    waiting: list[Call] = []
    for message in request["messages"]:
        if message.get("role") == "tool":
            own = [call for call in waiting if call.get("id") == message.get("tool_call_id")]
            call = own[0] if own else waiting[0] if waiting else None
            if call is not None:
                waiting.remove(call)
                yield call, text_of(message)
        elif message.get("tool_calls"):
            waiting = list(message["tool_calls"])


def is_good(call: Call, text: str, request: dict[str, Any], beginning: str = "") -> bool:
    """Whether a result is more than an error; that of a faulty call has to look like a good one."""
    if failed(text) or re.match(r"\W*\w*(?:error|exception)\b", text, re.I):
        return False
    return fault_of(call, offered(request)) is None or looks_good(text, beginning)


def looks_good(text: str, beginning: str) -> bool:
    """Whether a result begins as a good one does, and tells of nothing that went wrong."""
    return text.startswith(beginning) and not sounds_like_error(text)


def sounds_like_error(text: str) -> bool:
    """Whether the start of a result tells of something that went wrong."""
    return not text.strip() or _ERROR_WORDS.search(text[:400]) is not None


def fault_of(call: Call, tools: list[dict[str, Any]]) -> str | None:
    """Why a call must not be run: no such tool, or arguments that its schema forbids; else None.

    Arguments that are an object, or encoded twice, are read kindly: many servers send them so.
    """
    function = call.get("function") or {}
    tool = next((tool for tool in tools if tool["name"] == function.get("name")), None)
    if not tools:
        return None
    if tool is None:
        return f"there is no tool {function.get('name')!r}"
    arguments = _read(function.get("arguments"))
    if not isinstance(arguments, dict):
        return "its arguments are not a JSON object"
    return _against_schema(arguments, tool.get("parameters") or {})


def _answer(text: str, tools: list[dict[str, Any]]) -> Message:
    for tool in tools:
        if tool["name"] in _ENDS_WITH_A_TOOL:
            schema = tool.get("parameters") or {}
            name = next(iter(schema.get("required") or schema.get("properties") or ["answer"]))
            return call_raw(tool["name"], json.dumps({name: text}))
    return say(text)


def _read(arguments: Any) -> Any:
    """Arguments as data; null and "" are none at all."""
    for _ in range(2):
        if arguments is None or arguments == "":
            return {}
        if not isinstance(arguments, str):
            return arguments
        try:
            arguments = json.loads(arguments, parse_constant=str)  # NaN isn't a number
        except ValueError:
            return None
    return {} if arguments is None else arguments


def _against_schema(arguments: dict[str, Any], schema: dict[str, Any]) -> str | None:
    """The first thing that a schema forbids. An argument too many is not held against anybody."""
    properties = schema.get("properties") or {}
    for name in schema.get("required") or ():
        if name not in arguments:
            return f"the argument {name!r} is missing"
    for name, value in arguments.items():
        own = properties.get(name)
        if isinstance(own, dict) and not _fits(value, own):
            return f"its {name!r} is {json.dumps(value)[:60]}"
    return None


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value has the type of a schema, and is one of its values; what is unknown fits."""
    for several in (schema.get("anyOf"), schema.get("oneOf")):
        if several:
            return any(_fits(value, each) for each in several)
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if not all(kind in _TYPES for kind in kinds):
        return True
    if isinstance(value, bool) and "boolean" not in kinds:
        return False
    if not any(isinstance(value, _TYPES[kind]) for kind in kinds):
        return False
    low, high = schema.get("minimum"), schema.get("maximum")
    return not isinstance(value, (int, float)) or not (
        (low is not None and value < low) or (high is not None and value > high)
    )
