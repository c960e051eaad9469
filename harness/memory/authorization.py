"""Permissions come from signed events, never from sentences.

An authorization event is a dict; its signature is an HMAC over its canonical form, with a key that
lies in a file outside of the store. The agent has no tool that signs.
"""

import hashlib
import hmac
import json
import sqlite3
from dataclasses import replace
from typing import Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import times
from harness.memory.admission import Proposal
from harness.memory.seals import grant_item, put_seal
from harness.memory.signature import AUTHORIZATION_KEY, make_key, read_key
from harness.memory.storable_text import storable

FIELDS = ("event_id", "user", "grant", "granted_by", "issued_at", "expires_at")


def sign(database: StateDatabase, event: dict[str, Any]) -> dict[str, Any]:
    """The event with its signature. For the service that authorises; makes the key if needed.

    The event has event_id, user, grant (the text of the entry), granted_by, issued_at and
    expires_at (both ISO 8601; expires_at may be None), and may have the subject and the scope that
    it is for. All of that is signed, and an event works once.
    """
    missing = [name for name in FIELDS if name not in event]
    if missing:
        raise WorkshopError(f"An authorization event needs {missing[0]!r}.")
    key = make_key(database.path.with_name(AUTHORIZATION_KEY))
    return {**event, "signature": _signature(key, event)}


def verify(database: StateDatabase, proposal: Proposal) -> bool:
    """Whether the proposal rests on a signed event, not used yet, about exactly this: the user,
    the text, the subject, the scope.
    """
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
        and event.get("subject", "") == proposal.subject
        and event.get("scope", "user_account") == proposal.scope
        and not _was_used(database, _id(event))
        and times.stored(event["issued_at"]) <= times.utc_now()
        and (ends is None or times.stored(ends) > times.utc_now())
    )


def as_granted(proposal: Proposal) -> Proposal:
    """The proposal with the source and the times of its event; no longer than the event allows."""
    event = proposal.authorization or {}
    ends = [times.stored(t) for t in (event["expires_at"], proposal.expires_at) if t is not None]
    return replace(
        proposal,
        source="authorization_event",
        source_id=_id(event),
        valid_from=times.stored(event["issued_at"]),
        expires_at=min(ends, default=None),
    )


def use_up(database: StateDatabase, connection: sqlite3.Connection, proposal: Proposal) -> bool:
    """Note, under seal, that the proposal's event was used; False if it had been."""
    event_id = _id(proposal.authorization or {})
    used = connection.execute(
        "INSERT INTO memory_grants VALUES (?, ?) ON CONFLICT DO NOTHING",
        (event_id, times.utc_now()),
    )
    if used.rowcount:
        put_seal(database, connection, grant_item(event_id), [event_id])
    return used.rowcount > 0


def _was_used(database: StateDatabase, event_id: str) -> bool:
    """By the note, or by its seal where the note was taken out behind our back."""
    sql = (
        "SELECT 1 FROM memory_grants WHERE event_id = ?"
        " UNION SELECT 1 FROM memory_seals WHERE item = ?"
    )
    return bool(database.read(sql, (event_id, grant_item(event_id))))


def _id(event: dict[str, Any]) -> str:
    return storable(str(event.get("event_id")))


def _signature(key: bytes, event: dict[str, Any]) -> str:
    said = {name: value for name, value in event.items() if name != "signature"}
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), default=str)
    return hmac.new(key, storable(canonical).encode("utf-8"), hashlib.sha256).hexdigest()
