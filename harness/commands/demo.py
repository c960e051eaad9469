"""The three-turn conversation, in the terminal: discovery, live data, a correction that stays."""

import time

from harness.commands.fitting import fitting, say
from harness.course.notebook import forget_user
from harness.loop import run_turn
from harness.memory import memory
from harness.session import session
from harness.settings import model_in_words

QUESTIONS = (
    "What's in the SUPPLYCHAIN schema? Briefly: list the entities and how they relate.",
    "How many active voyages does each carrier currently have? Show a small table, most first.",
    "Important: in the SUPPLYCHAIN schema, cargo_items.unit_value_cents is always US cents, never "
    "dollars. Save this as a correction by calling remember before you respond, then confirm.",
)


def main() -> int:
    """Run the conversation as a user of its own and show what was stored."""
    say(model_in_words())
    with session(user="demo"):
        forget_user("demo")
        for question in QUESTIONS:
            say(f"\nYOU:   {question}")
            started = time.monotonic()
            with fitting():
                turn = run_turn(question, thread_id="demo", verbose=True)
            seconds = time.monotonic() - started
            say(f"AGENT: {turn.answer}")
            calls = f"{len(turn.steps)} tool call{'s' if len(turn.steps) != 1 else ''}"
            say(f"       [{turn.status}, {calls}, {seconds:.1f} s]")
        say("\nIn the store now:")
        for record in memory.list_memories(user_id="demo"):
            kind = (record.metadata or {}).get("kind", "memory")
            say(f"- {kind}: {record.content}")
    return 0
