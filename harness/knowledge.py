"""What is known about the data: scanned facts and remembered corrections.

Two legs look for a question: vectors (meaning) and FTS5 (words, exact codes). Reciprocal rank
fusion puts them together, because it needs no common scale between a cosine and a BM25 score.
"""

import heapq
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness import scan
from harness.databases.state import state
from harness.embedding import embed, embed_one
from harness.errors import WorkshopError
from harness.facts import (
    FactIndex,
    apply_facts,
    delete_facts,
    embed_pending,
    fact_index,
    facts_by_word,
)
from harness.fusion import reciprocal_rank_fusion
from harness.words import rank_by_words

KINDS = (*scan.FACT_KINDS, "correction")
RRF_K = 60
DEFAULT_OWNER = "SUPPLYCHAIN"
_FORMAT = 1  # of the facts; raise it when their text changes, and every home scans again
_SHIPPED = ":supplychain-"  # how the file of the shipped data is called, its hash after it
_DEPTH = 50  # how far down each leg's ranking counts
_checked_homes: set[tuple[Path, str]] = set()
_scan_lock = threading.Lock()


def scan_schema(owner: str = DEFAULT_OWNER) -> dict[str, int]:
    """Bring the facts about `owner`'s schema up to date with the database.

    Returns counts: tables, columns, relationships, patterns (what the schema has now), and added,
    updated, removed, embedded (what this scan did), pending (facts without a vector yet). Only
    what changed is embedded. Raises WorkshopError for a schema that isn't there.
    """
    from harness.databases.business import business

    owner = owner.strip().upper() if isinstance(owner, str) else ""
    database = business()
    facts = scan.facts_of(database, owner)
    changes = apply_facts(owner, facts)
    embedded, pending = embed_pending(owner)
    kinds = [fact.kind for fact in facts]
    sizes = zip(("tables", "columns", "relationships", "patterns"), scan.FACT_KINDS, strict=True)
    counts = {name: kinds.count(kind) for name, kind in sizes}
    counts |= changes | {"embedded": embedded, "pending": pending}
    with state().write() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO scans VALUES (?, ?, ?)",
            (owner, _source(database), json.dumps(counts)),
        )
    return counts


def ensure_scanned(owner: str = DEFAULT_OWNER) -> None:
    """Scan a schema that this home has never scanned, or whose shipped data is another version.

    A change in a database that is already known is not looked for: that is what a rescan is for.
    """
    with _scan_lock:
        this = (state().path, owner)
        if this not in _checked_homes:
            known = state().read("SELECT source FROM scans WHERE owner = ?", (owner,))
            if not known or _is_outdated(known[0]["source"]):
                scan_schema(owner)
            _checked_homes.add(this)


def _is_outdated(source: str) -> bool:
    """Whether facts come from other shipped data, or were written by another version of this."""
    from harness.databases.business import business

    now = _source(business())
    if source.partition(":")[0] != str(_FORMAT):
        return True
    return source != now and all(_SHIPPED in each for each in (source, now))


def retrieve_knowledge(
    query: str, k: int = 5, kinds: Sequence[str] | str | None = None
) -> list[dict[str, Any]]:
    """The `k` facts and corrections that fit a question best, best first.

    Each is a dict: kind, subject, body, metadata, distance (1 - cosine, 4 decimals). `kinds`
    keeps only these kinds, before anything is ranked. Corrections that match come first: what a
    person put right outweighs what a schema says. Raises WorkshopError for an unknown kind or a
    `k` below 1.
    """
    wanted = _checked_kinds(kinds)
    if k < 1:
        raise WorkshopError(f"k must be at least 1, not {k}.")
    if not query.strip():
        return []
    ensure_scanned()
    corrections = _corrections() if "correction" in wanted else []
    pool = _Pool(fact_index(), corrections, wanted)
    ranked = [key for key, _ in reciprocal_rank_fusion(pool.rankings(query), k=RRF_K)]
    first = pool.matching_corrections(query)[: max(1, k // 3)]
    return [pool.entry(key) for key in list(dict.fromkeys([*first, *ranked]))[:k]]


def forget_facts(kinds: Sequence[str] | str | None = None, subject: str | None = None) -> int:
    """Remove scanned facts (of these kinds, of this subject); the next scan finds them again."""
    wanted = _checked_kinds(kinds)
    return delete_facts(wanted, subject)


def all_facts(kinds: Sequence[str] | str | None = None) -> list[dict[str, Any]]:
    """Every scanned fact (kind, subject, body, metadata), ordered by kind and subject."""
    wanted = _checked_kinds(kinds)
    rows = state().read("SELECT kind, subject, body, metadata FROM facts ORDER BY kind, subject")
    return [
        {**dict(row), "metadata": json.loads(row["metadata"])}
        for row in rows
        if row["kind"] in wanted
    ]


def _source(database: Any) -> str:
    return f"{_FORMAT}:{Path(database.path).name}"


class _Pool:
    """The candidates for one question: facts by id, corrections as "c0", "c1", ..."""

    def __init__(
        self, index: FactIndex, corrections: list[dict[str, Any]], kinds: set[str]
    ) -> None:
        self._index = index
        self._kinds = kinds
        self._corrections = {f"c{i}": each for i, each in enumerate(corrections)}
        self._texts = {
            key: f"{each['subject']}: {each['body']}" for key, each in self._corrections.items()
        }
        self._cosines: dict[int | str, float] = {}

    def rankings(self, query: str) -> list[list[int | str]]:
        """Three rankings: all by meaning, facts by word, corrections by word."""
        return [
            self._by_meaning(query),
            [*facts_by_word(query, self._kinds, _DEPTH)],
            [*self.matching_corrections(query)],
        ]

    def matching_corrections(self, query: str) -> list[str]:
        """Corrections that share a word with the question, best first."""
        return rank_by_words(query, self._texts)

    def entry(self, key: int | str) -> dict[str, Any]:
        """A result as retrieve_knowledge returns it."""
        found = self._corrections[key] if isinstance(key, str) else self._index.facts[key]
        return {**found, "distance": round(1.0 - self._cosines.get(key, 0.0), 4)}

    def _by_meaning(self, query: str) -> list[int | str]:
        vector = embed_one(query)
        keys: list[int | str] = [*self._index.ids, *self._texts]
        scores = (self._index.matrix @ vector).tolist()
        if self._texts:
            scores += (embed(list(self._texts.values())) @ vector).tolist()
        # Rounded before sorting: another machine's last digits must not change an order.
        self._cosines = {key: round(score, 5) for key, score in zip(keys, scores, strict=True)}
        facts = self._index.facts
        allowed = [k for k in keys if isinstance(k, str) or facts[k]["kind"] in self._kinds]
        near = [key for key in allowed if self._cosines[key] > 0]
        return heapq.nsmallest(
            _DEPTH, near, key=lambda key: (-self._cosines[key], isinstance(key, int))
        )


def _corrections() -> list[dict[str, Any]]:
    from harness.memory import corrections

    return [
        {
            "kind": "correction",
            "subject": str(each["subject"]),
            "body": str(each["body"]),
            "metadata": dict(each.get("metadata") or {}),
        }
        for each in corrections()
    ]


def _checked_kinds(kinds: Sequence[str] | str | None) -> set[str]:
    wanted = set(KINDS if kinds is None else [kinds] if isinstance(kinds, str) else kinds)
    unknown = sorted(map(str, wanted - set(KINDS)))
    if unknown:
        raise WorkshopError(
            f"There is no kind of fact named {unknown[0]!r}.", f"Kinds: {', '.join(KINDS)}."
        )
    return wanted or set(KINDS)
