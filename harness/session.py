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
from dataclasses import dataclass, replace
from typing import Any

from harness import clock
from harness.run.turn import Turn


@dataclass(frozen=True)
class Session:
    """Who asks and what they may do. `deadline` is a reading of `clock.now()`, or None."""

    user: str = "learner"
    role: str = "analyst"
    envelope: Any = None
    read_only: bool = False
    deadline: float | None = None

    def permissions(self) -> frozenset[str]:
        """What the role may do beyond reading and plain writing."""
        return _PERMISSIONS.get(self.role, frozenset())

    def seconds_left(self) -> float:
        """Seconds until the deadline; infinite without one."""
        return float("inf") if self.deadline is None else self.deadline - clock.now()


DEFAULT_USER = "WORKSHOP_USER"  # the environment variable with the name of the default user
_PERMISSIONS = {"dispatcher": frozenset({"operations"}), "admin": frozenset({"operations"})}
_session: ContextVar[Session] = ContextVar("workshop_session")
_turn: ContextVar[Turn | None] = ContextVar("workshop_turn", default=None)
_numbers = itertools.count(1)


@contextmanager
def session(
    user: str | None = None,
    role: str = "analyst",
    envelope: Any = None,
    read_only: bool = False,
    deadline: float | None = None,
) -> Iterator[Session]:
    """Run a block as this user; `deadline`, in seconds from now, can only shorten an outer one."""
    outer = current_session()
    until = None if deadline is None else clock.now() + deadline
    limits = [d for d in (until, outer.deadline) if d is not None]
    inner = Session(user or outer.user, role, envelope, read_only, min(limits, default=None))
    token = _session.set(inner)
    try:
        yield inner
    finally:
        _session.reset(token)


@contextmanager
def deadline(seconds: float) -> Iterator[Session]:
    """Run a block as the same user, for at most `seconds` from now."""
    outer = current_session()
    until = clock.now() + min(seconds, outer.seconds_left())
    token = _session.set(replace(outer, deadline=until))
    try:
        yield current_session()
    finally:
        _session.reset(token)


def current_session() -> Session:
    """The session in force, the default one if none was opened."""
    return _session.get(None) or Session(user=os.environ.get(DEFAULT_USER, "learner"))


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
        turn.end()
    _turn.set(None)


class _CallableModule(types.ModuleType):
    """Importing this module sets the attribute `harness.session` to it, in the function's place."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return session(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
