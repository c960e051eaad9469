"""The errors of the API: what they carry, and the sentences that several of them share."""

import json
from typing import Any


class ApiError(Exception):
    """One refusal: an HTTP status, and the `error` object of its body."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        kind: str = "invalid_request_error",
        param: str | None = None,
        code: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.kind = kind
        self.param = param
        self.code = code
        self.headers = headers or {}

    def body(self) -> bytes:
        """The JSON body of the response."""
        error = {
            "message": self.message,
            "type": self.kind,
            "param": self.param,
            "code": self.code,
        }
        return json.dumps({"error": error}).encode()


def missing(path: str) -> ApiError:
    """A required parameter is not there."""
    return ApiError(
        f"Missing required parameter: '{path}'.", param=path, code="missing_required_parameter"
    )


def empty_array(path: str) -> ApiError:
    """An array that needs an element has none."""
    return ApiError(
        f"Invalid '{path}': empty array. Expected an array with minimum length 1, but got an "
        "empty array instead.",
        param=path,
        code="empty_array",
    )


def wrong_type(path: str, expected: str, value: Any) -> ApiError:
    """A parameter has another JSON type than `expected` (with its article)."""
    return ApiError(
        f"Invalid type for '{path}': expected {expected}, but got {_kind_of(value)} instead.",
        param=path,
        code="invalid_type",
    )


def not_one_of(value: Any, supported: tuple[str, ...], path: str) -> ApiError:
    """A parameter has a value that it may not have."""
    quoted = [f"'{name}'" for name in supported]
    comma = "," if len(quoted) > 2 else ""
    values = f"{', '.join(quoted[:-1])}{comma} and {quoted[-1]}"
    return ApiError(
        f"Invalid value: '{value}'. Supported values are: {values}.",
        param=path,
        code="invalid_value",
    )


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a string", int: "an integer", float: "a decimal number", list: "an array"}
    return names.get(type(value), "an object")
