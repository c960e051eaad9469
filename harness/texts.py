"""Values as JSON text, and long text made short."""

import datetime
import decimal
import json
import math
from typing import Any


def offloaded(text: str, call_id: str, shown: int) -> str:
    """What the model sees of a long output: both ends, how much is missing, how to get it.

    `shown` is in characters; three quarters of them are the head.
    """
    tail = shown // 4
    head = shown - tail
    return to_json(
        {
            "status": "ok",
            "offloaded": True,
            "tool_call_id": call_id,
            "head": text[:head],
            "tail": text[-tail:],
            "omitted_chars": len(text) - head - tail,
            "hint": f"The whole output is kept: fetch_tool_output(tool_call_id={call_id!r}).",
        }
    )


def to_json(value: Any) -> str:
    """JSON for the model: dates as ISO 8601, Decimals as numbers, by `str` what JSON can't say."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        text = json.dumps(_speakable(value), ensure_ascii=False, default=_plain)
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    if hasattr(value, "tolist"):  # numpy
        return value.tolist()
    return str(value)


def _speakable(value: Any, depth: int = 0) -> Any:
    """Without what JSON has no word for: NaN becomes null, odd keys text, a cycle its `str`."""
    if depth > 50:
        return str(value)[:200]
    if isinstance(value, dict):
        return {str(key): _speakable(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_speakable(each, depth + 1) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
