"""Putting a streamed reply together again, as carefully as a whole one is read."""

from collections.abc import Callable, Iterable
from typing import Any

Tell = Callable[[dict[str, Any]], None]


def accumulate(chunks: Iterable[Any], tell: Tell | None = None) -> dict[str, Any]:
    """One reply from its chunks, in the shape of a response that was not streamed.

    `chunks` are those of the openai client or plain dicts; each piece of text is told as
    {"text": ...} when it comes. Chunks without choices are passed over, and so is every choice but
    the first. A stream that ends without a finish_reason was cut off, and is read as "length".
    """
    reply: dict[str, Any] = {}
    message = _Message(tell)
    first, finish = None, None
    for chunk in chunks:
        data = chunk if isinstance(chunk, dict) else chunk.to_dict()
        if data.get("error"):
            return {"error": data["error"]}
        reply.update({key: data[key] for key in ("id", "model", "created") if data.get(key)})
        reply["usage"] = data.get("usage") or reply.get("usage")
        for choice in data.get("choices") or []:
            first = choice.get("index") if first is None else first
            if choice.get("index") == first:
                finish = choice.get("finish_reason") or finish
                message.add(choice.get("delta") or choice.get("message") or {})
    if finish is None and message.empty:
        return reply  # nothing came: receive.py calls that unusable
    return {**reply, "choices": [{"message": message.whole(), "finish_reason": finish or "length"}]}


class _Message:
    """A message that grows piece by piece."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self._texts: dict[str, list[str]] = {"content": [], "refusal": []}
        self._calls: list[dict[str, Any]] = []

    @property
    def empty(self) -> bool:
        return not (self._calls or any(self._texts.values()))

    def add(self, delta: dict[str, Any]) -> None:
        for field, pieces in self._texts.items():
            text = _text(delta.get(field))
            if text:
                pieces.append(text)
                if self._tell is not None and field == "content":
                    self._tell({"text": text})
        for piece in delta.get("tool_calls") or []:
            self._add_call(piece)
        if delta.get("function_call"):  # the API before tools
            self._add_call({"index": 0, "function": delta["function_call"]})

    def whole(self) -> dict[str, Any]:
        texts = {field: "".join(pieces) or None for field, pieces in self._texts.items()}
        return {**texts, "tool_calls": self._calls}

    def _add_call(self, piece: dict[str, Any]) -> None:
        """Calls are told apart by index and id: some servers say index 0 for all of them."""
        function = piece.get("function") or {}
        name, arguments = function.get("name") or "", function.get("arguments")
        index, call_id = piece.get("index"), piece.get("id") or ""
        call = next((c for c in reversed(self._calls) if c["index"] == index), None)
        if call is None or (name and call_id and call["id"] and call_id != call["id"]):
            call = {"index": index, "id": "", "function": {"name": "", "arguments": ""}}
            self._calls.append(call)
        call["id"] = call["id"] or call_id
        known = call["function"]
        if name != known["name"] and not known["arguments"]:
            known["name"] += name
        if isinstance(arguments, str) and isinstance(known["arguments"], str):
            known["arguments"] += arguments
        elif arguments is not None:
            known["arguments"] = arguments


def _text(content: Any) -> str:
    """The text of a piece of content, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(_text(part) for part in content)
    if isinstance(content, dict):
        return _text(content.get("text"))
    return content if isinstance(content, str) else ""
