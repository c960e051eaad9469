"""The worker's child process: receives jobs, runs them under control, answers in JSON lines.

It talks over its own copies of stdin and stdout, which the learner's code never sees: for that
code stdin is empty and what it prints is captured.
"""

import importlib
import json
import os
import queue
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

from harness.course.runner.contain import contained
from harness.course.runner.watch import Line, Watch

# What a few checks need and is slow to load; had ready while the child waits for its first job.
_WHILE_WAITING = ("harness.course.exercises.run_sql", "sqlglot.dialects.duckdb")

_jobs: "queue.SimpleQueue[dict[str, Any]]" = queue.SimpleQueue()


def main(preload: list[str]) -> None:
    """Serve until the parent goes away. `preload` are modules to have ready."""
    line = _private_line()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=line.silence)
    for name in preload:
        importlib.import_module(name)
    threading.Thread(target=_listen, args=(line,), daemon=True, name="listen").start()
    line.send(ready=True)
    for name in _WHILE_WAITING:
        if _jobs.empty():
            importlib.import_module(name)
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
    home = os.environ.get("WORKSHOP_HOME", "")
    if Path(home).name.startswith("workshop-check-"):
        shutil.rmtree(home, ignore_errors=True)
    os._exit(0)


def _answer(job: dict[str, Any], line: Line) -> dict[str, Any]:
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
