"""The surroundings of `delegate`: a scripted subagent, tools that note who runs them, and turns."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from harness import context, loop, standin
from harness.course.runner.explain import crash
from harness.course.runner.fake_clock import FakeClock
from harness.course.runner.watch import Watch
from harness.course.staging import doubles
from harness.course.staging.notes import Notes
from harness.course.staging.stage import Stage
from harness.databases.state import state
from harness.delegation import Delegated, SubagentContract
from harness.excerpt import short_repr
from harness.guards.effect import Effect
from harness.guards.role_rights import role
from harness.retrieval import embedding
from harness.session import current_session
from harness.tools.toolbox import register, spare_toolbox

Instead = Callable[[], Any]  # returns a TurnResult, or raises


MANY = ("look_at_crates", "weigh_crates", *(f"count_row_{n}" for n in "abcdef"))  # that read


class Turns:
    """What the next turns come to: `instead` is called in place of the real one, if it is set.

    `taken` counts them.
    """

    def __init__(self) -> None:
        self.instead: Instead | None = None
        self.taken = 0


@contextmanager
def turns_doubled() -> Iterator[Turns]:
    """For a block, every module of the harness holds a `run_turn` that can be told what to do."""
    turns, real = Turns(), loop.run_turn

    @functools.wraps(real)
    def run_turn(*arguments: Any, **named: Any) -> Any:
        turns.taken += 1
        return turns.instead() if turns.instead else real(*arguments, **named)

    _put(run_turn, real)
    try:
        yield turns
    finally:
        _put(real, run_turn)  # also where a module took it while it was there


def _put(new: Any, old: Any) -> None:
    """Let every module of the harness hold `new` where it holds `old`."""
    for key, module in list(sys.modules.items()):
        if key.split(".")[0] == "harness" and isinstance(module, ModuleType):
            for name, value in list(vars(module).items()):
                if value is old:
                    setattr(module, name, new)


class Count(BaseModel):
    """What the checked subagent gives back."""

    crates: int


@dataclass
class Ran:
    """What a probe tool saw when it ran."""

    agent: str
    runs: tuple[str, ...]
    seconds_left: float


@contextmanager
def staged(clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> Iterator[Stage]:
    """A stage on which the model is scripted, with two tools that note who runs them."""
    vectors, embedding.compute = embedding.compute, doubles.made_up_vectors
    # Nobody counts crates by the facts about our data; to scan it for them takes a second.
    facts, context.retrieve_knowledge = context.retrieve_knowledge, _no_facts
    try:
        with spare_toolbox(), turns_doubled() as turns:
            stage = Stage(clock, watch, restore)
            _turns_of[stage] = turns
            yield stage
    finally:
        embedding.compute, context.retrieve_knowledge = vectors, facts


def _no_facts(*_: Any, **__: Any) -> list[dict[str, Any]]:
    return []


_turns_of: "WeakKeyDictionary[Stage, Turns]" = WeakKeyDictionary()


class Subagents(Notes):
    """Runs of the learner's function, each with what the subagent was sent and what ran."""

    def __init__(self, fn: Callable[..., Any], stage: Stage) -> None:
        super().__init__(fn)
        self._stage = stage
        self._turns = _turns_of[stage]
        self._silent = ""  # the first situation in which a failure had no reason
        self.ran: list[Ran] = []
        self.requests: list[dict[str, Any]] = []
        for name in MANY:
            register(name=name, effects=(Effect("shipping", "read"),), replace=True)(self._look)
        register(
            name="rebook_crates",
            tier="write",
            effects=(Effect("container", "rebook", "inside", "irreversible", unit="container"),),
            replace=True,
        )(self._look)

    def _look(self, row: int = 0) -> str:
        """Look at the crates of a row."""
        here = current_session()
        self.ran.append(Ran(here.agent, here.runs, here.seconds_left()))
        return f"row {row} has crates"

    def run(
        self,
        situation: str,
        script: Any,
        contract: SubagentContract,
        task: str = "",
        instead: Instead | None = None,
    ) -> Any:
        """What it returned, a Delegated; None, with a finding, where it was anything else."""
        self.ran, self.requests = [], []
        self._turns.instead, self._turns.taken = instead, 0
        with standin.script(script) as seen:
            done = self._stage.call(self._fn, situation, task or "Count the crates.", contract)
        self.requests = [dict(request) for request in seen.requests]
        if done.error is not None:
            self.note(crash(done.error, self._fn, situation, "raised"))
        elif not isinstance(done.returned, Delegated):
            self.add(
                "shape",
                f"When {situation}, it returned {short_repr(done.returned)}, not a Delegated.",
                "return Delegated(contract.name, output, boundary, why, run, result)",
            )
        else:
            self._judge(situation, done.returned)
            return done.returned
        self.hopeless = True
        return None

    def _judge(self, situation: str, done: Delegated) -> None:
        """What holds whatever happened: one turn at most, and a reason for each failure."""
        if self._turns.taken > 1:
            self.add(
                "turn_again",
                f"When {situation}, it took {self._turns.taken} turns; the contract pays for one.",
                "One run_turn: with answer_model= it mends its own answer. What is still wrong "
                "after that comes back as a boundary.",
            )
        if not done.ok and not (isinstance(done.why, str) and done.why.strip()):
            self._silent = self._silent or situation

    def reasons_given(self) -> None:
        """Where nothing else is wrong: no failure may come back without a reason."""
        if self._silent and not self.found:
            self.add(
                "why_missing",
                f"When {self._silent}, the Delegated has no `why`: nobody learns what went wrong.",
                "why=str(error), or what result.status is, or what the evaluation returned.",
            )

    def offered(self) -> list[str]:
        """The tools that the subagent was offered with the first request."""
        return [tool["function"]["name"] for tool in self.requests[0].get("tools") or []]


def contract_of(**changes: Any) -> SubagentContract:
    """A contract to count crates, with these changes."""
    words: dict[str, Any] = {
        "name": "counter",
        "job": "Count crates.",
        "tools": ("look_at_crates",),
        "output": Count,
        "envelope": role("guest").envelope,
    }
    return SubagentContract(**{**words, **changes})


def look(row: int = 0) -> Any:
    """A reply of the model that calls look_at_crates."""
    return standin.call("look_at_crates", row=row)


def asked_on(threads: set[tuple[str, str]]) -> list[str]:
    """What was asked on these threads."""
    said = state().read("SELECT user_id, thread_id, content FROM messages WHERE role = 'user'")
    return [str(content) for user, thread, content in said if (user, thread) in threads]


def threads() -> set[tuple[str, str]]:
    """Every thread that has messages."""
    return {tuple(row) for row in state().read("SELECT DISTINCT user_id, thread_id FROM messages")}


READS = {  # an envelope as a contract may have it: not read yet
    "name": "reads only",
    "grants": [
        {
            "resource": ["shipping"],
            "action": "read",
            "destination": "model",
            "reversibility": "unchanged",
            "time": "session",
            "approval": "none",
            "quantity": {"unit": "call", "action": 1, "turn": 20, "hour": 500, "tenant_day": 5000},
        }
    ],
}


class Odd(Exception):
    """An exception that nobody has thought of."""


def raises(error: Exception) -> Callable[[], Any]:
    """A turn that raises this."""

    def instead() -> Any:
        raise error

    return instead
