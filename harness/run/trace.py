"""Writing what happens in a turn: one JSON line an event, a file a day, kept for 30 days.

`.env` says whether and where (WORKSHOP_TRACES) and for how long (WORKSHOP_TRACE_DAYS);
`harness.traces` reads what is written here.
"""

import datetime
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.config import current_config
from harness.run.turn import Turn
from harness.settings import settings
from harness.traces.erasing import times_erased
from harness.traces.record_format import Phase, clean, to_lines
from harness.traces.trace_reader import folder

_lock = threading.Lock()
_watchers: list[Callable[[dict[str, Any]], None]] = []


@dataclass
class _File:
    """A day's file: its descriptor, and the long texts that this process has written into it."""

    descriptor: int
    erased: int
    stored: set[str] = field(default_factory=set)


_files: dict[tuple[Path, int], _File] = {}  # by folder and number of the day


def timer() -> float:
    """A reading to give to `record(started=...)`; real time, also under a check's fake clock."""
    return time.perf_counter()


def record(
    turn: Turn,
    phase: Phase,
    operation: str,
    *,
    decision: str = "",
    tool: str | None = None,
    input: Any = None,
    output: Any = None,
    started: float | None = None,
    tokens: tuple[int, int] | None = None,
    held: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """Append one event to the turn and to today's file; `tokens` are (prompt, completion).

    With `held` it is written together with the next one, which must come at once.
    """
    event = {
        "trace_id": turn.id,
        "thread_id": turn.thread_id,
        "timestamp": now(),
        "iteration": turn.requests,
        "phase": phase,
        "operation": operation,
        "model_decision": decision,
        "tool": tool,
        "input": clean(input),
        "output": clean(output),
        "latency_ms": None if started is None else round((timer() - started) * 1000, 3),
        "tokens": None if tokens is None else {"prompt": tokens[0], "completion": tokens[1]},
        "user": turn.question.user,
        "tool_call_id": None,
        "status": None,
        **more,
    }
    turn.events.append(event)
    tell(turn, event)
    for watcher in tuple(_watchers):
        try:
            watcher(event)
        except Exception as error:
            _forget(watcher)
            warnings.warn(f"a watcher raised {error!r} and is not called again", stacklevel=2)
    if settings().trace and current_config().trace:
        _append(turn, event, held)
    return event


@contextmanager
def watching(watcher: Callable[[dict[str, Any]], None]) -> Iterator[None]:
    """Have `watcher` called with every event of this process, in the thread that it happens in.

    It may raise KeyboardInterrupt: that ends the turn, as Ctrl-C would.
    """
    _watchers.append(watcher)
    try:
        yield
    finally:
        _forget(watcher)


def _forget(watcher: Callable[[dict[str, Any]], None]) -> None:
    if watcher in _watchers:
        _watchers.remove(watcher)


def tell(turn: Turn, event: dict[str, Any]) -> None:
    """Give an event to the caller's `on_event`, whose own failure must not cost the turn."""
    if turn.on_event is None:
        return
    try:
        turn.on_event(event)
    except Exception as error:
        turn.on_event = None
        warnings.warn(f"on_event raised {error!r} and is not called again", stacklevel=2)


def now() -> str:
    """The time in UTC as ISO 8601, with milliseconds."""
    moment = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    return f"{moment.removesuffix('+00:00')}Z"


def _append(turn: Turn, event: dict[str, Any], held: bool) -> None:
    """One write for whole events, to a file opened for appending: writers never mix in a line."""
    try:
        with _lock:
            turn.held.append(event)
            if held:
                return
            events, turn.held = turn.held, []
            file = _file()
            if (erased := times_erased(folder())) != file.erased:  # by whichever process
                file.stored.clear()
                file.erased = erased
            os.write(file.descriptor, b"".join(to_lines(each, file.stored) for each in events))
    except OSError:
        pass  # a full disk must not cost the answer; the turn keeps its events in memory


def _file() -> _File:
    where, day = folder(), int(time.time() // 86_400)
    file = _files.get((where, day))
    if file is None:
        today = datetime.datetime.now(datetime.UTC).date()
        file = _files[where, day] = _open(where, today)
    return file


def _open(where: Path, day: datetime.date) -> _File:
    where.mkdir(parents=True, exist_ok=True)
    _forget_old(where, day)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    return _File(os.open(where / f"{day.isoformat()}.jsonl", flags, 0o600), times_erased(where))


def _forget_old(where: Path, today: datetime.date) -> None:
    oldest = (today - datetime.timedelta(days=settings().trace_days)).isoformat()
    for path in where.glob("????-??-??.jsonl"):
        if path.stem < oldest:
            path.unlink(missing_ok=True)
