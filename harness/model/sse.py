"""Server-sent events, read by the standard and a little beyond it.

The standard: lines end in CR, LF or both; an event ends at an empty line; its data lines are
joined; comments and unknown fields say nothing. Beyond it: some servers leave the empty line out,
and some don't stream at all when they are asked to.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from harness.excerpt import short_repr

DONE = "[DONE]"


def events(body: Iterable[bytes]) -> Iterator[Any]:
    """What a stream carries: the JSON of each event, or DONE, after which nothing is read.

    A body without any event is taken for one piece of JSON. Raises ValueError for what isn't JSON
    and for an event that broke off.
    """
    data: list[str] = []  # the data lines of the event so far
    other: list[str] = []  # lines of a body that holds no event
    kind, whole, found = "", None, False
    for line in _lines(body):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value.strip()
        elif name == "data":
            found = True
            if whole is not None:  # the empty line between two events was left out
                yield _named(whole, kind)
                data, kind = [], ""
            data.append(value)
            if value.strip().upper() == DONE:
                yield DONE
                return
            whole = _json("\n".join(data))
        elif not line:
            if whole is not None:
                yield _named(whole, kind)
            elif any(each.strip() for each in data):
                raise ValueError(f"an event is not JSON: {short_repr(data[0])}")
            data, kind, whole = [], "", None
        elif not found:
            other.append(line)
    if whole is not None:
        yield _named(whole, kind)
    elif any(each.strip() for each in data):
        raise ValueError("the last event is incomplete")
    if not found and any(other):
        yield from _unframed(other)


def _unframed(lines: list[str]) -> Iterator[Any]:
    """What a body without events holds: a reply, or chunks as a list, or one a line."""
    try:
        value = json.loads("\n".join(lines))
    except ValueError:
        yield from [json.loads(line) for line in lines if line.strip()]
        return
    yield from value if isinstance(value, list) and len(value) > 1 else [value]


def _named(event: dict[str, Any], kind: str) -> dict[str, Any]:
    """An event that is called "error" is one, whatever its data looks like."""
    return {"error": event} if kind == "error" and "error" not in event else event


def _lines(body: Iterable[bytes]) -> Iterator[str]:
    rest: list[bytes] = []  # of a line that may come in very many pieces
    after_cr, first = False, True
    for piece in body:
        if after_cr and piece:
            piece = piece.removeprefix(b"\n")  # the second half of a CR LF
            after_cr = False
        for line in piece.splitlines(keepends=True):
            rest.append(line)
            if line.endswith((b"\r", b"\n")):
                yield _line(rest, first)
                rest, first = [], False
        after_cr = after_cr or piece.endswith(b"\r")
    if rest:
        yield _line(rest, first)


def _line(pieces: list[bytes], first: bool) -> str:
    text = b"".join(pieces).rstrip(b"\r\n").decode("utf-8", "replace")
    return text.removeprefix("\ufeff") if first else text


def _json(text: str) -> dict[str, Any] | None:
    """An object; {} for JSON of another kind; None while the text is not yet JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else {}
