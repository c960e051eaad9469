"""Faults in how a call is written: its name, its arguments, its id.

Most are slips: the first call of a conversation is spoiled, and once its error has been observed
the model does it right. With "=always" every call is spoiled.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.standin.faults.history import made_calls, offered, plausible, without_first_failure
from harness.standin.faults.registry import ALWAYS, Fault, Think, named
from harness.standin.turns import NULL, Message, one_call
from harness.standin.wire import task_of

Call = dict[str, Any]
Twist = Callable[[Call, dict[str, Any]], Call]


def _slip(twist: Twist, finish_reason: str | None = None) -> Fault:
    """A fault that spoils the first call of a conversation, or all of them with "=always"."""

    def run(request: dict[str, Any], think: Think, option: str) -> Message:
        if option != ALWAYS and made_calls(request):
            return think(without_first_failure(request))
        message = think(request)
        if not message.tool_calls:
            return message
        first, *others = message.tool_calls
        return replace(
            message,
            tool_calls=(twist(first, request), *others),
            finish_reason=finish_reason or message.finish_reason,
        )

    return run


def _every(twist: Twist) -> Fault:
    """A fault that changes every call; a good harness undoes it on receipt."""

    def run(request: dict[str, Any], think: Think, option: str) -> Message:
        message = think(request)
        return replace(message, tool_calls=tuple(twist(c, request) for c in message.tool_calls))

    return run


def _with(call: Call, **changes: Any) -> Call:
    return {**call, "function": {**call["function"], **changes}}


def arguments_of(call: Call) -> dict[str, Any]:
    """A call's arguments as data; {} where they can't be read."""
    try:
        value = json.loads(call["function"]["arguments"] or "{}")
    except (TypeError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _edited(change: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]) -> Twist:
    """A twist of the arguments as data: change(arguments, properties of the schema)."""

    def twist(call: Call, request: dict[str, Any]) -> Call:
        name = call["function"]["name"]
        tool = next((f for f in offered(request) if f["name"] == name), {})
        schema = tool.get("parameters") or {}
        return _with(call, arguments=json.dumps(change(arguments_of(call), schema)))

    return twist


def _cut(call: Call, request: dict[str, Any]) -> Call:
    text = str(call["function"]["arguments"])
    return _with(call, arguments=text[: max(len(text) * 2 // 3, 1)])


def broken(call: Call, request: dict[str, Any]) -> Call:
    """The call with arguments that are no JSON."""
    text = str(call["function"]["arguments"]).rstrip("} ")
    return _with(call, arguments=text + ', "b": ')


def _misnamed(call: Call, request: dict[str, Any]) -> Call:
    name = call["function"]["name"]
    short = name.replace("_", "")
    return _with(call, name=short if short != name else f"{name}_tool")


def _wrong_types(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    return {name: {"value": value} for name, value in arguments.items()} or {"value": [1]}


def _missing_one(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    needed = schema.get("required") or list(arguments)
    return {name: value for name, value in arguments.items() if name not in needed[:1]}


def _out_of_range(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    return {**arguments, _number_in(schema): 10**9}


def _not_a_number(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    return {**arguments, _number_in(schema): float("nan")}


def _number_in(schema: dict[str, Any]) -> str:
    properties = schema.get("properties") or {}
    numbers = [n for n, p in properties.items() if p.get("type") in ("integer", "number")]
    return (numbers or list(properties) or ["limit"])[0]


def _as_object(call: Call, request: dict[str, Any]) -> Call:
    return _with(call, arguments=arguments_of(call))


def _encoded_twice(call: Call, request: dict[str, Any]) -> Call:
    return _with(call, arguments=json.dumps(call["function"]["arguments"]))


def _surrogate(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    text = [name for name, value in arguments.items() if isinstance(value, str)]
    return {**arguments, **{name: arguments[name] + " \ud83d" for name in text[:1]}}


def _varied(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    for name, value in arguments.items():
        if isinstance(value, str):
            return {**arguments, name: f"{value} "}
        if isinstance(value, (int, float)):
            return {**arguments, name: value + 1}
    return arguments


def _without_id(call: Call, request: dict[str, Any]) -> Call:
    return {name: value for name, value in call.items() if name != "id"}


def several(request: dict[str, Any], think: Think) -> Message:
    """The stand-in's answer; where it is a call, with up to two harmless calls beside it."""
    message = think(request)
    if not message.tool_calls:
        return message
    taken = {call["function"]["name"] for call in message.tool_calls}
    quiet = ("search_knowledge", "list_skills", "scratch_read")
    spare = [f for f in offered(request) if f["name"] in quiet and f["name"] not in taken]
    extra = [one_call(f["name"], json.dumps(plausible(f, request))) for f in spare[:2]]
    if not extra:  # nothing harmless on offer: the same call, asked a little differently
        extra = [_edited(_varied)({**message.tool_calls[0], "id": None}, request)]
    return replace(message, tool_calls=(*message.tool_calls, *extra))


@named("parallel", "makes several calls in one message")
def _parallel(request: dict[str, Any], think: Think, option: str) -> Message:
    return several(request, think)


@named("duplicate-ids", "makes several calls that all have the id 'same'")
def _duplicate_ids(request: dict[str, Any], think: Think, option: str) -> Message:
    message = several(request, think)
    return replace(message, tool_calls=tuple({**c, "id": "same"} for c in message.tool_calls))


@named("function-call", "uses the old function_call field instead of tool_calls")
def _function_call(request: dict[str, Any], think: Think, option: str) -> Message:
    message = think(request)
    if not message.tool_calls:
        return message
    fields = {**message.fields, "function_call": message.tool_calls[0]["function"]}
    return replace(message, tool_calls=(), fields=fields, finish_reason="function_call")


@named("calls-as-text", "writes its first call into the text, as a server without a parser does")
def _calls_as_text(request: dict[str, Any], think: Think, option: str) -> Message:
    message = think(request)
    asked_again = len(request["messages"]) > 2 and request["messages"][-1].get("role") == "user"
    if not message.tool_calls or made_calls(request) or asked_again:
        return message
    function = message.tool_calls[0]["function"]
    text = (
        f"<tool_call>{json.dumps({**function, 'arguments': arguments_of(message.tool_calls[0])})}"
    )
    return Message(content=f"{text}</tool_call>")


def _same_question(call: Call, request: dict[str, Any]) -> Call:
    """An id with every odd character, and still one for each call."""
    number = len(made_calls(request)) + 1
    return {**call, "id": f'call "{number}"\n/é😀{task_of(request)[:4]}'}


_SLIPS: list[tuple[str, str, Twist]] = [
    ("bad-json", "writes arguments that are no JSON, once (=always: every time)", broken),
    ("unknown-tool", "misspells the name of a tool, once", _misnamed),
    ("extra-args", "adds an argument that the tool does not have, once",
     _edited(lambda a, s: {**a, "thoughts": "this should do"})),
    ("wrong-types", "gives an object where a plain value is due, once", _edited(_wrong_types)),
    ("missing-args", "leaves a required argument out, once", _edited(_missing_one)),
    ("out-of-range", "asks for a billion of something, once", _edited(_out_of_range)),
    ("nan-arguments", "writes NaN as a number, once", _edited(_not_a_number)),
    ("null-arguments", "sends null as arguments, once", lambda c, r: _with(c, arguments=None)),
    ("blank-arguments", "sends '' as arguments, once", lambda c, r: _with(c, arguments="")),
    ("list-arguments", "sends a JSON list as arguments, once",
     lambda c, r: _with(c, arguments="[1]")),
    ("blank-name", "calls a tool whose name is '', once", lambda c, r: _with(c, name="")),
    ("surrogates", "has half of an emoji in an argument, once", _edited(_surrogate)),
]  # fmt: skip
for _name, _line, _twist in _SLIPS:
    named(_name, _line)(_slip(_twist))

_HABITS: list[tuple[str, str, Twist]] = [
    ("arguments-object", "sends arguments as an object, like llama.cpp", _as_object),
    ("double-encoded", "encodes its arguments as JSON twice", _encoded_twice),
    ("constant-id", "gives every call of the conversation the id 'call_0'",
     lambda c, r: {**c, "id": "call_0"}),
    ("missing-ids", "sends calls without an id", _without_id),
    ("null-ids", "sends calls whose id is null", lambda c, r: {**c, "id": NULL}),
    ("empty-ids", "sends calls whose id is ''", lambda c, r: {**c, "id": ""}),
    ("long-ids", "sends ids of 200 characters",
     lambda c, r: {**c, "id": f"{len(made_calls(r)):03d}" + "x" * 197}),
    ("odd-ids", "sends ids with quotes, newlines and emoji", _same_question),
]  # fmt: skip
for _name, _line, _twist in _HABITS:
    named(_name, _line)(_every(_twist))

named("truncated", "is cut off in the arguments of a call (finish_reason length), once")(
    _slip(_cut, "length")
)
named("cut-call", "is cut off in a call, but says finish_reason tool_calls, once")(
    _slip(_cut, "tool_calls")
)
named("stop-with-calls", "says finish_reason stop beside its calls")(
    lambda request, think, option: replace(think(request), finish_reason="stop")
)
