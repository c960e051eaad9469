"""What happened in a turn, one JSON line an event, kept for 30 days under WORKSHOP_HOME/traces."""

import datetime
import json
import os
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Literal

from harness.guards.secrets import redact
from harness.run.turn import Turn
from harness.settings import settings

Phase = Literal["PLANNING", "TOOL_CALLING", "OBSERVING", "COMPLETED", "CAP_REACHED"]

RETENTION_DAYS = 30
_PAYLOAD_CHARS = 2_000
_lock = threading.Lock()
_files: dict[tuple[Path, int], int] = {}  # (home, day number) -> file descriptor


def timer() -> float:
    """A reading to give to `record(started=...)`; real time, also under a check's fake clock."""
    return time.perf_counter()


def record(
    turn: Turn,
    phase: Phase,
    *,
    decision: str = "",
    tool: str | None = None,
    input: Any = None,
    output: str | None = None,
    started: float | None = None,
    tokens: tuple[int, int] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Append one event to the turn and to today's file; `tokens` are (prompt, completion)."""
    event = {
        "trace_id": turn.id,
        "thread_id": turn.thread_id,
        "timestamp": time.time(),
        "iteration": turn.rounds,
        "phase": phase,
        "model_decision": decision,
        "tool": tool,
        "input": _bounded(input),
        "output": _bounded(output),
        "latency_ms": None if started is None else round((timer() - started) * 1000, 3),
        "tokens": None if tokens is None else {"prompt": tokens[0], "completion": tokens[1]},
        **more,
    }
    turn.events.append(event)
    tell(turn, event)
    _append(json.dumps(event, ensure_ascii=False, default=str))
    return event


def tell(turn: Turn, event: dict[str, Any]) -> None:
    """Give an event to the caller's `on_event`, whose own failure must not cost the turn."""
    if turn.on_event is None:
        return
    try:
        turn.on_event(event)
    except Exception as error:
        turn.on_event = None
        warnings.warn(f"on_event raised {error!r} and is not called again", stacklevel=2)


def _bounded(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return redact(text[:_PAYLOAD_CHARS])


def _append(line: str) -> None:
    """One write a record, to a file opened for appending: writers never mix within a line."""
    data = (line + "\n").encode("utf-8", "replace")
    try:
        with _lock:
            os.write(_file(), data)
    except OSError:
        pass  # a full disk must not cost the answer; the turn keeps its events in memory


def _file() -> int:
    home, day = settings().home, int(time.time() // 86_400)
    if (home, day) not in _files:
        _files[home, day] = _open(home / "traces", datetime.datetime.now(datetime.UTC).date())
    return _files[home, day]


def _open(folder: Path, day: datetime.date) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    _forget_old(folder, day)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    return os.open(folder / f"{day.isoformat()}.jsonl", flags, 0o600)


def _forget_old(folder: Path, today: datetime.date) -> None:
    oldest = (today - datetime.timedelta(days=RETENTION_DAYS)).isoformat()
    for path in folder.glob("????-??-??.jsonl"):
        if path.stem < oldest:
            path.unlink(missing_ok=True)


def read(path: Path) -> list[dict[str, Any]]:
    """The events of a file; a line that was torn by a crash is passed over."""
    events = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events
