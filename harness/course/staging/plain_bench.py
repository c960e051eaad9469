"""The plain surroundings of a check whose function asks no model: steps, and calls observed."""

import copy
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from harness.course.runner.explain import crash
from harness.course.runner.fake_clock import FakeClock
from harness.course.runner.watch import Watch
from harness.course.staging.notes import Notes
from harness.course.staging.stage import Stage


@contextmanager
def staged(clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> Iterator[Stage]:
    """A stage on which `call` is used and nothing is replaced."""
    yield Stage(clock, watch, restore)


class Calls(Notes):
    """The findings of a function that is called with values and judged by what it returns."""

    def __init__(self, fn: Callable[..., Any], stage: Stage) -> None:
        super().__init__(fn)
        self._stage = stage

    def call(self, situation: str, *arguments: Any, code: str = "crash", **named: Any) -> Any:
        """What it returns; None, with a finding, when it raises or changes its arguments."""
        before = copy.deepcopy((arguments, named))
        seen = self._stage.call(
            functools.partial(self._fn, **named) if named else self._fn, situation, *arguments
        )
        if seen.error is not None:
            self.note(crash(seen.error, self._fn, situation, code))
            self.hopeless = True
            return None
        if (arguments, named) != before:
            self.add(
                "input_changed",
                f"It changed what it was given, when {situation}.",
                "Make a new list or dict and return that; the caller still needs the old one.",
            )
        return seen.returned
