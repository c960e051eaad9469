"""Values as JSON text, and long text made short."""

import collections
import contextlib
import dataclasses
import datetime
import decimal
import itertools
import json
import math
from collections.abc import ItemsView, Iterable, KeysView, Mapping, ValuesView
from typing import Any

from pydantic import BaseModel

_DEEPEST = 50  # levels of nesting that are written out where JSON's own writer gave up
_DIGITS = 300  # before or behind the point: about what a float can hold
_ITEMS = 10_000  # of a generator


def offloaded(text: str, call_id: str, shown: int) -> str:
    """What the model sees of a long output: both ends, how much is missing, how to get it.

    `shown` is in characters; three quarters of them are the head.
    """
    first, last, missing = _ends(text)
    tail = min(shown // 4, len(last))
    head = first[: shown - shown // 4]
    return to_json(
        {
            "status": "ok",
            "offloaded": True,
            "tool_call_id": call_id,
            "head": head,
            "tail": last[len(last) - tail :],
            "omitted_chars": missing - len(head) - tail,
            "hint": f"The whole output is kept: fetch_tool_output(tool_call_id={call_id!r}).",
        }
    )


def _ends(text: str) -> tuple[str, str, int]:
    """Where a text begins and ends, and its length. One that was made short has its ends inside."""
    if text.startswith('{"status": "ok", "offloaded": true'):
        with contextlib.suppress(ValueError, KeyError, TypeError):
            short = json.loads(text)
            first, last = short["head"], short["tail"]
            return first, last, len(first) + len(last) + int(short["omitted_chars"])
    return text, text, len(text)


def to_json(value: Any) -> str:
    """JSON for the model: dates as ISO 8601, Decimals as numbers, by `str` what JSON can't say."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=as_plain, allow_nan=False)
    except Exception:  # NaN, a cycle, keys that aren't text, a `str` that raises
        text = json.dumps(_speakable(value, ()), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def speakable(text: str) -> str:
    """Surrogate pairs as the characters that they are; a half, which no request can carry, as ?."""
    if text.isascii():
        return text
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return paired.encode("utf-8", "replace").decode("utf-8")


def speakable_value(value: Any) -> Any:
    """A value of JSON whose every text is speakable."""
    if isinstance(value, str):
        return speakable(value)
    if isinstance(value, list):
        return [speakable_value(each) for each in value]
    if isinstance(value, dict):
        return {speakable(key): speakable_value(each) for key, each in value.items()}
    return value


def as_plain(value: Any) -> Any:
    """How a value is written in JSON, one level of it; itself, where JSON has a word for it."""
    if value is None or isinstance(value, (str, int, float, list, tuple, dict)):
        return value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            return None if value.is_nan() else str(value)
        if abs(value.adjusted()) > _DIGITS:  # an int of so many digits takes minutes to write
            return str(value)
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    if isinstance(value, (range, collections.deque, KeysView, ValuesView, ItemsView)):
        return first_items(value)
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if hasattr(value, "tolist"):  # numpy
        return value.tolist()
    return str(value)


def first_items(items: Iterable[Any]) -> list[Any]:
    """What a generator gives, which need not end."""
    some = list(itertools.islice(items, _ITEMS + 1))
    return some if len(some) <= _ITEMS else [*some[:_ITEMS], "..."]


def _speakable(value: Any, around: tuple[int, ...]) -> Any:
    """In JSON's own words: NaN becomes null, a key its `str`, a cycle "...".

    `around` are the ids of the containers around the value.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if value.bit_length() < 10_000 else f"an integer of {value.bit_length()} bits"
    if id(value) in around or len(around) > _DEEPEST:
        return "..."
    around = (*around, id(value))
    if isinstance(value, dict):
        return {_said(key): _speakable(each, around) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_speakable(each, around) for each in value]
    try:
        return _speakable(as_plain(value), around)
    except Exception:
        return _said(value)


def _said(value: Any) -> str:
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__}>"
