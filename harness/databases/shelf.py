"""A place that keeps the agent's state as rows, for moving it elsewhere: the port, and a home.

Values are plain Python: text, whole numbers, bytes, None.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from harness.databases.state import StateDatabase
from harness.databases.state_tables import SKILLS, StateTable
from harness.errors import WorkshopError

Row = tuple[Any, ...]
KEYS = ("memory.key", "authorization.key")


def batches(rows: list[Row], size: int) -> Iterator[list[Row]]:
    """The rows, or keys of rows, so many at a time."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


class Shelf(Protocol):
    """What moving asks of both ends. A key is the values of a row in the table's key columns."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    def count(self, table: StateTable) -> int:
        """How many rows there are."""

    def rows(self, table: StateTable, after: Row | None, limit: int) -> list[Row]:
        """The next rows in the order of their keys."""

    def find(self, table: StateTable, keys: Sequence[Row]) -> dict[Row, Row]:
        """The rows with these keys, of those that are there."""

    def add(self, table: StateTable, rows: Sequence[Row]) -> None:
        """Add rows, all or none."""


class HomeShelf:
    """A home of the embedded default: a SQLite file, key files, a folder of skills."""

    def __init__(self, home: Path, skills: Path) -> None:
        """Open the state in `home`; `skills` is where its skills are."""
        self.home, self._skills = home, skills
        self._state = StateDatabase(home / "agent.sqlite")

    @property
    def name(self) -> str:
        """The folder."""
        return str(self.home)

    def count(self, table: StateTable) -> int:
        """How many rows there are."""
        if table.name == SKILLS:
            return len(self._skill_rows())
        return self._state.read(f'SELECT COUNT(*) FROM "{table.name}"')[0][0]

    def rows(self, table: StateTable, after: Row | None, limit: int) -> list[Row]:
        """The next rows in the order of their keys."""
        if table.name == SKILLS:
            return [row for row in self._skill_rows() if after is None or row[:1] > after][:limit]
        where, values = after_key(table.key, after, lambda name: f'"{name}"', lambda _: "?")
        order = ", ".join(f'"{name}"' for name in table.key)
        sql = f"{_select(table)}{where} ORDER BY {order} LIMIT {int(limit)}"
        return [tuple(row) for row in self._state.read(sql, values)]

    def find(self, table: StateTable, keys: Sequence[Row]) -> dict[Row, Row]:
        """The rows with these keys, of those that are there."""
        if table.name == SKILLS:
            return {row[:1]: row for row in self._skill_rows() if row[:1] in set(keys)}
        found = find_rows(self._state.connection(), table, keys)
        return {key_of(table, row): row for row in found}

    def add(self, table: StateTable, rows: Sequence[Row]) -> None:
        """Add rows, all or none."""
        if table.name == SKILLS:
            write_skills(self._skills, rows)
            return
        names = ", ".join(f'"{name}"' for name in table.columns)
        marks = ", ".join("?" * len(table.columns))
        try:
            with self._state.write() as connection:
                connection.executemany(
                    f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})', list(rows)
                )
        except sqlite3.IntegrityError as error:
            raise other_rows(table, self.name) from error

    def take_keys(self, home: Path) -> None:
        """Take over the key files of another home, without which seals mean nothing.

        Raises WorkshopError where this home has sealed something under a key of its own.
        """
        for name in KEYS:
            theirs, mine = home / name, self.home / name
            if not theirs.exists() or theirs.resolve() == mine.resolve():
                continue
            if mine.exists() and mine.read_bytes() != theirs.read_bytes():
                if self._state.read("SELECT 1 FROM memories LIMIT 1"):
                    raise WorkshopError(
                        f"{self.home} has memories under a key of its own.",
                        "Move into an empty folder instead.",
                    )
                mine.unlink()
            if not mine.exists():
                mine.touch(mode=0o600)
                mine.write_bytes(theirs.read_bytes())

    def _skill_rows(self) -> list[Row]:
        return skill_rows(self._skills)


def skill_rows(folder: Path) -> list[Row]:
    """The skills in a folder as rows, by name."""
    files = sorted(folder.glob("*.md")) if folder.is_dir() else []
    return [(file.name, file.read_bytes().decode("utf-8", "replace")) for file in files]


def write_skills(folder: Path, rows: Sequence[Row], gone: Sequence[Row] = ()) -> None:
    """Write skills into a folder, and take those out that are gone."""
    for (name,) in gone:
        (folder / Path(name).name).unlink(missing_ok=True)
    for name, content in rows:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / Path(name).name).write_text(content, encoding="utf-8", newline="")


def find_rows(connection: sqlite3.Connection, table: StateTable, keys: Sequence[Row]) -> list[Row]:
    """The rows of a table of the embedded state with these keys, of those that are there."""
    if not keys:
        return []
    one = f"({', '.join('?' * len(table.key))})"
    names = ", ".join(f'"{name}"' for name in table.key)
    sql = f"{_select(table)} WHERE ({names}) IN (VALUES {', '.join([one] * len(keys))})"
    found = connection.execute(sql, [value for key in keys for value in key])
    return [tuple(row) for row in found]


def key_of(table: StateTable, row: Row) -> Row:
    """The key of a row."""
    places = list(table.columns)
    return tuple(row[places.index(name)] for name in table.key)


def after_key(key: Sequence[str], after: Row | None, quoted: Any, mark: Any) -> tuple[str, Row]:
    """The condition for the rows behind a key, and its values, column by column."""
    if after is None:
        return "", ()
    parts, values = [], []
    for place, name in enumerate(key):
        same = [f"{quoted(each)} = " for each in key[:place]]
        words = []
        for value, start in zip(after, [*same, f"{quoted(name)} > "], strict=False):
            values.append(value)
            words.append(start + mark(len(values)))
        parts.append(f"({' AND '.join(words)})")
    return f" WHERE {' OR '.join(parts)}", tuple(values)


def other_rows(table: StateTable, name: str) -> WorkshopError:
    """What to say when something else is already where a row should go."""
    return WorkshopError(
        f"{name} has other rows of {table.name} than those that are moved.",
        "Nothing of it was changed. Move into an empty home, or an empty schema.",
    )


def _select(table: StateTable) -> str:
    names = ", ".join(f'"{name}"' for name in table.columns)
    return f'SELECT {names} FROM "{table.name}"'
