"""From what a tool returned to the text that the model reads."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness.errors import ToolError
from harness.model.json_text import as_plain, first_items, offloaded, to_json

if TYPE_CHECKING:
    from harness.run.turn import Turn
    from harness.tools.contract import ToolContract

MAX_CHARS = 8_000  # a longer observation is stored whole and shown by its head and tail
_SHOWN_CHARS = 4_000


def to_text(value: Any, name: str = "the tool") -> str:
    """A tool's value as a JSON object with "status". Raises ToolError for an empty status.

    A JSON object is kept as it is; anything else goes under "result". Dates are written as ISO
    8601, Decimals as numbers, whatever JSON has no word for by `str`.
    """
    if isinstance(value, str):
        value = _object_in(value)
    value = _read_out(value)
    if not isinstance(value, dict):
        value = as_plain(value)
    if not isinstance(value, dict):
        value = {"result": value}
    value = {"status": "ok", **{key: _read_out(each) for key, each in value.items()}}
    if not value["status"]:
        raise ToolError("empty", f"{name} returned no status.", "Don't take that for success.")
    return to_json(value)


def disclose(text: str, contract: "ToolContract", turn: "Turn", call_id: str) -> str:
    """Add the output contract, and the heavy instructions the first time in a turn.

    A long text is replaced by its head and tail; the journal keeps the whole under `call_id`.
    """
    if len(text) > MAX_CHARS and contract.name != "fetch_tool_output":
        text = offloaded(text, call_id, _SHOWN_CHARS)
    extra = {}
    if contract.returns:
        extra["contract"] = contract.returns
    if contract.instructions and contract.name not in turn.disclosed:
        turn.disclosed.add(contract.name)
        extra["instructions"] = contract.instructions.strip()
    # Both are JSON objects and the first is never empty, so they join at the brace.
    return f"{text[:-1]}, {to_json(extra)[1:]}" if extra else text


def _read_out(value: Any) -> Any:
    """A generator as the list of what it gives: it can be read once only, and may raise."""
    return first_items(value) if isinstance(value, Iterator) else value


def _object_in(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    return {"result": text}
