"""Reading trace files: the newest first and from the end, so that their size does not matter.

A line that was torn by a crash is passed over. Records of other versions are read as far as they
go.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import from_json

from harness.errors import WorkshopError
from harness.settings import settings
from harness.traces.record_format import (
    ENDED,
    HEAD,
    PAYLOAD_HEAD,
    TURN,
    from_record,
    references,
)

Event = dict[str, Any]

_BLOCK = 1 << 20  # bytes read at once
_HEAD, _PAYLOAD, _TURN = HEAD.encode(), PAYLOAD_HEAD.encode(), f'"{TURN}"'.encode()
_ID = b'"trace_id":"'


@dataclass(frozen=True)
class TurnSummary:
    """One line of a list of turns. `status` is "open" for a turn whose end was not recorded."""

    trace_id: str
    started: str
    thread_id: str = ""
    user: str = ""
    question: str = ""
    status: str = "open"
    trip: str = ""
    model: str = ""
    path: str = ""
    calls: int = 0
    errors: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_ms: float = 0.0

    @property
    def tokens(self) -> int:
        """All the tokens of the turn."""
        return self.prompt_tokens + self.completion_tokens


def folder() -> Path:
    """Where the traces are."""
    return settings().trace_folder


def files(where: Path | None = None) -> list[Path]:
    """The trace files of a folder, oldest first; none where there is no such folder."""
    where = where or folder()
    found = where.glob("????-??-??.jsonl") if where.is_dir() else ()
    return sorted(path for path in found if path.is_file())


def read(path: Path) -> list[Event]:
    """All the events of a file, in order, with their texts."""
    records, texts = [], {}
    with _opened(path) as file:
        for line in file:
            record = parsed(line)
            if record is None:
                continue
            if "payload" in record:
                texts[record["payload"]] = record.get("text", "")
            else:
                records.append(record)
    return [from_record(record, texts) for record in records]


def turns(
    last: int | None = None,
    where: Path | None = None,
    wanted: Callable[[TurnSummary], bool] = lambda turn: True,
) -> list[TurnSummary]:
    """The turns of a folder, the newest first; at most `last` of those that are `wanted`."""
    found: list[TurnSummary] = []
    for path in reversed(files(where)):
        ended: set[str] = set()
        for line in _backwards(path):
            if line.startswith(_HEAD):
                if _TURN not in line or _id_in(line) in ended:  # nearly all lines end here
                    continue
            elif line.startswith(_PAYLOAD):
                continue
            event = _event(line)
            if event is None or event.get("operation") != TURN or event["trace_id"] in ended:
                continue
            ended.add(event["trace_id"])
            summary = _summary(event)
            if wanted(summary):
                found.append(summary)
                if last is not None and len(found) >= last:
                    return found
    return found


def events_of(trace_id: str, where: Path | None = None) -> list[Event]:
    """The events of one turn, in order, with their texts. The start of its id is enough.

    Raises WorkshopError when no turn has that id.
    """
    for path in reversed(files(where)):
        if found := _events_in(path, trace_id):
            return found
    raise WorkshopError(
        f"There is no trace of {trace_id!r}.", "`python -m harness trace` lists what there is."
    )


def recent(last: int, where: Path | None = None) -> list[list[Event]]:
    """The events of the `last` turns, a list a turn, oldest first; without their long texts."""
    found: dict[str, list[Event]] = {}
    whole = 0
    for path in reversed(files(where)):
        for line in _backwards(path):
            event = None if line.startswith(_PAYLOAD) else _event(line)
            if event is None:
                continue
            found.setdefault(str(event["trace_id"]), []).append(event)
            whole += event["model_decision"] == "asked"
            if whole >= last:
                break
        if whole >= last:
            break
    return [events[::-1] for events in reversed(list(found.values())[:last])]


def follow(
    where: Path | None = None, pause: float = 0.25, until: Callable[[], bool] = lambda: False
) -> Iterator[Event]:
    """The events that are written from now on, as they come, until `until()`; without texts."""
    where = where or folder()
    position = {path: path.stat().st_size for path in files(where)}
    while not until():
        for path in files(where)[-2:]:
            with _opened(path) as file:
                file.seek(position.get(path, 0))
                for line in file:
                    if not line.endswith(b"\n"):  # still being written
                        break
                    position[path] = position.get(path, 0) + len(line)
                    event = None if line.startswith(_PAYLOAD) else _event(line)
                    if event is not None:
                        yield event
        time.sleep(pause)


def _events_in(path: Path, trace_id: str) -> list[Event]:
    """A turn's events in one file: found from the end on, then the texts that come before them."""
    mark = f'"{trace_id}'.encode()
    records: list[Event] = []
    texts: dict[str, str] = {}
    missing: set[str] = set()
    name, begun = "", False
    for line in _backwards(path):
        if line.startswith(_PAYLOAD):
            key = line[len(_PAYLOAD) + 1 : len(_PAYLOAD) + 21].decode("ascii", "replace")
            if key in missing and (record := parsed(line)):
                texts[key] = str(record.get("text", ""))
                missing.discard(key)
        elif not begun and mark in line and (record := parsed(line)):
            own = str(record.get("trace_id", ""))
            if own.startswith(trace_id) and own == (name or own):
                name = own
                records.append(record)
                missing |= references(record) - texts.keys()
                begun = from_record(record)["model_decision"] == "asked"
        if begun and not missing:
            break
    return [from_record(record, texts) for record in reversed(records)]


def _opened(path: Path) -> BinaryIO:
    """A trace file to read. Raises WorkshopError where that is not allowed."""
    try:
        return path.open("rb")
    except OSError as error:
        raise WorkshopError(
            f"The traces in {path} can't be read: {error.strerror or error}.",
            "Give yourself the right to read the file, or name another folder with --folder.",
        ) from None


def _backwards(path: Path) -> Iterator[bytes]:
    """The lines of a file, the last one first."""
    with _opened(path) as file:
        end, rest = file.seek(0, 2), b""
        while end > 0:
            size = min(_BLOCK, end)
            end -= size
            file.seek(end)
            lines = (file.read(size) + rest).split(b"\n")
            rest = lines[0]
            yield from (line for line in reversed(lines[1:]) if line)
        if rest:
            yield rest


def _id_in(line: bytes) -> str:
    """The trace id of a line, found without reading the rest of it; "" where that fails."""
    start = line.find(_ID) + len(_ID)
    return line[start : line.find(b'"', start)].decode("utf-8", "replace")


def parsed(line: bytes) -> Event | None:
    """A line of a trace file as data; None for one that was torn or taken out."""
    try:
        record = from_json(line)
    except ValueError:  # torn, or half an emoji, which json takes
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return None
    return record if isinstance(record, dict) else None


def _event(line: bytes) -> Event | None:
    record = parsed(line)
    if record is None or not isinstance(record.get("trace_id"), str):
        return None
    return from_record(record)


def _summary(event: Event) -> TurnSummary:
    tokens = event["tokens"] or {}
    return TurnSummary(
        trace_id=event["trace_id"],
        started=event.get("began") or event["timestamp"] or "",
        thread_id=event["thread_id"] or "",
        user=event.get("user") or "",
        question=event.get("question") or "",
        status=(event["status"] or "completed") if event["phase"] in ENDED else "open",
        trip=event.get("trip") or "",
        model=event.get("model") or "",
        path=event.get("path") or "",
        calls=event.get("calls") or 0,
        errors=event.get("errors") or 0,
        prompt_tokens=tokens.get("prompt", 0),
        completion_tokens=tokens.get("completion", 0),
        latency_ms=event["latency_ms"] or 0.0,
    )
