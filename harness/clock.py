"""The one clock of the harness, so that a check can move time instead of waiting for it."""

import time


def now() -> float:
    """Seconds on a monotonic clock; only differences mean anything."""
    return time.monotonic()
