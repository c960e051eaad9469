"""Our solutions of part 04, generated from authoring/04_memory.py."""

# mypy: ignore-errors
from harness.guards.secrets import redact
from harness.memory.admission import Known, Proposal
from harness.memory.events import AUTHORITY, Event
from harness.memory.quotation import quoted
from harness.memory.records import GovernedRecord


def admit(proposal: Proposal, known: Known) -> str:
    """What to do with a proposed memory: "store", "quarantine", "refuse" or "duplicate"."""
    text = f"{proposal.subject} {proposal.value}"
    permission = proposal.type == "policy_state"
    if redact(text) != text:
        return "refuse"
    if permission and not known.authorized:
        return "refuse"
    if (permission or proposal.high_impact) and proposal.model_generated:
        return "refuse"
    if known.retracted_as:
        return "refuse"
    if known.duplicate_of:
        return "duplicate"
    if proposal.source in ("user_statement", "tool_output"):
        by_user = proposal.source == "user_statement"
        found = quoted(proposal.quote, known.user_message if by_user else known.tool_output)
        return "store" if found and not found.asks else "quarantine"
    if proposal.source in ("model_inference", "model_summary") or proposal.model_generated:
        return "quarantine"
    return "store"


def retire(record: GovernedRecord, event: Event) -> str:
    """What an event does to a record.

    hard_delete  user_deletion, sensitive
    tombstone    contradiction
    archive      ttl_reached, source_deleted, source_updated, project_ended, scope_changed, unused
    keep         everything else, and every record that the event does not concern

    source_id and expires_at may be None. Times are texts in ISO 8601 and compare as they are.
    AUTHORITY gives a number to each confidence: inferred, observed, confirmed.
    """
    its_own = event.record_id == record.record_id
    if event.trigger == "user_deletion":
        return "hard_delete" if event.user == record.user else "keep"
    if event.trigger == "sensitive":
        return "hard_delete" if its_own else "keep"
    if event.trigger == "contradiction":
        as_strong = AUTHORITY[event.confidence] >= AUTHORITY[record.confidence]
        return "tombstone" if event.subject == record.subject and as_strong else "keep"
    source, _, version = (record.source_id or "").partition("@")
    meets = {
        "ttl_reached": record.expires_at is not None and record.expires_at <= event.now,
        "source_deleted": record.source_id is not None and event.source_id == record.source_id,
        "source_updated": version and event.source_id == source and event.version != version,
        "project_ended": event.scope == record.scope,
        "scope_changed": its_own and event.scope != record.scope,
        "unused": its_own and event.unused_days > 180 and len(record.value) > 2_000,
    }
    return "archive" if meets.get(event.trigger) else "keep"
