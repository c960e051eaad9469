"""The warm child process in which a learner's function runs, and its limits.

Nothing that a function does can hang or stall this process: the child is killed when a step takes
too long or when it needs too much memory, and the next job gets a new one. A child starts ahead or
with the first job (a second or two), later jobs take milliseconds; without a job for a while it is
ended.
"""

import atexit
import base64
import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from harness.course.runner.watch import read_trace
from harness.databases.idle_timer import IdleTimer
from harness.errors import WorkshopError

STEP_SECONDS = 5.0  # real seconds that one step of a check may take; it needs milliseconds
JOB_SECONDS = 30.0  # and all of them together, with what the function imports
MEMORY_BYTES = 1_000_000_000
START_SECONDS = 120.0
IDLE_SECONDS = 60.0  # without a job
_LOOK_SECONDS = 0.02  # how often the child's memory is looked at
_GRACE_SECONDS = 1.0  # the child ends itself first, and leaves a trace of where it was

Sources = dict[str, tuple[int, list[str]]]
_PRELOAD = ["harness.loop", "harness.memory.client", "harness.course.exercises.agent_turn"]
CHECKING = "WORKSHOP_CHECKING"  # set in the child, where nobody reads what is said
_OURS_ALONE = ("OPENAI_", "ORACLE_", "WORKSHOP_")


@dataclass
class Outcome:
    """What came of a job.

    `ended` says how: "answered", "endless_loop", "memory" or "died". `findings` are plain data;
    when the child was stopped, those that were known until then. `situation` is the step that was
    under way, `where` the innermost frames as (file, line, function), when they are known.
    """

    ended: str
    findings: list[dict[str, str]] = field(default_factory=list)
    output: str = ""
    situation: str = ""
    where: list[tuple[str, int, str]] = field(default_factory=list)
    takes_ours: bool = False  # whether it read our answer while it ran


class Worker:
    """One child process and the pipes to it. Not for several threads at once."""

    def __init__(self) -> None:
        """Start the child and wait until it is ready. Raises WorkshopError when it won't start."""
        self.home = Path(tempfile.mkdtemp(prefix="workshop-check-"))
        self._owner = os.getpid()
        self._too_big = False
        self._errors = (self.home / "start.log").open("wb")
        self._messages: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-c", _bootstrap(), *_PRELOAD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=_environment(self.home),
                cwd=self.home,
                **_own_group(),
            )
        except OSError as error:
            raise WorkshopError(f"The checking process can't be started: {error}.") from error
        self._reader = threading.Thread(target=self._read, daemon=True, name="checks")
        self._reader.start()
        if not (self._next(time.monotonic() + START_SECONDS) or {}).get("ready"):
            raise self._no_start()

    @property
    def usable(self) -> bool:
        """Whether the child is alive, and this process's own (not its parent's, after a fork)."""
        return self._owner == os.getpid() and self._child.poll() is None

    def run(
        self, module: str, function: bytes, sources: Sources, step_seconds: float
    ) -> tuple[Outcome, bool]:
        """Run a check module on a pickled function; also says whether the child is still good."""
        trace_file = self.home / "where.txt"
        job = {
            "module": module,
            "function": base64.b64encode(function).decode("ascii"),
            "sources": sources,
            "seconds": step_seconds,
            "trace_file": str(trace_file),
        }
        outcome = Outcome("died")
        if not self._send(job):
            return outcome, False
        end = step_end = time.monotonic() + JOB_SECONDS
        while True:
            message = self._next(min(end, step_end))
            if message is None:
                # The child ends itself when a step is over time, so a little early is overdue too.
                overdue = time.monotonic() >= min(end, step_end) - _GRACE_SECONDS - 0.1
                outcome.ended = "endless_loop" if overdue else "died"
                outcome.ended = "memory" if self._too_big else outcome.ended
                self.close(keep_home=True)
                outcome.where = read_trace(trace_file)
                return outcome, False
            if "situation" in message:
                outcome.situation = message["situation"]
                outcome.findings = message["findings"]
                if outcome.situation:
                    step_end = time.monotonic() + step_seconds + _GRACE_SECONDS
                continue
            if "failed" in message:
                raise WorkshopError(
                    f"The check itself failed: {message['failed']}.",
                    "Go on with ours, or write it another way: the fault is in our check.",
                )
            outcome.ended = "answered"
            outcome.findings, outcome.output = message["findings"], message["output"]
            outcome.takes_ours = message["takes_ours"]
            return outcome, not message["dirty"]

    def close(self, keep_home: bool = False) -> None:
        """End the child. Its temporary folder goes too."""
        if self._owner != os.getpid():
            return
        if sys.platform != "win32":
            with contextlib.suppress(OSError):  # with what was forked off
                os.killpg(self._child.pid, signal.SIGKILL)
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()
        for stream in (self._child.stdin, self._errors):
            try:
                stream.close()  # type: ignore[union-attr]
            except OSError:
                pass
        if not keep_home:
            shutil.rmtree(self.home, ignore_errors=True)

    def _send(self, job: dict[str, Any]) -> bool:
        try:
            self._child.stdin.write(json.dumps(job).encode() + b"\n")  # type: ignore[union-attr]
            self._child.stdin.flush()  # type: ignore[union-attr]
        except OSError:
            return False
        return True

    def _read(self) -> None:
        """In a thread, because a pipe can't be waited for with a limit on every platform."""
        with self._child.stdout as lines:  # type: ignore[union-attr]
            for line in lines:
                self._messages.put(json.loads(line))
        self._messages.put(None)

    def _next(self, end: float) -> dict[str, Any] | None:
        """The next message; None when the child is gone, too slow or too big."""
        self._too_big = False
        while True:
            try:
                return self._messages.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if time.monotonic() > end or (self._child.poll() is not None and self._drained()):
                    return None
                if self._memory() > MEMORY_BYTES:
                    self._too_big = True
                    return None

    def _drained(self) -> bool:
        """Whether a dead child has said all that it had to; another process may hold its pipe."""
        self._reader.join(timeout=0.2)
        return self._messages.empty()

    def _memory(self) -> int:
        try:
            child = psutil.Process(self._child.pid)
            # On Windows the python of a venv only starts another one.
            all_of_it = [child, *child.children()] if sys.platform == "win32" else [child]
            return sum(each.memory_info().rss for each in all_of_it)
        except psutil.Error:
            return 0

    def _no_start(self) -> WorkshopError:
        self._child.kill()
        self._child.wait()
        self._errors.close()
        log = (self.home / "start.log").read_text(encoding="utf-8", errors="replace")
        shutil.rmtree(self.home, ignore_errors=True)
        last = (log.strip().splitlines() or ["it said nothing"])[-1]
        return WorkshopError(
            f"The checking process did not start: {last[:300]}", "Try `python workshop.py doctor`."
        )


def _bootstrap() -> str:
    paths = [str(Path(__file__).resolve().parents[3])]
    paths += [path or str(Path.cwd()) for path in sys.path]
    return (
        f"import sys; sys.path[:] = {list(dict.fromkeys(paths))!r}; "
        "from harness.course.runner.child import main; main(sys.argv[1:])"
    )


def _environment(home: Path) -> dict[str, str]:
    """The child's own home, no keys, the scripted model."""
    kept = {k: v for k, v in os.environ.items() if not k.upper().startswith(_OURS_ALONE)}
    kept.pop("PYTHONSTARTUP", None)
    ours = {"WORKSHOP_HOME": str(home), "WORKSHOP_OFFLINE": "1", "PYTHONUTF8": "1", CHECKING: "1"}
    return {**kept, **ours}


def _own_group() -> dict[str, Any]:
    """So that Ctrl-C reaches the notebook and not the child."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


_current: Worker | None = None
_lock = threading.Lock()


def run_job(
    module: str,
    function: bytes,
    sources: Sources | None = None,
    step_seconds: float | None = None,
) -> Outcome:
    """Run a check module on a pickled function in the shared child, started if there is none.

    `sources` are the function's lines, so that a finding can quote one: file -> (first, lines).
    An interrupt ends the child and goes on to the caller.
    """
    global _current
    with _lock:
        _idle_timer.stop()
        if _current is None or not _current.usable:
            stop_worker()
            _current = Worker()
        try:
            outcome, good = _current.run(
                module, function, sources or {}, step_seconds or STEP_SECONDS
            )
        except BaseException:
            stop_worker()
            raise
        if good:
            _idle_timer.start(IDLE_SECONDS)
        else:
            stop_worker()
        return outcome


def start_ahead() -> None:
    """Have the shared child ready soon, for the check that will be next; returns at once."""

    def start() -> None:
        global _current
        with _lock, contextlib.suppress(WorkshopError, RuntimeError):  # the check will say why
            if _current is None or not _current.usable:
                stop_worker()
                _current = Worker()
                _idle_timer.start(IDLE_SECONDS)

    threading.Thread(target=start, daemon=True, name="check-ahead").start()


def stop_worker() -> None:
    """End the shared child, if there is one."""
    global _current
    worker, _current = _current, None
    if worker is not None:
        worker.close()


def _end_idle() -> None:
    with _lock:
        stop_worker()


_idle_timer = IdleTimer(_end_idle)
atexit.register(stop_worker)
