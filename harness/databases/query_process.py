"""A model's query in a process of its own, which can be ended whatever the query does.

The engine's time limit and memory limit do not hold inside one function: `range(1000000000)` is a
value of eight gigabytes that no interrupt reaches. So a child process holds a connection of its own
to the same file; it is used again as long as it answers in time and stays small, else it is killed.
One that nobody asks for a while is ended, so that a kernel left open does not keep its memory.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from harness.databases.idle_timer import IdleTimer
from harness.errors import ToolError

_MEMORY_MB = 1_200  # the engine's own limit, what it does not count, and Python
_GRACE_SECONDS = 1.0  # the child stops the query itself, and says so; this is for when it can't
_SLICE_SECONDS = 0.02
IDLE_SECONDS = 60.0  # without a query, then all that are kept are ended
_IDLE = 2  # children that are kept for the next query
_idle: list[tuple[Path, "_Child"]] = []  # the one that was used last comes last
_lock = threading.Lock()
if hasattr(os, "register_at_fork"):  # a forked process must not share the pipes
    os.register_at_fork(after_in_child=_idle.clear)


def query_apart(path: Path, sql: str, max_rows: int, seconds: float) -> dict[str, Any]:
    """The fields of a QueryResult. Raises the ToolError that the query came to."""
    child = _take(path)
    try:
        answer = child.ask({"sql": sql, "max_rows": max_rows, "seconds": seconds}, seconds)
    except BaseException:  # an interrupt too: nobody is there to read the answer
        child.end()
        raise
    _keep(path, child)
    if "error" in answer:
        raise ToolError(*answer["error"])
    return answer


def end_idle(path: Path | None = None) -> None:
    """End the children that hold this file open, or any file, and have nothing to do."""
    with _lock:
        ended = [child for held, child in _idle if path in (held, None)]
        _idle[:] = [(held, child) for held, child in _idle if path not in (held, None)]
    for child in ended:
        child.end()


_idle_timer = IdleTimer(end_idle)


def _take(path: Path) -> "_Child":
    with _lock:
        for held, child in reversed(_idle):
            if held == path:
                _idle.remove((held, child))
                if child.process.poll() is None:
                    return child
                break
    return _Child(path)


def _keep(path: Path, child: "_Child") -> None:
    with _lock:
        _idle.append((path, child))
        surplus = _idle[:-_IDLE]
        del _idle[:-_IDLE]
        _idle_timer.start(IDLE_SECONDS)
    for _, oldest in surplus:
        oldest.end()


class _Child:
    """The process, and a thread that reads its answers, a line of JSON each."""

    def __init__(self, path: Path) -> None:
        from harness.settings import root  # as in business.py

        search = [str(root()), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "harness.databases.query_child", str(path.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(search), "PYTHONUTF8": "1"},
        )
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True, name="sql-answers").start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as answers:
            for line in answers:
                self._answers.put(line)
        self._answers.put(b"")

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """What the child answers. Raises ToolError when it is too slow, too large, or dies."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:  # it has died; the answers say so
            pass
        line = self._wait(seconds + _GRACE_SECONDS)
        if not line:
            raise ToolError("failed", "The query ended without a result.", "Ask for less.")
        return json.loads(line)

    def _wait(self, seconds: float) -> bytes:
        import psutil  # few processes are ever watched

        usage, end = None, time.monotonic() + seconds
        while time.monotonic() < end:  # slices get longer on a busy machine
            try:
                return self._answers.get(timeout=_SLICE_SECONDS)
            except queue.Empty:
                pass
            try:
                usage = usage or psutil.Process(self.process.pid)
                if usage.memory_info().rss > _MEMORY_MB * 1_000_000:
                    raise too_large()
            except psutil.Error:  # it has just ended
                continue
        raise too_late(seconds - _GRACE_SECONDS)

    def end(self) -> None:
        """Kill the process, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except OSError:
            pass


def too_late(seconds: float) -> ToolError:
    """What a query comes to that takes too long."""
    return ToolError(
        "timeout",
        f"The query took longer than {seconds:g} s and was stopped.",
        "Filter earlier, join on keys, or ask for less.",
    )


def too_large() -> ToolError:
    """What a query comes to that needs too much memory."""
    return ToolError(
        "failed",
        f"The query needed more than {_MEMORY_MB} MB of memory and was stopped.",
        "Filter or aggregate earlier, and don't build long texts or lists.",
    )
