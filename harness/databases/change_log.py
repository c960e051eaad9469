"""What changed in a home since its state was last the same as elsewhere: kept by triggers.

The log lies in the store itself, so a change and its note are one transaction, whichever kernel
makes it and whatever is killed afterwards. It holds keys, no values: what is sent is read when it
is sent.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from harness.databases.shelf import Row, find_rows, skill_rows, write_skills
from harness.databases.state import StateDatabase
from harness.databases.state_tables import OF_THE_MACHINE, SKILLS, StateTable, state_tables

_MADE = (
    "CREATE TABLE IF NOT EXISTS sync_changes (number INTEGER PRIMARY KEY AUTOINCREMENT,"
    " name TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (name, key))",
    "CREATE TABLE IF NOT EXISTS sync_position (id INTEGER PRIMARY KEY CHECK (id = 1),"
    " revision INTEGER NOT NULL, token TEXT NOT NULL, skills TEXT NOT NULL)",
    "INSERT OR IGNORE INTO sync_position VALUES (1, 0, '', '{}')",
    "CREATE TABLE IF NOT EXISTS sync_skills_due (name TEXT PRIMARY KEY, content TEXT)",
)
_LISTED = "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'trigger')"
# Not INSERT OR REPLACE: in a trigger the conflict rule of the outer statement counts.
_NOTE = (
    "DELETE FROM sync_changes WHERE name = '{name}' AND key = {key};"
    " INSERT INTO sync_changes (name, key) VALUES ('{name}', {key});"
)


class ChangedMeanwhile(Exception):
    """There are changes that were not there when it was asked."""


class Position(NamedTuple):
    """Which revision this home is at, and the token of the last one that it began to write."""

    revision: int
    token: str


class ChangeLog:
    """The log of one home; `skills` is the folder of its own skills."""

    def __init__(self, database: StateDatabase, skills: Path) -> None:
        """Begin to note changes. What is there already counts as changed, the first time."""
        self.database, self._skills = database, skills
        wanted = [table for table in state_tables().values() if table.name != SKILLS]
        there = {row[1] for row in database.read(_LISTED)}
        missing = [table for table in wanted if _trigger(table, "insert") not in there]
        if missing or "sync_skills_due" not in there:
            with database.write() as connection:
                for statement in _MADE:
                    connection.execute(statement)
                for table in missing:
                    for statement in _noting(table):
                        connection.execute(statement)

    def position(self) -> Position:
        """Where this home is."""
        return Position(*self.database.read("SELECT revision, token FROM sync_position")[0])

    def pending(self) -> int:
        """How many rows and skills were changed here, and not handed on."""
        self._notice_skills()
        return self.database.read("SELECT COUNT(*) FROM sync_changes")[0][0]

    def last_note(self) -> int:
        """The number of the last note."""
        self._notice_skills()
        return self.database.read("SELECT COALESCE(MAX(number), 0) FROM sync_changes")[0][0]

    def move_to(self, revision: int, token: str | None = None) -> None:
        """This home is at that revision; with `token`, it begins to write the next one."""
        with self.database.write() as connection:
            connection.execute(
                "UPDATE sync_position SET revision = ?, token = COALESCE(?, token)",
                (revision, token),
            )

    def handed_on(self, revision: int, last: int) -> None:
        """What was noted up to `last` is part of that revision. Another kernel may be further."""
        with self.database.write() as connection:
            connection.execute("UPDATE sync_position SET revision = MAX(revision, ?)", (revision,))
            connection.execute("DELETE FROM sync_changes WHERE number <= ?", (last,))

    @contextmanager
    def snapshot(self) -> Iterator["Snapshot"]:
        """The state and its log at one moment. Others may write meanwhile, this thread may not."""
        connection = self.database.connection()
        connection.execute("BEGIN")
        try:
            yield Snapshot(connection, self._skills)
        finally:
            connection.rollback()

    @contextmanager
    def taking_over(self, base: int, revision: int) -> Iterator["Taking"]:
        """Rows of another home come in, all or none; then this home is at that revision.

        Raises ChangedMeanwhile where another kernel has changed something here, or has moved this
        home on from `base`, which the rows were asked for.
        """
        with self.database.write() as connection:
            noted = connection.execute("SELECT 1 FROM sync_changes LIMIT 1").fetchone()
            now = connection.execute("SELECT revision FROM sync_position").fetchone()[0]
            if noted or now != base:
                raise ChangedMeanwhile
            connection.execute("PRAGMA secure_delete = ON")
            taking = Taking(connection, self._skills)
            yield taking
            connection.execute("DELETE FROM sync_changes")
            connection.execute("UPDATE sync_position SET revision = ?", (revision,))
            due = [*((name, None) for (name,) in taking.skills_gone), *taking.skills]
            connection.executemany("INSERT OR REPLACE INTO sync_skills_due VALUES (?, ?)", due)
        self._write_due_skills()

    def _write_due_skills(self) -> None:
        """Skills that came in become files. Whoever is ended meanwhile, the next one does it."""
        if not self.database.read("SELECT 1 FROM sync_skills_due LIMIT 1"):
            return
        with self.database.write() as connection:
            due = [tuple(row) for row in connection.execute("SELECT * FROM sync_skills_due")]
            gone = [row[:1] for row in due if row[1] is None]
            write_skills(self._skills, [row for row in due if row[1] is not None], gone)
            connection.execute("DELETE FROM sync_skills_due")
            digests = json.dumps(_digests(self._skills))
            connection.execute("UPDATE sync_position SET skills = ?", (digests,))

    def _notice_skills(self) -> None:
        """Skills are files: what differs from how it was last noted was changed."""
        self._write_due_skills()
        now = _digests(self._skills)
        if json.loads(self.database.read("SELECT skills FROM sync_position")[0][0]) == now:
            return
        with self.database.write() as connection:
            known = json.loads(connection.execute("SELECT skills FROM sync_position").fetchone()[0])
            for name in sorted(known.keys() | now.keys()):
                if known.get(name) != now.get(name):
                    key = json.dumps([name], ensure_ascii=False)
                    connection.execute("DELETE FROM sync_changes WHERE (name, key) = (?, ?)",
                                       (SKILLS, key))  # fmt: skip
                    connection.execute("INSERT INTO sync_changes (name, key) VALUES (?, ?)",
                                       (SKILLS, key))  # fmt: skip
            connection.execute("UPDATE sync_position SET skills = ?", (json.dumps(now),))


def stop_noting(database: StateDatabase) -> int:
    """Take the log out of a home that shares its state no more; returns how many triggers it had.

    What is stored stays. Should the home share its state again, all of it counts as changed.
    """
    there = [tuple(row) for row in database.read(_LISTED) if row[1].startswith("sync_")]
    with database.write() as connection:
        for kind, name in sorted(there, reverse=True):  # triggers first
            connection.execute(f'DROP {kind.upper()} "{name}"')
    return sum(kind == "trigger" for kind, _ in there)


class Snapshot(NamedTuple):
    """A moment of the store, while its transaction is open."""

    connection: sqlite3.Connection
    skills: Path

    def changed(self, after: int = 0) -> tuple[dict[str, list[Row]], int]:
        """Table -> keys of what was noted after a number, and the number of the last note."""
        rows = self.connection.execute(
            "SELECT name, key, number FROM sync_changes WHERE number > ? ORDER BY name, key",
            (after,),
        ).fetchall()
        keys: dict[str, list[Row]] = {}
        for name, key, _ in rows:
            keys.setdefault(name, []).append(tuple(json.loads(key)))
        return keys, max((row[2] for row in rows), default=after)

    def find(self, table: StateTable, keys: Sequence[Row]) -> list[Row]:
        """The rows with these keys, of those that are there."""
        if table.name == SKILLS:
            return [row for row in skill_rows(self.skills) if row[:1] in set(keys)]
        return find_rows(self.connection, table, keys)

    def numbers(self) -> str:
        """The highest number that each table has given out, as JSON; none is given out twice."""
        sql = "SELECT name, seq FROM sqlite_sequence ORDER BY name"
        found = dict(tuple(row) for row in self.connection.execute(sql))
        shared = state_tables().keys() - OF_THE_MACHINE.keys()
        return json.dumps({name: found[name] for name in found if name in shared})


class Taking:
    """What comes in from another home, in the transaction that takes it over."""

    def __init__(self, connection: sqlite3.Connection, skills: Path) -> None:
        self.connection = connection
        self.skills: list[Row] = []
        self.skills_gone: list[Row] = []

    def remove(self, table: StateTable, keys: Iterable[Row]) -> None:
        """These are not there any more."""
        if table.name == SKILLS:
            self.skills_gone += keys
            return
        where = " AND ".join(f"{_quoted(name)} = ?" for name in table.key)
        self.connection.executemany(f'DELETE FROM "{table.name}" WHERE {where}', list(keys))

    def put(self, table: StateTable, rows: Sequence[Row]) -> None:
        """These are there, as they are given. A row that is there is changed, not made anew:
        what the store keeps beside it would be deleted with it."""
        if table.name == SKILLS:
            self.skills += rows
            return
        names = ", ".join(map(_quoted, table.columns))
        marks = ", ".join("?" * len(table.columns))
        key = ", ".join(map(_quoted, table.key))
        rest = [name for name in table.columns if name not in table.key]
        sets = ", ".join(f"{_quoted(name)} = excluded.{_quoted(name)}" for name in rest)
        then = f"DO UPDATE SET {sets}" if rest else "DO NOTHING"
        if table.name in OF_THE_MACHINE:
            self.remove(table, [row[: len(table.key)] for row in rows])
        self.connection.executemany(
            f'INSERT INTO "{table.name}" ({names}) VALUES ({marks}) ON CONFLICT ({key}) {then}',
            list(rows),
        )

    def count_on_from(self, numbers: str) -> None:
        """Give out no number that was given out elsewhere."""
        for name, number in json.loads(numbers).items():
            self.connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0 WHERE NOT EXISTS"
                " (SELECT 1 FROM sqlite_sequence WHERE name = ?)",
                (name, name),
            )
            self.connection.execute(
                "UPDATE sqlite_sequence SET seq = MAX(seq, ?) WHERE name = ?", (number, name)
            )


def _quoted(name: str) -> str:
    return f'"{name}"'


def _trigger(table: StateTable, event: str) -> str:
    return f"sync_{table.name}_{event}"


def _noting(table: StateTable) -> Iterator[str]:
    """The triggers of a table, and the note that all of it is new."""

    def names(row: str, of: Iterable[str]) -> str:
        return ", ".join(row + each for each in map(_quoted, of))

    def key(row: str) -> str:
        return f"json_array({names(row, table.key)})"

    columns = f" OF {names('', table.columns)}" if table.name in OF_THE_MACHINE else ""
    for event, rows in (("insert", ["NEW."]), ("update", ["OLD.", "NEW."]), ("delete", ["OLD."])):
        notes = " ".join(_NOTE.format(name=table.name, key=key(row)) for row in rows)
        yield (
            f"CREATE TRIGGER IF NOT EXISTS {_trigger(table, event)} AFTER"
            f' {event.upper()}{columns if event == "update" else ""} ON "{table.name}"'
            f" BEGIN {notes} END"
        )
    yield (
        "INSERT OR IGNORE INTO sync_changes (name, key)"
        f" SELECT '{table.name}', {key('')} FROM \"{table.name}\""
    )


def _digests(skills: Path) -> dict[str, str]:
    return {
        name: hashlib.sha256(content.encode("utf-8")).hexdigest()
        for name, content in skill_rows(skills)
    }
