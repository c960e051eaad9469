"""Run a function for at most so many seconds, whatever it does.

Python can't stop a running thread, so a call that overruns is abandoned: nobody waits for it. A
thread whose call has ended is used again, because starting one costs more than a step of the loop.
"""

import contextvars
import os
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

# Waiting in slices keeps Ctrl-C working on Windows, where a long wait can't be interrupted.
_SLICE_SECONDS = 0.25
_idle: list["_Worker"] = []
_idle_lock = threading.Lock()
if hasattr(os, "register_at_fork"):  # a forked child has the list, but not the threads
    os.register_at_fork(after_in_child=_idle.clear)


class _Worker:
    def __init__(self) -> None:
        self.jobs: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[Any]]] = (
            queue.SimpleQueue()
        )
        threading.Thread(target=self._serve, daemon=True, name="bounded").start()

    def _serve(self) -> None:
        while True:
            run, results = self.jobs.get()
            try:
                outcome: tuple[bool, Any] = True, run()
            except BaseException as error:  # handed to the caller, SystemExit included
                outcome = False, error
            with _idle_lock:  # before the caller goes on, and also where it no longer waits
                _idle.append(self)
            results.put(outcome)
            del run, results, outcome


def run_bounded(fn: Callable[[], T], seconds: float) -> T:
    """Return `fn()`, run in another thread with this one's context variables.

    Raises TimeoutError when it takes longer than `seconds`, and whatever `fn` raises.
    """
    if seconds <= 0:
        raise TimeoutError("no time left")
    with _idle_lock:
        worker = _idle.pop() if _idle else _Worker()
    results: queue.SimpleQueue[Any] = queue.SimpleQueue()
    context = contextvars.copy_context()
    worker.jobs.put((lambda: context.run(fn), results))
    ok, value = _wait(results, seconds)
    if ok:
        return value
    raise value


def _wait(results: "queue.SimpleQueue[Any]", seconds: float) -> tuple[bool, Any]:
    left = seconds
    while True:
        try:
            return results.get(timeout=min(left, _SLICE_SECONDS))
        except queue.Empty:
            left -= _SLICE_SECONDS
            if left <= 0:
                raise TimeoutError(f"took longer than {seconds:g} s") from None
