"""The one door into the store: look up what is known, ask `admit`, do what it decides."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.databases.business import limits
from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.guards.secrets import redact
from harness.memory import authorization, journal, retirement, store, times
from harness.memory.admission import (
    HIGH_IMPACT,
    QUOTED,
    Decision,
    Known,
    Proposal,
    admit,
    evidence,
    in_own_words,
)
from harness.memory.contradictions import (
    Found,
    Ruling,
    about_one_thing,
    protected,
    rivals,
    rule,
    settle,
)
from harness.memory.default_user import session_user
from harness.memory.records import DERIVED, GovernedRecord
from harness.memory.reworded import withdrawn_before
from harness.memory.seals import bring_up_to_date
from harness.memory.storable_text import claim_key, claim_keys, embedded_text
from harness.memory.subjects import canonical, resolve
from harness.memory.vectors import pack, vector_file
from harness.session import current_question

Embed = Callable[[Sequence[str]], Any]
# Fields of a proposal that its record has as they are.
_TAKEN_OVER = ({*Proposal.__dataclass_fields__} & {*GovernedRecord.model_fields}) - {
    "record_id",
    "source",
    "confidence",
    "high_impact",
    "metadata",
}
_SWEEP = 20  # expired records that a write takes out on its way


@dataclass(frozen=True)
class Admission:
    """What became of a proposal. `record_id` is None when nothing was stored."""

    verdict: str
    reason: str
    record_id: str | None = None
    superseded: tuple[str, ...] = ()
    value: str = ""


def write(
    database: StateDatabase,
    proposals: Sequence[Proposal],
    known: Known,
    embed: Embed,
    decide: Callable[[Proposal, Known], Decision] = admit,
) -> list[Admission]:
    """Put proposals through the door, all in one transaction; returns what became of each."""
    bring_up_to_date(database)
    proposals = [_as_said(database, proposal, known) for proposal in proposals]
    texts = [redact(embedded_text(p.subject, p.value)) for p in proposals]  # vectors are cached
    vectors = vectors_of(embed, texts)
    before = [
        replace(known, retracted_as=withdrawn_before(database, proposal, vector, embed))
        for proposal, vector in zip(proposals, vectors, strict=True)
    ]
    with database.write() as connection:
        retirement.sweep_expired(database, connection, _SWEEP)
        done = [
            _write_one(database, connection, proposal, looked_up, vector, decide)
            for proposal, looked_up, vector in zip(proposals, before, vectors, strict=True)
        ]
    vector_file(database).catch_up()
    return done


def embed_pending(database: StateDatabase, embed: Embed, limit: int = 64) -> None:
    """Give vectors to records that came when there was no embedding model, a few at a time."""
    rows = [row[0] for row in database.read("SELECT row FROM memory_pending LIMIT ?", (limit,))]
    if not rows:
        return
    waiting = store.fetch_rows(database, rows)
    texts = [embedded_text(record.subject, record.value) for record in waiting.values()]
    vectors = dict(zip(waiting, vectors_of(embed, texts), strict=True))
    with database.write() as connection:
        for row, vector in vectors.items():
            still = connection.execute("SELECT 1 FROM memory_pending WHERE row = ?", (row,))
            if vector is not None and still.fetchone():
                store.set_vector(connection, row, vector)
    vector_file(database).catch_up()


def vectors_of(embed: Embed, values: Sequence[str]) -> list[bytes | None]:
    """The packed vectors; None for each where there is no embedding model (words still work)."""
    try:
        return [pack(vector) for vector in embed(values)]
    except WorkshopError:
        return [None] * len(values)


def _as_said(database: StateDatabase, proposal: Proposal, known: Known) -> Proposal:
    """The proposal in the speaker's own words, about something that is known."""
    proposal = in_own_words(proposal, known)
    if proposal.source in (*QUOTED, "model_inference", "model_summary"):
        subject = resolve(database, proposal.subject, proposal.value, proposal.user, known.names)
    else:
        subject = canonical(database, proposal.subject)
    proposal = replace(proposal, subject=subject)
    return authorization.as_granted(proposal) if known.authorized else proposal


def _write_one(
    database: StateDatabase,
    connection: sqlite3.Connection,
    proposal: Proposal,
    known: Known,
    vector: bytes | None,
    decide: Callable[[Proposal, Known], Decision],
) -> Admission:
    same, near = about_one_thing(database, proposal, vector)
    near = [] if near and _said_again(database, proposal) else near
    known = _look_up(database, proposal, known, same, near)
    decision = decide(proposal, known)
    if decision.verdict in ("store", "quarantine") and _is_taken(connection, proposal.record_id):
        raise WorkshopError(
            f"The id {short_repr(proposal.record_id, 80)} is taken.", "Leave memory_id out."
        )
    if decision.verdict in ("refuse", "duplicate"):
        existing = known.duplicate_of if decision.verdict == "duplicate" else known.retracted_as
        store.log_event(connection, existing, proposal.user, decision.verdict, decision.reason)
        return Admission(decision.verdict, decision.reason, existing, value=proposal.value)
    record = _record(proposal, known, decision)
    if known.authorized and not authorization.use_up(database, connection, proposal):
        return Admission("refuse", "the authorization event was used before", value=proposal.value)
    ruling = (
        rule(record, rivals(record, same), rivals(record, near))
        if decision.verdict == "store"
        else Ruling()
    )
    if ruling.objection:
        decision = replace(decision, verdict="quarantine", reason=ruling.objection)
        record = _record(proposal, known, decision)
    store.insert(database, connection, record, vector)
    store.log_event(connection, record.record_id, record.user, decision.verdict, decision.reason)
    old = settle(database, connection, record, ruling)
    return Admission(decision.verdict, decision.reason, record.record_id, old, record.value)


def _said_again(database: StateDatabase, proposal: Proposal) -> bool:
    """Whether this was held back after an earlier message, and the user says it once more."""
    held = "m.claim = ? AND m.user_id IS ? AND m.status = 'quarantined' AND m.source_id != ?"
    claim = claim_key(proposal.user, proposal.value)
    return bool(store.fetch(database, held, (claim, proposal.user, proposal.source_id or "")))


def _is_taken(connection: sqlite3.Connection, record_id: str | None) -> bool:
    """Whether any user's record has this id."""
    found = "SELECT 1 FROM memories WHERE record_id = ?"
    return record_id is not None and bool(connection.execute(found, (record_id,)).fetchone())


def _look_up(
    database: StateDatabase,
    proposal: Proposal,
    known: Known,
    about: list[Found],
    near: list[Found],
) -> Known:
    """What the store itself knows about the proposal, beside what the caller knows."""
    same, against = same_claim(database, proposal), rivals(proposal, about)
    duplicate = next((r.record_id for r in same if r.status == "active"), None)
    retracted = next((r.record_id for r in same if r.status == "tombstone"), None)
    fixed = next((r.record_id for _, r in against if protected(proposal, r)), None)
    set_by_user = [r.record_id for _, r in [*about, *near] if r.kind == "preference"]
    return replace(
        known,
        duplicate_of=None if proposal.record_id or known.authorized else duplicate,
        retracted_as=retracted or known.retracted_as,
        outranked_by=fixed or known.outranked_by,
        set_explicitly=next(iter(set_by_user), None),
    )


def same_claim(database: StateDatabase, proposal: Proposal) -> list[GovernedRecord]:
    """Records of the same user that say the same, whose scope covers that of the proposal."""
    keys = claim_keys(proposal.user, proposal.value)
    marks = ", ".join("?" * len(keys))
    found = store.fetch(
        database,
        f"m.claim IN ({marks}) AND m.user_id IS ? AND m.status IN ('active', 'tombstone')",
        [*keys, proposal.user],
    )
    same: list[GovernedRecord] = []
    for _, record in found:
        covers = record.thread in (None, proposal.thread) and record.agent in (None, proposal.agent)
        metadata = not proposal.metadata or record.metadata == proposal.metadata
        if record.status == "tombstone" or (covers and (metadata or record.subject)):
            same.append(record)
    return same


def _record(proposal: Proposal, known: Known, decision: Decision) -> GovernedRecord:
    unheard = proposal.source in QUOTED and evidence(proposal, known) is None
    source = "model_inference" if unheard else proposal.source
    metadata = dict(proposal.metadata or {})
    if proposal.kind != proposal.memory_type:
        metadata.setdefault("kind", proposal.kind)
    if proposal.subject:
        metadata.setdefault("subject", proposal.subject)
    if proposal.purpose:
        metadata["purpose"] = proposal.purpose
    stored = decision.verdict == "store"
    return GovernedRecord(
        **{name: getattr(proposal, name) for name in _TAKEN_OVER},
        record_id=proposal.record_id or store.new_id("mem"),
        source=source,
        confidence=decision.confidence,
        high_impact=proposal.high_impact or proposal.type in HIGH_IMPACT,
        status="active" if stored else "quarantined",
        status_reason=None if stored else decision.reason,
        metadata=metadata or None,
        created_at=times.utc_now(),
        seen=(limits() or None) if source in DERIVED else None,
    )


def known_in_turn(
    database: StateDatabase, proposal: Proposal, names: tuple[str, ...] = ()
) -> Known:
    """What the harness itself knows about a proposal: the user's words, the output it names."""
    asked = current_question()
    question = asked if asked and asked.user == session_user() else None
    output = None
    if proposal.source == "tool_output" and proposal.source_id:
        output = journal.evidence_of(
            proposal.source_id, question.thread_id if question else None, database
        )
    return Known(
        user_message=question.text if question else "",
        tool_output=output,
        authorized=authorization.verify(database, proposal),
        names=names,
    )
