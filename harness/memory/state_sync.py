"""The agent's state, shared by several machines through Oracle AI Database.

The home stays the store that the agent works with: whatever happens to the network, nothing waits
for it and nothing is lost. Before a turn, what others have written since is taken over; after it,
what was changed here goes there, as the next revision, in one transaction. Of two homes that both
changed something since the same revision, the later one is told, and neither is overwritten.
"""

import atexit
import contextlib
import sqlite3
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from platform import node
from typing import TYPE_CHECKING

from harness.databases.change_log import ChangedMeanwhile, ChangeLog
from harness.databases.shelf import Row, batches, key_of
from harness.databases.state import StateDatabase, state
from harness.databases.state_tables import StateTable, state_tables
from harness.errors import WorkshopError
from harness.guards.secrets import redact
from harness.memory import times
from harness.memory.deletion import wipe
from harness.memory.freshness import signed_sum, watch_of
from harness.memory.signature import SEAL_KEY, read_key, seal_of
from harness.memory.storable_text import embedded_text
from harness.memory.withdrawn import erase_traces
from harness.retrieval import embedding
from harness.settings import Settings, settings

if TYPE_CHECKING:
    from harness.databases.oracle_revisions import Revision, SharedShelf

BATCH = 200  # rows in one statement
REST_SECONDS = 60.0  # after trouble, before the database is asked again
_KEYS = "memory.key and authorization.key"
_open: dict[Path, "StateSync"] = {}
Rows = tuple[StateTable, list[Row]]  # of one table: rows, or the keys of rows


class StateSync:
    """One home and the schema that it shares."""

    def __init__(self, log: ChangeLog, shelf: Callable[[], "SharedShelf"]) -> None:
        """`log` is of the home; `shelf` makes that of the database when it is first needed."""
        self._log, self._make_shelf = log, shelf
        self._home = log.database.path.parent
        self._lock = threading.RLock()
        watch_of(log.database)  # before any seal comes in
        self.rests_until = 0.0
        self.told = ""

    @cached_property
    def _shelf(self) -> "SharedShelf":
        return self._make_shelf()

    def pull(self) -> int:
        """Take over what others have written since; returns how many rows that were.

        Raises WorkshopError, and nothing is changed, where it can't be had, does not hold what was
        once written there, or this home has changes of its own since the same revision.
        """
        with self._lock:
            with self._shelf.transaction(reading=True):
                there = self._shelf.revision()
                base = self._log.position().revision
                if self._is_ours(there):
                    if there.revision != base:  # we were ended before we could note it
                        self._log.move_to(there.revision)
                    return 0
                self._refuse_what_does_not_follow(there, base)
                if there.revision == base:
                    return 0
                self._needs_its_key(there)
                gone, rows = self._changed_rows(base) if base else ([], list(self._all_rows()))
            return self._take(gone, rows, base, there)  # what was fetched: no network is waited for

    def last_note(self) -> int:
        """The number of the last change that was noted here."""
        return self._log.last_note()

    def push(self, *, settled: int | None = None) -> int:
        """Write what was changed here as the next revision; returns how many rows that were.

        With `settled`, both sides were found equal, but for changes noted after that number. Raises
        WorkshopError like `pull`.
        """
        with self._lock:
            if not self._log.pending() and settled is None:
                return 0
            with self._shelf.transaction():
                there = self._shelf.revision(lock=True)
                if not self._is_ours(there) and settled is None:
                    self._refuse_what_does_not_follow(there, self._log.position().revision)
                    if there.revision == 0 and not self._shelf.is_empty():
                        raise self._moved_by_hand()
                token = uuid.uuid4().hex
                self._log.move_to(there.revision, token)
                sent, last = self._write(there.revision + 1, token, settled or 0)
            self._log.handed_on(there.revision + 1, last)
            return sent

    def _write(self, revision: int, token: str, settled: int) -> tuple[int, int]:
        from harness.databases.oracle_revisions import Revision  # the driver: 0.3 s

        tables = state_tables()
        with self._log.snapshot() as now:
            changed, last = now.changed(after=settled)
            for name, keys in changed.items():
                for some in batches(keys, BATCH):
                    self._shelf.remove(tables[name], some)
                    self._shelf.add(tables[name], now.find(tables[name], some))
            if revision > 1:  # whoever begins reads all of it
                for name, keys in now.changed()[0].items():
                    for some in batches(keys, BATCH):
                        self._shelf.note(tables[name], some, revision)
            key = self._key()
            mark = "" if key is None else _mark(key)
            seals = signed_sum(now.connection, key, revision)
            who = f"{node()}:{self._home}"[:300]
            self._shelf.advance(
                Revision(revision, token, who, times.utc_now(), mark, seals, now.numbers())
            )
        return sum(map(len, changed.values())), last

    def _take(self, gone: list[Rows], rows: Iterable[Rows], base: int, there: "Revision") -> int:
        """Take rows over. What a deletion names is overwritten here too, as if it was made here.

        Where another kernel of this home was faster, its rows stay, and none is taken over.
        """
        taken, said = 0, list[Row]()
        database = self._log.database
        try:
            with self._log.taking_over(base, there.revision) as taking:
                for table, keys in gone:
                    if table.name == "memories":
                        said += [_words(taking.connection, key) for key in keys]
                    taking.remove(table, keys)
                    taken += len(keys)
                for table, some in rows:
                    taking.put(table, some)
                    taken += len(some)
                taking.count_on_from(there.numbers)
                if signed_sum(taking.connection, self._key(), there.revision) != there.seals:
                    raise self._not_as_it_was_written()
        except ChangedMeanwhile:
            if self._log.position().revision != base:
                return 0
            raise self._apart(there) from None
        if said:
            erase_traces(database, [text for row in said for text in row[1:] if text])
            with contextlib.suppress(Exception):  # the cache is another file, maybe read-only
                embedding.forget([embedded_text(row[0], row[1]) for row in said if row])
            wipe(database)
        return taken

    def _all_rows(self) -> Iterator[Rows]:
        for table in state_tables().values():
            after = None
            while rows := self._shelf.rows(table, after, BATCH):
                yield table, rows
                after = key_of(table, rows[-1])

    def _changed_rows(self, base: int) -> tuple[list[Rows], list[Rows]]:
        """What is gone since that revision, by its keys, and what is there, table by table."""
        gone, there = [], []
        for name, keys in self._shelf.changed_since(base).items():
            table = state_tables().get(name)
            if table is None:
                raise WorkshopError(
                    f"{self._shelf.name} has {name}, which this version of the workshop does not.",
                    "Bring this checkout up to date. Nothing was taken over.",
                )
            for some in batches(keys, BATCH):
                found = self._shelf.find(table, some)
                gone.append((table, [key for key in some if key not in found]))
                there.append((table, list(found.values())))
        return gone, there

    def _is_ours(self, there: "Revision") -> bool:
        """Whether this home wrote that, and nobody has written since."""
        base, token = self._log.position()
        return there.revision > 0 and there.token == token and there.revision - base in (0, 1)

    def _key(self) -> bytes | None:
        return read_key(self._home / SEAL_KEY)

    def _needs_its_key(self, there: "Revision") -> None:
        key = self._key()
        if there.key_mark and (key is None or _mark(key) != there.key_mark):
            raise WorkshopError(
                f"What is in {self._shelf.name} is sealed with a key that {self._home} has not.",
                f"Copy {_KEYS} from the home that wrote it ({there.pushed_by}) into this one.",
            )

    def _refuse_what_does_not_follow(self, there: "Revision", base: int) -> None:
        if there.revision < base:
            raise WorkshopError(
                f"{self._shelf.name} is older (revision {there.revision}) than what this home has "
                f"last seen there ({base}): was a backup restored, or the schema made anew?",
                "Nothing is written there. `python -m harness move --to oracle` puts what it lacks "
                "there and goes on from here, if nothing in it is different.",
            )
        if there.revision > base and self._log.pending():
            raise self._apart(there)

    def _apart(self, there: "Revision") -> WorkshopError:
        return WorkshopError(
            f"{there.pushed_by} wrote to {self._shelf.name} at {there.pushed_at[:16]}, and this "
            f"home has {self._log.pending()} changes from before it knew. Nothing was overwritten "
            "on either side.",
            f"What is here stays in {self._home}. To go on with what is there, name an empty "
            f"WORKSHOP_HOME with this home's {_KEYS} in it.",
        )

    def _moved_by_hand(self) -> WorkshopError:
        return WorkshopError(
            f"{self._shelf.name} has a state in it that nobody shares yet.",
            "`python -m harness move --to oracle` compares it with this home and goes on from "
            "there; with an empty WORKSHOP_HOME, `move --to embedded` fetches it.",
        )

    def _not_as_it_was_written(self) -> WorkshopError:
        return WorkshopError(
            f"What is remembered in {self._shelf.name} is not as it was written there: records "
            "were put back, changed or taken out.",
            "Nothing of it was taken over. Ask whoever may write there.",
        )


def take_over() -> None:
    """Before a turn: what other machines have written since. Trouble is said, and waits."""
    _try(lambda sync: sync.pull())


def hand_on() -> None:
    """After a turn: what it changed. Trouble is said, and the next turn tries again."""
    _try(lambda sync: sync.push())


def shared_state() -> StateDatabase:
    """The state of the settings; the first time, with what other machines have written."""
    now = settings()
    if now.shares_state and now.home not in _open:
        take_over()
    return state()


def sync_of(now: Settings) -> StateSync:
    """The state of these settings as it is shared; the database is not asked yet."""
    if now.home not in _open:
        log = ChangeLog(state(), now.home / "skillbox")
        _open[now.home] = StateSync(log, lambda: shelf_of(now))
        atexit.register(hand_on)  # what was done by hand after the last turn
    return _open[now.home]


def shelf_of(now: Settings) -> "SharedShelf":
    """The schema of the agent's user. Raises WorkshopError where the settings can't be used."""
    from harness.databases.oracle_connection import OraclePool  # the driver: 0.3 s
    from harness.databases.oracle_revisions import SharedShelf  # with the driver too

    pool = OraclePool(now, now.oracle_agent_user, now.oracle_agent_password)
    return SharedShelf(pool, str(now.oracle_agent_user).upper())


def _try(act: Callable[[StateSync], int]) -> None:
    now = settings()
    sync = sync_of(now) if now.shares_state else None
    if sync is None or time.monotonic() < sync.rests_until:
        return
    try:
        act(sync)
        sync.told = ""
    except Exception as error:  # also what nobody expected of a server: no turn ends for it
        said = redact(str(error) or type(error).__name__)
        if sync.told != said:
            print(f"Kept in {now.home} only, for now: {said}", file=sys.stderr)
        sync.told, sync.rests_until = said, time.monotonic() + REST_SECONDS


def _words(connection: sqlite3.Connection, key: Row) -> Row:
    """Subject, value and wording of a memory, or nothing where it is not here."""
    sql = "SELECT subject, value, wording FROM memories WHERE row = ?"
    return tuple(connection.execute(sql, key).fetchone() or ())


def _mark(key: bytes) -> str:
    """What tells one key from another, and says nothing about it."""
    return seal_of(key, ["the key of a shared state"])[:16]
