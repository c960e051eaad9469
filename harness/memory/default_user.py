"""Whose memory is meant when a caller does not say."""

from harness.memory.storable_text import storable
from harness.session import current_session


def session_user() -> str:
    """The user of the session in force, as stored."""
    return storable(current_session().user)
