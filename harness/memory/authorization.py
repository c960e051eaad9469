"""Permissions come from signed events, never from sentences.

An authorization event is a dict; its signature is an HMAC over its canonical form, with a key that
lies in a file outside of the store. The agent has no tool that signs.
"""

import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import times
from harness.memory.signature import AUTHORIZATION_KEY, make_key, read_key
from harness.memory.storable_text import storable

if TYPE_CHECKING:
    from harness.memory.admission import Proposal

FIELDS = ("event_id", "user", "grant", "granted_by", "issued_at", "expires_at")


def sign(database: StateDatabase, event: dict[str, Any]) -> dict[str, Any]:
    """The event with its signature. For the service that authorises; makes the key if needed.

    The event has event_id, user, grant (the text of the entry), granted_by, issued_at and
    expires_at (both ISO 8601; expires_at may be None).
    """
    missing = [name for name in FIELDS if name not in event]
    if missing:
        raise WorkshopError(f"An authorization event needs {missing[0]!r}.")
    key = make_key(database.path.with_name(AUTHORIZATION_KEY))
    return {**event, "signature": _signature(key, event)}


def verify(database: StateDatabase, proposal: "Proposal") -> bool:
    """Whether the proposal rests on a signed event about exactly this user and this text."""
    event = proposal.authorization
    if not isinstance(event, dict) or any(name not in event for name in FIELDS):
        return False
    key = read_key(database.path.with_name(AUTHORIZATION_KEY))
    if key is None:  # nobody ever authorised anything here
        return False
    signed = hmac.compare_digest(_signature(key, event), str(event.get("signature")))
    ends = event["expires_at"]
    return (
        signed
        and event["user"] == proposal.user
        and event["grant"] == proposal.value
        and times.stored(event["issued_at"]) <= times.utc_now()
        and (ends is None or times.stored(ends) > times.utc_now())
    )


def _signature(key: bytes, event: dict[str, Any]) -> str:
    canonical = json.dumps(
        {name: event[name] for name in FIELDS}, sort_keys=True, separators=(",", ":"), default=str
    )
    return hmac.new(key, storable(canonical).encode("utf-8"), hashlib.sha256).hexdigest()
