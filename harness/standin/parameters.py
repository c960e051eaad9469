"""Tools and the other parameters of a request, checked as the API checks them."""

import re
from functools import lru_cache
from typing import Any

from harness.standin.refusals import ApiError, empty_array, missing, not_one_of, wrong_type
from harness.standin.schemas import schema_problem

MAX_TOOLS = 128
MAX_NAME = 64
_NAME = re.compile(r"[a-zA-Z0-9_-]+\Z")

_KNOWN = frozenset(
    {
        *("audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs"),
        *("max_completion_tokens", "max_tokens", "messages", "metadata", "modalities", "model"),
        *("n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key"),
        *("reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier"),
        *("stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools"),
        *("top_logprobs", "top_p", "user", "verbosity", "web_search_options"),
    }
)
_DECIMALS = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "presence_penalty": (-2, 2),
    "frequency_penalty": (-2, 2),
}
_INTEGERS = {"max_tokens": (1, None), "max_completion_tokens": (1, None), "n": (1, 128)}

_accepted: list[list[Any]] = []  # tool lists found right lately: a loop sends the same every time


def check_parameters(request: dict[str, Any]) -> None:
    """Everything beside model, messages and tools. Raises ApiError."""
    if not request.keys() <= _KNOWN:
        unknown = sorted(request.keys() - _KNOWN)[0]
        raise ApiError(f"Unrecognized request argument supplied: {unknown}")
    for name, (low, high) in _DECIMALS.items():
        if request.get(name) is not None:
            _check_number(name, request[name], low, high, "decimal")
    for name, (low, limit) in _INTEGERS.items():
        if request.get(name) is not None:
            _check_number(name, request[name], low, limit, "integer")
    if request.get("stream") not in (None, True, False):
        raise wrong_type("stream", "a boolean", request["stream"])
    if request.get("stream_options") is not None and not request.get("stream"):
        raise ApiError(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            param="stream_options",
        )


def check_tools(request: dict[str, Any]) -> None:
    """The tools and the choice among them. Raises ApiError."""
    tools = request.get("tools")
    if tools is None:
        for name in ("tool_choice", "parallel_tool_calls"):
            if request.get(name) is not None:
                raise ApiError(
                    f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are "
                    "specified.",
                    param=name,
                )
        return
    if tools not in _accepted:
        _check_tool_list(tools)
        _accepted.append(tools)
        del _accepted[:-4]
    if request.get("tool_choice") is not None:
        _check_choice(request["tool_choice"], tools)


@lru_cache(maxsize=512)
def is_name(name: str) -> bool:
    """Whether `name` can name a function."""
    return len(name) <= MAX_NAME and _NAME.match(name) is not None


def name_fault(name: str, path: str) -> ApiError | None:
    """What is wrong with the name of a function, if anything is."""
    if not _NAME.match(name):
        return ApiError(
            f"Invalid '{path}': string does not match pattern. Expected a string that matches the "
            "pattern '^[a-zA-Z0-9_-]+$'.",
            param=path,
            code="invalid_value",
        )
    if len(name) > MAX_NAME:
        return ApiError(
            f"Invalid '{path}': string too long. Expected a string with maximum length {MAX_NAME}, "
            f"but got a string with length {len(name)} instead.",
            param=path,
            code="string_above_max_length",
        )
    return None


def _check_number(name: str, value: Any, low: float, high: float | None, kind: str) -> None:
    wanted = (int, float) if kind == "decimal" else int
    if isinstance(value, bool) or not isinstance(value, wanted):
        article = "a decimal" if kind == "decimal" else "an integer"
        raise wrong_type(name, article, value)
    if value < low or value != value:
        side, sign, code, bound = "below minimum", ">=", "below_min_value", low
    elif high is not None and value > high:
        side, sign, code, bound = "above maximum", "<=", "above_max_value", high
    else:
        return
    raise ApiError(
        f"Invalid '{name}': {kind} {side} value. Expected a value {sign} {bound}, but got {value} "
        "instead.",
        param=name,
        code=f"{kind}_{code}",
    )


def _check_tool_list(tools: Any) -> None:
    if not isinstance(tools, list):
        raise wrong_type("tools", "an array of objects", tools)
    if not tools:
        raise empty_array("tools")
    if len(tools) > MAX_TOOLS:
        raise ApiError(
            f"Invalid 'tools': array too long. Expected an array with maximum length {MAX_TOOLS}, "
            f"but got an array with length {len(tools)} instead.",
            param="tools",
            code="array_above_max_length",
        )
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        name = _check_tool(tool, f"tools[{index}]")
        if name in seen:
            raise ApiError(
                f"Invalid 'tools[{index}].function.name': function names must be unique, but "
                f"'{name}' is there more than once.",
                param=f"tools[{index}].function.name",
                code="invalid_value",
            )
        seen.add(name)


def _check_tool(tool: Any, path: str) -> str:
    """Check one tool and return its name."""
    if not isinstance(tool, dict):
        raise wrong_type(path, "an object", tool)
    if "type" not in tool:
        raise missing(f"{path}.type")
    if tool["type"] != "function":
        raise not_one_of(tool["type"], ("function", "custom"), f"{path}.type")
    function = tool.get("function")
    if function is None:
        raise missing(f"{path}.function")
    if not isinstance(function, dict):
        raise wrong_type(f"{path}.function", "an object", function)
    name = function.get("name")
    if name is None:
        raise missing(f"{path}.function.name")
    if not isinstance(name, str):
        raise wrong_type(f"{path}.function.name", "a string", name)
    fault = name_fault(name, f"{path}.function.name")
    if fault:
        raise fault
    description = function.get("description")
    if description is not None and not isinstance(description, str):
        raise wrong_type(f"{path}.function.description", "a string", description)
    if function.get("parameters") is not None:
        problem = schema_problem(function["parameters"], bool(function.get("strict")))
        if problem:
            raise ApiError(
                f"Invalid schema for function '{name}': {problem}",
                param=f"{path}.function.parameters",
                code="invalid_function_parameters",
            )
    return name


def _check_choice(choice: Any, tools: list[dict[str, Any]]) -> None:
    if isinstance(choice, str):
        if choice not in ("none", "auto", "required"):
            raise not_one_of(choice, ("none", "auto", "required"), "tool_choice")
        return
    if not isinstance(choice, dict):
        raise wrong_type("tool_choice", "one of a string or an object", choice)
    if choice.get("type") not in ("function", "allowed_tools", "custom"):
        raise not_one_of(
            choice.get("type"), ("function", "allowed_tools", "custom"), "tool_choice.type"
        )
    if choice["type"] == "function":
        function = choice.get("function")
        name = function.get("name") if isinstance(function, dict) else None
        if name is None:
            raise missing("tool_choice.function.name")
        if all(tool["function"]["name"] != name for tool in tools):
            raise ApiError(
                f"Invalid value for 'tool_choice': no function named '{name}' is specified in "
                "'tools'.",
                param="tool_choice",
            )
