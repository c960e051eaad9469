"""The laboratory of part 04: an agent in a process of its own, and memories on their way out."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from harness import memory
from harness.course.notebook import fresh_user
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


CLAIMS: dict[str, tuple[str, dict[str, Any]]] = {  # name -> what is claimed, what belongs to it
    "gate": ("The gate code is written on the door.", {}),
    "fee": ("Storage costs 40 dollars a day.", {"subject": "storage fee"}),
    "berth": ("Project Atlas loads at berth 7.", {"record_scope": "project:atlas"}),
    "agent": (
        "The agent in Lagos answers on Mondays.",
        {"source": "document", "source_id": "contacts@2"},
    ),
    "tea": ("The night shift drinks tea.", {}),
}


def five_claims(retire: Callable[..., str] | str) -> None:
    """Store five claims, let four events happen to them, and print what is left.

    `retire` decides about every record; or it is the one way out for whatever an event is about.
    """
    with fresh_user("retiring") as user:
        ids = {name: memory.add_memory(text, **more) for name, (text, more) in CLAIMS.items()}
        for about, event in (
            ("gate", Event("sensitive", record_id=ids["gate"])),
            ("fee", Event("contradiction", subject="storage fee", confidence="observed")),
            ("berth", Event("project_ended", scope="project:atlas")),
            ("agent", Event("source_updated", source_id="contacts", version="3")),
        ):
            _let_go(retire, ids if callable(retire) else {about: ids[about]}, event)
        print()
        _what_is_left(ids, user)


def _let_go(retire: Callable[..., str] | str, ids: dict[str, str], event: Event) -> None:
    """Ask about every record that is left, do what is said, and print it."""
    for name, record_id in ids.items():
        if memory.audit(record_id)[-1]["action"] != "store":
            continue  # it has left before
        record = memory.get_memory(record_id).governed
        way = retire(record, event) if callable(retire) else retire
        if way != "keep":
            WAYS_OUT[way](record_id)
            print(f"{event.trigger:<16}{name:<8}{way}")


def _what_is_left(ids: dict[str, str], user: str) -> None:
    """Print a row a claim: whether it is recalled, kept for an audit, and can be learned again."""
    print(f"{'':<8}{'recalled':<10}{'in an audit':<14}{'learned again':<15}history")
    kept = {each.id for each in memory.list_memories(user_id=user, include_invalid=True)}
    for name, record_id in ids.items():
        text, more = CLAIMS[name]
        recalled = any(r.id == record_id for r in memory.search(text, user_id=user))
        history = ", ".join(entry["action"] for entry in memory.audit(record_id))
        try:
            new = memory.add_memory(text, **more) != record_id
            learned = "yes" if new else "not needed"
        except WorkshopError:
            learned = "refused"
        audit = "yes" if record_id in kept else "gone"
        print(f"{name:<8}{'yes' if recalled else 'no':<10}{audit:<14}{learned:<15}{history}")
