"""The worker's child process: receives jobs, runs them under control, answers in JSON lines.

It talks over its own copies of stdin and stdout, which the learner's code never sees: for that
code stdin is empty and what it prints is captured.
"""

import faulthandler
import importlib
import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

_jobs: "queue.SimpleQueue[dict[str, Any]]" = queue.SimpleQueue()


class Line:
    """The connection to the parent: one JSON object a line, one writer at a time."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self.incoming = incoming
        self._outgoing = outgoing
        self._lock = threading.Lock()

    def silence(self) -> None:
        """In a process that was forked off: what it answers must not be taken for our answer."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (self.incoming, self._outgoing):
            os.dup2(nothing, stream.fileno())
        os.close(nothing)

    def send(self, **message: Any) -> None:
        """Tell the parent something."""
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            self._outgoing.write(data)
            self._outgoing.flush()


class Watch:
    """Ends this process when a step takes too long, also where Python itself is stuck.

    It leaves behind where the code was at that moment, for the parent to read.
    """

    def __init__(self, line: Line, trace_file: Path, seconds: float) -> None:
        self._line = line
        self._seconds = seconds
        self._file = trace_file.open("w", encoding="utf-8")

    def step(self, situation: str, findings: list[dict[str, str]]) -> None:
        """A new step begins; tell the parent which, and what was found so far."""
        self._line.send(situation=situation, findings=findings)
        if situation:  # before the first one, what the function imports may take its time
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._file)

    def close(self) -> None:
        """The work is done in time."""
        faulthandler.cancel_dump_traceback_later()
        self._file.close()


def main(preload: list[str]) -> None:
    """Serve until the parent goes away. `preload` are modules to have ready."""
    line = _private_line()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=line.silence)
    for name in preload:
        importlib.import_module(name)
    threading.Thread(target=_listen, args=(line,), daemon=True, name="listen").start()
    line.send(ready=True)
    while True:
        job = _jobs.get()
        line.send(**_answer(job, line))


def _private_line() -> Line:
    """Move the pipes out of the way of what the learner's code may read and print."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    return Line(incoming, outgoing)


def _listen(line: Line) -> None:
    """Read jobs; when the parent is gone, however it went, so is this process."""
    for data in line.incoming:
        _jobs.put(json.loads(data))
    _leave()


def _leave() -> None:
    import shutil

    home = os.environ.get("WORKSHOP_HOME", "")
    if Path(home).name.startswith("workshop-check-"):
        shutil.rmtree(home, ignore_errors=True)
    os._exit(0)


def _answer(job: dict[str, Any], line: Line) -> dict[str, Any]:
    from harness.course.runner.contain import contained

    watch = Watch(line, Path(job["trace_file"]), float(job["seconds"]))
    watch.step("", [])
    try:
        return contained(job, watch)
    except BaseException as error:  # ours, not theirs: say so, whatever it is
        return {"failed": f"{type(error).__name__}: {error}", "dirty": True}
    finally:
        watch.close()


if __name__ == "__main__":
    main(sys.argv[1:])
