"""Driving a learner's LoopGuard as a loop would, and the calls that it is driven with."""

import copy
import json
from typing import Any

from harness.course.runner.explain import crash
from harness.course.staging.notes import Notes
from harness.course.staging.stage import Stage

Call = tuple[str, dict[str, Any], str]  # name, arguments, what the tool would return


class Watched(Notes):
    """Guards of the learner's class, driven as a loop would drive them."""

    def __init__(self, cls: Any, stage: Stage) -> None:
        super().__init__(cls)
        self.cls = cls
        self._stage = stage

    def drive(
        self, situation: str, calls: list[Call], *, whole_round: bool = False, ask: bool = True
    ) -> "Driven":
        """Take the calls one after another, as a loop does, with a guard of their own.

        In a whole round `tripped` is looked at behind the last call only. A loop that does not
        `ask` runs every call, whatever `before` would have said.
        """
        driven = Driven()
        seen = self._stage.call(lambda: self._take(driven, calls, whole_round, ask), situation)
        if seen.error is not None:
            self.note(crash(seen.error, self.cls, situation))
            self.hopeless = True
        elif driven.changed:
            self.add(
                "input_changed",
                f"It changed the arguments of a call, when {situation}.",
                "The tool is run with them, and the next call too: only read them.",
            )
            self.hopeless = True
        return driven

    def _take(self, driven: "Driven", calls: list[Call], whole_round: bool, ask: bool) -> None:
        driven.guard = self.cls()
        for number, (name, arguments, observation) in enumerate(calls, 1):
            before, after = copy.deepcopy((arguments, arguments))
            given = driven.guard.before(name, before) if ask else None
            shown = given if isinstance(given, str) else observation
            driven.guard.after(name, after, shown)
            driven.changed |= before != arguments or after != arguments
            driven.stored.append(given)
            if not whole_round or number == len(calls):
                driven.reasons.append(driven.guard.tripped)


class Driven:
    """What a guard said to each call: what it stored for it, and its reason to stop after it."""

    def __init__(self) -> None:
        self.guard: Any = None
        self.stored: list[Any] = []
        self.reasons: list[Any] = []
        self.changed = False  # whether the arguments of a call were

    @property
    def last(self) -> Any:
        """What it gave back for the last call."""
        return self.stored[-1] if self.stored else None


def call(letter: str, observation: str | None = None, **more: Any) -> Call:
    """A call that no other letter makes, and what its tool returns."""
    text = observation or json.dumps({"status": "ok", "berth": letter, "free": ord(letter)})
    return "read_berth", {"berth": letter, **more}, text


def fails(letter: str) -> Call:
    """A call whose tool fails in its own way."""
    return call(letter, f"ERROR: read_berth failed: gauge {letter} is offline. Try another one.")


def row(*letters: str) -> list[Call]:
    """Good calls, the same letter being the same call."""
    return [call(letter) for letter in letters]


def same_result(letters: str) -> list[Call]:
    """Different calls that all bring the same."""
    return [call(letter, '{"status": "ok", "rows": []}') for letter in letters]


def by_other_tools(count: int) -> list[Call]:
    """Calls of different tools that all bring the same."""
    return [(f"read_{number}", {"berth": "A"}, "[]") for number in range(count)]


def mixed(pattern: str) -> list[Call]:
    """Different calls: `o` for one that brings something, `f` for one that fails."""
    letters = "ABCDEFGHIJ"
    return [(call if o == "o" else fails)(c) for c, o in zip(letters, pattern, strict=False)]
