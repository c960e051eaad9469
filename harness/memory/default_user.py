"""Whose memory a call may touch: the session's user, unless somebody else is named."""

from typing import Any

from harness.memory.shapes import UNSET
from harness.memory.storable_text import storable
from harness.session import current_session


class _EveryUser:
    """The administrator's view. It is always asked for by name: nothing defaults to it."""

    def __repr__(self) -> str:
        return "EVERY_USER"


EVERY_USER: Any = _EveryUser()


def session_user() -> str:
    """The user of the session in force, as stored."""
    return storable(current_session().user)


def owner(user_id: Any) -> str | None:
    """The one user that a call is about: the session's where none is named."""
    return session_user() if user_id is UNSET else user_id if user_id is None else storable(user_id)


def owned(user_id: Any, column: str = "m.user_id") -> tuple[str, list[Any]]:
    """What a call with this `user_id` may touch, as an SQL condition and its parameters."""
    return ("1", []) if user_id is EVERY_USER else (f"{column} IS ?", [owner(user_id)])
