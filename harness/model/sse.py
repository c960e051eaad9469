"""Server-sent events, read by the standard and a little beyond it.

The standard: lines end in CR, LF or both; an event ends at an empty line; its data lines are
joined; comments and unknown fields say nothing. Beyond it: some servers leave the empty line out,
and some don't stream at all when they are asked to.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from harness.excerpt import short_repr
from harness.model.error_words import without_tags

DONE = "[DONE]"
_NEXT = re.compile(r"(?<=\})\s*data:(?= ?[\[{])")
_TELLS_OF_AN_ERROR = re.compile(r"\berror\b|\bexception\b", re.IGNORECASE)


def events(body: Iterable[bytes]) -> Iterator[Any]:
    """What a stream carries: the JSON of each event, or DONE, after which nothing is read.

    A body without any event is taken for one piece of JSON. Raises ValueError for what isn't JSON
    and for an event that broke off.
    """
    data: list[str] = []  # the data lines of the event so far
    other: list[str] = []  # lines of a body that holds no event
    kind, whole, found = "", None, False
    for line in _lines(body):
        name, value = _field(line)
        if name == "event":
            kind = value.strip()
        elif name == "data":
            found = True
            for part in _events_of(value):
                if whole is not None:  # the empty line between two events was left out
                    yield from _named(whole, kind)
                    data, kind = [], ""
                data.append(part)
                if _is_done(part):
                    yield DONE
                    return
                whole = _json("\n".join(data))
        elif not line:
            if whole is not None:
                yield from _named(whole, kind)
            elif _begins_json(data):
                raise ValueError(f"an event is not JSON: {short_repr(data[0])}")
            elif _TELLS_OF_AN_ERROR.search(said := " ".join(data)):
                yield {"error": {"message": said}}
            data, kind, whole = [], "", None
        elif not found:
            other.append(line)
        elif line[:1] == "{":  # an error that a server wrote into its stream as it is
            yield from _json(line) or []
    if whole is not None:
        yield from _named(whole, kind)
    elif _begins_json(data):
        raise ValueError("the last event is incomplete")
    if not found and any(other):
        yield from _unframed(other)


def _unframed(lines: list[str]) -> Iterator[Any]:
    """What a body without events holds: a reply, or chunks as a list, or one a line."""
    try:
        value = json.loads("\n".join(lines))
    except ValueError:
        # a line each, behind the mark of a text sequence (RFC 7464) or before a comma
        bare = (line.strip(" \t,\x1e") for line in lines)
        try:
            chunks = [json.loads(line) for line in bare if line]
        except ValueError as error:
            said = without_tags(" ".join(lines))
            raise ValueError(f"something else than JSON: {short_repr(said)}") from error
        yield from chunks
        return
    yield from value if isinstance(value, list) and len(value) > 1 else [value]
    yield DONE  # whole JSON broke off nowhere


def _field(line: str) -> tuple[str, str]:
    """A line's field and its value; blanks, capitals and a name said twice change nothing."""
    name, _, value = line.partition(":")
    name, value = name.strip().lower(), value.removeprefix(" ")
    while name == "data" and value.lower().startswith("data:"):
        value = value[5:].removeprefix(" ")
    return name, value


def _events_of(value: str) -> list[str]:
    """The data of a line, and of the next event, where a server left out the break between them."""
    parts = _NEXT.split(value) if "data:" in value else []
    whole = len(parts) > 1 and all(_is_done(part) or _json(part) is not None for part in parts)
    return parts if whole else [value]


def _is_done(value: str) -> bool:
    return len(value) < 12 and "".join(filter(str.isalpha, value)).upper() == "DONE"


def _begins_json(data: list[str]) -> bool:
    """Whether an event is JSON that broke off; anything else only keeps a connection open."""
    return "".join(data).lstrip()[:1] in ("{", "[")


def _named(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """An event that is called "error" is one, whatever its data looks like."""
    if kind != "error":
        return events
    return [event if "error" in event else {"error": event} for event in events]


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


def _json(text: str) -> list[dict[str, Any]] | None:
    """The objects of an event, mostly one; [{}] for JSON of another kind; None for no JSON yet."""
    try:
        value = json.loads(text)
        if isinstance(value, str) and value[:1] == "{":  # encoded twice
            value = json.loads(value)
    except (ValueError, RecursionError):
        return None
    listed = value if isinstance(value, list) else [value]
    return [each if isinstance(each, dict) else {} for each in listed]
