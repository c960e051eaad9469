"""The helpdesk's documentation: a small knowledge base in versions, and searching it by keywords.

The articles are in data/helpdesk/*.yaml. A topic has either one text for each version of the
tracking API or a single text without one; an answer never names a version that no article has.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from harness.errors import WorkshopError
from harness.retrieval.embedding import embed_if_possible
from harness.retrieval.lexical_search import search_words
from harness.settings import root

DOCS = "https://docs.harbourline.example"
NO_VERSION = "version not specified in docs"
CONFIDENT = 0.85
MAX_SNIPPETS = 3  # in one answer

_IN_HEADING, _IN_TEXT = 1.0, 0.6  # what a keyword counts that an article holds there
_MEANING_AT_MOST = 0.84  # meaning alone suggests an article, only words confirm it
_WORTH_SHOWING = 0.3


@dataclass(frozen=True)
class Article:
    """One text of one topic. `versions` are those it documents; empty where there are none."""

    area: str
    topic: str
    title: str
    keywords: str
    text: str
    versions: tuple[str, ...]


@dataclass(frozen=True)
class Snippet:
    """A found article as it is shown: `confidence` from 0 to 1, to two places."""

    source: str
    title: str
    version: str
    excerpt: str
    confidence: float

    @property
    def line(self) -> str:
        """Source, excerpt and confidence, as an answer cites them."""
        return f"{self.source} | {self.excerpt} | {self.confidence:.2f}"


def articles() -> tuple[Article, ...]:
    """Every article, by topic. Raises WorkshopError for a file that can't be read."""
    return _read(root() / "data" / "helpdesk")


def versions() -> list[str]:
    """Every version that some article documents, oldest first."""
    return sorted({v for article in articles() for v in article.versions}, key=_number)


def source_of(article: Article, version: str) -> str:
    """The address that an answer cites."""
    place = [article.area, *([version] if article.versions else []), article.topic]
    return "/".join([DOCS, *place])


def search(terms: Sequence[str], version: str | None = None) -> list[Snippet]:
    """The articles that fit the keywords, best first: of one version, or each topic's latest.

    Articles without a version are among them. At most three, none below 0.3 or half of the best.
    """
    chosen = [(a, v) for a in articles() if (v := _version_shown(a, version)) is not None]
    scores = _confidences(terms, [article for article, _ in chosen])
    ranked = sorted(range(len(chosen)), key=lambda i: (-scores[i], chosen[i][0].topic))
    least = max(_WORTH_SHOWING, max(scores, default=0.0) / 2)
    found = [i for i in ranked[:MAX_SNIPPETS] if scores[i] >= least]
    return [_snippet(*chosen[i], scores[i]) for i in found]


def documented_in(terms: Sequence[str], version: str) -> list[str]:
    """Versions other than `version` that document what these keywords surely mean."""
    known = [a for a in articles() if a.versions and version not in a.versions]
    scores = _confidences(terms, known)
    sure = [a for a, score in zip(known, scores, strict=True) if score >= CONFIDENT]
    return sorted({v for article in sure for v in article.versions}, key=_number)


def _confidences(terms: Sequence[str], among: Sequence[Article]) -> list[float]:
    """How surely each article is meant: the share of the keywords that it holds.

    Rare keywords weigh more, and one that no article has weighs most. An article that is near in
    meaning but shares no words stays below what counts as sure.
    """
    if not among:
        return []
    words = list(dict.fromkeys(word for term in terms for word in search_words(term)))
    query = " ".join(terms).lower()
    vectors = embed_if_possible([query, *(f"{a.title}. {a.text}" for a in among)])
    nearness = [0.0] * len(among) if vectors is None else (vectors[1:] @ vectors[0]).tolist()
    weights = {word: _rarity(word) for word in words}
    total = sum(weights.values()) or 1.0

    def confidence(article: Article, near: float) -> float:
        heading, text = _words_of(article)
        held = sum(
            weight * (_IN_HEADING if word in heading else _IN_TEXT if word in text else 0.0)
            for word, weight in weights.items()
        )
        return round(max(held / total, min(near, _MEANING_AT_MOST), 0.0), 2)

    return [confidence(a, near) for a, near in zip(among, nearness, strict=True)]


def _rarity(word: str) -> float:
    """The weight of a keyword, by the number of topics that hold it."""
    topics = {a.topic for a in articles() if any(word in words for words in _words_of(a))}
    return math.log(1 + (1 + len(articles())) / (1 + len(topics)))


@lru_cache(maxsize=256)
def _words_of(article: Article) -> tuple[frozenset[str], frozenset[str]]:
    heading = search_words(f"{article.topic} {article.title} {article.keywords}")
    return frozenset(heading), frozenset(search_words(article.text))


def _version_shown(article: Article, wanted: str | None) -> str | None:
    """The version under which an article is shown, None where it is not to be shown."""
    if not article.versions:
        return NO_VERSION
    if wanted is not None:
        return wanted if wanted in article.versions else None
    of_topic = [v for a in articles() if a.topic == article.topic for v in a.versions]
    latest = max(of_topic, key=_number)
    return latest if latest in article.versions else None


def _snippet(article: Article, version: str, confidence: float) -> Snippet:
    source = source_of(article, version)
    return Snippet(source, article.title, version, article.text, confidence)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("v").split("."))


@lru_cache(maxsize=2)
def _read(folder: Path) -> tuple[Article, ...]:
    found: list[Article] = []
    for file in sorted(folder.glob("*.yaml")):
        try:
            for topic in yaml.safe_load(file.read_text(encoding="utf-8")):
                found += _articles_of(file.stem, topic)
        except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError) as error:
            raise WorkshopError(
                f"data/helpdesk/{file.name} is broken ({type(error).__name__}).",
                "Restore it from the repository.",
            ) from error
    if not found:
        raise WorkshopError("data/helpdesk holds no articles.", "Restore it from the repository.")
    return tuple(sorted(found, key=lambda a: (a.topic, a.versions)))


def _articles_of(area: str, topic: dict[str, Any]) -> list[Article]:
    head = (area, topic["id"], topic["title"], topic["keywords"])
    if "text" in topic:
        return [Article(*head, topic["text"], ())]
    return [Article(*head, text, tuple(names.split())) for names, text in topic["versions"].items()]
