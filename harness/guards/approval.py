"""Approvals: one user's yes to one call, kept in the agent's state.

An approval is bound to the tool, its canonical arguments, its effect, the user, the tenant and the
thread. It expires, and it works once, in whichever process it is used.
"""

import hashlib
import json
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from harness import clock
from harness.databases.state import state
from harness.errors import ToolError, ToolErrorKind, WorkshopError
from harness.excerpt import short_repr
from harness.guards.effect import Effect
from harness.guards.secrets import redact, redact_all
from harness.session import Session, current_session

KIND: ToolErrorKind = "needs_approval"  # of the error, and the status of the turn
MINUTES = 15  # until an approval expires, from the moment of asking


@dataclass(frozen=True)
class Approval:
    """What the user is asked: `words` say what would be done, `arguments` are it as data.

    `status` is asked, approved, refused or used; "expired" where the time is over.
    """

    id: str
    user: str
    tenant: str
    thread_id: str
    tool: str
    arguments: dict[str, Any]
    words: str
    status: str
    expires_at: str


class NeedsApproval(ToolError):
    """A call that waits for the user's yes. `approval_id` names what they are asked."""

    def __init__(self, approval: Approval) -> None:
        super().__init__(
            KIND,
            f"{approval.tool} was not run: the user must approve it first. {approval.words}",
            "Don't call it again; tell the user what you would do, and that it waits for their yes "
            f"(approval {approval.id}).",
        )
        self.approval_id = approval.id


def request(tool: str, arguments: str, effect: Effect, words: str, thread_id: str) -> Approval:
    """Ask for one call. What was asked before, and waits still, is not asked twice."""
    session, at = current_session(), clock.utc()
    call = _bound(tool, arguments, effect, words)
    arguments, words = json.dumps(redact_all(json.loads(arguments))), redact(words)  # shown only
    with state().write() as connection:
        waiting = connection.execute(
            f"{_SELECT} WHERE {_OF_CALL} AND status = 'asked' AND expires_at > ?",
            (*_owner(session, thread_id), call, _stored(at)),
        ).fetchone()
        if waiting:
            return _approval(waiting)
        identity = f"ap-{uuid.uuid4().hex[:12]}"
        connection.execute(
            "INSERT INTO approvals (id, user_id, tenant, thread_id, tool, call, arguments, words,"
            " asked_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                identity,
                *_owner(session, thread_id),
                tool,
                call,
                arguments,
                words,
                _stored(at),
                _stored(at + timedelta(minutes=MINUTES)),
            ),
        )
    return find(identity)


def find(approval_id: str) -> Approval:
    """What this user was asked under this id. Raises WorkshopError where it was nothing."""
    session = current_session()
    rows = state().read(
        f"{_SELECT} WHERE id = ? AND user_id = ? AND tenant = ?",
        (approval_id, session.user, session.tenant),
    )
    if not rows:
        raise WorkshopError(
            f"{session.user} was not asked for an approval {short_repr(approval_id)}.",
            "waiting() lists what is asked; somebody else's can't be decided.",
        )
    return _approval(rows[0])


def waiting() -> list[Approval]:
    """What this user is asked and has not decided, oldest first."""
    session = current_session()
    rows = state().read(
        f"{_SELECT} WHERE user_id = ? AND tenant = ? AND status = 'asked' AND expires_at > ?"
        " ORDER BY asked_at",
        (session.user, session.tenant, _stored(clock.utc())),
    )
    return [_approval(row) for row in rows]


def settle(approval_id: str, yes: bool) -> Approval:
    """Note the user's answer. Raises WorkshopError where there is nothing to decide any more."""
    found = find(approval_id)
    done = state().run(
        "UPDATE approvals SET status = ? WHERE id = ? AND status = 'asked' AND expires_at > ?",
        ("approved" if yes else "refused", approval_id, _stored(clock.utc())),
    )
    if done.rowcount != 1:
        raise WorkshopError(
            f"Approval {approval_id} is {find(approval_id).status}; it can't be decided now.",
            "Ask again: a new approval is needed.",
        )
    return find(found.id)


def take(tool: str, arguments: str, effect: Effect, words: str, thread_id: str) -> bool:
    """Use up this session's approval of exactly this call; False where there is none in force.

    `words` are what it would do now: what changed since the user read them was not approved.
    """
    done = state().run(
        "UPDATE approvals SET status = 'used' WHERE id = (SELECT id FROM approvals"
        f" WHERE {_OF_CALL} AND status = 'approved' AND expires_at > ? LIMIT 1)"
        " AND status = 'approved'",
        (
            *_owner(current_session(), thread_id),
            _bound(tool, arguments, effect, words),
            _stored(clock.utc()),
        ),
    )
    return done.rowcount == 1


def is_granted(tool: str, thread_id: str) -> bool:
    """Whether this session's user has approved a call of the tool that was not made yet."""
    rows = state().read(
        "SELECT 1 FROM approvals WHERE user_id = ? AND tenant = ? AND thread_id = ? AND tool = ?"
        " AND status = 'approved' AND expires_at > ? LIMIT 1",
        (*_owner(current_session(), thread_id), tool, _stored(clock.utc())),
    )
    return bool(rows)


def keep_paused(approval_id: str, paused: str) -> None:
    """Keep the turn that waits for an approval."""
    state().run("UPDATE approvals SET paused = ? WHERE id = ?", (paused, approval_id))


def paused(approval_id: str) -> str | None:
    """The turn that waits for an approval, None where none does."""
    rows = state().read("SELECT paused FROM approvals WHERE id = ?", (approval_id,))
    return rows[0]["paused"] if rows else None


def take_paused(approval_id: str) -> str | None:
    """The turn that waits for an approval, for one taker only; None where it was taken."""
    with state().write() as connection:
        row = connection.execute(
            "SELECT paused FROM approvals WHERE id = ?", (approval_id,)
        ).fetchone()
        connection.execute("UPDATE approvals SET paused = NULL WHERE id = ?", (approval_id,))
    return row["paused"] if row else None


_FIELDS = "id, user_id, tenant, thread_id, tool, arguments, words, status, expires_at"
_SELECT = f"SELECT {_FIELDS} FROM approvals"
_OF_CALL = "user_id = ? AND tenant = ? AND thread_id = ? AND call = ?"


def _bound(tool: str, arguments: str, effect: Effect, words: str) -> str:
    return f"{tool} {arguments} {effect} {hashlib.sha256(words.encode()).hexdigest()}"


def _owner(session: Session, thread_id: str) -> tuple[str, str, str]:
    return session.user, session.tenant, thread_id


def _stored(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _approval(row: Any) -> Approval:
    values = dict(row)
    values["user"], values["arguments"] = values.pop("user_id"), json.loads(values["arguments"])
    if values["status"] in ("asked", "approved") and values["expires_at"] <= _stored(clock.utc()):
        values["status"] = "expired"
    return Approval(**values)
