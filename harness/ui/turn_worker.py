"""An agent in a worker thread, watched and stopped from outside.

A click in a notebook is handled only while no cell runs, so whatever a button must be able to stop
runs in a thread of its own.
"""

import contextvars
import threading
from collections.abc import Callable
from typing import Any

from harness.errors import WorkshopError
from harness.run import recorder, trace

Event = dict[str, Any]


class Stopped(KeyboardInterrupt):
    """Somebody pressed stop. A loop that lets KeyboardInterrupt pass ends here."""


class TurnWorker:
    """Runs `work()` in a thread; `on_event` hears each event of its turns, `on_end` how it ended.

    `stop()` takes effect at the next event: before the next tool runs, or when the model has
    answered. What comes after it is not told any more.
    """

    def __init__(
        self,
        work: Callable[[], str],
        on_event: Callable[[Event], None],
        on_end: Callable[[str, str], None],
    ) -> None:
        self._work, self._on_event, self._on_end = work, on_event, on_end
        self._over = threading.Event()
        self._ended = threading.Lock()
        context = contextvars.copy_context()  # the same user, and what is configured
        self._thread = threading.Thread(target=context.run, args=(self._run,), daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it has not come to an end and was not stopped."""
        return self._thread.is_alive() and not self._over.is_set()

    def stop(self) -> None:
        """End it: at once for whoever watches, at its next step for the loop."""
        if not self._over.is_set():
            self._tell_end("stopped", "Stopped. A step that had begun may still finish.")

    def join(self, seconds: float | None = None) -> None:
        """Wait for the thread; for tests."""
        self._thread.join(seconds)

    def _run(self) -> None:
        me = threading.get_ident()
        try:
            with trace.watching(lambda event: self._heard(event, me)):
                answer = self._work()
            self._tell_end("answered", str(answer))
        except KeyboardInterrupt:
            self._leave()
        except WorkshopError as error:
            self._tell_end("failed", str(error))
        except BaseException as error:  # a learner's loop may raise anything
            self._leave()
            self._tell_end("failed", f"{type(error).__name__}: {error}")

    def _heard(self, event: Event, thread: int) -> None:
        if threading.get_ident() != thread:
            return  # another turn, in another thread
        if self._over.is_set():
            if event["operation"] != "invoke_agent" and event["phase"] != "OBSERVING":
                raise Stopped
            return
        self._on_event(event)

    def _leave(self) -> None:
        turn = recorder.current_turn()
        if turn is not None:
            recorder.abandon(turn)

    def _tell_end(self, how: str, text: str) -> None:
        with self._ended:  # by stop and by the thread: the first says it
            if self._over.is_set():
                return
            self._over.set()
        self._on_end(how, text)
