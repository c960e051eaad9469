"""The laboratory of part 04: proposals at the door of memory, profiles, and four questions."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness import memory
from harness.course.notebook import fresh_user
from harness.databases.state import state
from harness.errors import WorkshopError
from harness.memory import write_path
from harness.memory.admission import Known, Proposal
from harness.memory.four_questions import ask


def at_the_door(admit: Callable[..., str], proposals: dict[str, Proposal], said: str) -> None:
    """Print what `admit` and the harness's own door make of each, and what the store then holds."""
    with fresh_user("at the door") as user:
        print(f"{'proposal':<30}{'yours':<13}the door")
        for title, proposal in proposals.items():
            known = Known(user_message=said)
            done = write_path.write(state(), [replace(proposal, user=user)], known, memory.embed)[0]
            if done.verdict == "duplicate":  # the store has looked it up
                known = Known(user_message=said, duplicate_of=done.record_id)
            print(f"{title:<30}{admit(proposal, known):<13}{done.verdict}")

        print()
        for record in memory.list_memories(user_id=user):
            print("recalled from now on: ", record.content)
        for record in memory.quarantined():
            print("kept, never recalled: ", record.content)


def tried(what: str, attempt: Callable[[], Any]) -> None:
    """Say what the store answers."""
    try:
        attempt()
        print(f"{what:<12}stored")
    except WorkshopError as error:
        reason = re.split(r" \(| as mem", error.message)[0]
        print(f"{what:<12}{reason}")


def four_questions(claims: dict[str, str], names: dict[str, str]) -> None:
    """Ask the four questions of each claim, for a decision on which much depends.

    `names` says how a record_id is called in what is printed.
    """
    for title, claim in claims.items():
        record = memory.get_memory(claim).governed
        objection = ask(state(), record, high_impact=True).objection
        for record_id, name in names.items():
            objection = objection.replace(record_id, name)
        print(f"  {title:<10}{record.value:<36}{objection or 'may be used'}")
