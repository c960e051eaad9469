"""The tables of the agent's state that can't be made again: their columns, keys and types."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache

from harness.databases.state import schema_statements

# What can be made again from the rest: the scan's facts, and the upkeep of files on one machine.
CACHES = frozenset(
    "facts facts_version scans memory_vector_file memory_vector_holes memory_word_upkeep "
    "memory_seal_changes "
    "sqlite_sequence".split()
)
SKILLS = "skills"  # files in the embedded default
# What a machine numbers for itself: a vector is known by its memory, its version is its place in a
# file of this machine. Table -> (the columns that stay behind, the key of the rest).
OF_THE_MACHINE = {"memory_vectors": (frozenset({"version"}), ("row",))}


@dataclass(frozen=True)
class StateTable:
    """A table of the agent's state: its columns with their types, its key, what else is unique."""

    name: str
    columns: dict[str, str]
    key: tuple[str, ...]
    required: frozenset[str]
    unique: tuple[tuple[str, ...], ...] = ()
    looked_up: frozenset[str] = frozenset()  # columns of any index: those stay short
    defaults: dict[str, str] = field(default_factory=dict)  # as SQL, of the columns that have one


@lru_cache(maxsize=1)
def state_tables() -> dict[str, StateTable]:
    """Every table that holds something which can't be made again, by name."""
    with closing(sqlite3.connect(":memory:")) as made:
        for statement in schema_statements():
            made.execute(statement)
        names = made.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts\\_%' "
            "ESCAPE '\\' AND name NOT LIKE '%\\_words%' ESCAPE '\\' "
            "AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
        ).fetchall()
        tables = {name: _table(made, name) for (name,) in names if name not in CACHES}
    text = {"name": "TEXT", "content": "TEXT"}
    return tables | {SKILLS: StateTable(SKILLS, text, ("name",), frozenset(text))}


def _table(made: sqlite3.Connection, name: str) -> StateTable:
    info = made.execute(f'PRAGMA table_info("{name}")').fetchall()
    indexes = [
        (index[3], tuple(row[2] for row in made.execute(f'PRAGMA index_info("{index[1]}")')))
        for index in made.execute(f'PRAGMA index_list("{name}")').fetchall()
    ]
    left, key = OF_THE_MACHINE.get(name, (frozenset(), ()))
    key = key or tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5])
    unique = tuple(columns for origin, columns in indexes if origin == "u" and columns != key)
    return StateTable(
        name,
        {row[1]: row[2] for row in info if row[1] not in left},
        key,
        frozenset(row[1] for row in info if (row[3] or row[5]) and row[1] not in left),
        unique,
        frozenset(column for _, columns in indexes for column in columns),
        {row[1]: row[4] for row in info if row[4] is not None},
    )
