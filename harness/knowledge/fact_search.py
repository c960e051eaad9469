"""What is known about the data: scanned facts and remembered corrections.

Two legs look for a question: vectors (meaning) and FTS5 (words, exact codes). Reciprocal rank
fusion puts them together, because it needs no common scale between a cosine and a BM25 score.
"""

import heapq
import json
import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.databases.business import business, limits
from harness.databases.state import state
from harness.errors import WorkshopError
from harness.knowledge import schema_introspection
from harness.knowledge.facts import (
    EMBED_AT_ONCE,
    FactIndex,
    apply_facts,
    delete_facts,
    embed_pending,
    fact_index,
    facts_by_word,
)
from harness.memory import corrections
from harness.retrieval.embedding import embed_if_possible
from harness.retrieval.fusion import reciprocal_rank_fusion
from harness.retrieval.lexical_search import question_words, rank_by_words

if TYPE_CHECKING:
    import numpy as np

KINDS = (*schema_introspection.FACT_KINDS, "correction")
DEFAULT_OWNER = "SUPPLYCHAIN"
_FORMAT = 2  # of the facts; raise it when their text changes, and every home scans again
_SHIPPED = ":supplychain-"  # how the file of the shipped data is called, its hash after it
_SERVER = "@"  # in the source of a database on a server: user@address
_DEPTH = 50  # how far down each leg's ranking counts
_CORRECTIONS = 10  # candidates taken from memory for one question
_CLOSE = 0.45  # a cosine from which a correction is about the question without sharing words
_ANY_VECTOR = "SELECT 1 FROM facts WHERE owner = ? AND vector IS NOT NULL LIMIT 1"
_COUNT = re.compile(r", \d+ rows(?=\.)")
_checked_homes: set[tuple[Path, str]] = set()
_scan_lock = threading.Lock()


def scan_schema(owner: str = DEFAULT_OWNER) -> dict[str, int]:
    """Bring the facts about `owner`'s schema up to date with the database.

    Returns counts: tables, columns, relationships, patterns (what the schema has now), and added,
    updated, removed, embedded (what this scan did), pending (facts without a vector yet). Only
    what changed is embedded. Raises WorkshopError for a schema that isn't there.
    """
    owner = owner.strip().upper() if isinstance(owner, str) else ""
    database = business()
    facts = schema_introspection.facts_of(database, owner)
    changes = apply_facts(owner, facts)
    embedded, pending = embed_pending(owner)
    kinds = [fact.kind for fact in facts]
    sizes = zip(
        ("tables", "columns", "relationships", "patterns"),
        schema_introspection.FACT_KINDS,
        strict=True,
    )
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
            elif not state().read(_ANY_VECTOR, (owner,)):  # scanned when there was no model
                embed_pending(owner)
            _checked_homes.add(this)


def _is_outdated(source: str) -> bool:
    """Whether facts come from other shipped data, another server, or another version of this."""
    now = _source(business())
    if source.partition(":")[0] != str(_FORMAT):
        return True
    both = (source, now)
    shipped, served = all(_SHIPPED in each for each in both), any(_SERVER in each for each in both)
    return source != now and (shipped or served)


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
    pool = _Pool(query, fact_index(), wanted)
    ranked = [key for key, _ in reciprocal_rank_fusion(pool.rankings())]
    first = pool.matching[: max(1, k // 3)]
    return [pool.entry(key) for key in list(dict.fromkeys([*first, *ranked]))[:k]]


def search_by_meaning(query: str, k: int = 5) -> list[dict[str, Any]]:
    """The first leg alone: the facts whose vectors are nearest."""
    ensure_scanned()
    pool = _Pool(query, fact_index(), set(schema_introspection.FACT_KINDS))
    return [pool.entry(key) for key in pool.by_meaning()[:k]]


def search_by_word(query: str, k: int = 5) -> list[dict[str, Any]]:
    """The second leg alone: the facts that share words with the query."""
    ensure_scanned()
    pool = _Pool(query, fact_index(), set(schema_introspection.FACT_KINDS))
    return [pool.entry(key) for key in pool.by_word()[:k]]


def forget_facts(kinds: Sequence[str] | str | None = None, subject: str | None = None) -> int:
    """Remove scanned facts (of these kinds, of this subject); the next scan finds them again."""
    wanted = _checked_kinds(kinds)
    return delete_facts(wanted, subject)


def all_facts(kinds: Sequence[str] | str | None = None) -> list[dict[str, Any]]:
    """Every scanned fact (kind, subject, body, metadata), ordered by kind and subject."""
    wanted = _checked_kinds(kinds)
    rows = state().read("SELECT kind, subject, body, metadata FROM facts ORDER BY kind, subject")
    return [
        as_seen({**dict(row), "metadata": json.loads(row["metadata"])})
        for row in rows
        if row["kind"] in wanted
    ]


def as_seen(fact: dict[str, Any]) -> dict[str, Any]:
    """A fact without values and counts of rows, for who may see a part of the rows only."""
    if not limits():
        return fact
    body = _COUNT.sub("", str(fact["body"]).partition(" Values: ")[0], count=1)
    return {**fact, "body": body}


def _seen_index(index: FactIndex) -> FactIndex:
    """The facts as this session sees them, with the vectors of what is left of each.

    Found by a value that it may not see, a fact would tell of it.
    """
    if not limits():
        return index
    seen = {fact_id: as_seen(fact) for fact_id, fact in index.facts.items()}
    changed = [i for i, key in enumerate(index.ids) if seen[key] != index.facts[key]]
    left = [seen[index.ids[i]] for i in changed[:EMBED_AT_ONCE]]
    texts = [
        schema_introspection.embedded_text(fact["kind"], fact["subject"], fact["body"])
        for fact in left
    ]
    matrix = index.matrix.copy()
    matrix[changed] = 0.0  # found by word alone
    if texts and (vectors := embed_if_possible(texts)) is not None:
        matrix[changed[: len(texts)]] = vectors
    return replace(index, facts=seen, matrix=matrix)


def _source(database: Any) -> str:
    return f"{_FORMAT}:{database.source}"


class _Pool:
    """The candidates for one question: facts by position in the index, corrections as "c0" ..."""

    def __init__(self, query: str, index: FactIndex, kinds: set[str]) -> None:
        self._query = query
        self._index = index = _seen_index(index)
        self._kinds = kinds
        vectors = embed_if_possible([query])  # None without a model: the word leg goes on alone
        vector = None if vectors is None else vectors[0]
        found = _corrections(query, vector) if "correction" in kinds else []
        self._corrections = {f"c{i}": correction for i, correction in enumerate(found)}
        # Rounded before sorting: another machine's last digits must not change an order.
        cosines: list[float] = [] if vector is None else (index.matrix @ vector).tolist()
        self._cosines: dict[int | str, float] = {
            fact_id: round(c, 4)
            for fact_id, c in zip(index.ids, cosines, strict=vector is not None)
        }
        self._cosines |= {k: 1.0 - c["distance"] for k, c in self._corrections.items()}
        self.matching = [key for key in self._corrections if self._matches(key)]

    def rankings(self) -> list[list[int | str]]:
        """Corrections that match, facts by word, all by meaning; at a tie the first one wins."""
        return [[*self.matching], self.by_word(), self.by_meaning()]

    def entry(self, key: int | str) -> dict[str, Any]:
        """A result as retrieve_knowledge returns it."""
        found = self._corrections[key] if isinstance(key, str) else self._index.facts[key]
        return {**found, "distance": round(1.0 - self._cosines.get(key, 0.0), 4)}

    def by_word(self) -> list[int | str]:
        """Facts that share a word with the question, best first."""
        if not limits():
            return [*facts_by_word(self._query, self._kinds, _DEPTH)]
        texts = {  # the stored index of words knows the values
            f"{place:09}": f"{fact['subject']} {fact['body']}"
            for place, fact in enumerate(self._index.facts.values())
            if fact["kind"] in self._kinds
        }
        ranked = rank_by_words(self._query, texts)[:_DEPTH]
        return [self._index.ids[int(place)] for place in ranked]

    def by_meaning(self) -> list[int | str]:
        """Facts and corrections by nearness, best first."""
        facts = self._index.facts
        near = [
            key
            for key in self._cosines
            if isinstance(key, str) or facts[key]["kind"] in self._kinds
        ]
        # Among equals a correction comes first.
        return heapq.nsmallest(_DEPTH, near, key=lambda k: (-self._cosines[k], isinstance(k, int)))

    def _matches(self, key: str) -> bool:
        """Whether a correction is about the question, rather than merely the nearest there is."""
        correction = self._corrections[key]
        asked = set(question_words(self._query))
        about = set(question_words(str(correction["subject"])))
        shared = asked & (about | set(question_words(str(correction["body"]))))
        return len(shared) > 1 or (bool(about) and about <= asked) or self._cosines[key] >= _CLOSE


def _corrections(query: str, vector: "np.ndarray | None") -> list[dict[str, Any]]:
    return corrections(query if vector is None else vector, _CORRECTIONS, text=query)


def _checked_kinds(kinds: Sequence[str] | str | None) -> set[str]:
    wanted = set(KINDS if kinds is None else [kinds] if isinstance(kinds, str) else kinds)
    unknown = sorted(map(str, wanted - set(KINDS)))
    if unknown:
        raise WorkshopError(
            f"There is no kind of fact named {unknown[0]!r}.", f"Kinds: {', '.join(KINDS)}."
        )
    return wanted or set(KINDS)
