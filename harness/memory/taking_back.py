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
_KEPT = (
    "m.user_id IS ? AND m.status IN ('active', 'quarantined')"
    " AND m.writable_by != 'settings_service'"
)


def meant(
    database: StateDatabase, about: str, asked: str, embed: Embed
) -> tuple[list[GovernedRecord], bool]:
    """The session user's memories that `about` may name, and whether that is certain.

    Certain is one statement, named by its record_id, its words or its subject. Several are offered,
    and so is what is only near in meaning, and what `about` names where `asked`, the sentence in
    which the user asks, is nearer to something else that is remembered.
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
        rows = store.fetch(database, f"{condition} AND {_KEPT}", [*params, user])
        if rows:
            found = [record for _, record in rows]
            others = _near(database, asked, user, embed)
            nearest = {record.record_id for record in others[:1]}
            speaks_of_it = not nearest or any(record.record_id in nearest for record in found)
            if speaks_of_it:
                return found, len({record.value for record in found}) == 1
            return [*found, *others][:_MOST], False
    return _near(database, about, user, embed), False


def _near(
    database: StateDatabase, text: str, user: str | None, embed: Embed
) -> list[GovernedRecord]:
    near = recall.recall(
        database,
        text,
        recall.embedded(text, embed),
        where(user_id=user, reader="workshop"),
        _MOST,
        embed=embed,
        related_only=True,
    )
    return [hit.record for hit in near]
