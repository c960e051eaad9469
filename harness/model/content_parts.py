"""What a content may hold beside text: parts, calls among them, pieces that make a whole."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

ARGUMENTS = ("arguments", "input", "args", "parameters")  # of a call, as servers name them
_DEEPEST = 8  # lists in lists
_HOLDERS = ("content", "parts")  # of parts
_TEXTS = ("text", "content", "value")  # of a part
_LABELS = {"type", "id", "name", "role", "format", "index"}  # said again in every piece, never cut


def content_and_calls(content: Any) -> tuple[Any, list[dict[str, Any]]]:
    """A content without the calls among its parts, and these, as pieces of calls.

    A part that is a call has a name and arguments, by itself or in its only object. A part that
    is null says nothing, and is never sent back.
    """
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        return str(content), []
    if not isinstance(content, list) and not _parts_of(content):
        return content, []
    parts: list[Any] = []
    calls: list[dict[str, Any]] = []
    for part in _flat(content):
        if call := _call_in(part):
            calls.append(call)
        elif isinstance(part, (dict, list, str)) and part:
            parts.append(part)
    return parts, calls


def _flat(content: Any, deep: int = 0) -> Iterator[Any]:
    """The parts of a content, also of one that is in parts itself: an item, a turn."""
    inner = content if isinstance(content, list) else _parts_of(content)
    if not inner or deep > _DEEPEST:
        yield content
        return
    for each in inner:
        yield from _flat(each, deep + 1)


def _parts_of(value: Any) -> list[Any] | None:
    """The parts that an object holds; None for a part, and for thoughts."""
    if not isinstance(value, dict) or is_thought(value):
        return None
    return next((value[key] for key in _HOLDERS if isinstance(value.get(key), list)), None)


def _call_in(part: Any) -> dict[str, Any] | None:
    if not isinstance(part, dict):
        return None
    if isinstance(part.get("name"), str) and any(key in part for key in ARGUMENTS):
        return part
    objects = [each for each in part.values() if isinstance(each, dict)]
    found = len(objects) == 1 and (_call_in(objects[0]) or _call_in(objects[0].get("function")))
    return objects[0] if found else None


def text_of(content: Any) -> str:
    """The text of a piece of content, which some servers send in parts; thoughts are none of it."""
    if isinstance(content, list):
        return "".join(map(text_of, content))
    if isinstance(content, dict):
        said = (text_of(content.get(key)) for key in _TEXTS)
        return "" if is_thought(content) else next(filter(None, said), "")
    return content if isinstance(content, str) else ""


def is_thought(part: dict[str, Any]) -> bool:
    """Whether a part of a content says that it isn't part of the answer."""
    kind = str(part.get("type")).lower()
    return part.get("thought") is True or "think" in kind or "reason" in kind


def joined(pieces: Iterable[Any]) -> Any:
    """The content of all pieces: one text, or a list where a server sends parts.

    Pieces that are each the one before and more are the whole text so far, again and again.
    """
    pieces = list(pieces)
    if len(pieces) == 1:
        return pieces[0]
    if all(isinstance(each, str) for each in pieces):
        so_far = len(pieces) > 3 and grows(pieces) and len(set(pieces[-1])) > 3
        return pieces[-1] if so_far else "".join(pieces) or None
    whole: list[Any] = []
    for each in pieces:
        parts = each if isinstance(each, list) else [each]
        for part in parts:
            _add_item(whole, part if isinstance(part, dict) else {"type": "text", "text": part})
    return whole


def merged(old: Any, new: Any, key: str = "") -> Any:
    """A value and its next piece: text grows, objects are merged, lists too where they say how."""
    if old is None or new is None:
        return new if old is None else old
    if isinstance(old, str) and isinstance(new, str):
        return (new or old) if key in _LABELS else old + new
    if isinstance(old, dict) and isinstance(new, dict):
        return old | {each: merged(old.get(each), value, each) for each, value in new.items()}
    if isinstance(old, list) and isinstance(new, list):
        items = list(old)
        for item in new:
            _add_item(items, item)
        return items
    return new


def _add_item(items: list[Any], item: Any) -> None:
    """An item of a list: the next piece of one that is there, or a new one."""
    if isinstance(item, dict):
        for place, known in enumerate(items):
            if isinstance(known, dict) and item.get("index", items) == known.get("index"):
                items[place] = merged(known, item)
                return
        last = items[-1] if items else None
        if isinstance(last, dict) and _goes_on(last, item):
            items[-1] = merged(last, item)
            return
    items.append(item)


def _goes_on(last: dict[str, Any], item: dict[str, Any]) -> bool:
    """Whether an item is the next piece of the last one: nothing tells them apart."""
    same = "index" not in item and last.keys() == item.keys()
    return same and all(last[key] == item[key] for key in _LABELS & item.keys())


def counts(usage: Any) -> bool:
    """Whether a server counted tokens: some send zeros before or behind the true numbers."""
    numbers = usage.values() if isinstance(usage, dict) else ()
    return any(type(n) in (int, float) and n > 0 for n in numbers)


def grows(pieces: list[str]) -> bool:
    """Whether each piece is the last one and a little more: all of it so far, again and again."""
    return len(pieces) > 1 and all(
        later.startswith(earlier) for earlier, later in itertools.pairwise(pieces)
    )
