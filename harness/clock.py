"""The one clock of the harness, so that a check can move time instead of waiting for it."""

import time
from datetime import UTC, datetime


def now() -> float:
    """Seconds on a monotonic clock; only differences mean anything."""
    return time.monotonic()


def utc() -> datetime:
    """The moment on the wall clock, in UTC: for grants and approvals, which people date."""
    return datetime.now(UTC)
