"""What the user puts right or takes back: noticed, saved or forgotten with the user's own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from harness.standin.brain.corrections import looks_like_definition, plainly, stems, term_of
from harness.standin.brain.reading import Situation
from harness.standin.brain.replies import Call, Reply, act, call, content_words
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


_LONGEST = 4000  # characters of a message that is read


@dataclass(frozen=True)
class Withdrawal:
    """What is taken back ("" for what was said last), the words that ask for it, what is left."""

    about: str
    quote: str
    question: str


def withdrawal_in(text: str) -> Withdrawal | None:
    """The sentence of a message that takes something back; None if it has none."""
    sentences = sentences_of(text)
    for n, sentence in enumerate(sentences):
        match = _asking().match(sentence)
        if match and not (match["object"] is None and looks_like_definition(sentence)):
            rest = " ".join([*sentences[:n], *sentences[n + 1 :]])
            about = _about(match["object"] or "")
            rest = "" if not about and statement_in(rest) is None and "?" not in rest else rest
            return Withdrawal(about, sentence.rstrip(".!? "), rest)
    return None


@lru_cache(maxsize=1)
def _asking() -> "re.Pattern[str]":
    book = playbook()["takeback"]
    polite, begin, whole = (
        "|".join(re.escape(str(word)) for word in book[k]) for k in ("polite", "begin", "whole")
    )
    return re.compile(
        rf"\s*(?:(?:{polite})\b[,\s]*)*(?:(?:{begin})\b(?P<object>.*)|(?:{whole})\b.*)",
        re.IGNORECASE | re.DOTALL,
    )


def _about(text: str) -> str:
    """The object of "forget": without "what I said about", quotes and full stops; "" for "it"."""
    text = text.strip(" .!?,:\"'")
    lead = "|".join(re.escape(str(w)) for w in playbook()["takeback"]["lead"])
    text = re.sub(rf"^(?:(?:{lead})\b[\s:,]*)+", "", text, flags=re.IGNORECASE)
    return text.strip(" .!?,:\"'")


def forget(situation: Situation, asked: Withdrawal) -> tuple[Reply | None, str]:
    """The call that takes it back; or, once it has come back, what to tell the user."""
    book, done = playbook()["takeback"], situation.calls("forget")
    about = asked.about or _last_said(situation)
    if not about:
        return None, str(book["nothing"])
    if not done and not situation.offered("forget"):
        replaced = statement_in(asked.question) is not None
        return None, "" if replaced else str(playbook()["noforget"])
    if not done:
        return act(call("forget", about=about, quote=asked.quote)), ""
    step = done[-1]
    options = [c for c in step.data.get("candidates") or [] if isinstance(c, dict)]
    plain = [str(c.get("record_id")) for c in options if _is_about(str(c.get("body")), about)]
    if len(plain) == 1 and len(done) == 1 and situation.offered("forget"):
        return act(call("forget", about=plain[0], quote=asked.quote)), ""
    if step.error:
        return None, str(book["failed"]).format(error=" ".join(step.error.split())[:400])
    if step.data.get("forgotten"):
        _withdraw(situation, about)
        return None, str(book["done"]).format(about=about)
    lines = [f'- "{c.get("body")}": forget {c.get("record_id")}' for c in options[:5]]
    unknown = str(book["unknown"]).format(about=about)
    return None, "\n".join([str(book["which"]), *lines]) if lines else unknown


def _last_said(situation: Situation) -> str:
    """What "it" is: the newest statement of the thread, else the only memory."""
    for role, text in reversed(situation.recent):
        statement = statement_in(text) if role == "user" else None
        if statement is not None:
            return statement.body
    return situation.memories[0] if len(situation.memories) == 1 else ""


def _withdraw(situation: Situation, about: str) -> None:
    """What was taken back counts no longer, wherever the context still has it."""
    situation.memories = [m for m in situation.memories if not _is_about(m, about)]
    situation.facts = [
        f for f in situation.facts if f.kind != "correction" or not _is_about(f.body, about)
    ]
    situation.recent = [r for r in situation.recent if not _states(r, about)]


def still_said(recent: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The thread without what is too long to read, and what a later message takes back."""
    kept: list[tuple[str, str]] = []
    for role, text in recent:
        if len(text) > _LONGEST:
            continue
        asked = withdrawal_in(text) if role == "user" else None
        if asked is not None and asked.about:
            kept = [r for r in kept if not _states(r, asked.about)]
        elif asked is not None:
            at = [n for n, r in enumerate(kept) if r[0] == "user" and statement_in(r[1])]
            kept = [r for n, r in enumerate(kept) if n not in at[-1:]]
        left = text if asked is None else asked.question
        kept += [(role, left)] if left else []
    return kept


def _states(message: tuple[str, str], about: str) -> bool:
    """Whether a message of the thread is the statement that is taken back."""
    role, text = message
    return role == "user" and _is_about(text, about) and statement_in(text) is not None


def _is_about(text: str, about: str) -> bool:
    """Whether a text has all the words that say what is taken back."""
    quiet = word_set("stop") | set(map(str, playbook()["takeback"]["quiet"]))
    words = {w for w in stems(about) if w not in quiet}
    return bool(words) and words <= set(stems(text))
