"""Homes that share one state: each with its client and its way to a likeness of Oracle's schema."""

import shutil
from pathlib import Path
from typing import Any

from oracle_likeness import OWNER, LikenessPool

from harness import session
from harness.databases.change_log import ChangeLog
from harness.databases.oracle_revisions import SharedShelf
from harness.databases.shelf import HomeShelf
from harness.databases.state_tables import state_tables
from harness.memory.signature import make_key
from harness.memory.state_sync import StateSync
from tests.memory_homes import store_at

TEU = "Capacity is given in TEU."


class Machine:
    """A home, its client, and its way to the schema in `at`."""

    def __init__(self, home: Path, at: Path, keys: Path | None = None) -> None:
        home.mkdir(exist_ok=True)
        if keys is not None:
            shutil.copy(keys / "memory.key", home / "memory.key")
        elif not (home / "memory.key").exists():
            make_key(home / "memory.key")
        self.home, self.client = home, store_at(home)
        self.pool = LikenessPool().open(at)
        self.log = ChangeLog(self.client.database, home / "skillbox")
        self.sync = StateSync(self.log, lambda: SharedShelf(self.pool, OWNER))

    def says(self, text: str, thread: str = "t1") -> None:
        with session(user="anna"):
            if not self.client.list_threads(user_id="anna"):
                self.client.create_thread(thread_id=thread, user_id="anna")
            self.client.get_thread(thread).add_messages([{"role": "user", "content": text}])

    def heard(self, thread: str = "t1") -> list[str]:
        with session(user="anna"):
            return [each.content for each in self.client.get_thread(thread).get_messages()]

    def remembers(self, text: str) -> str:
        with session(user="anna"):
            return self.client.add_memory(text, user_id="anna", metadata={"of": "vessels"})

    def recalls(self, text: str) -> list[str]:
        with session(user="anna"):
            return [each.content for each in self.client.search(text, user_id="anna")]

    def forgets(self, memory_id: str) -> None:
        with session(user="anna"):
            self.client.delete_memory(memory_id)

    def content(self) -> dict[str, Any]:
        shelf = HomeShelf(self.home, self.home / "skillbox")
        return {t.name: sorted(shelf.rows(t, None, 10_000)) for t in state_tables().values()}

    def in_oracle(self) -> dict[str, Any]:
        shelf = SharedShelf(self.pool, OWNER)
        return {t.name: sorted(shelf.rows(t, None, 10_000)) for t in state_tables().values()}


def lived_in(home: Path, at: Path) -> Machine:
    """A machine that has a thread, a memory and a skill, and has handed them on."""
    machine = Machine(home, at)
    machine.says("Hello")
    machine.remembers(TEU)
    (machine.home / "skillbox").mkdir()
    (machine.home / "skillbox" / "mine.md").write_text("---\nname: mine\n---\nA\n", "utf-8")
    machine.sync.push()
    return machine
