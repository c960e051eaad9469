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
from harness.excerpt import short_repr


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
        given, more = copy.deepcopy((arguments, named))  # ours outlive whatever is done to them
        seen = self._stage.call(
            functools.partial(self._fn, **more) if more else self._fn, situation, *given
        )
        if seen.error is not None:
            self.note(crash(seen.error, self._fn, situation, code))
            self.hopeless = True
            return None
        if (given, more) != (arguments, named):
            self.add(
                "input_changed",
                f"It changed what it was given, when {situation}.",
                "Make a new list or dict and return that; the caller still needs the old one.",
            )
        return seen.returned

    def remembers(self, situation: str, first: Any, *arguments: Any) -> bool:
        """Whether it says another thing than at `first` when it is called like that again, which
        is noted: what looks like a fault of this call is left from the calls before it.
        """
        second = self.call(situation, *arguments)
        if self.hopeless or repr(second) == repr(first):
            return self.hopeless
        self.add(
            "state_kept",
            f"Called twice with the same, when {situation}, it says {short_repr(first, 90)} and "
            f"then {short_repr(second, 90)}.",
            "Something is kept from one call to the next: make lists and dicts inside it, anew.",
        )
        return True
