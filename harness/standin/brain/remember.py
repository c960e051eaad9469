"""Corrections from the user: noticed, saved with the user's own words, confirmed."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from harness.standin.brain.callforms import call, content_words
from harness.standin.brain.corrections import looks_like_definition, plainly, term_of
from harness.standin.brain.reading import Situation
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
    asides = [s for s in sentences if _is_aside(s)]
    questions = [
        s for s in sentences if s.endswith("?") or (_ASKING.match(plainly(s)) and s not in asides)
    ]
    left = [s for s in sentences if s not in asides and s not in questions]
    marked = any(_is_marked(s) for s in sentences)
    kept = [s for s in left if marked or looks_like_definition(tidy(s))]
    if not kept:
        return None
    quote = (
        kept[0]
        if len(kept) == 1
        else text[text.find(kept[0]) : text.find(kept[-1]) + len(kept[-1])]
    )
    body = _LEAD.sub("", quote).strip().rstrip(".!")
    if len(tokenise(tidy(body))) < 3:
        return None
    return Statement(
        _subject(body),
        body,
        _LEAD.sub("", quote).strip() if _LEAD.sub("", quote).strip() in text else quote,
        "preference" if _LIKES.search(body) else "correction",
        " ".join(questions),
    )


def sentences_of(text: str) -> list[str]:
    """The sentences of a message, each with its full stop."""
    return [s for s in (m.group().strip() for m in _SENTENCES.finditer(text)) if s]


def _is_marked(sentence: str) -> bool:
    return _marks().search(tidy(sentence).lower()[:60]) is not None


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


def save(situation: Situation, statement: Statement) -> tuple[dict[str, Any] | None, str]:
    """The call that saves it; or, once it has come back, what to tell the user."""
    book = playbook()
    done = situation.calls("remember")
    if not done:
        if not situation.offered("remember"):
            return None, str(book["noremember"])
        return {"content": None, "tool_calls": [_call(situation, statement, statement.quote)]}, ""
    step = done[-1]
    if step.error:
        if len(done) == 1 and situation.offered("remember") and "argument" in step.error.lower():
            return {"content": None, "tool_calls": [_call(situation, statement, "")]}, ""
        return None, str(book["unsaved"]).format(error=" ".join(step.error.split())[:400])
    return None, _confirmation(step.data, statement)


def _call(situation: Situation, statement: Statement, quote: str) -> dict[str, Any]:
    known = situation.parameters("remember")
    made = call("remember", subject=statement.subject, body=statement.body)
    kinds = known.get("kind", {}).get("enum")
    kind = statement.kind if not kinds or statement.kind in kinds else kinds[0]
    if "kind" in known or not known:
        made["arguments"]["kind"] = kind
    if quote and "quote" in known:
        made["arguments"]["quote"] = quote
    return made


def _confirmation(data: dict[str, Any], statement: Statement) -> str:
    book = playbook()
    stored = str(data.get("stored", "saved"))
    body = str(data.get("body") or statement.body)
    if stored == "quarantined":
        why = str(data.get("note") or data.get("evidence") or "its source was not found")
        return str(book["quarantined"]).format(why=why.rstrip("."))
    if stored == "known":
        return str(book["known_already"]).format(body=body)
    return str(book["remembered"]).format(
        kind=statement.kind,
        subject=statement.subject,
        body=body,
        record=data.get("record_id", "?"),
        stored=stored,
    )
