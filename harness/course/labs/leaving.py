"""The laboratory of part 04: an agent in a process of its own, and memories on their way out."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from harness import memory
from harness.errors import WorkshopError
from harness.memory.events import Event

WAYS_OUT: dict[str, Callable[[str], Any]] = {
    "hard_delete": memory.delete_memory,
    "tombstone": memory.retract,
    "archive": memory.archive,
}


def in_a_new_process(question: str, thread: str) -> str:
    """The answer of an agent that is started for this one question."""
    command = [sys.executable, "-m", "harness", "ask", question, "--thread", thread]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    said = done.stdout or done.stderr
    return said.split("final answer\n")[-1].strip()


def let_go(retire: Callable[..., str], ids: dict[str, str], event: Event) -> None:
    """Ask `retire` about every record that is left, do what it says, and print it."""
    for name, record_id in ids.items():
        if memory.audit(record_id)[-1]["action"] != "store":
            continue  # it has left before
        way = retire(memory.get_memory(record_id).governed, event)
        if way != "keep":
            WAYS_OUT[way](record_id)
            print(f"{event.trigger:<16}{name:<8}{way}")


def what_is_left(
    ids: dict[str, str], claims: dict[str, str], more: dict[str, dict[str, Any]], user: str
) -> None:
    """Print a row a claim: whether it is recalled, kept for an audit, and can be learned again."""
    print(f"{'':<8}{'recalled':<10}{'in an audit':<14}{'learned again':<15}history")
    kept = {each.id for each in memory.list_memories(user_id=user, include_invalid=True)}
    for name, record_id in ids.items():
        recalled = any(r.id == record_id for r in memory.search(claims[name], user_id=user))
        history = ", ".join(entry["action"] for entry in memory.audit(record_id))
        try:
            new = memory.add_memory(claims[name], **more.get(name, {})) != record_id
            learned = "yes" if new else "not needed"
        except WorkshopError:
            learned = "refused"
        audit = "yes" if record_id in kept else "gone"
        print(f"{name:<8}{'yes' if recalled else 'no':<10}{audit:<14}{learned:<15}{history}")
