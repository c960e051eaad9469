"""Changes to stored records: what they say, and coming back into recall."""

import contextlib
from dataclasses import replace
from typing import Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.memory import store, times
from harness.memory.admission import Known, Proposal, admit, holds_secret, in_own_words
from harness.memory.contradictions import about_one_thing, protected, rivals, rule, settle
from harness.memory.records import GovernedRecord
from harness.memory.seals import put_seal, version_item
from harness.memory.storable_text import embedded_text
from harness.memory.vectors import vector_file
from harness.memory.write_path import Embed, same_claim, vectors_of
from harness.retrieval import embedding


def change(
    database: StateDatabase,
    row: int,
    old: GovernedRecord,
    wanted: Proposal,
    known: Known,
    invalid: bool | None,
    embed: Embed,
) -> None:
    """Replace what a record says, after asking `admit` about it like about a new one.

    `invalid` sets the status (None leaves it). Raises WorkshopError when it is not admitted.
    """
    changed: dict[str, Any] = {
        "metadata": wanted.metadata,
        "timestamp": wanted.timestamp,
        "expires_at": wanted.expires_at,
    }
    vector = None
    _widens_nothing(old, wanted)
    if old.kind == "profile":  # a profile stays for what it was stated for
        purpose = (old.metadata or {}).get("purpose")
        changed["metadata"] = {**(wanted.metadata or {}), "purpose": purpose}
        wanted = replace(wanted, purpose=purpose)
    if holds_secret(wanted):
        raise WorkshopError("It holds a secret, and secrets are not remembered.")
    if invalid is False and old.status not in ("active", "invalid"):
        raise WorkshopError(
            f"This memory is {old.status}, which a change of status does not undo.",
            "memory.reinstate(memory_id) brings it back.",
        )
    if wanted.value != old.value:
        wanted = in_own_words(wanted, known)
        decision = admit(wanted, replace(known, retracted_as=_retracted(database, wanted)))
        if decision.verdict != "store":
            raise WorkshopError(f"The change is not admitted: {decision.reason}.")
        changed |= {
            "value": wanted.value,
            "wording": wanted.wording,
            "confidence": decision.confidence,
            "source": wanted.source,
            "source_id": wanted.source_id,
            "model_generated": wanted.model_generated,
        }
        vector = vectors_of(embed, [embedded_text(wanted.subject, wanted.value)])[0]
        if old.status == "quarantined":  # corrected, and it passes now
            changed |= {"status": "active", "status_reason": None}
    if invalid is not None and old.status in ("active", "invalid"):
        changed["status"] = "invalid" if invalid else "active"
        if not invalid and vector is None:
            vector = vectors_of(embed, [embedded_text(old.subject, old.value)])[0]
    with database.write() as connection:
        if "value" in changed:
            said, now = old.value, times.utc_now()
            connection.execute(
                "INSERT INTO memory_versions (record_id, value, replaced_at) VALUES (?, ?, ?)",
                (old.record_id, said, now),
            )
            put_seal(database, connection, version_item(old.record_id, now), [said])
        if store.fetch(database, "m.row = ?", (row,)) != [(row, old)]:
            raise WorkshopError("The memory was changed by somebody else meanwhile.", "Try again.")
        revive = "value" in changed or invalid is False
        new = old.model_copy(update=changed)
        about = about_one_thing(database, new, vector) if revive else ([], [])
        ruling = rule(new, *(rivals(new, found) for found in about))
        if ruling.objection:
            new = new.model_copy(
                update={"status": "quarantined", "status_reason": ruling.objection}
            )
        store.update(database, connection, row, new, vector, revive)
        settle(database, connection, new, ruling)
        store.log_event(connection, old.record_id, old.user, "updated", "by update_memory")
    vector_file(database).catch_up()
    if "value" in changed:
        with contextlib.suppress(Exception):  # the cache is another file, maybe read-only
            embedding.forget([embedded_text(old.subject, old.value)])


def _retracted(database: StateDatabase, proposal: Proposal) -> str | None:
    same = same_claim(database, proposal)
    return next((r.record_id for r in same if r.status == "tombstone"), None)


def _widens_nothing(old: GovernedRecord, wanted: Proposal) -> None:
    """Raise WorkshopError for a permission that would last longer than it was granted."""
    longer = old.expires_at and (not wanted.expires_at or wanted.expires_at > old.expires_at)
    if old.source == "authorization_event" and longer:
        raise WorkshopError("A change can't make a permission last longer.", "Have it signed.")


def reinstate(
    database: StateDatabase,
    row: int,
    record: GovernedRecord,
    reason: str,
    embed: Embed,
    replace_others: bool = False,
) -> None:
    """Bring a record back into recall.

    Raises WorkshopError where another one says otherwise now, unless that one is to be replaced.
    """
    vector = vectors_of(embed, [embedded_text(record.subject, record.value)])[0]
    live = record.model_copy(update={"status": "active", "status_reason": reason})
    with database.write() as connection:
        against = rivals(live, about_one_thing(database, live)[0])
        if against and not replace_others:
            raise WorkshopError(
                f"About {short_repr(record.subject, 80)} something else is remembered now: "
                f"{against[0][1].record_id}.",
                "reinstate(memory_id, replace=True) puts this one in its place.",
            )
        if any(protected(live, other) for _, other in against):
            raise WorkshopError(f"{against[0][1].record_id} is a setting or a policy, and stays.")
        for other_row, _ in against:
            store.set_status(database, connection, other_row, "superseded", f"by {live.record_id}")
        store.update(database, connection, row, live, vector, revive=True)
        store.log_event(connection, record.record_id, record.user, "reinstated", reason)
    vector_file(database).catch_up()
