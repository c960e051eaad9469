"""A withdrawn claim that comes back in other words, and the user who confirms it.

Meaning is compared by the embedding, which hears no "not". So this holds back rather too much, and
nothing is lost: the user is told, and what they then confirm is in force again.
"""

import numpy as np
import regex

from harness.databases.state import StateDatabase
from harness.memory import store
from harness.memory.admission import QUOTED, Proposal
from harness.memory.default_user import session_user
from harness.memory.records import GovernedRecord
from harness.memory.storable_text import embedded_text, storable
from harness.memory.subjects import subject_key
from harness.session import Question

_NEAR = 0.8  # cosine; measured: the same in other words 0.85 to 0.93
_MOST = 5  # tombstones of one subject that are compared, the latest
_TELLING = regex.compile(r"\b(?:\w*\d[\w.,]*|\w+_\w+|\p{Lu}[\p{Lu}\d]+)\b")
_GONE = "m.subject_key = ? AND m.user_id IS ? AND m.status = 'tombstone'"


def withdrawn_before(
    database: StateDatabase, proposal: Proposal, vector: bytes | None, embed: object
) -> str | None:
    """The tombstone about the same subject that says the same as far as can be told, or None.

    Claims with other numbers, identifiers or abbreviations are other claims.
    """
    if vector is None or proposal.source not in QUOTED or not proposal.subject:
        return None
    key = subject_key(proposal.subject)
    tail = f"ORDER BY m.row DESC LIMIT {_MOST}"
    gone = [
        record
        for _, record in store.fetch(database, _GONE, (key, proposal.user), tail)
        if _telling(record) == _telling(proposal)
    ]
    if not gone:
        return None
    known = np.asarray(embed([embedded_text(r.subject, r.value) for r in gone]), np.float32)  # type: ignore[operator]
    scores = known @ np.frombuffer(vector, np.float32)
    best = int(np.argmax(scores))
    return gone[best].record_id if scores[best] >= _NEAR else None


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
    return {word.casefold() for word in _TELLING.findall(claim.value)}
