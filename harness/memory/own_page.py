"""What is remembered of a person, as they may read it: in the terminal and in a notebook."""

from harness.memory.client import memory
from harness.memory.records import SOURCE_WORDS
from harness.memory.storable_text import one_line

_NOTHING = "Nothing is remembered."
_HOW = (
    "memory.correct(id, text) puts your words in its place, memory.retract(id) takes it back,\n"
    "memory.delete_memory(id) deletes it. In the terminal: python -m harness memory."
)


def overview(kinds: tuple[str, ...] = ()) -> str:
    """The session user's memories, those that wait as well; one entry in two lines.

    `kinds` leaves the others out: ("profile",) is what was inferred from how somebody asks.
    """
    found = [*memory.list_memories(), *memory.quarantined()]
    shown = [one for one in found if not kinds or one.governed.kind in kinds]
    lines: list[str] = []
    for record in shown:
        governed = record.governed
        about = f"{governed.subject}: " if governed.subject else ""
        facts = [governed.kind, SOURCE_WORDS[governed.source], governed.confidence]
        if governed.kind == "profile":
            facts.append(f"for {(record.metadata or {}).get('purpose')} and nothing else")
        if governed.status != "active":
            facts.append(f"waits: {governed.status_reason}")
        lines += [one_line(f"{about}{record.content}", 160)]
        lines += [f"    {record.id}  {one_line(', '.join(facts), 200)}"]
    return "\n".join([*lines, "", _HOW]) if lines else _NOTHING
