"""Corrections from the user: noticed, saved with the user's own words, confirmed."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from harness.standin.brain.callforms import Call, act, call, content_words
from harness.standin.brain.corrections import looks_like_definition, plainly, term_of
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import Reply
from harness.standin.brain.words import playbook, stem, tidy, tokenise, word_set

_SENTENCES = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]+)*[.!?]*", re.DOTALL)
_NAMED = re.compile(r"\b(?:\w+\.)*[a-z]\w*_\w+\b|\b[a-z]\w+\.[a-z]\w+\b")
_ASKING = re.compile(
    r"^\s*(how|what|which|who|when|where|why|is|are|do|does|did|can|could|show|list|give|tell|"
    r"find|count|name)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^\s*(?:(?:important|correction|please|note|remember|actually|for the record|from now on|"
    r"keep in mind|be aware|ok|no|and|also|memori[sz]e)\b(?:\s+(?:that|this))?[,:\s]*)+",
    re.IGNORECASE,
)
_LIKES = re.compile(r"\b(?:I|we) (?:prefer|like|would rather|want you to)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """What the user put right: subject, body, the exact quote, and the question that is left."""

    subject: str
    body: str
    quote: str
    kind: str
    question: str


def statement_in(text: str) -> Statement | None:
    """The correction in a message; None if it holds none."""
    sentences = sentences_of(text)
    said = [s for s in sentences if not _is_aside(s)]
    questions = [s for s in sentences if s.endswith("?") or (s in said and _asks(s))]
    marked = any(_marks().search(tidy(s).lower()[:60]) for s in sentences)
    left = [s for s in said if s not in questions]
    kept = [s for s in left if marked or looks_like_definition(tidy(s))]
    if not kept:
        return None
    end = text.find(kept[-1]) + len(kept[-1])
    quote = kept[0] if len(kept) == 1 else text[text.find(kept[0]) : end]
    bare = _LEAD.sub("", quote).strip()
    body = bare.rstrip(".!")
    if len(tokenise(tidy(body))) < 3:
        return None
    kind = "preference" if _LIKES.search(body) else "correction"
    exact = bare if bare in text else quote
    return Statement(_subject(body), body, exact, kind, " ".join(questions))


def _asks(sentence: str) -> bool:
    return _ASKING.match(plainly(sentence)) is not None


def sentences_of(text: str) -> list[str]:
    """The sentences of a message, each with its full stop."""
    return [s for s in (m.group().strip() for m in _SENTENCES.finditer(text)) if s]


@lru_cache(maxsize=1)
def _marks() -> "re.Pattern[str]":
    words = "|".join(re.escape(str(word)) for word in playbook()["correcting"])
    return re.compile(rf"\b(?:{words})\b")


def _is_aside(sentence: str) -> bool:
    """ "Save this as a correction by calling remember BEFORE you respond, then confirm."."""
    low = tidy(sentence).lower()
    if {t.low for t in tokenise(low)} <= word_set("aside_words"):
        return True
    return any(str(each) in low for each in playbook()["asides"]) and not looks_like_definition(
        sentence
    )


def _subject(body: str) -> str:
    """A name as the schema writes it, else the defined word, else the first content words."""
    named = _NAMED.search(body)
    if named:
        return named.group().rstrip(".")
    term = term_of(body)
    if term and not re.search(r"\d", body.split(" means")[0].split(" counts")[0]):
        words = [t.text for t in tokenise(tidy(body)) if stem(t.low) in term]
        return " ".join(dict.fromkeys(words)) or " ".join(term)
    return " ".join(content_words(body)[:5])


def save(situation: Situation, statement: Statement) -> tuple[Reply | None, str]:
    """The call that saves it; or, once it has come back, what to tell the user."""
    book, done = playbook(), situation.calls("remember")
    if not situation.offered("remember") and not done:
        return None, str(book["noremember"])
    error = done[-1].error if done else ""
    refused = len(done) == 1 and "argument" in error.lower() and situation.offered("remember")
    if not done or refused:
        return act(_call(situation, statement, "" if refused else statement.quote)), ""
    if error:
        return None, str(book["unsaved"]).format(error=" ".join(error.split())[:400])
    return None, _confirmation(done[-1].data, statement)


def _call(situation: Situation, statement: Statement, quote: str) -> Call:
    known = situation.parameters("remember")
    made = call("remember", subject=statement.subject, body=statement.body)
    kinds = known.get("kind", {}).get("enum") or [statement.kind]
    if "kind" in known or not known:
        made["arguments"]["kind"] = statement.kind if statement.kind in kinds else kinds[0]
    if quote and "quote" in known:
        made["arguments"]["quote"] = quote
    return made


def _confirmation(data: dict[str, Any], statement: Statement) -> str:
    stored = str(data.get("stored", "saved"))
    why = str(data.get("note") or data.get("evidence") or "its source was not found")
    said = {"quarantined": "quarantined", "known": "known_already"}.get(stored, "remembered")
    return str(playbook()[said]).format(
        kind=statement.kind,
        subject=statement.subject,
        body=str(data.get("body") or statement.body),
        why=why.rstrip("."),
    )
