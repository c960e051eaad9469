"""Time that a check moves by hand: every clock of the process, and `sleep`.

Only for the worker's child process: a kernel under it would stall. It must be installed before the
learner's function is unpickled, so that `from time import monotonic` gets the fake one as well.
"""

import datetime as _datetime
import sys
import time as _time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Each reading moves the clock on a little, so that a loop that waits for it comes to an end.
_TICK = 0.001
_START = 1_780_000_000.0  # a moment of 2026, whatever the real date is
_real_datetime = _datetime.datetime
_real_date = _datetime.date


class FakeClock:
    """Seconds that pass only when `advance` says so, when something sleeps, or a tick a reading."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += max(float(seconds), 0.0)

    def read(self) -> float:
        """Seconds since the check began."""
        self.seconds += _TICK
        return self.seconds

    def replacements(self) -> dict[str, Any]:
        """What replaces the functions of the `time` module."""

        def time() -> float:
            return _START + self.read()

        def monotonic() -> float:
            return 1_000.0 + self.read()

        def sleep(seconds: float) -> None:
            if seconds < 0:
                raise ValueError("sleep length must be non-negative")
            self.advance(seconds)

        def in_ns(clock: Any) -> Any:
            return lambda: int(clock() * 1_000_000_000)

        def by_clock(which: int) -> float:
            return time() if which == getattr(_time, "CLOCK_REALTIME", 0) else monotonic()

        def now(convert: Any) -> Any:
            return lambda seconds=None, *rest: convert(
                _START + self.read() if seconds is None else seconds, *rest
            )

        return {
            "time": time,
            "monotonic": monotonic,
            "perf_counter": monotonic,
            "time_ns": in_ns(time),
            "monotonic_ns": in_ns(monotonic),
            "perf_counter_ns": in_ns(monotonic),
            "sleep": sleep,
            "clock_gettime": by_clock,
            "clock_gettime_ns": lambda which: int(by_clock(which) * 1_000_000_000),
            "localtime": now(_time.localtime),
            "gmtime": now(_time.gmtime),
            "ctime": now(_time.ctime),
        }


class _Meta(type):
    """Makes real datetimes instances of the fake classes."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.__mro__[1])  # the real class

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls.__mro__[1])


def _fake_datetimes(clock: FakeClock) -> dict[str, Any]:
    class datetime(_real_datetime, metaclass=_Meta):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return _real_datetime.fromtimestamp(_START + clock.read(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            aware = _real_datetime.fromtimestamp(_START + clock.read(), _datetime.UTC)
            return aware.replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    class date(_real_date, metaclass=_Meta):
        @classmethod
        def today(cls) -> Any:
            return _real_datetime.fromtimestamp(_START + clock.read()).date()

    return {"datetime": datetime, "date": date}


def _fake_datetime64(clock: FakeClock, real: Any) -> Any:
    """numpy's datetime64, whose "now" and "today" are the fake ones."""

    class datetime64(real, metaclass=_Meta):
        def __new__(cls, value: Any = None, *rest: Any) -> Any:
            if value in ("now", "today"):
                milliseconds = int((_START + clock.read()) * 1_000)
                moment = real(milliseconds, "ms")
                return real(moment, *(rest or ("s" if value == "now" else "D",)))
            return real(value, *rest) if value is not None else real()

    return datetime64


@contextmanager
def fake_time() -> Iterator[FakeClock]:
    """Put a fake clock in the place of all others until the block ends."""
    clock = FakeClock()
    patches: list[tuple[Any, dict[str, Any]]] = [
        (_time, {n: fn for n, fn in clock.replacements().items() if hasattr(_time, n)}),
        (_datetime, _fake_datetimes(clock)),
    ]
    if numpy := sys.modules.get("numpy"):  # it has a clock of its own
        patches.append((numpy, {"datetime64": _fake_datetime64(clock, numpy.datetime64)}))
    before = [(module, {name: getattr(module, name) for name in new}) for module, new in patches]
    try:
        for module, new in patches:
            vars(module).update(new)
        yield clock
    finally:
        for module, old in before:
            vars(module).update(old)
