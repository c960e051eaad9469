"""A withdrawn claim that comes back in other words, and the user who confirms it.

Meaning is compared by the embedding, which hears no "not". So this holds back rather too much, and
nothing is lost: the user is told, and what they then confirm is in force again.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import regex

from harness.databases.state import StateDatabase
from harness.memory import store
from harness.memory.admission import QUOTED, Proposal
from harness.memory.default_user import session_user
from harness.memory.records import GovernedRecord
from harness.memory.storable_text import embedded_text, storable
from harness.memory.subjects import is_part, may_be_one, same_thing
from harness.session import Question

_NEAR = 0.8  # cosine; measured: the same in other words 0.85 to 0.93
_LATEST = 200  # tombstones of a user that are looked at
_MOST = 20  # of these that may be about the same thing, and are compared
_TELLING = regex.compile(r"\b(?:\w*\d[\w.,]*|\w+_\w+|\p{Lu}[\p{Lu}\d]+)\b")
_GONE = (
    "SELECT m.row, m.subject FROM memories m WHERE m.user_id IS ? AND m.status != 'active'"
    f" AND m.status = 'tombstone' ORDER BY m.row DESC LIMIT {_LATEST}"
)


def withdrawn_before(
    database: StateDatabase, proposal: Proposal, vector: bytes | None, embed: Callable[..., Any]
) -> str | None:
    """The tombstone about the same thing that says the same as far as can be told, or None.

    Claims with other numbers, identifiers or abbreviations are other claims.
    """
    if vector is None or proposal.source not in QUOTED:
        return None
    latest = database.read(_GONE, (proposal.user,))
    about = [row for row, subject in latest if _may_be_about(subject, proposal.subject)][:_MOST]
    gone = [
        record
        for record in store.fetch_rows(database, about).values()
        if _telling(record) == _telling(proposal)
    ]
    if not gone:
        return None
    texts = [embedded_text(proposal.subject, record.value) for record in gone]
    scores = np.asarray(embed(texts), np.float32) @ np.frombuffer(vector, np.float32)
    best = int(np.argmax(scores))
    return gone[best].record_id if scores[best] >= _NEAR else None


def _may_be_about(one: str, other: str) -> bool:
    """Whether two subjects may name one thing, as far as both are known."""
    return not one or not other or same_thing(one, other) or may_be_one(one, other)


def confirmable(
    database: StateDatabase, record_id: str, question: Question
) -> tuple[int, GovernedRecord] | None:
    """The user's tombstone that was held back in an earlier turn, so that the user knows of it."""
    found = store.fetch(
        database,
        "m.record_id = ? AND m.user_id IS ? AND m.status = 'tombstone' AND EXISTS (SELECT 1 FROM"
        " memory_events e, messages q WHERE e.record_id = m.record_id AND e.action = 'refuse'"
        " AND q.turn_id = ? AND q.role = 'user' AND e.at < q.created_at)",
        (storable(record_id), session_user(), question.id),
    )
    return found[0] if found else None


def _telling(claim: Proposal | GovernedRecord) -> set[str]:
    """Numbers, identifiers and abbreviations of a claim, but for its subject."""
    found = (word.casefold() for word in _TELLING.findall(claim.value))
    return {word for word in found if not is_part(word, claim.subject)}
