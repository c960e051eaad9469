"""Putting a streamed reply together again, as carefully as a whole one is read."""

from collections.abc import Callable, Iterable
from typing import Any


def accumulate(
    chunks: Iterable[Any], tell: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """One reply from its chunks, in the shape of a response that was not streamed.

    Each piece of text is told as {"text": ...} when it comes.

    Chunks without choices are passed over. Calls are told apart by index and id, because some
    servers say index 0 for all of them. A stream that ends without a finish_reason was cut off,
    and is read as "length".
    """
    data: dict[str, Any] = {"id": "", "model": "", "created": 0, "usage": None}
    texts: list[str] = []
    refusals: list[str] = []
    calls: list[dict[str, Any]] = []
    finish = None
    for chunk in chunks:
        data["id"] = chunk.id or data["id"]
        data["model"] = chunk.model or data["model"]
        data["created"] = chunk.created or data["created"]
        if chunk.usage is not None:
            data["usage"] = chunk.usage.model_dump()
        for choice in (chunk.choices or [])[:1]:
            finish = choice.finish_reason or finish
            delta = choice.delta
            if delta is None:
                continue
            if delta.content:
                texts.append(delta.content)
                if tell is not None:
                    tell({"text": delta.content})
            if delta.refusal:
                refusals.append(delta.refusal)
            for piece in delta.tool_calls or []:
                _add_piece(calls, piece)
    message = {
        "content": "".join(texts) or None,
        "refusal": "".join(refusals) or None,
        "tool_calls": [call for call in calls if call["function"]["name"]],
    }
    if finish is None and not (texts or calls or refusals):
        return data  # nothing came: clean_reply calls that unusable
    return {**data, "choices": [{"message": message, "finish_reason": finish or "length"}]}


def _add_piece(calls: list[dict[str, Any]], piece: Any) -> None:
    function = piece.function
    name = (function.name if function else None) or ""
    arguments = function.arguments if function else None
    call = next((c for c in reversed(calls) if c["index"] == piece.index), None)
    starts_another = call is not None and piece.id and call["id"] and piece.id != call["id"]
    if call is None or (starts_another and name):
        call = {"index": piece.index, "id": "", "function": {"name": "", "arguments": ""}}
        calls.append(call)
    call["id"] = call["id"] or piece.id or ""
    if name and not call["function"]["arguments"] and name != call["function"]["name"]:
        call["function"]["name"] += name
    if isinstance(arguments, str):
        call["function"]["arguments"] += arguments
    elif arguments is not None:
        call["function"]["arguments"] = arguments
