"""A request as the text that is sent; what JSON has no words for is told with its place."""

import datetime
import math
from typing import Any

import orjson
from pydantic import BaseModel

from harness.errors import WorkshopError

_AS_THE_CLIENT = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_NULL = b"null"  # what orjson makes of NaN and Infinity, among others
_WRITTEN = (str, int, type(None), BaseModel, datetime.datetime)  # by the client, as they are
_DEEPEST = 500  # levels


def written(body: dict[str, Any]) -> dict[str, Any]:
    """A request as `post` takes it: as JSON, which the client itself would write ten times slower.

    What orjson can't write, such as a date or half an emoji, is left to the client. One thing
    differs: an Enum or a UUID becomes its value, where the client raises. Raises WorkshopError for
    what neither writes, and for the NaN and Infinity that orjson would quietly make null of.
    """
    try:
        text = orjson.dumps(body, option=_AS_THE_CLIENT)
    except TypeError:
        _refuse_unspeakable(body, others=False)
        return {"body": body}
    if _NULL in text:
        _refuse_unspeakable(body, others=True)
    return {"content": text}


def _refuse_unspeakable(body: dict[str, Any], others: bool) -> None:
    """Look for what JSON can't say; `others`: objects of further types are known to be written."""
    left: list[tuple[Any, tuple[Any, ...]]] = [(body, ())]
    while left:
        value, path = left.pop()
        if len(path) > _DEEPEST:
            raise _refusal(path[:6], "is nested too deeply, or holds itself")
        if isinstance(value, dict):
            odd = [key for key in value if not isinstance(key, (str, int, float, type(None)))]
            if odd:
                what = f"has a key of type {type(odd[0]).__name__}, and JSON's keys are text"
                raise _refusal(path, what)
            left += [(each, (*path, key)) for each, key in zip(value.values(), value, strict=True)]
            left += [(key, (*path, "a key")) for key in value if isinstance(key, float)]
        elif isinstance(value, (list, tuple)):
            left += [(each, (*path, number)) for number, each in enumerate(value)]
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise _refusal(path, f"is {value}, and JSON has no such number")
        elif not (others or isinstance(value, _WRITTEN)):
            raise _refusal(path, f"is a {type(value).__name__}, which is not JSON serializable")


def _refusal(path: tuple[Any, ...], what: str) -> WorkshopError:
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]
    place = "".join(steps).removeprefix(".") or "the request"
    ours = path[:1] == ("messages",)
    return WorkshopError(
        f"The {'messages' if ours else 'request'} can't be sent: {place} {what}.",
        "A tool message's content is text: dispatch(call).content."
        if ours
        else "Leave it out, or give it a value that JSON has.",
    )
