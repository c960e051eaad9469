"""Who is asking, with what rights, and what they asked.

Both are context variables, so a loop can't forget to pass them: what a tool call may do is decided
by the session it runs in, whatever the loop looks like.
"""

import os
import sys
import threading
import types
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from harness import clock
from harness.databases.business import limited_to
from harness.errors import WorkshopError
from harness.guards import role_rights
from harness.guards.envelope import Envelope, intersection
from harness.guards.envelope_file import read_envelope


@dataclass(frozen=True)
class Session:
    """Who asks, what they may do, and which agent acts for them; the two are never the same.

    `deadline` is a reading of `clock.now()`, or None. `runs` are the subagents' runs that this is
    part of, the outermost first, and `root` is the turn that they all work for.
    """

    user: str = "learner"
    role: str = "analyst"
    envelope: Envelope | None = None
    read_only: bool = False
    deadline: float | None = None
    tenant: str = "workshop"
    agent: str = "assistant"
    runs: tuple[str, ...] = ()
    root: str = ""

    def __post_init__(self) -> None:
        """Raises WorkshopError for a name that no store takes; changed, it might be another's."""
        for name in (self.user, self.tenant):
            try:
                str(name).encode("utf-8")
            except UnicodeEncodeError:
                raise WorkshopError(
                    f"The name {name!r} is not UTF-8 text.",
                    "Write WORKSHOP_USER, or the user and the tenant of the session, otherwise.",
                ) from None

    def seconds_left(self) -> float:
        """Seconds until the deadline; infinite without one."""
        return float("inf") if self.deadline is None else self.deadline - clock.now()


DEFAULT_USER = "WORKSHOP_USER"  # the environment variable with the name of the default user
_session: ContextVar[Session] = ContextVar("workshop_session")
_asked: ContextVar["Question | None"] = ContextVar("workshop_question", default=None)
_open: dict[str, "Question"] = {}  # asked in this process and not answered yet, oldest first
_MOST_OPEN = 256  # questions; what was abandoned long ago goes


@contextmanager
def session(
    user: str | None = None,
    role: str | None = None,
    envelope: Any = None,
    read_only: bool = False,
    deadline: float | None = None,
    tenant: str | None = None,
) -> Iterator[Session]:
    """Run a block as this user, who has a role, for a tenant.

    `envelope` (an Envelope, a dict, or the path of a YAML file) is what the agent may do for this
    user; the role's envelope must allow it too. Inside another session nothing is widened: both
    envelopes count, what was read-only stays so, `deadline` (seconds from now) only shortens.
    Raises WorkshopError for a role that there is not, and for a faulty envelope.
    """
    outer = current_session()
    granted = [outer.envelope] if outer.envelope else []
    if envelope is not None:  # an empty one grants nothing
        granted.append(read_envelope(envelope))
    if role is not None and role != outer.role and _session.get(None) is not None:
        granted.append(role_rights.role(outer.role).envelope)
    policy = role_rights.role(outer.role if role is None else role).policy
    until = None if deadline is None else clock.now() + deadline
    limits = [d for d in (until, outer.deadline) if d is not None]
    inner = replace(
        outer,
        user=user or outer.user,
        role=role or outer.role,
        envelope=intersection(granted),
        read_only=read_only or outer.read_only,
        deadline=min(limits, default=None),
        tenant=tenant or outer.tenant,
    )
    token = _session.set(inner)
    try:
        with limited_to((policy,) if policy.rows or policy.masks else ()):
            yield inner
    finally:
        _session.reset(token)


@contextmanager
def as_subagent(name: str, run: str, envelope: Envelope) -> Iterator[Session]:
    """Run a block as a subagent of the one that runs now, for the same user.

    It may do what both the caller's envelope and this one allow; `run` names the piece of work.
    """
    outer, question = current_session(), current_question()
    root = outer.root or (question.id if question else "")
    both = intersection(e for e in (outer.envelope, envelope) if e)
    inner = replace(outer, agent=name, envelope=both, runs=(*outer.runs, run), root=root)
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


@dataclass(frozen=True)
class Question:
    """What a person asked, in which thread. `id` names the turn that answers it."""

    id: str
    thread_id: str
    text: str
    user: str
    place: tuple[int, int]  # where it was asked: see `here`


def ask(thread_id: str, text: str) -> Question:
    """Note that the session's user asked this, in place of what this context asked before."""
    user = current_session().user
    question = Question(f"turn-{uuid.uuid4().hex}", thread_id, text, user, here())
    before = _asked.get()
    if before is not None and before.place[0] == question.place[0]:  # not that of an outer turn
        answered(before)
    while len(_open) >= _MOST_OPEN:
        _open.pop(next(iter(_open)), None)
    _open[question.id] = question
    _asked.set(question)
    return question


def reopen(identity: str, thread_id: str, text: str) -> Question:
    """Go on with what this session's user asked before, in this process or another."""
    question = Question(identity, thread_id, text, current_session().user, here())
    _open[identity] = question
    _asked.set(question)
    return question


def current_question() -> Question | None:
    """The question that is being answered here, None outside of one.

    It is that of this context, so an `await` or a copied context keeps it. A context that asked
    nothing, such as a later cell or a worker thread of a notebook, finds the one question that is
    open in the main thread: with two it would be a guess.
    """
    mine = _asked.get()
    if mine is not None and is_open(mine):
        return mine
    main, user = threading.main_thread().ident, current_session().user
    others = [q for q in list(_open.values()) if q.place[0] == main and q.user == user]
    return others[0] if len(others) == 1 else None


def is_open(question: Question) -> bool:
    """Whether a question still waits for its answer."""
    return question.id in _open


def answered(question: Question) -> None:
    """The question is no longer open."""
    _open.pop(question.id, None)


def here() -> tuple[int, int]:
    """The thread that runs this and, in a notebook, the number of its running cell."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return threading.get_ident(), getattr(shell, "execution_count", 0)


class _CallableModule(types.ModuleType):
    """Importing this module sets the attribute `harness.session` to it, in the function's place."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return session(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
