"""`python -m harness move --to ...`: threads, memories, skills and scratch files, elsewhere."""

import argparse
from pathlib import Path

from harness.commands.fitting import say
from harness.databases.moving import move
from harness.databases.shelf import HomeShelf, Shelf
from harness.errors import WorkshopError
from harness.knowledge.skillbox import home_skills
from harness.memory import state_sync
from harness.settings import Settings, root, settings

PLACES = EMBEDDED, ORACLE = "embedded", "oracle"


def main(options: argparse.Namespace) -> int:
    """Copy everything that the target lacks. Raises WorkshopError for expected trouble."""
    now = settings()
    source, target = _ends(options.to, now)
    say(f"From {source.name} to {target.name}:")
    shared = state_sync.sync_of(now) if now.shares_state and options.to in PLACES else None
    noted = shared.last_note() if shared else 0
    copied = move(source, target, say)
    if shared:
        shared.push(settled=noted)  # both are equal: from here on, each turn goes on from that
    say(f"{copied} rows copied; the counts agree. Nothing was taken away from {source.name}.")
    if options.to == ORACLE:
        say(f"The keys of its seals stay in {now.home}: keep memory.key.")
    return 0


def _ends(to: str, now: Settings) -> tuple[Shelf, Shelf]:
    home = HomeShelf(now.home, home_skills())
    if to == EMBEDDED:
        return _oracle(now), home
    return home, _oracle(now) if to == ORACLE else _other_home(to, now)


def _other_home(to: str, now: Settings) -> HomeShelf:
    folder = root() / Path(to).expanduser()
    if folder.resolve() == now.home.resolve():
        raise WorkshopError("That is the home that is in use.", "Name another folder.")
    target = HomeShelf(folder, folder / "skillbox")
    target.take_keys(now.home)
    return target


def _oracle(now: Settings) -> Shelf:
    if not (now.oracle_dsn and now.oracle_agent_user and now.oracle_agent_password):
        raise WorkshopError(
            "Moving needs the account that owns the agent's state in Oracle AI Database.",
            "Set ORACLE_DSN, ORACLE_AGENT_USER and ORACLE_AGENT_PASSWORD in .env.",
        )
    return state_sync.shelf_of(now)
