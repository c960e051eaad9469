"""What the real chat completions API refuses, refused here in the same shape and words.

`check_request` walks the messages once and raises `ApiError` for the first fault that it finds.
Every error carries what the API sends: an HTTP status and an object with `message`, `type`,
`param` and `code`. Tools and the other parameters are checked in `parameters.py`.
"""

from typing import Any

from harness.standin.context_window import CONTEXT_TOKENS, check_window
from harness.standin.faults.registry import is_known
from harness.standin.parameters import check_parameters, check_tools, is_name, name_fault
from harness.standin.refusals import ApiError, empty_array, missing, not_one_of, wrong_type

MODEL = "standin"
_ID_CHARACTERS = 64

_SHARED = frozenset({"role", "content", "name"})
_FIELDS = {
    "system": _SHARED,
    "developer": _SHARED,
    "user": _SHARED,
    "tool": _SHARED | {"tool_call_id"},
    "function": _SHARED,
    "assistant": _SHARED | {"tool_calls", "function_call", "refusal", "audio", "annotations"},
}
_USUAL = {"role": "", "content": "", "tool_calls": ""}.keys()
_ROLES = ("system", "assistant", "user", "function", "tool", "developer")
_PARTS = ("text", "image_url", "input_audio", "refusal", "audio", "file")
_CALL_FIELDS = frozenset({"id", "type", "function"})
_FUNCTION_FIELDS = frozenset({"name", "arguments"})


def check_request(
    request: dict[str, Any],
    size: int,
    *,
    window: int = CONTEXT_TOKENS,
    any_model: bool = False,
) -> None:
    """Raise the `ApiError` that the API would answer `request` with, if there is one.

    `size` is the length of the body in bytes: no text has more tokens than bytes, so most requests
    need no counting here. `any_model` accepts a model name that nobody knows (under a script).
    """
    check_model(request, any_model)
    check_parameters(request)
    check_messages(request)
    check_tools(request)
    if size > window:
        check_window(request, window)


def check_model(request: dict[str, Any], any_model: bool) -> None:
    """The model must be named, and be one of the stand-in's."""
    model = request.get("model")
    if model is None or model == "":
        raise ApiError("you must provide a model parameter")
    if not isinstance(model, str):
        raise wrong_type("model", "a string", model)
    if model == MODEL or any_model:
        return
    if not is_known(model):
        raise ApiError(
            f"The model `{model}` does not exist or you do not have access to it.",
            status=404,
            code="model_not_found",
        )


def check_messages(request: dict[str, Any]) -> None:
    """Roles, contents, and every call of a tool answered directly after it."""
    if "messages" not in request:
        raise missing("messages")
    messages = request["messages"]
    if not isinstance(messages, list):
        raise wrong_type("messages", "an array of objects", messages)
    if not messages:
        raise empty_array("messages")
    waiting: list[str] = []  # ids of calls that have no result yet
    for index, message in enumerate(messages):
        role = message.get("role") if type(message) is dict else None
        if role == "tool" and len(message) == 3 and message.get("tool_call_id") in waiting:
            waiting.remove(message["tool_call_id"])  # the usual result, found right fast
        elif role == "assistant" and message.keys() == _USUAL and not waiting:
            waiting = _call_ids(message["tool_calls"], index)
        else:
            _check_shape(message, index)
            if role == "tool":
                _close_or_refuse(messages, index, waiting)
            elif waiting:
                raise _unanswered(waiting, index)
            elif "tool_calls" in message:
                waiting = _call_ids(message["tool_calls"], index)
        if type(message.get("content")) is not str:
            _check_content(message, index)
    if waiting:
        raise _unanswered(waiting, len(messages) - 1)


def _call_ids(calls: Any, index: int) -> list[str]:
    """The ids of an assistant message's calls, each call checked."""
    if type(calls) is list and len(calls) == 1 and _is_plain(calls[0]):
        return [calls[0]["id"]]
    path = f"messages[{index}].tool_calls"
    if not isinstance(calls, list):
        raise wrong_type(path, "an array of objects", calls)
    if not calls:
        raise empty_array(path)
    ids: list[str] = []
    for position, call in enumerate(calls):
        if not _is_plain(call):
            _check_call(call, f"{path}[{position}]")
        if call["id"] in ids:
            raise ApiError(
                f"Invalid parameter: Duplicate value for 'tool_call_id' of '{call['id']}', in "
                f"messages[{index}].tool_calls[{ids.index(call['id'])}] and "
                f"messages[{index}].tool_calls[{position}].",
                param=f"messages.[{index}].tool_calls",
            )
        ids.append(call["id"])
    return ids


def _is_plain(call: Any) -> bool:
    """Whether a call is right in every respect, found out fast: nearly all of them are."""
    if type(call) is not dict or len(call) != 3 or call.get("type") != "function":
        return False
    identity, function = call.get("id"), call.get("function")
    if type(identity) is not str or not 0 < len(identity) <= _ID_CHARACTERS:
        return False
    if type(function) is not dict or len(function) != 2:
        return False
    name = function.get("name")
    return type(function.get("arguments")) is str and type(name) is str and is_name(name)


def _check_call(call: Any, path: str) -> None:
    if not isinstance(call, dict):
        raise wrong_type(path, "an object", call)
    _check_fields(call, _CALL_FIELDS, path)
    for key in ("id", "type", "function"):
        if key not in call:
            raise missing(f"{path}.{key}")
    identity = call["id"]
    if type(identity) is not str:
        raise wrong_type(f"{path}.id", "a string", identity)
    if not identity:
        raise ApiError(
            f"Invalid '{path}.id': empty string. Expected a string with minimum length 1, but got "
            "an empty string instead.",
            param=f"{path}.id",
            code="empty_string",
        )
    if len(identity) > _ID_CHARACTERS:
        raise ApiError(
            f"Invalid '{path}.id': string too long. Expected a string with maximum length "
            f"{_ID_CHARACTERS}, but got a string with length {len(identity)} instead.",
            param=f"{path}.id",
            code="string_above_max_length",
        )
    if call["type"] != "function":
        raise not_one_of(call["type"], ("function", "custom"), f"{path}.type")
    _check_function(call["function"], f"{path}.function")


def _check_function(function: Any, path: str) -> None:
    if not isinstance(function, dict):
        raise wrong_type(path, "an object", function)
    _check_fields(function, _FUNCTION_FIELDS, path)
    for key in ("name", "arguments"):
        if key not in function:
            raise missing(f"{path}.{key}")
        if type(function[key]) is not str:
            raise wrong_type(f"{path}.{key}", "a string", function[key])
    fault = name_fault(function["name"], f"{path}.name")
    if fault:
        raise fault


def _check_fields(value: dict[str, Any], allowed: frozenset[str], path: str) -> None:
    if not value.keys() <= allowed:
        unknown = sorted(value.keys() - allowed)[0]
        raise ApiError(
            f"Unknown parameter: '{path}.{unknown}'.",
            param=f"{path}.{unknown}",
            code="unknown_parameter",
        )


def _check_content(message: dict[str, Any], index: int) -> None:
    """Content that is not a string: null where that is allowed, or a list of parts."""
    path = f"messages[{index}].content"
    content = message.get("content")
    if content is None:
        if message["role"] == "assistant" and (
            message.get("tool_calls") or message.get("function_call") or message.get("refusal")
        ):
            return
        if "content" not in message and message["role"] != "assistant":
            raise missing(path)
        raise ApiError(
            "Invalid value for 'content': expected a string, got null.",
            param=f"messages.[{index}].content",
        )
    if not isinstance(content, list):
        raise wrong_type(path, "one of a string or array of objects", content)
    if not content:
        raise empty_array(path)
    for position, part in enumerate(content):
        _check_part(part, f"{path}[{position}]")


def _check_part(part: Any, path: str) -> None:
    if not isinstance(part, dict):
        raise wrong_type(path, "an object", part)
    kind = part.get("type")
    if kind is None:
        raise missing(f"{path}.type")
    if kind not in _PARTS:
        raise not_one_of(kind, _PARTS, f"{path}.type")
    if kind not in part:
        raise missing(f"{path}.{kind}")
    if kind == "text" and not isinstance(part["text"], str):
        raise wrong_type(f"{path}.text", "a string", part["text"])


def _check_shape(message: Any, index: int) -> None:
    """A message is an object with a known role and no field that the role does not have."""
    if type(message) is dict and type(message.get("role")) is str:
        fields = _FIELDS.get(message["role"])
        if fields is not None and message.keys() <= fields:
            return
    path = f"messages[{index}]"
    if not isinstance(message, dict):
        raise wrong_type(path, "an object", message)
    role = message.get("role")
    if role is None:
        raise missing(f"{path}.role")
    if not isinstance(role, str):
        raise wrong_type(f"{path}.role", "a string", role)
    if role not in _FIELDS:
        raise not_one_of(role, _ROLES, f"{path}.role")
    _check_fields(message, _FIELDS[role], path)


def _close_or_refuse(messages: list[dict[str, Any]], index: int, waiting: list[str]) -> None:
    """Take the call that a tool message answers off `waiting`, or say which rule it breaks."""
    identity = messages[index].get("tool_call_id")
    if identity in waiting:
        waiting.remove(identity)
        return
    start = index - 1
    while start >= 0 and messages[start].get("role") == "tool":
        if identity is not None and messages[start].get("tool_call_id") == identity:
            raise ApiError(
                f"Invalid parameter: Duplicate value for 'tool_call_id' of '{identity}', in "
                f"messages[{start}] and messages[{index}].",
                param=f"messages.[{index}].tool_call_id",
            )
        start -= 1
    if start < 0 or not messages[start].get("tool_calls"):
        raise ApiError(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'.",
            param=f"messages.[{index}].role",
        )
    if identity is None:
        raise ApiError(
            "Missing parameter 'tool_call_id': messages with role 'tool' must have a "
            "'tool_call_id'.",
            param=f"messages.[{index}].tool_call_id",
        )
    raise ApiError(
        f"Invalid parameter: 'tool_call_id' of '{identity}' not found in 'tool_calls' of previous "
        "message.",
        param=f"messages.[{index}].tool_call_id",
    )


def _unanswered(waiting: list[str], index: int) -> ApiError:
    return ApiError(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: "
        + ", ".join(waiting),
        param=f"messages.[{index}].role",
    )
