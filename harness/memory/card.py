"""The context card: what the next turn should know of this thread and this user.

Everything that was recalled is data, and looks like it: one quoted line each, with its source.
"""

from collections.abc import Callable, Iterable
from typing import Any

from harness.databases.state import StateDatabase
from harness.guards.secrets import redact
from harness.memory import journal, recall, retirement, store, threads
from harness.memory.filters import where
from harness.memory.records import ANSWERING, SOURCE_WORDS, GovernedRecord
from harness.memory.shapes import MessageRecord
from harness.memory.signature import UnreadableSeals
from harness.memory.storable_text import one_line, storable
from harness.memory.visibility import visible
from harness.memory.withdrawn import Withdrawn, withdrawn
from harness.model.tokens import count_tokens
from harness.session import current_question

TOKEN_BUDGET = 900
_MESSAGE_CHARS = 400
_OUTPUT_CHARS = 240
_OUTPUTS = 3
RECENT = 12
_NOTE = (
    "> [note from the harness] what is marked as withdrawn counts no longer, and no answer by it"
)


def context_card(
    database: StateDatabase,
    user_id: str,
    thread_id: str,
    query: str,
    *,
    vector: Any = None,
    embed: Any = None,
    max_memories: int = 5,
    max_messages: int = RECENT,
    token_budget: int = TOKEN_BUDGET,
    metadata_filter: dict[str, Any] | None = None,
    uses: tuple[str, ...] = ANSWERING,
) -> str:
    """The card as text, within the budget; "" when there is nothing to say.

    `uses` are what it is made for: an inferred profile is in it only if it was stated for one.

    In order of weight: an interruption of the last turn, memories, the newest messages, the last
    outputs, the summary. What does not fit is left out, the least important first.
    """
    try:
        return _card(
            database,
            user_id,
            thread_id,
            query,
            lambda: _memories(
                database, user_id, query, vector, embed, max_memories, metadata_filter, uses
            ),
            max_messages,
            token_budget,
        )
    except UnreadableSeals as error:  # without them nobody knows what was withdrawn either
        return f"> [note from the harness] nothing is recalled now: {one_line(error.message)}"


def _card(
    database: StateDatabase,
    user_id: str,
    thread_id: str,
    query: str,
    recalled: Callable[[], list[recall.Recalled]],
    max_messages: int,
    token_budget: int,
) -> str:
    retirement.sweep_if_due(database)
    summary, through, by_model = threads.summary_of(database, user_id, thread_id)
    said = _messages(database, user_id, thread_id, query, through, max_messages)
    gone = withdrawn(database, user_id)
    messages = gone.shown(said)
    notes = [] if messages == said else [_NOTE]
    stale = messages[-1:] != said[-1:]  # the last answer rested on what counts no longer
    last_turn = _last_turn(database, user_id, thread_id)
    memories = [memory_line(item.record) for item in recalled()]
    sections = [
        ("notes", [*notes, *_interruption(thread_id, last_turn, messages, database)], False),
        ("memories", memories, False),
        ("messages", [message_line(m) for m in messages], True),
        ("outputs", _output_lines(thread_id, None if stale else last_turn, gone, database), True),
        ("summary", _summary_lines(summary, by_model), True),
    ]
    kept = _fit(sections, token_budget)
    order = ("memories", "summary", "messages", "outputs", "notes")
    return "\n".join(line for name in order for line in kept.get(name, ()))


def _summary_lines(summary: str, by_model: bool) -> list[str]:
    mark = "summary of earlier messages" + (", written by the model" if by_model else "")
    return [f"> [{mark}] {one_line(line)}" for line in summary.splitlines()]


def memory_line(record: GovernedRecord) -> str:
    """A memory as a quoted line with its kind, its source and how sure it is."""
    about = f"{one_line(record.subject, 120)}: " if record.subject else ""
    mark = f"{record.kind}, {SOURCE_WORDS[record.source]}, {record.confidence}"
    return f"> [{one_line(mark)}] {about}{one_line(record.value, 600)}"


def message_line(message: MessageRecord) -> str:
    """A message as a quoted line."""
    return (
        f"> {one_line(message.role or '', 20)}: {one_line(message.content or '', _MESSAGE_CHARS)}"
    )


def _memories(
    database: StateDatabase,
    user_id: str,
    query: str,
    vector: Any,
    embed: Any,
    limit: int,
    metadata_filter: dict[str, Any] | None,
    uses: tuple[str, ...],
) -> list[recall.Recalled]:
    conditions = where(
        user_id=user_id, reader="workshop", metadata_filter=metadata_filter, uses=uses
    )
    if not limit or not recall.any_fulfil(database, conditions):
        return []  # no reason to embed anything
    vector = recall.embedded(query, embed) if vector is None else vector
    found = recall.recall(
        database, query, vector, conditions, limit, embed=embed, related_only=True
    )
    store.mark_used(database, [item.row for item in found])
    return found


def _messages(
    database: StateDatabase, user_id: str, thread_id: str, query: str, through: int, count: int
) -> list[MessageRecord]:
    """The messages before the question that is being asked."""
    found = threads.recent_messages(database, user_id, thread_id, count + 1, through)
    if found and found[-1].role == "user" and found[-1].content == redact(storable(query)):
        found.pop()
    return found[-count:] if count else []


def _last_turn(database: StateDatabase, user_id: str, thread_id: str) -> str | None:
    """The turn before the one under way."""
    asked = current_question()
    now = asked.id if asked is not None and asked.thread_id == thread_id else ""
    here, limited = visible()
    rows = database.read(
        "SELECT turn_id FROM messages WHERE thread_id = ? AND user_id = ? AND role = 'user'"
        f" AND turn_id IS NOT NULL AND turn_id != ? AND {here} ORDER BY seq DESC LIMIT 1",
        (thread_id, user_id, now, *limited),
    )
    return rows[0][0] if rows else None


def _interruption(
    thread_id: str,
    turn_id: str | None,
    messages: list[MessageRecord],
    database: StateDatabase,
) -> list[str]:
    """What the last turn was doing when it ended without an answer."""
    if turn_id is None or not messages or messages[-1].role != "user":
        return []
    open_calls = journal.unfinished_calls(thread_id, turn_id, database)
    names = ", ".join(dict.fromkeys(one_line(call.name, 64) for call in open_calls))
    doing = f"while calling {names}" if names else "before it was answered"
    return [f"> [note from the harness] the last turn was interrupted {doing}"]


def _output_lines(
    thread_id: str, turn_id: str | None, gone: Withdrawn, database: StateDatabase
) -> list[str]:
    """The heads of the last turn's outputs, with the ids under which the whole can be had."""
    if turn_id is None:
        return []
    done = [o for o in journal.outputs_of_turn(thread_id, turn_id, database) if o.status]
    return [
        f"> tool {one_line(o.name, 64)} [{one_line(o.tool_call_id, 80)}]:"
        f" {one_line(o.content or '', _OUTPUT_CHARS)}"
        for o in done[-_OUTPUTS:]
        if not gone.quotes(o.content or "")
    ]


def _fit(
    sections: Iterable[tuple[str, list[str], bool]], token_budget: int
) -> dict[str, list[str]]:
    """Lines by section, in order of weight, as long as they fit; newest first where asked for."""
    left = token_budget
    kept: dict[str, list[str]] = {}
    for name, lines, newest_first in sections:
        chosen: list[str] = []
        for line in reversed(lines) if newest_first else lines:
            cost = count_tokens(line) + 1
            if cost > left:
                break
            left -= cost
            chosen.append(line)
        kept[name] = chosen[::-1] if newest_first else chosen
    return kept
