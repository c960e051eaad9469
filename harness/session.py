"""Who is asking, with what rights, and the turn that is under way.

Both are context variables, so a loop can't forget to pass them: what a tool call may do is decided
by the session it runs in, whatever the loop looks like.
"""

import itertools
import os
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from harness import clock


@dataclass(frozen=True)
class Session:
    """Who asks and what they may do. `deadline` is a reading of `clock.now()`, or None."""

    user: str = "learner"
    role: str = "analyst"
    envelope: Any = None
    read_only: bool = False
    deadline: float | None = None

    def seconds_left(self) -> float:
        """Seconds until the deadline; infinite without one."""
        return float("inf") if self.deadline is None else self.deadline - clock.now()


@dataclass
class Turn:
    """One question and all that is done to answer it. `calls` are the model's calls, in order."""

    id: str
    thread_id: str
    user_message: str
    started: float
    deadline: float | None = None
    calls: list[Any] = field(default_factory=list)
    pending: list[Any] = field(default_factory=list)
    seen_ids: set[str] = field(default_factory=set)
    disclosed: set[str] = field(default_factory=set)
    rounds: int = 0
    tripped: str | None = None
    usage: dict[str, int] = field(default_factory=lambda: {"prompt": 0, "completion": 0})
    events: list[dict[str, Any]] = field(default_factory=list)
    finished: bool = False


_session: ContextVar[Session] = ContextVar("workshop_session")
_turn: ContextVar[Turn | None] = ContextVar("workshop_turn", default=None)
_numbers = itertools.count(1)


@contextmanager
def session(
    user: str = "learner",
    role: str = "analyst",
    envelope: Any = None,
    read_only: bool = False,
    deadline: float | None = None,
) -> Iterator[Session]:
    """Run a block as this user. `deadline` is in seconds from now and can only shorten an outer one."""
    outer = current_session()
    until = None if deadline is None else clock.now() + deadline
    limits = [d for d in (until, outer.deadline) if d is not None]
    inner = Session(user, role, envelope, read_only, min(limits, default=None))
    token = _session.set(inner)
    try:
        yield inner
    finally:
        _session.reset(token)


def current_session() -> Session:
    """The session in force, the default one if none was opened."""
    return _session.get(None) or Session()


def begin_turn(thread_id: str, user_message: str = "", turn_id: str | None = None) -> Turn:
    """Start a turn on a thread; `log_message(thread_id, "user", ...)` does it for every loop."""
    number = next(_numbers)
    turn = Turn(
        id=turn_id or f"{os.getpid()}-{number}",
        thread_id=thread_id,
        user_message=user_message,
        started=clock.now(),
        deadline=current_session().deadline,
    )
    _turn.set(turn)
    return turn


def current_turn() -> Turn | None:
    """The turn under way, or None outside of one."""
    turn = _turn.get()
    return None if turn is None or turn.finished else turn


def end_turn() -> None:
    """Mark the current turn as answered; `log_message(thread_id, "assistant", ...)` does it."""
    turn = _turn.get()
    if turn is not None:
        turn.finished = True
    _turn.set(None)


class _CallableModule(types.ModuleType):
    """Importing this module sets the attribute `harness.session` to it, in the function's place."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return session(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
