"""remember: how the agent learns from its user."""

from typing import Annotated, Any, Literal

from pydantic import Field

from harness.databases.state import state
from harness.errors import ToolError
from harness.guards.effect import Effect
from harness.memory import threads, write_path
from harness.memory.admission import Proposal
from harness.memory.client import memory
from harness.memory.default_user import session_user
from harness.memory.storable_text import one_line, storable, unquoted
from harness.session import current_question
from harness.tools.toolbox import register

_TYPES = {"correction": "episodic", "episodic": "episodic"}  # the others are types themselves
_MEMORY_TYPES = {"correction": "fact", "preference": "preference"}


@register(
    when="the user corrects something, states a preference or makes a commitment that later turns "
    "should know. Call it before you answer.",
    returns="'stored' is active (recalled from now on), quarantined (kept, never recalled: the "
    "user did not say it), or known (it was remembered already). 'evidence' says why.",
    instructions="Use the user's own words in body, and put the sentence that it rests on into "
    "quote, exactly as the user wrote it in this message. What isn't found there is quarantined. "
    "subject is what it is about, such as table.column, and replaces what was known about it. "
    "Permissions and approvals can't be remembered.",
    tier="write",
    preconditions="the user said it in this message.",
    idempotent=True,
    example={
        "subject": "vessels.capacity_teu",
        "body": "capacity_teu is in twenty-foot equivalent units, never tons",
        "kind": "correction",
    },
    always=True,
    effects=(Effect("memory", "remember", "agent", "reversible"),),
)
def remember(
    subject: Annotated[str, Field(max_length=300, description="What the statement is about.")],
    body: Annotated[str, Field(max_length=4000, description="What to remember, in a sentence.")],
    kind: Annotated[
        Literal["correction", "preference", "commitment", "episodic"],
        "What sort of statement of the user's it is.",
    ] = "correction",
    quote: Annotated[
        str | None, "The user's words in this message that it rests on; body if left out."
    ] = None,
) -> dict[str, Any]:
    """Store what the user said, so that it counts in later turns and sessions."""
    for name, text in (("subject", subject), ("body", body)):
        if not text.strip():
            raise ToolError("bad_arguments", f"remember: parameter {name!r} is empty.", "Fill it.")
    question, database = current_question(), state()
    proposal = Proposal(
        value=one_line(unquoted(storable(body))),
        subject=one_line(storable(subject)),
        kind=kind,
        type=_TYPES.get(kind, kind),  # type: ignore[arg-type]
        memory_type=_MEMORY_TYPES.get(kind, "memory"),  # type: ignore[arg-type]
        source="user_statement",
        source_id=threads.message_of_turn(database, question.id) if question else None,
        quote=quote,
        user=session_user(),
    )
    known = write_path.known_in_turn(database, proposal)
    done = write_path.write(database, [proposal], known, memory.embed)[0]
    if done.verdict == "refuse":
        raise ToolError("failed", f"remember: not stored, because {done.reason}.", _GO_ON)
    stored = {"store": "active", "quarantine": "quarantined", "duplicate": "known"}[done.verdict]
    answer: dict[str, Any] = {
        "record_id": done.record_id,
        "stored": stored,
        "evidence": done.quote or done.reason,
    }
    if stored == "active" and done.value != proposal.value:
        answer |= {"body": done.value, "note": done.reason}
    if stored == "quarantined":
        answer["note"] = (
            f"{done.reason}. It is kept but never recalled. If the user said it in this message, "
            "call remember again with their exact words; otherwise don't claim that it is saved."
        )
    if done.superseded:
        answer["replaced"] = list(done.superseded)
    return answer


_GO_ON = "Tell the user, and go on without it."
