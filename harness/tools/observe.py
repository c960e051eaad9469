"""From what a tool returned to the text that the model reads."""

import dataclasses
import datetime
import decimal
import json
from typing import TYPE_CHECKING, Any

from harness.errors import ToolError

if TYPE_CHECKING:
    from harness.session import Turn
    from harness.tools.contract import ToolContract

MAX_CHARS = 8_000  # a longer observation is stored whole and shown by its head and tail
_HEAD, _TAIL = 3_000, 1_000


def to_text(value: Any, name: str = "the tool") -> str:
    """A tool's value as a JSON object with "status". Raises ToolError for an empty status.

    A JSON object is kept as it is; anything else stands under "result". Dates are written as ISO
    8601, Decimals as numbers, whatever JSON has no word for by `str`.
    """
    if isinstance(value, str):
        value = _object_in(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json")
    if not isinstance(value, dict):
        value = {"result": value}
    value = {"status": "ok", **value}
    if not value["status"]:
        raise ToolError("empty", f"{name} returned no status.", "Don't take that for success.")
    return _dumps(value)


def disclose(text: str, contract: "ToolContract", turn: "Turn", call_id: str) -> str:
    """Add the output contract, and the heavy instructions the first time in a turn.

    A long text is replaced by its head and tail; the journal keeps the whole under `call_id`.
    """
    if len(text) > MAX_CHARS and contract.name != "fetch_tool_output":
        text = offloaded(text, call_id)
    extra = {}
    if contract.returns:
        extra["contract"] = contract.returns
    if contract.instructions and contract.name not in turn.disclosed:
        turn.disclosed.add(contract.name)
        extra["instructions"] = contract.instructions.strip()
    # Both are JSON objects and the first is never empty, so they join at the brace.
    return f"{text[:-1]}, {_dumps(extra)[1:]}" if extra else text


def offloaded(text: str, call_id: str, head: int = _HEAD, tail: int = _TAIL) -> str:
    """What the model sees of a long output: both ends, how much is missing, how to get it."""
    return _dumps(
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


def _object_in(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError:
            pass
    return {"result": text}


def _dumps(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=_plain)
    except (ValueError, TypeError, RecursionError):  # a circular value, or keys that aren't strings
        text = json.dumps({"status": "ok", "result": str(value)}, ensure_ascii=False)
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
