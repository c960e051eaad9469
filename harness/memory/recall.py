"""Recall: the one way in which memories come back, with the checks that every use needs."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.databases.state import StateDatabase, state
from harness.errors import WorkshopError
from harness.memory import four_questions, index, store, write_path
from harness.memory.default_user import session_user
from harness.memory.filters import Where, where
from harness.memory.records import GovernedRecord
from harness.memory.signature import UnreadableSeals
from harness.memory.storable_text import storable
from harness.memory.write_path import Embed
from harness.retrieval import embedding

_FAR = 0.85  # beyond this distance, and without a word in common, nothing is related


@dataclass(frozen=True)
class Recalled:
    """A record that may be used, how far it is from the query (None: only words matched)."""

    row: int
    record: GovernedRecord
    distance: float | None
    score: float


def embedded(query: str | np.ndarray, embed: Embed | None) -> Any:
    """The query's vector, None when there is no embedding model (words still work)."""
    if not isinstance(query, str):
        return np.asarray(query, np.float32)
    try:
        return np.asarray((embed or embedding.embed)([storable(query)])[0], np.float32)
    except WorkshopError:
        return None


def any_fulfil(database: StateDatabase, conditions: Where) -> bool:
    """Whether there is anything to find."""
    sql = f"SELECT 1 FROM memories m WHERE {conditions.sql} LIMIT 1"
    return bool(database.read(sql, conditions.params))


def recall(
    database: StateDatabase,
    text: str,
    vector: Any,
    conditions: Where,
    limit: int,
    *,
    embed: Embed | None = None,
    related_only: bool = False,
) -> list[Recalled]:
    """The best records for a query; what did not come through the door, or lost its
    source, is passed over."""
    if vector is not None:
        write_path.embed_pending(database, embed or embedding.embed)
    wanted = limit
    while True:
        hits = index.search(database, storable(text), vector, conditions, wanted)
        sealed = store.fetch_rows(database, [hit.row for hit in hits])
        good = four_questions.trusted(database, sealed.items())
        records = {row: record for row, record in sealed.items() if row in good}
        found = [
            Recalled(hit.row, records[hit.row], hit.distance, hit.score)
            for hit in hits
            if hit.row in records
            and (not related_only or hit.worded or (hit.distance or 0.0) <= _FAR)
        ]
        lost = len(hits) - len(records)
        if len(found) >= limit or len(hits) < wanted or not lost:
            return found[:limit]
        wanted *= 4


def corrections(
    query: str | np.ndarray,
    k: int = 5,
    *,
    text: str = "",
    database: StateDatabase | None = None,
    embed: Embed | None = None,
) -> list[dict[str, Any]]:
    """The corrections of the session's user that are nearest to a query (a text or its vector).

    With a vector, `text` adds the search by word. Each is a dict with kind, subject, body,
    metadata and distance (1 - cosine; 1.0 where only words matched).
    """
    conditions = where(user_id=session_user(), kinds=["correction"], reader="workshop")
    database, words = database or state(), query if isinstance(query, str) else text
    if not any_fulfil(database, conditions):
        return []  # no reason to embed anything
    vector = embedded(query, embed)
    try:
        found = recall(database, words, vector, conditions, k, embed=embed)
    except UnreadableSeals as error:  # this costs the memory, not the answer
        warnings.warn(f"Corrections are not recalled: {error.message}", stacklevel=2)
        return []
    return [
        {
            "kind": "correction",
            "subject": item.record.subject,
            "body": item.record.value,
            "metadata": {**(item.record.metadata or {}), "record_id": item.record.record_id},
            "distance": 1.0 if item.distance is None else item.distance,
        }
        for item in found
    ]
