"""Which memories a user means who takes something back."""

from harness.databases.state import StateDatabase
from harness.memory import recall, store
from harness.memory.default_user import session_user
from harness.memory.filters import where
from harness.memory.records import GovernedRecord
from harness.memory.storable_text import claim_keys, storable
from harness.memory.subjects import resolve, subject_key
from harness.memory.write_path import Embed

_MOST = 5  # candidates that are offered
_LIVE = "m.user_id IS ? AND m.status = 'active' AND m.writable_by != 'settings_service'"


def meant(
    database: StateDatabase, about: str, asked: str, embed: Embed
) -> tuple[list[GovernedRecord], bool]:
    """The session user's live memories that `about` may name, and whether that is certain.

    Certain are a record_id, a statement as it is kept, and a subject. What is only near in meaning
    is offered. `asked` is the sentence in which the user asks.
    """
    user, about = session_user(), storable(about).strip()
    keys = claim_keys(user, about)
    subject = subject_key(resolve(database, about, asked, user))
    exact = [
        ("m.record_id = ?", [about]),
        (f"m.claim IN ({', '.join('?' * len(keys))})", keys),
        ("m.subject_key = ? AND m.subject_key != ''", [subject]),
    ]
    for condition, params in exact:
        found = store.fetch(database, f"{condition} AND {_LIVE}", [*params, user])
        if found:
            return [record for _, record in found], True
    near = recall.recall(
        database,
        about,
        recall.embedded(about, embed),
        where(user_id=user, reader="workshop"),
        _MOST,
        embed=embed,
        related_only=True,
    )
    return [hit.record for hit in near], False
