"""Search over the memories: by meaning, by word, fused; every filter is part of the query."""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from harness.databases.state import StateDatabase
from harness.fusion import reciprocal_rank_fusion
from harness.memory.filters import Where
from harness.memory.vectors import vector_file

_FEW = 2_000  # matching records up to here are compared one by one, more than that all together
_DEPTH = 50  # hits of each leg that go into the fusion
_COMMON = 5_000  # a word in more records than this ranks nothing and costs much
_MAX_TERMS = 24
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
    near = {} if vector is None else _nearest(database, vector, where, depth)
    by_word = _by_words(database, text, where, depth)
    fused = reciprocal_rank_fusion([list(near), by_word])
    found = set(by_word)
    return [Hit(row, near.get(row), score, row in found) for row, score in fused[:limit]]


# --- by meaning -----------------------------------------------------------------------------------


def _nearest(
    database: StateDatabase, vector: np.ndarray, where: Where, depth: int
) -> dict[int, float]:
    """row -> distance of the nearest records that fulfil the conditions, nearest first."""
    for _ in range(3):  # again if another kernel renumbered the vectors meanwhile
        generation, matrix, tail_versions, tail = vector_file(database).snapshot()
        few = _few_versions(database, where)
        if few is not None:
            found = _compare_few(few, vector, matrix, tail_versions, tail, depth)
        else:
            scores = np.concatenate([matrix @ vector, tail @ vector])
            found = _widen(database, where, scores, len(matrix), tail_versions, depth)
        if generation == database.read("SELECT generation FROM memory_vector_file")[0][0]:
            break
    return found


def _few_versions(database: StateDatabase, where: Where) -> dict[int, int] | None:
    """version -> row of all matching records when they are few, else None."""
    source = "memories m"
    params: list[object] = []
    if where.positive and _more_than(database, where, _FEW):
        path, value = where.positive[0]
        source = (
            "(SELECT row FROM memory_metadata WHERE path = ? AND value = ?) x"
            " CROSS JOIN memories m ON m.row = x.row"
        )
        params = [path, value]
    rows = database.read(
        f"SELECT v.version, m.row FROM {source} CROSS JOIN memory_vectors v ON v.row = m.row"
        f" WHERE {where.sql} LIMIT {_FEW + 1}",
        [*params, *where.params],
    )
    return None if len(rows) > _FEW else {row[0]: row[1] for row in rows}


def _more_than(database: StateDatabase, where: Where, count: int) -> bool:
    """Whether the scope alone leaves more than `count` records (then metadata leads the query)."""
    scope = [c for c in where.conditions if "_id IS ?" in c]
    return (
        len(
            database.read(
                f"SELECT 1 FROM memories m WHERE {' AND '.join(scope) or '1'} LIMIT {count + 1}",
                where.params[: len(scope)],
            )
        )
        > count
    )


def _compare_few(
    few: dict[int, int],
    vector: np.ndarray,
    matrix: np.ndarray,
    tail_versions: np.ndarray,
    tail: np.ndarray,
    depth: int,
) -> dict[int, float]:
    versions = np.fromiter(few, np.int64, len(few))
    in_file = versions[versions <= len(matrix)]
    in_tail = np.isin(tail_versions, versions)
    scores = np.concatenate([matrix[in_file - 1] @ vector, tail[in_tail] @ vector])
    kept = np.concatenate([in_file, tail_versions[in_tail]])
    order = np.argsort(-scores, kind="stable")[:depth]
    return {few[int(kept[i])]: 1.0 - float(scores[i]) for i in order}


def _widen(
    database: StateDatabase,
    where: Where,
    scores: np.ndarray,
    in_file: int,
    tail_versions: np.ndarray,
    depth: int,
) -> dict[int, float]:
    """Ask the table about the nearest, then about more, until enough fulfil the conditions."""
    take = 4 * depth
    while True:
        take = min(take, len(scores))
        best = np.argpartition(-scores, take - 1)[:take] if take < len(scores) else None
        order = np.argsort(-scores, kind="stable") if best is None else _sorted(best, scores)
        versions = [int(i) + 1 if i < in_file else int(tail_versions[i - in_file]) for i in order]
        rows = _fulfilling(database, where, versions)
        if len(rows) >= depth or take == len(scores):
            ranked = zip(versions, order, strict=True)
            hits = [(rows[v], 1.0 - float(scores[i])) for v, i in ranked if v in rows]
            return dict(hits[:depth])
        take *= 8


def _sorted(best: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return best[np.lexsort((best, -scores[best]))]


def _fulfilling(database: StateDatabase, where: Where, versions: list[int]) -> dict[int, int]:
    """version -> row of those that are in the table and fulfil the conditions."""
    found: dict[int, int] = {}
    for start in range(0, len(versions), 20_000):
        part = versions[start : start + 20_000]
        rows = database.read(
            "SELECT v.version, m.row FROM json_each(?) j"
            " CROSS JOIN memory_vectors v ON v.version = j.value"
            f" CROSS JOIN memories m ON m.row = v.row WHERE {where.sql}",
            [str(part), *where.params],
        )
        found.update((row[0], row[1]) for row in rows)
    return found


# --- by word --------------------------------------------------------------------------------------


def _by_words(database: StateDatabase, text: str, where: Where, depth: int) -> list[int]:
    """Rows that hold all words of the query, else those with any of its rarer words."""
    terms = _terms(text)
    if not terms:
        return []
    owner = f"owner : {where.owner} AND " if where.owner else ""
    together = owner + "(" + " AND ".join(terms) + ")"
    if _matches(database, together) <= _COMMON:
        rows = _ranked(database, together, where, depth)
        if len(rows) >= min(depth, 10) or len(terms) == 1:
            return rows
    else:
        rows = []
    rare = [term for term in terms if 0 < _matches(database, owner + term) <= _COMMON]
    if rare:
        anyone = _ranked(database, owner + "(" + " OR ".join(rare) + ")", where, depth)
        rows = list(dict.fromkeys([*rows, *anyone]))[:depth]
    return rows


def _ranked(database: StateDatabase, match: str, where: Where, depth: int) -> list[int]:
    return [
        row[0]
        for row in database.read(
            "SELECT m.row FROM memories_fts f CROSS JOIN memories m ON m.row = f.rowid"
            f" WHERE memories_fts MATCH ? AND {where.sql}"
            " ORDER BY bm25(memories_fts, 1.0, 2.0, 0.0), m.row LIMIT ?",
            [match, *where.params, depth],
        )
    ]


def _matches(database: StateDatabase, match: str) -> int:
    """How many records match, counted no further than one over the limit."""
    return database.read(
        "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)",
        (match, _COMMON + 1),
    )[0][0]


@lru_cache(maxsize=256)
def _terms(text: str) -> list[str]:
    """The words of a query, quoted for FTS5; the longest first if there are very many."""
    from harness.memory.text import FILLER

    found = dict.fromkeys(_TERM.findall(text[:4_000].casefold()))
    telling = [term for term in found if term not in FILLER and any(map(str.isalnum, term))]
    kept = sorted(telling, key=lambda term: (-len(term), term))[:_MAX_TERMS]
    return ['{value subject} : "' + term + '"' for term in telling if term in set(kept)]
