"""Putting a streamed reply together again, as carefully as a whole one is read."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Tell = Callable[[dict[str, Any]], None]
DONE = "[DONE]"


def events(body: Iterable[bytes]) -> Iterator[Any]:
    """What a stream of server-sent events carries: the JSON of each event, or DONE.

    Lines are cut at newlines only (JSON may hold other separators). A body that holds no event at
    all is taken for one piece of JSON: some servers don't stream when asked to. Raises ValueError
    for what is no JSON.
    """
    data: list[str] = []
    other: list[str] = []
    error = found = False
    for line in _lines(body):
        name, _, value = line.partition(":")
        if name == "event":
            error = value.strip() == "error"
        elif name == "data":
            found = True
            data.append(value)
            if value.strip() == DONE:
                yield DONE
                return
            event = _json("\n".join(data))
            if event is not None:
                yield {"error": event} if error and "error" not in event else event
                data = []
        elif not line and data:
            raise ValueError(f"an event is not JSON: {data[0][:60]!r}")
        elif not found:
            other.append(line)
    if data:
        raise ValueError("the last event is incomplete")
    if not found and any(other):
        yield json.loads("\n".join(other))


def _lines(body: Iterable[bytes]) -> Iterator[str]:
    rest: list[bytes] = []  # of a line that may come in very many pieces
    for piece in body:
        *ends, begun = piece.split(b"\n")
        for end in ends:
            yield _line([*rest, end])
            rest = []
        rest.append(begun)
    yield _line(rest)


def _line(pieces: list[bytes]) -> str:
    return b"".join(pieces).decode("utf-8", "replace").rstrip("\r").removeprefix("\ufeff")


def _json(text: str) -> dict[str, Any] | None:
    """An object, or None while the text is not yet one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def accumulate(chunks: Iterable[Any], tell: Tell | None = None) -> Any:
    """One reply from its chunks, in the shape of a response that was not streamed.

    Each piece of text is told as {"text": ...} when it comes. Chunks without choices are passed
    over, and so is every choice but the first. A stream that ends without a finish_reason and
    without DONE was cut off, and is read as "length".
    """
    reply: dict[str, Any] = {}
    message = _Message(tell)
    first, finish = None, None
    for data in chunks:
        if data == DONE:
            finish = finish or ("tool_calls" if message.calls else "stop")
            break
        if not isinstance(data, dict):
            return data  # a body that was no stream
        if data.get("error"):
            return {"error": data["error"]}
        reply.update({key: data[key] for key in ("id", "model", "created") if data.get(key)})
        reply["usage"] = data.get("usage") or reply.get("usage")
        for choice in _dicts(data.get("choices")):
            first = choice.get("index") if first is None else first
            if choice.get("index") == first:
                finish = choice.get("finish_reason") or finish
                message.add(choice.get("delta", choice.get("text")))
                message.complete(choice.get("message"))
    if message.empty and finish in (None, "length"):
        return reply  # nothing came: receive.py calls that unusable
    return {**reply, "choices": [{"message": message.whole(), "finish_reason": finish or "length"}]}


class _Message:
    """A message that grows piece by piece."""

    def __init__(self, tell: Tell | None) -> None:
        self.calls: list[dict[str, Any]] = []
        self._tell = tell
        self._texts: dict[str, list[str]] = {"content": [], "refusal": []}

    @property
    def empty(self) -> bool:
        return not (self.calls or any(self._texts.values()))

    def add(self, delta: Any) -> None:
        """A piece: of an odd kind, it is text."""
        delta = delta if isinstance(delta, dict) else {"content": delta}
        for field, pieces in self._texts.items():
            text = _text(delta.get(field))
            if text:
                pieces.append(text)
                if self._tell is not None and field == "content":
                    self._tell({"text": text})
        for piece in listed_calls(delta.get("tool_calls")):
            self._add_call(piece)
        if isinstance(delta.get("function_call"), dict):  # the API before tools
            self._add_call({"index": 0, "function": delta["function_call"]})

    def complete(self, message: Any) -> None:
        """A message where others send a piece: some servers end with the whole of it."""
        if not isinstance(message, dict):
            return
        so_far, text = "".join(self._texts["content"]), _text(message.get("content"))
        calls = None if self.calls else message.get("tool_calls")
        self.add({**message, "content": text.removeprefix(so_far), "tool_calls": calls})

    def whole(self) -> dict[str, Any]:
        texts = {field: "".join(pieces) or None for field, pieces in self._texts.items()}
        return {**texts, "tool_calls": self.calls}

    def _add_call(self, piece: dict[str, Any]) -> None:
        function = piece.get("function")
        function = function if isinstance(function, dict) else piece
        name, arguments = str(function.get("name") or ""), function.get("arguments")
        index, call_id = str(piece.get("index")), piece.get("id") or ""
        there = [call for call in reversed(self.calls) if call["index"] == index]
        call = next((c for c in there if call_id and c["id"] == call_id), next(iter(there), None))
        if call is None or _begins_another(call, name, call_id):
            call = {"index": index, "id": "", "function": {"name": "", "arguments": ""}}
            self.calls.append(call)
        call["id"] = call["id"] or call_id
        known = call["function"]
        if not known["arguments"]:  # in pieces, or again and again what is known of it so far
            known["name"] = name if name.startswith(known["name"]) else known["name"] + name
        if isinstance(arguments, str) and isinstance(known["arguments"], str):
            known["arguments"] += arguments
        elif arguments is not None:
            known["arguments"] = arguments


def _begins_another(call: dict[str, Any], name: str, call_id: str) -> bool:
    """Some servers give every call the index 0: a new id, or a name behind whole arguments, tell.

    A name alone does not: some servers repeat it in every piece.
    """
    if not name:
        return False
    if call_id and call["id"] and call_id != call["id"]:
        return True
    arguments = call["function"]["arguments"]
    return bool(arguments) and (not isinstance(arguments, str) or _json(arguments) is not None)


def listed_calls(value: Any) -> list[dict[str, Any]]:
    """The calls of a message or piece: a list of objects, whatever a server made of that.

    One call without its list, several under keys, the JSON text of any of these, a bare name.
    """
    if isinstance(value, str):
        value = _json_or(value, {"name": value} if value.strip() else [])
    if isinstance(value, dict):
        value = [value] if {"function", "name", "index"} & value.keys() else list(value.values())
    listed = value if isinstance(value, list) else []
    made = [_json_or(each, {"name": each}) if isinstance(each, str) else each for each in listed]
    return _dicts(made)


def _json_or(text: str, instead: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return instead


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(content: Any) -> str:
    """The text of a piece of content, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(_text(part) for part in content)
    if isinstance(content, dict):
        return _text(content.get("text"))
    return content if isinstance(content, str) else ""
