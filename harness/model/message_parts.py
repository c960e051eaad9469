"""A message put together from pieces, or taken whole: text, calls, and whatever else it carries."""

import json
from collections.abc import Callable
from typing import Any

from harness.model.content_parts import (
    ARGUMENTS,
    content_and_calls,
    grows,
    joined,
    merged,
    text_of,
)
from harness.model.json_text import speakable, speakable_value
from harness.model.tool_calls import one_object

Hear = Callable[[str], None]

# What the protocol itself says. The rest of a message is the server's own and comes back to it.
_PROTOCOL = {"role", "content", "refusal", "tool_calls", "function_call"}
_OF_A_CALL = {"id", "type", "index", "function", "custom", "name", *ARGUMENTS}


class MessageParts:
    """A message that grows piece by piece; `hear` is told each piece of its text."""

    def __init__(self, hear: Hear | None = None) -> None:
        self.calls: list[CallParts] = []
        self._hear = hear
        self._content: list[Any] = []
        self._refusal: list[str] = []
        self._others: dict[str, Any] = {}

    @property
    def empty(self) -> bool:
        """Whether nothing at all came."""
        return not (self.calls or self._content or self._refusal or self._others)

    @property
    def said(self) -> tuple[str, list[tuple[str, str]]]:
        """The text so far, and the name and arguments of each call."""
        calls = [call.whole()["function"] for call in self.calls]
        made = [(call["name"], str(call["arguments"])) for call in calls]
        return "".join(map(text_of, self._content)), made

    def add(self, delta: Any) -> None:
        """A piece: of an odd kind, it is text."""
        delta = delta if isinstance(delta, dict) else {"content": delta}
        content, in_parts = content_and_calls(delta.get("content"))
        if content:
            self._content.append(content)
            if self._hear is not None and (text := text_of(content)):
                self._hear(text)
        if refusal := text_of(delta.get("refusal")):
            self._refusal.append(refusal)
        for piece in [*listed_calls(delta.get("tool_calls")), *in_parts]:
            self._add_call(piece)
        if isinstance(delta.get("function_call"), dict):  # the API before tools
            self._add_call({"index": 0, "function": delta["function_call"]})
        self._add_others(delta)

    def complete(self, message: Any) -> None:
        """A message where others send a piece: some servers end with the whole of it."""
        if not isinstance(message, dict):
            return
        content, in_parts = content_and_calls(message.get("content"))
        so_far, text = "".join(map(text_of, self._content)), text_of(content)
        calls = None if self.calls else [*listed_calls(message.get("tool_calls")), *in_parts]
        known = dict.fromkeys(self._others)
        content = text.removeprefix(so_far) if so_far else content
        self.add({**message, **known, "content": content, "tool_calls": calls})

    def whole(self) -> dict[str, Any]:
        """The message, in the shape of one that was not streamed."""
        calls: list[dict[str, Any]] = []
        for each in self.calls:
            call = each.whole()
            if not (call["id"] and call in calls):  # sent twice, under its own id
                calls.append(call)
        return {
            **speakable_value(self._others),
            "content": joined(self._content),
            "refusal": "".join(self._refusal) or None,
            "tool_calls": calls,
        }

    def _add_others(self, delta: dict[str, Any]) -> None:
        for key, value in delta.items():
            if key not in _PROTOCOL and value not in (None, "", [], {}):
                self._others[key] = merged(self._others.get(key), value, key)

    def _add_call(self, piece: dict[str, Any]) -> None:
        call = self._call_of(piece)
        if call is None or call.is_followed_by(piece):
            call = CallParts(piece.get("index"))
            self.calls.append(call)
        call.add(piece)

    def _call_of(self, piece: dict[str, Any]) -> "CallParts | None":
        """The call that a piece may belong to: by index, by id, else the last one."""
        index, call_id = piece.get("index"), piece.get("id")
        there = [c for c in reversed(self.calls) if index is None or str(c.index) == str(index)]
        if not there and not call_id and not _name(_function(piece)):
            there = self.calls[-1:]  # the index counts the pieces
        by_id = (call for call in there if call_id and call.id == call_id)
        return next(by_id, next(iter(there), None))


class CallParts:
    """One tool call that grows piece by piece."""

    def __init__(self, index: Any = None) -> None:
        self.index = index
        self.id = ""
        self._name = ""
        self._arguments: list[Any] = []
        self._others: dict[str, Any] = {}
        self._of_function: dict[str, Any] = {}

    def add(self, piece: dict[str, Any]) -> None:
        """Take in a piece, wrapped in "function" or not."""
        function = _function(piece)
        self.id = self.id or piece.get("id") or ""
        name, arguments = _name(function), _arguments(function)
        if (
            not self._arguments or not self._name
        ):  # in pieces, or again and again what is known of it so far
            self._name = name if name.startswith(self._name) else self._name + name
        if arguments not in (None, ""):
            self._arguments.append(arguments)
        self._others = merged(self._others, _rest(piece))
        if function is not piece:
            self._of_function = merged(self._of_function, _rest(function))

    def is_followed_by(self, piece: dict[str, Any]) -> bool:
        """Whether a piece begins another call under the same index.

        Some servers give every call the index 0: another name, or any behind whole arguments, tell.
        A name alone does not: some servers repeat it in every piece, some under an id of its own.
        """
        function = _function(piece)
        name, arguments, call_id = _name(function), _arguments(function), piece.get("id") or ""
        if not name or not self._name:
            return False
        if call_id and self.id and call_id != self.id:
            if name != self._name or not (self._arguments or arguments):
                return True
            anew = self._arguments and str(arguments).lstrip().startswith("{")
            return bool(anew) or _object(self._settled()) is not None
        if not self._arguments or arguments in (None, ""):
            return False
        so_far, new = self._settled(), _object(arguments)
        so_far = _object(so_far)
        if so_far is None:
            return False
        if new is None:
            return bool(so_far) and str(arguments).lstrip().startswith("{")
        if not isinstance(arguments, str) and call_id == self.id and isinstance(new, dict):
            return any(key not in new for key in so_far)  # else all of it so far
        return bool(so_far) and new != so_far

    def whole(self) -> dict[str, Any]:
        """The call as a message that was not streamed holds it."""
        function = {
            **speakable_value(self._of_function),
            "name": self._name,
            "arguments": self._settled(),
        }
        return {**speakable_value(self._others), "id": self.id, "function": function}

    def _settled(self) -> Any:
        if len(self._arguments) < 2:
            return self._arguments[0] if self._arguments else ""
        objects = [each for each in self._arguments if not isinstance(each, str)]
        if objects:
            return objects[-1]
        text = "".join(self._arguments)
        if grows(self._arguments) and _object(text) is None:
            return self._arguments[-1]
        return text


def whole_message(message: dict[str, Any]) -> dict[str, Any]:
    """A message that came in one piece, in the shape that `MessageParts.whole` gives."""
    parts = MessageParts()
    listed = listed_calls(message.get("tool_calls"))
    once = None if listed else message.get("function_call")
    parts.add({**message, "tool_calls": None, "function_call": once})
    made = parts.whole()
    for piece in listed:
        call = CallParts()
        call.add(piece)
        made["tool_calls"].append(call.whole())
    return made


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
    return [each for each in made if isinstance(each, dict)]


def _function(piece: dict[str, Any]) -> dict[str, Any]:
    function = piece.get("function", piece.get("custom"))
    return function if isinstance(function, dict) else piece


def _name(function: dict[str, Any]) -> str:
    return str(function.get("name") or "")


def _arguments(function: dict[str, Any]) -> Any:
    return next((function[key] for key in ARGUMENTS if key in function), None)


def _rest(piece: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in piece.items() if k not in _OF_A_CALL and v not in (None, "", [], {})}


def _object(value: Any) -> Any:
    """The object of arguments that are whole; None for a beginning of them."""
    if not isinstance(value, str):
        return value
    found = _json_or(one_object(speakable(value)), None)
    return found if isinstance(found, dict) else None


def _json_or(text: str, instead: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return instead
