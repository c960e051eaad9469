"""Deleting for good: from the tables, every index, the caches, the log and the conversation."""

import contextlib
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from harness.databases.state import StateDatabase
from harness.errors import WorkshopError
from harness.memory import store
from harness.memory.seals import bring_up_to_date
from harness.memory.storable_text import embedded_text
from harness.memory.vectors import vector_file
from harness.memory.withdrawn import erase, erase_traces, trace_folder
from harness.retrieval import embedding
from harness.traces.erasing import erase_events

_OPTIMIZED = 200  # times that the word index is optimized before it is built anew
_BATCH = 2_000  # records deleted in one transaction
_EMPTY = 1_000  # free pages, of 4 KB, that are given back when they are a quarter of the file


def hard_delete(database: StateDatabase, condition: str, params: Sequence[Any]) -> int:
    """Delete records for good, with their words, vectors, versions and links; returns how many.

    What they said is overwritten in the user's messages, stored outputs and traces as well.
    """
    bring_up_to_date(database)
    deleted = 0
    embedded: list[str] = []
    said: list[str] = []
    while batch := _delete_batch(database, condition, params):  # other kernels may write between
        deleted += len(batch)
        embedded += [embedded_text(row["subject"], row["value"]) for row in batch]
        said += [text for row in batch for text in _said(row)]
    if deleted:
        erase_traces(database, said)
        with contextlib.suppress(
            Exception
        ):  # the cache of vectors is another file, maybe read-only
            embedding.forget(embedded)
        wipe(database)
    return deleted


def forget_turns(database: StateDatabase, user: str, thread: str = "", turn: str = "") -> None:
    """Take a user's turns out of the traces: all, those of a thread, or one."""
    with contextlib.suppress(OSError):  # read-only, or held by somebody else: no deletion fails
        erase_events(
            trace_folder(database),
            turn or thread or user,
            lambda event: (
                event.get("user") == user
                and thread in ("", event["thread_id"])
                and turn in ("", event["trace_id"])
            ),
        )


def wipe(database: StateDatabase) -> None:
    """Overwrite what a deletion leaves behind: word segments, vectors, the log, free pages."""
    with contextlib.suppress(WorkshopError), database.write() as connection:
        _wipe_words(connection)
    vector_file(database).catch_up()
    with contextlib.suppress(sqlite3.Error, WorkshopError):  # busy: the next one does it
        free, pages = (database.read(f"PRAGMA {name}")[0][0] for name in _PAGES)
        if free > _EMPTY and free > pages / 4:
            database.run("VACUUM")
        database.read("PRAGMA wal_checkpoint(TRUNCATE)")


_PAGES = ("freelist_count", "page_count")


def _delete_batch(
    database: StateDatabase, condition: str, params: Sequence[Any]
) -> list[dict[str, Any]]:
    """Delete some of the records; returns what they held."""
    with database.write() as connection:
        rows = connection.execute(
            "SELECT m.row, m.record_id, m.user_id, m.subject, m.value, m.wording, m.source_id,"
            f" m.created_at FROM memories m WHERE {condition} LIMIT {_BATCH}",
            tuple(params),
        ).fetchall()
        texts: dict[str | None, list[str]] = defaultdict(list)
        for row in rows:
            texts[row["user_id"]] += [*_said(row), *_versions(connection, row["record_id"])]
        store.delete(connection, [row["row"] for row in rows])
        for user, said in texts.items():
            erase(connection, user, said)
        for row in rows:
            store.forget_summaries(connection, row["user_id"], row["source_id"], row["created_at"])
            store.forget_reasons(connection, row["record_id"])
            store.log_event(connection, row["record_id"], row["user_id"], "hard_delete", "deleted")
    return [dict(row) for row in rows]


def _said(row: Any) -> list[str]:
    return [text for text in (row["value"], row["wording"]) if text]


def _versions(connection: sqlite3.Connection, record_id: str) -> list[str]:
    sql = "SELECT value FROM memory_versions WHERE record_id = ?"
    return [row[0] for row in connection.execute(sql, (record_id,))]


def _wipe_words(connection: sqlite3.Connection) -> None:
    """Rewrite the word index, so that no segment keeps the words of what was deleted.

    Each 'optimize' puts the index one level higher, and FTS5 takes 2,000 levels for damage. So it
    is built anew in good time.
    """
    optimized = connection.execute("SELECT optimized FROM memory_word_upkeep").fetchone()[0]
    command, now = ("optimize", optimized + 1) if optimized < _OPTIMIZED else ("rebuild", 0)
    connection.execute("INSERT INTO memories_fts (memories_fts) VALUES (?)", (command,))
    connection.execute("UPDATE memory_word_upkeep SET optimized = ?", (now,))
