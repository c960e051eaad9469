"""Search over the memories: by meaning, by word, fused; every filter is part of the query."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from harness.databases.state import StateDatabase
from harness.memory.filters import Where
from harness.memory.vectors import Snapshot, vector_file
from harness.retrieval.fusion import reciprocal_rank_fusion

_SOME = 16_000  # up to here all others are left out; beyond, the nearest are asked about
_DEPTH = 40  # hits of each leg that go into the fusion
_COMMON = 1_000  # a word that more records hold tells nothing and costs much
_MAX_TERMS = 12
# Words that hold sentences together: they find everything. Other common ones are left out by count.
_STOP = frozenset(
    """a about also am an and any are as at be been but by can could did do does for from had has
    have he her here his how i if in into is it its just let like may me mean means my no not of on
    one or our please should so such tell than thank that the their them then there these they this
    those to told too up us was we were what when where which while who whose will with would yes
    you your""".split()
)
_TERM = re.compile(r"\w+(?:[.\-/]\w+)*")


@dataclass(frozen=True)
class Hit:
    """A row of `memories`, how far it is (1 - cosine, None if only words matched), its score."""

    row: int
    distance: float | None
    score: float
    worded: bool = False  # the words of the query are in it


def search(
    database: StateDatabase, text: str, vector: np.ndarray | None, where: Where, limit: int
) -> list[Hit]:
    """The best rows for a query, best first, at most `limit`; without a vector by words alone."""
    depth = max(_DEPTH, 2 * limit)
    led = _led(database, where)
    near = {} if vector is None else _nearest(database, vector, where, led, depth)
    by_word = _by_words(database, text, where, led, depth)
    fused = reciprocal_rank_fusion([list(near), by_word])
    found = set(by_word)
    return [Hit(row, near.get(row), score, row in found) for row, score in fused[:limit]]


def _led(database: StateDatabase, where: Where) -> np.ndarray | None:
    """The rows that the narrowest condition with an index leaves; None when they are many."""
    fewest, narrowest = _SOME + 1, where.leads[:1]
    for sql, params in reversed(where.leads):  # the user's comes first, and is the widest
        count = database.read(f"SELECT count(*) FROM ({sql} LIMIT {fewest})", params)[0][0]
        if count < fewest:
            fewest, narrowest = count, [(sql, params)]
    return None if fewest > _SOME else _numbers(database, *narrowest[0])


def _numbers(database: StateDatabase, rows: str, params: Sequence[Any]) -> np.ndarray:
    """The rows of a query as one array: many times quicker than one by one."""
    joined = database.read(f"SELECT group_concat(row) FROM ({rows})", params)[0][0] or ""
    return np.fromstring(joined, np.int64, sep=",")


# --- by meaning -----------------------------------------------------------------------------------


def _nearest(
    database: StateDatabase, vector: np.ndarray, where: Where, led: np.ndarray | None, depth: int
) -> dict[int, float]:
    """row -> distance of the nearest records that fulfil the conditions, nearest first."""
    found: dict[int, float] = {}
    for _ in range(3):  # again if another kernel renumbered the vectors meanwhile
        snapshot = vector_file(database).snapshot()
        if led is None:
            places, scores = np.arange(len(snapshot.rows)), snapshot.scores(vector)
        else:
            places = np.flatnonzero(_among(snapshot.rows, led))
            scores = snapshot.scores_at(places, vector)
        found = _widen(database, where, snapshot, places, scores, depth)
        if snapshot.generation == database.read("SELECT generation FROM memory_vector_file")[0][0]:
            break
    return found


def _among(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """For each row whether it is wanted."""
    listed = np.zeros(max(rows.max(initial=0), wanted.max(initial=0)) + 1, bool)
    listed[wanted] = True
    return listed[rows]


def _widen(
    database: StateDatabase,
    where: Where,
    snapshot: Snapshot,
    places: np.ndarray,
    scores: np.ndarray,
    depth: int,
) -> dict[int, float]:
    """Ask the table about the nearest, then about more, until enough fulfil the conditions."""
    possible = int(np.count_nonzero(scores > -np.inf))
    take = depth + depth // 2
    while True:
        take = min(take, possible)
        order = _best(scores, take)
        rows = snapshot.rows[places[order]]
        good = _fulfilling(database, where, rows, vectors=True)
        versions = snapshot.versions[places[order]]
        hits = {
            row: 1.0 - score
            for row, version, score in zip(
                rows.tolist(), versions.tolist(), scores[order].tolist(), strict=True
            )
            if good.get(row) == version
        }
        if len(hits) >= depth or take == possible:
            return dict(list(hits.items())[:depth])
        take *= 4


def _best(scores: np.ndarray, take: int) -> np.ndarray:
    """The places of the highest scores, highest first, equal ones in their order."""
    if 0 < take < len(scores):
        best = np.argpartition(scores, -take)[-take:]
        return best[np.lexsort((best, -scores[best]))]
    return np.argsort(-scores, kind="stable")[:take]


def _fulfilling(
    database: StateDatabase, where: Where, rows: Sequence[int] | np.ndarray, *, vectors: bool
) -> dict[int, int]:
    """row -> version of its vector (or 0) for those rows that fulfil the conditions."""
    version, join = "0", ""
    if vectors:
        version, join = "v.version", " CROSS JOIN memory_vectors v ON v.row = m.row"
    found: dict[int, int] = {}
    for start in range(0, len(rows), 20_000):
        part = [int(row) for row in rows[start : start + 20_000]]
        sql = (
            f"SELECT m.row, {version} FROM json_each(?) j CROSS JOIN memories m ON m.row = j.value"
            f"{join} WHERE {where.sql}"
        )
        found.update((r[0], r[1]) for r in database.read(sql, [str(part), *where.params]))
    return found


# --- by word --------------------------------------------------------------------------------------


def _by_words(
    database: StateDatabase, text: str, where: Where, led: np.ndarray | None, depth: int
) -> list[int]:
    """Rows that hold words of the query, those with the most and the rarest first.

    FTS5's own bm25 counts every word in the whole index for each query, which takes longer than
    all the rest. Memories are short, so counting a word once and weighing it by its rarity ranks
    them as well. Words that too many records hold are left out, unless there are no others.
    """
    terms = _terms(text)
    owner = f"owner : {where.owner} AND " if where.owner else ""
    holders = {term: _holders(database, owner + term) for term in terms}
    telling = [rows for rows in holders.values() if len(rows) <= _COMMON]
    if terms and not telling:
        telling = [_holders(database, owner + "(" + " AND ".join(terms) + ")")]
    weights = [math.log1p(1e6 / (len(rows) + 1.0)) for rows in telling]
    scores: dict[int, float] = {}
    for rows, weight in zip(telling, weights, strict=True):
        kept = rows if led is None else rows[_among(rows, led)]
        for row in kept.tolist():
            scores[row] = scores.get(row, 0.0) + weight
    ranked = sorted(scores, key=lambda row: (-scores[row], -row))
    return _first(ranked, depth, lambda rows: _fulfilling(database, where, rows, vectors=False))


def _holders(database: StateDatabase, match: str) -> np.ndarray:
    """The rows that match, no more than one over the limit."""
    sql = "SELECT rowid AS row FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?"
    return _numbers(database, sql, (match, _COMMON + 1))


def _first(
    ranked: list[int], count: int, fulfilling: Callable[[list[int]], dict[int, int]]
) -> list[int]:
    """The first so many that fulfil the conditions, in their order."""
    kept: list[int] = []
    step, start = count + count // 2, 0
    while start < len(ranked) and len(kept) < count:
        part = ranked[start : start + step]
        good = fulfilling(part)
        kept += [row for row in part if row in good]
        start, step = start + step, step * 4
    return kept[:count]


@lru_cache(maxsize=256)
def _terms(text: str) -> tuple[str, ...]:
    """The words of a query, quoted for FTS5; the longest if there are very many."""
    found = dict.fromkeys(_TERM.findall(text[:4_000].casefold()))
    telling = [term for term in found if term not in _STOP and any(map(str.isalnum, term))]
    kept = sorted(telling, key=lambda term: (-len(term), term))[:_MAX_TERMS]
    return tuple('{value subject} : "' + term + '"' for term in kept)
