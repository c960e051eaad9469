"""Ending a helper process that has had nothing to do for a while."""

import threading
from collections.abc import Callable


class IdleTimer:
    """Calls `end`, in a thread of its own, some time after the last `start`.

    A thread and no clock, because a check may stop the clock.
    """

    def __init__(self, end: Callable[[], object]) -> None:
        self._end = end
        self._timer: threading.Timer | None = None

    def start(self, seconds: float) -> None:
        """Count from now on."""
        self.stop()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        """There is something to do again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
