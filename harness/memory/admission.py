"""What may enter: every proposed memory is classified, and what it quotes is looked up.

The rule for what somebody said is short: `quoted(proposal.quote, heard)` finds the sentence with
the quote in it, and that sentence doesn't ask. It is what is stored: the speaker's own words.

`admit` is pure. The door (write_path.py) gathers what is known, asks `admit`, and obeys.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from harness.guards.secrets import REMOVED, redact
from harness.memory.quotation import Quotation, quoted, quoted_output
from harness.memory.records import Confidence, MemoryType, Purpose, RecordType, Source
from harness.memory.storable_text import embedded_text, one_line

Verdict = Literal["store", "quarantine", "refuse", "duplicate"]

# A profile states what was observed and how often; "a cautious person" states neither.
_COUNTED = re.compile(
    r"\b(?:once|twice|\d+ (?:times?|of \d+|in \d+)|\d+ ?[x×]|\d+ ?/ ?\d+)(?!\w)", re.IGNORECASE
)
PURPOSES = get_args(Purpose)
_TAKEN_OUT = REMOVED.split("{", maxsplit=1)[0]
MAX_CHARS = 20_000  # of one memory; a longer text is a document, not a memory
MAX_SENTENCE = 2_000  # of what somebody said; longer without an end, and it isn't a sentence


@dataclass(frozen=True)
class Proposal:
    """What somebody wants remembered, from which source, for whom.

    `wording` is how the model put it, where `value` became the words that were really said.
    """

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
    wording: str | None = None


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
    names: tuple[str, ...] = ()  # of tools and the like, that a subject may be


@dataclass(frozen=True)
class Decision:
    """What to do with a proposal, and why."""

    verdict: Verdict
    reason: str
    confidence: Confidence = "observed"


AUTHORITY = {"inferred": 0, "observed": 1, "confirmed": 2}
HIGH_IMPACT = ("policy_state", "commitment", "incident")  # types on which other things rest
QUOTED = ("user_statement", "tool_output")  # sources whose words are looked up


def evidence(proposal: Proposal, known: Known) -> Quotation | None:
    """The sentence that holds the proposal's quote, or its value where that is there itself.

    Looked for in what the user said in this turn, or in the output of the tool that is named.
    """
    if proposal.source == "tool_output":
        find, heard = quoted_output, known.tool_output
    else:
        find, heard = quoted, known.user_message
    return find(proposal.quote, heard) or find(proposal.value, heard)


def in_own_words(proposal: Proposal, known: Known) -> Proposal:
    """The proposal with the speaker's own sentence as its value, where that was found."""
    found = evidence(proposal, known) if proposal.source in QUOTED else None
    if found is None or found.text == proposal.value:
        return proposal
    return replace(proposal, value=found.text, wording=proposal.wording or proposal.value)


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
            "quarantine", f"contradicts {known.outranked_by}, which only a setting can change"
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
    if proposal.valid_from and proposal.expires_at and proposal.expires_at <= proposal.valid_from:
        return "it would end (expires_at) before it begins (valid_from)"
    if holds_secret(proposal):
        return "it holds a secret, and secrets are not remembered"
    permission = proposal.type == "policy_state" or proposal.source == "authorization_event"
    if permission and not known.authorized:
        return "a sentence is not a permission: policy_state needs a signed authorization event"
    if (proposal.high_impact or proposal.type in HIGH_IMPACT) and proposal.model_generated:
        return "an entry of high impact must not be written by the model"
    if known.retracted_as:
        return f"this, or nearly this, was retracted as {known.retracted_as} (is it meant?)"
    if proposal.kind == "profile":
        return _profile_refusal(proposal, known)
    return ""


def holds_secret(proposal: Proposal) -> bool:
    """Whether any text of a proposal that would be stored holds a secret, or one's mark."""
    fields = [value for value in vars(proposal).values() if isinstance(value, str)]
    fields.append(json.dumps(proposal.metadata, ensure_ascii=False, default=str))
    fields.append(embedded_text(proposal.subject, proposal.value))  # as a card shows them
    plain = (one_line(text) for text in fields)
    return any(redact(text) != text or _TAKEN_OUT in text for text in plain)


def _profile_refusal(proposal: Proposal, known: Known) -> str:
    if not proposal.purpose:
        return "an inferred profile needs a purpose"
    if proposal.purpose not in PURPOSES:
        return f"an inferred profile is not used for {proposal.purpose}: {', '.join(PURPOSES)}"
    if known.set_explicitly:
        return f"the user has set this explicitly ({known.set_explicitly}), which outranks it"
    if not proposal.source_id:
        return "an inferred profile names what was observed (source_id)"
    if not _COUNTED.search(proposal.value):
        return 'say what the user did and how often ("asked 3 times for ...", 3x), not who they are'
    return ""


def _by_source(proposal: Proposal, known: Known) -> Decision:
    source = proposal.source
    if source in QUOTED:
        return _quoted(proposal, known)
    if source == "model_summary":
        return Decision("quarantine", "a summary by the model is not evidence", "inferred")
    if source == "model_inference" or (
        proposal.model_generated and source in ("application", "document")
    ):
        if proposal.kind == "profile":
            return Decision("store", "an inferred profile with a purpose", "inferred")
        return Decision("quarantine", "an unverified inference of the model", "inferred")
    if source == "document" and not proposal.source_id:
        return Decision("quarantine", "the document is not named (source_id)")
    if source in ("explicit_user_setting", "authorization_event"):
        return Decision("store", f"source: {source}", "confirmed")
    claimed = proposal.confidence or "observed"  # a caller may claim less than it has, never more
    least = min(claimed, "observed", key=lambda name: AUTHORITY[name])
    return Decision("store", f"source: {source}", least)


def _quoted(proposal: Proposal, known: Known) -> Decision:
    by_user = proposal.source == "user_statement"
    heard = "the user's message" if by_user else "the tool's output"
    if not by_user and known.tool_output is None:
        return Decision("quarantine", "there is no such tool output (source_id)", "inferred")
    found = evidence(proposal, known)
    if found is None:
        reason = f"the quote is not found, word for word and in one place, in {heard}"
        return Decision("quarantine", reason, "inferred")
    if found.asks:
        reason = "it is part of a question, and a question is kept as a question"
        return Decision("quarantine", reason, "inferred")
    if len(found.text) > MAX_SENTENCE:
        reason = f"the sentence around the quote has over {MAX_SENTENCE:,} characters"
        return Decision("quarantine", reason, "inferred")
    if by_user:
        return Decision("store", "the user said so", "confirmed")
    return Decision("store", "the tool's output says so", "observed")
