"""`python -m harness memory ...`: a person sees, corrects and deletes what is remembered of them.

memory                    everything that is remembered, with what it rests on
memory profile            what was inferred from how you ask, and what it is used for
memory show ID            one entry, with its history
memory correct ID TEXT    put your own words in its place
memory forget ID          take it back: not recalled, and not learned again
memory delete ID          delete it for good, everywhere
"""

import argparse

from harness.commands.fitting import say
from harness.memory.client import memory
from harness.memory.own_page import overview
from harness.memory.shapes import MemoryRecord
from harness.session import session


def main(options: argparse.Namespace) -> None:
    """Do what was asked for, as the user who was named."""
    with session(user=options.user):
        _DO[options.what or "list"](options)


def _list(options: argparse.Namespace) -> None:
    say(overview())


def _profile(options: argparse.Namespace) -> None:
    say(overview(kinds=("profile",)))


def _show(options: argparse.Namespace) -> None:
    record: MemoryRecord = memory.get_memory(options.id)
    say(f"{record.content}\n")
    for name in ("subject", "source", "source_id", "confidence", "status", "expires_at"):
        say(f"  {name:<12}{getattr(record.governed, name) or ''}")
    for event in memory.audit(options.id):
        say(f"  {event['at'][:16]}  {event['action']}  {event['reason']}")


def _correct(options: argparse.Namespace) -> None:
    made = memory.correct(options.id, " ".join(options.text))
    say(f"Remembered as {made}: {memory.get_memory(made).content}")


def _forget(options: argparse.Namespace) -> None:
    memory.retract(options.id)
    say(f"{options.id} counts no longer, and is not learned again.")


def _delete(options: argparse.Namespace) -> None:
    record = memory.get_memory(options.id)
    memory.delete_memory(record.id)
    say(f"{options.id} is deleted, with what was said of it.")


_DO = {
    "list": _list,
    "profile": _profile,
    "show": _show,
    "correct": _correct,
    "forget": _forget,
    "delete": _delete,
}
