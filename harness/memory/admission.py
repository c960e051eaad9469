"""What may enter: every proposed memory is classified, and what it quotes is looked up.

`admit` is pure. The door (door.py) gathers what is known, asks `admit`, and does what it says.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

from harness.guards.secrets import redact
from harness.memory.evidence import find_support
from harness.memory.records import Confidence, MemoryType, RecordType, Source

Verdict = Literal["store", "quarantine", "refuse", "duplicate"]

# A label on a person instead of what they did ("a cautious person").
_LABEL = re.compile(
    r"\b(?:user|they|he|she|you)(?:'s|'re| is| are| seems?)?(?: to be)? (?:an? )?"
    r"(?:\w+ ){0,3}(?:person|type|kind|individual|people|personality)\b",
    re.IGNORECASE,
)
FORBIDDEN_PURPOSES = frozenset({"pricing", "hiring", "credit", "clinical"})  # of a profile
MAX_CHARS = 20_000  # of one memory; a longer text is a document, not a memory


@dataclass(frozen=True)
class Proposal:
    """What somebody wants remembered, from which source, for whom."""

    value: str
    subject: str = ""
    kind: str = "memory"
    type: RecordType = "episodic"
    memory_type: MemoryType = "memory"
    source: Source = "application"
    source_id: str | None = None
    quote: str | None = None
    confidence: Confidence | None = None
    model_generated: bool = False
    high_impact: bool = False
    purpose: str | None = None  # what an inferred profile is for
    scope: str = "user_account"
    writable_by: str = "user_or_settings_service"
    readable_by: str = "approved_agents"
    valid_from: str | None = None
    expires_at: str | None = None
    user: str | None = None
    agent: str | None = None
    thread: str | None = None
    metadata: dict[str, Any] | None = None
    timestamp: str | None = None
    record_id: str | None = None
    authorization: dict[str, Any] | None = None


@dataclass(frozen=True)
class Known:
    """What the harness knows when it decides, looked up and not told by the model."""

    user_message: str = ""  # the words of the user in this turn
    tool_output: str | None = None  # the observation that `source_id` names
    duplicate_of: str | None = None  # a live record with the same claim
    retracted_as: str | None = None  # a tombstone with the same claim
    set_explicitly: str | None = None  # what the user has set about a profile's subject
    outranked_by: str | None = None  # a record on the subject that this writer can't overrule
    authorized: bool = False  # the signed event was verified


@dataclass(frozen=True)
class Decision:
    """What to do with a proposal and why; `value` is what to store, `quote` what it rests on."""

    verdict: Verdict
    reason: str
    confidence: Confidence = "observed"
    value: str = ""
    quote: str = ""


def admit(proposal: Proposal, known: Known) -> Decision:
    """Classify a proposed memory: store it, quarantine it, or refuse it, with the reason."""
    refusal = _refusal(proposal, known)
    if refusal:
        return Decision("refuse", refusal)
    if known.duplicate_of:
        return Decision("duplicate", f"already remembered as {known.duplicate_of}")
    decision = _by_source(proposal, known)
    if decision.verdict == "store" and known.outranked_by:
        return Decision(
            "quarantine",
            f"contradicts {known.outranked_by}, which only a setting can change",
            value=proposal.value,
        )
    return decision


def _refusal(proposal: Proposal, known: Known) -> str:
    """Why this may not be stored at all, not even in quarantine; "" if it may."""
    if not proposal.value.strip():
        return "there is nothing to remember"
    if len(proposal.value) > MAX_CHARS:
        return (
            f"a memory has at most {MAX_CHARS:,} characters, this one has {len(proposal.value):,}"
        )
    if any(redact(text) != text for text in (proposal.subject, proposal.value)):
        return "it holds a secret, and secrets are not remembered"
    if proposal.type == "policy_state" and not known.authorized:
        return "a sentence is no permission: policy_state needs a signed authorization event"
    if (proposal.high_impact or proposal.type == "policy_state") and proposal.model_generated:
        return "an entry of high impact must not be written by the model"
    if known.retracted_as:
        return f"this claim was retracted ({known.retracted_as}) and is not learned again"
    if proposal.kind == "profile":
        return _profile_refusal(proposal, known)
    return ""


def _profile_refusal(proposal: Proposal, known: Known) -> str:
    if not proposal.purpose:
        return "an inferred profile needs a purpose"
    if proposal.purpose.strip().casefold() in FORBIDDEN_PURPOSES:
        return f"an inferred profile is not used for {proposal.purpose}"
    if known.set_explicitly:
        return f"the user has set this explicitly ({known.set_explicitly}), which outranks it"
    if not proposal.source_id:
        return "an inferred profile names what was observed (source_id)"
    if _LABEL.search(proposal.value):
        return "say what the user did or set last time, not what kind of person they are"
    return ""


def _by_source(proposal: Proposal, known: Known) -> Decision:
    source, value = proposal.source, proposal.value
    if source == "user_statement":
        return _user_statement(proposal, known)
    if source == "tool_output":
        return _tool_output(proposal, known)
    if source == "model_summary":
        return Decision("quarantine", "a summary by the model is no evidence", "inferred", value)
    if source == "model_inference" or (proposal.model_generated and source == "application"):
        if proposal.kind == "profile":
            return Decision("store", "an inferred profile with a purpose", "inferred", value)
        return Decision("quarantine", "an unverified inference of the model", "inferred", value)
    if source == "document" and not proposal.source_id:
        return Decision("quarantine", "the document is not named (source_id)", value=value)
    if source in ("explicit_user_setting", "authorization_event"):
        return Decision("store", f"source: {source}", "confirmed", value)
    return Decision("store", f"source: {source}", proposal.confidence or "observed", value)


def _user_statement(proposal: Proposal, known: Known) -> Decision:
    found = find_support(proposal.value, known.user_message, proposal.quote)
    if found.supported:
        return Decision("store", "the user said so", "confirmed", proposal.value, found.quote)
    if found.quote:  # the quote is the user's, the wording is not: keep what was verified
        reason = f"stored in the user's own words, because {found.missing}"
        return Decision("store", reason, "confirmed", found.quote, found.quote)
    reason = f"not found in the user's message: {found.missing}"
    return Decision("quarantine", reason, "inferred", proposal.value)


def _tool_output(proposal: Proposal, known: Known) -> Decision:
    if known.tool_output is None:
        return Decision(
            "quarantine", "there is no such tool output (source_id)", "inferred", proposal.value
        )
    found = find_support(proposal.value, known.tool_output, proposal.quote)
    if found.supported:
        return Decision("store", "the tool output says so", "observed", proposal.value, found.quote)
    reason = f"not found in the tool output: {found.missing}"
    return Decision("quarantine", reason, "inferred", proposal.value)
