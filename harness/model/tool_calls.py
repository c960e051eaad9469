"""The model's tool calls: parsed once, as data, and compared in one canonical form."""

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from harness.errors import WorkshopError
from harness.model.json_text import to_json

_SHOWN = 120  # characters of bad arguments that an error echoes


@dataclass
class ToolCall:
    """A call that the model made. `arguments` is None when its text wasn't a JSON object.

    `key` is equal for equal calls. `status` is empty until the call is answered, then ok, error,
    repeated or interrupted; `observation` is what the model read, `kind` the kind of an error.
    `ran` tells whether its tool began to run, `reads` and `repeatable` are what the tool declares.
    `changed` tells whether it may have changed the world, `news` whether it brought a result that
    its tool had not brought in this turn, `progress` whether the call or its result was a new one.
    """

    id: str
    name: str
    arguments: dict[str, Any] | None
    fault: str = ""
    key: str = ""
    observation: str = ""
    status: str = ""
    kind: str = ""
    round: int = 0
    ran: bool = False
    reads: bool = False
    repeatable: bool = False
    changed: bool = False
    news: bool = False
    progress: bool = False

    @property
    def unknown(self) -> bool:
        """Whether nobody knows what the call came to: it may still be at work."""
        return self.status == "interrupted" or self.kind == "timeout"


def read_call(call_id: str, name: str, raw: Any, cut_off: bool = False) -> ToolCall:
    """Read one call off a reply; `cut_off` says that the reply ended at the token limit."""
    try:
        arguments = parse_arguments(raw)
    except ValueError as error:
        fault = f"the call was cut off at the token limit ({error})" if cut_off else str(error)
        return ToolCall(call_id, name, None, fault, f"{name} {raw!r}")
    return ToolCall(call_id, name, arguments, "", f"{name} {canonical(arguments)}")


def as_dict(value: Any) -> Any:
    """An object of the openai client, such as a message or a call, as a dict."""
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else str(value)


def as_message(message: Any, number: int) -> dict[str, Any]:
    """A reply's own message as a dict. Raises WorkshopError for anything else."""
    found = as_dict(message)
    if isinstance(found, dict):
        return found
    what = type(message).__name__
    raise WorkshopError(
        f"messages[{number}] is {'an' if what[0] in 'aeiou' else 'a'} {what}, not a message.",
        "Add the messages of a list one by one: messages += the_list."
        if isinstance(message, list | tuple)
        else 'A message is a dict: {"role": ..., "content": ...}.',
    )


def canonical(value: Any) -> str:
    """JSON with sorted keys: equal arguments give equal text. Lone surrogates become `?`."""
    try:
        text = _CANONICAL.encode(value)
    except (TypeError, ValueError, RecursionError):  # keys that aren't text, a cycle
        text = json.dumps(json.loads(to_json(value)), sort_keys=True, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def parse_arguments(raw: Any) -> dict[str, Any]:
    """A call's arguments as a dict. Raises ValueError that says what is wrong and where.

    Servers differ: an object is taken as it is, "" and null are no arguments, and a JSON string
    that holds an object was encoded twice. NaN and Infinity are not JSON.
    """
    value = _loads(raw) if isinstance(raw, str) and raw.strip() else raw
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _loads(value)
    if value is None or (isinstance(value, str) and not value.strip() and value is raw):
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"arguments must be a JSON object, not {_kind(value)}")
    return value


def one_object(text: str) -> str:
    """`{}` before the whole object, or the object twice, as that object; else the text itself."""
    found: list[str] = []
    rest = text.strip()
    while rest.startswith("{"):
        try:
            _, end = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):
            return text
        found.append(rest[:end])
        rest = rest[end:].lstrip()
    values = {json.dumps(json.loads(each), sort_keys=True) for each in found} - {"{}"}
    return text if rest or len(found) < 2 or len(values) > 1 else max(found, key=len)


def in_a_field(name: str, text: str, most: int) -> str:
    """Arguments that can't go back as they are, as JSON: one field with how their text begins."""
    shown = text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"
    return json.dumps({name: shown} if text.strip() else {}, ensure_ascii=False)


def is_sendable(call: Any) -> bool:
    """Whether a call's arguments are the JSON object that a server can parse when it is echoed."""
    try:
        function = call["function"] if isinstance(call, dict) else call.function
        raw = function["arguments"] if isinstance(function, dict) else function.arguments
        if isinstance(raw, str):
            return isinstance(raw.lstrip()[:1] == "{" and parse_arguments(raw), dict)
    except ValueError:
        return False
    except (KeyError, TypeError, AttributeError):
        pass  # the server says best what is wrong with it
    return True


def _loads(text: str) -> Any:
    try:
        return _ARGUMENTS.decode(text)
    except json.JSONDecodeError as error:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
        raise ValueError(
            f"arguments are not valid JSON ({error.msg} at position {error.pos}): {shown}"
        ) from error
    except RecursionError as error:
        raise ValueError("arguments are nested too deeply") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"arguments are not valid JSON ({name} is not a JSON number)")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):  # 1e999: NaN's relative
        raise ValueError(f"arguments are not valid ({digits[:40]} is too large a number)")
    return value


_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=str)
_ARGUMENTS = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "true or false"}
    return names.get(type(value), "a number")
