"""The stored facts: one table, a word index beside it, and a copy in memory for the vectors."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.databases.state import StateDatabase, state
from harness.knowledge.schema_introspection import Fact, embedded_text
from harness.retrieval.embedding import DIMENSIONS, embed_if_possible
from harness.retrieval.lexical_search import question_words, searchable

if TYPE_CHECKING:
    import sqlite3

    import numpy as np  # slow: 0.2 s

_COMMON = 0.2  # of all facts: a word in more of them is common
EMBED_AT_ONCE = 1_000  # facts embedded by one scan; the rest are found by word until the next


def apply_facts(owner: str, facts: list[Fact]) -> dict[str, int]:
    """Make the stored facts of `owner` equal to `facts`; count what had to change."""
    with state().write() as connection:
        rows = connection.execute(
            "SELECT fact_id, kind, subject, digest FROM facts WHERE owner = ?", (owner,)
        )
        stored = {(row["kind"], row["subject"]): row for row in rows}
        wanted = {(fact.kind, fact.subject): fact for fact in facts}
        new = [fact for key, fact in wanted.items() if key not in stored]
        changed = [
            (stored[key]["fact_id"], fact)
            for key, fact in wanted.items()
            if key in stored and stored[key]["digest"] != fact.digest
        ]
        gone = [row["fact_id"] for key, row in stored.items() if key not in wanted]
        _delete(connection, [*gone, *(fact_id for fact_id, _ in changed)])
        for fact_id, fact in [*((None, fact) for fact in new), *changed]:
            _insert(connection, owner, fact, fact_id)
        if new or changed or gone:
            _bump(connection)
    return {"added": len(new), "updated": len(changed), "removed": len(gone)}


def _insert(connection: "sqlite3.Connection", owner: str, fact: Fact, fact_id: int | None) -> None:
    metadata = json.dumps(fact.metadata, ensure_ascii=False, sort_keys=True)
    row = (fact_id, owner, fact.kind, fact.subject, fact.body, metadata, fact.digest)
    cursor = connection.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", row)
    connection.execute(
        "INSERT INTO facts_words (rowid, subject, body, codes) VALUES (?, ?, ?, ?)",
        (cursor.lastrowid, *map(searchable, (fact.subject, fact.body, fact.codes))),
    )


def _delete(connection: "sqlite3.Connection", fact_ids: list[int]) -> None:
    for fact_id in fact_ids:
        connection.execute("DELETE FROM facts WHERE fact_id = ?", (fact_id,))
        connection.execute("DELETE FROM facts_words WHERE rowid = ?", (fact_id,))


def _bump(connection: "sqlite3.Connection") -> None:
    connection.execute(
        "INSERT INTO facts_version VALUES (1, 1) "
        "ON CONFLICT (id) DO UPDATE SET version = version + 1"
    )


def embed_pending(owner: str) -> tuple[int, int]:
    """Give vectors to facts that lack one, tables first; returns (embedded, still pending)."""
    rows = state().read(
        "SELECT fact_id, kind, subject, body, digest FROM facts "
        "WHERE owner = ? AND vector IS NULL ORDER BY fact_id",
        (owner,),
    )
    rows.sort(key=lambda row: row["kind"] == "column")  # the many of least weight come last
    now = rows[:EMBED_AT_ONCE]
    texts = [embedded_text(row["kind"], row["subject"], row["body"]) for row in now]
    vectors = embed_if_possible(texts)
    if vectors is None:  # the next scan tries again; until then the facts are found by word
        return 0, len(rows)
    updates = [
        (vector.astype("<f4").tobytes(), row["fact_id"], row["digest"])
        for row, vector in zip(now, vectors, strict=True)
    ]
    with state().write() as connection:
        # The digest: another kernel may have scanned a newer version in the meantime.
        connection.executemany(
            "UPDATE facts SET vector = ? WHERE fact_id = ? AND digest = ?", updates
        )
        if updates:
            _bump(connection)
    return len(now), len(rows) - len(now)


def delete_facts(kinds: Collection[str], subject: str | None = None) -> int:
    """Delete the facts of these kinds (and this subject, where one is given); returns how many."""
    with state().write() as connection:
        rows = connection.execute("SELECT fact_id, kind, subject FROM facts").fetchall()
        gone = [
            row["fact_id"]
            for row in rows
            if row["kind"] in kinds and subject in (None, row["subject"])
        ]
        _delete(connection, gone)
        _bump(connection)
    return len(gone)


@dataclass(frozen=True)
class FactIndex:
    """All facts in memory; row i of the matrix belongs to facts[i], zeros while it is pending."""

    version: int
    facts: dict[int, dict[str, Any]]
    ids: list[int]
    matrix: "np.ndarray"


_indexes: dict[Path, FactIndex] = {}


def fact_index() -> FactIndex:
    """The facts of the current home, read again only after they changed."""
    database = state()
    rows = database.read("SELECT version FROM facts_version")
    version = rows[0]["version"] if rows else 0
    index = _indexes.get(database.path)
    if index is None or index.version != version:
        index = _indexes[database.path] = _read_index(database, version)
    return index


def _read_index(database: StateDatabase, version: int) -> FactIndex:
    import numpy as np  # slow: 0.2 s

    rows = database.read(
        "SELECT fact_id, kind, subject, body, metadata, vector FROM facts "
        "ORDER BY kind, subject, owner"
    )
    matrix = np.zeros((len(rows), DIMENSIONS), dtype=np.float32)
    facts = {}
    for i, row in enumerate(rows):
        if row["vector"] is not None:
            matrix[i] = np.frombuffer(row["vector"], dtype="<f4")
        facts[row["fact_id"]] = {
            "kind": row["kind"],
            "subject": row["subject"],
            "body": row["body"],
            "metadata": json.loads(row["metadata"]),
        }
    return FactIndex(version, facts, list(facts), matrix)


def facts_by_word(query: str, kinds: Collection[str], limit: int) -> list[int]:
    """Ids of the facts that share a word with the question, best first (BM25).

    Words that many facts hold are left out, unless the question has no others: they would put
    half of the schema into the ranking, in no useful order.
    """
    words = question_words(query)
    chosen = sorted(kinds)
    rare = _rare(words)
    if not rare or not chosen:
        return []
    expression = " OR ".join(f'"{word}"' for word in rare)
    rows = state().read(
        "SELECT f.fact_id FROM facts_words AS w JOIN facts AS f ON f.fact_id = w.rowid "
        f"WHERE facts_words MATCH ? AND f.kind IN ({_marks(chosen)}) "
        "ORDER BY bm25(facts_words, 2.0, 1.0, 1.0), f.kind, f.subject, f.owner LIMIT ?",
        (expression, *chosen, limit),
    )
    return [row["fact_id"] for row in rows]


def _rare(words: list[str]) -> list[str]:
    if not words:
        return []
    total = state().read("SELECT count(*) FROM facts")[0][0]
    rows = state().read(
        f"SELECT term, doc FROM facts_vocabulary WHERE term IN ({_marks(words)})", words
    )
    found = {row["term"]: row["doc"] for row in rows}
    rare = [word for word in words if 0 < found.get(word, 0) <= _COMMON * total]
    return rare or [word for word in words if word in found]


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))
