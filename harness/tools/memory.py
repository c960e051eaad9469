"""remember and forget: how the agent learns from its user, and takes back what it learnt."""

from typing import Annotated, Any, Literal

from pydantic import Field

from harness.databases.state import state
from harness.errors import ToolError
from harness.guards.effect import Effect
from harness.memory import taking_back, threads, write_path
from harness.memory.admission import Proposal
from harness.memory.client import memory
from harness.memory.default_user import session_user
from harness.memory.quotation import Quotation, is_request, quoted
from harness.memory.reworded import confirmable
from harness.memory.storable_text import one_line, storable, unquoted
from harness.session import Question, current_question
from harness.tools.toolbox import TOOLS, register

_TYPES = {"correction": "episodic", "episodic": "episodic"}  # the others are types themselves
_MEMORY_TYPES = {"correction": "fact", "preference": "preference"}


@register(
    when="the user corrects something, states a preference or makes a commitment. Call it before "
    "you answer.",
    returns="'stored' is active (recalled from now on), quarantined (kept, never recalled: it was "
    "not found, or it is a question), or known (it was remembered already). 'body' is what is "
    "kept: the whole sentence, as the user wrote it.",
    instructions="Put the words that it rests on into quote, exactly as the user wrote them in "
    "this message, in their language; what isn't found there is quarantined. If they take it back "
    "in the same message, quote that too. subject is what it is about, such as table.column or "
    "words of the sentence, and replaces what was known about it. Permissions and approvals can't "
    "be remembered; what they ask you not to keep is left alone.",
    tier="write",
    preconditions="the user said it in this message.",
    idempotent=True,
    example={
        "subject": "vessels.capacity_teu",
        "body": "capacity is in TEU",
        "quote": "it is in TEU, never tons",
    },
    always=True,
    effects=(Effect("memory", "remember", "agent", "reversible"),),
)
def remember(
    subject: Annotated[str, Field(max_length=300, description="What the statement is about.")],
    body: Annotated[str, Field(max_length=4000, description="What to remember, in a sentence.")],
    kind: Annotated[
        Literal["correction", "preference", "commitment", "episodic"],
        "What they state.",
    ] = "correction",
    quote: Annotated[
        str | None,
        Field(max_length=4000, description="The user's words; body if left out."),
    ] = None,
    again: Annotated[
        str | None,
        "record_id of what was retracted and the user, told of it, confirms in quote.",
    ] = None,
) -> dict[str, Any]:
    """Store what the user said for later turns and sessions."""
    for name, text in (("subject", subject), ("body", body)):
        if not text.strip():
            raise ToolError("bad_arguments", f"remember: parameter {name!r} is empty.", "Fill it.")
    question, database = current_question(), state()
    if again is not None:
        return _confirmed(again, quote or body)
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
    known = write_path.known_in_turn(database, proposal, tuple(TOOLS))
    done = write_path.write(database, [proposal], known, memory.embed)[0]
    if done.verdict == "refuse":
        hint = _ASK.format(id=done.record_id) if done.record_id else _GO_ON
        raise ToolError("failed", f"remember: not stored, because {done.reason}.", hint)
    stored = {"store": "active", "quarantine": "quarantined", "duplicate": "known"}[done.verdict]
    answer: dict[str, Any] = {"record_id": done.record_id, "stored": stored, "body": done.value}
    if stored == "quarantined":
        answer["note"] = f"{done.reason[:1].upper()}{done.reason[1:]}. {_QUARANTINED}"
    if done.superseded:
        answer["replaced"] = list(done.superseded)
    return answer


@register(
    when="the user takes back something that they told you before, or asks you to forget it.",
    returns="'forgotten' lists the record_ids that count no longer. Empty: nothing was taken back, "
    "and 'candidates' are what may be meant.",
    instructions="quote is the whole sentence of this message that asks for it, word for word. "
    "With candidates, ask the user which one is meant, and call forget with its record_id next "
    "time. What is replaced by a new statement needs remember alone.",
    tier="write",
    preconditions="the user asks in this message.",
    idempotent=True,
    example={
        "about": "vessels.capacity_teu",
        "quote": "forget that capacity",
    },
    effects=(Effect("memory", "forget", "agent", "reversible"),),
)
def forget(
    about: Annotated[
        str, Field(max_length=2000, description="A record_id, a subject, or the statement itself.")
    ],
    quote: Annotated[str, Field(max_length=4000, description="The user's words.")],
) -> dict[str, Any]:
    """Take back what is remembered."""
    question, database = current_question(), state()
    asked = _in_whole("forget", quote, question)
    meant, sure = taking_back.meant(database, about, asked.text, memory.embed)
    if not sure or (asked.asks and not is_request(asked.text)):
        return {
            "forgotten": [],
            "candidates": [{"record_id": one.record_id, "body": one.value} for one in meant],
            "note": "Ask the user what is meant." if meant else "Nothing like it is remembered.",
        }
    for record in meant:
        memory.retract(record.record_id, "taken back by the user")
    return {"forgotten": [record.record_id for record in meant]}


def _confirmed(record_id: str, quote: str) -> dict[str, Any]:
    """Put a retracted memory in force again that the user, told of it, has confirmed."""
    question, database = current_question(), state()
    found = confirmable(database, record_id, question) if question else None
    if found is None or _in_whole("remember", quote, question).asks:
        raise ToolError(
            "failed",
            "remember: that is not confirmed.",
            "The user has to be told in an answer, and to confirm it in a later message.",
        )
    memory.reinstate(record_id, "confirmed by the user", replace=True)
    return {"record_id": record_id, "stored": "active", "body": found[1].value}


def _in_whole(tool: str, quote: str, question: Question | None) -> Quotation:
    """The sentence of the user's that a model acts on, quoted from its first word to its last.

    Of "Don't forget it" a part says the opposite. Whoever has to copy all of it has read it.
    """
    found = quoted(quote, question.text if question else "")
    if found is None:
        raise ToolError(
            "bad_arguments",
            f"{tool}: the quote does not stand in the user's message.",
            "Only the user decides this: quote the sentence in which they do, or leave it.",
        )
    if not found.is_whole(quote):
        raise ToolError(
            "bad_arguments",
            f"{tool}: the quote is only a part of what the user says.",
            f'Read all of it: "{found.text}". If it asks for this, quote it whole; else leave it.',
        )
    return found


_ASK = (
    "Tell the user, and ask whether it is right after all. Only if a later message confirms it, "
    "call remember with again={id} and that sentence of it in quote, whole."
)
_QUARANTINED = (
    "It is kept but never recalled. If the user stated it in this message, call remember again "
    "with their exact words in quote; otherwise don't claim that it is saved."
)
_GO_ON = "Tell the user, and go on without it."
