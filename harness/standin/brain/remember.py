"""What the user puts right or takes back: noticed, saved or forgotten with the user's own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from harness.standin.brain.corrections import looks_like_definition, plainly, stems, term_of
from harness.standin.brain.reading import Situation
from harness.standin.brain.replies import ask, call, content_words, fitted, readable
from harness.standin.brain.words import pattern, phrase, playbook, stem, tidy, tokenise, word_set

_LONGEST = 4000  # characters of a message that is read
_SENTENCES = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]+)*[.!?]*", re.DOTALL)
_NAMED = re.compile(r"\b(?:\w+\.)*[a-z]\w*_\w+\b|\b[a-z]\w+\.[a-z]\w+\b")


@dataclass(frozen=True)
class Statement:
    """What the user put right: subject, body, the exact quote, and the question that is left."""

    subject: str
    body: str
    quote: str
    kind: str
    question: str


@dataclass(frozen=True)
class Withdrawal:
    """What is taken back ("" for what was said last), the words that ask for it, what is left."""

    about: str
    quote: str
    question: str


def sentences_of(text: str) -> list[str]:
    """The sentences of a message, each with its full stop."""
    return [s for s in (m.group().strip() for m in _SENTENCES.finditer(text)) if s]


def statement_in(text: str) -> Statement | None:
    """The correction in a message; None if it holds none."""
    sentences, asking = sentences_of(text), pattern("question")
    said = [s for s in sentences if not _is_aside(s)]
    questions = [
        s for s in sentences if s.endswith("?") or (s in said and asking.match(plainly(s)))
    ]
    marked = any(pattern("mark").search(tidy(s)[:60]) for s in sentences)
    left = [s for s in said if s not in questions]
    kept = [s for s in left if marked or looks_like_definition(tidy(s))]
    if not kept:
        return None
    quote = text[text.find(kept[0]) : text.find(kept[-1]) + len(kept[-1])]
    bare = pattern("lead").sub("", quote).strip()
    body = bare.rstrip(".!")
    if len(tokenise(tidy(body))) < 3:
        return None
    kind = "preference" if pattern("likes").search(body) else "correction"
    exact = bare if bare in text else quote
    return Statement(_subject(body), body, exact, kind, " ".join(questions))


def _is_aside(sentence: str) -> bool:
    """ "Save this as a correction by calling remember BEFORE you respond, then confirm."."""
    low = tidy(sentence).lower()
    if {t.low for t in tokenise(low)} <= word_set("aside_words"):
        return True
    told = any(str(each) in low for each in playbook()["asides"])
    return told and not looks_like_definition(sentence)


def _subject(body: str) -> str:
    """A name as the schema writes it, else the defined word, else the first content words."""
    if named := _NAMED.search(body):
        return named.group().rstrip(".")
    term = term_of(body)
    if term and not re.search(r"\d", body.split(" means")[0].split(" counts")[0]):
        words = [t.text for t in tokenise(tidy(body)) if stem(t.low) in term]
        return " ".join(dict.fromkeys(words)) or " ".join(term)
    return " ".join(content_words(body)[:5])


def save(situation: Situation, statement: Statement) -> str:
    """What to tell the user once it is saved. Raises Settled with the call that saves it."""
    done, offered = situation.calls("remember"), situation.offered("remember")
    if not offered and not done:
        return phrase("noremember")
    refused = offered and len(done) == 1 and "argument" in done[-1].error.lower()
    if not done or refused:
        made = call("remember", subject=statement.subject, body=statement.body)
        kinds = situation.parameters("remember").get("kind", {}).get("enum") or [statement.kind]
        kind = statement.kind if statement.kind in kinds else kinds[0]
        made = fitted(situation, made, False, kind=kind)
        ask(fitted(situation, made, quote="" if refused else statement.quote))
    if done[-1].error:
        return phrase("unsaved", error=" ".join(done[-1].error.split())[:400])
    data = readable(done[-1])
    stored = {"quarantined": "quarantined", "known": "known_already"}
    why = str(data.get("note") or data.get("evidence") or "its source was not found").rstrip(".")
    body, kind = str(data.get("body") or statement.body), statement.kind
    name = stored.get(str(data.get("stored")), "remembered")
    return phrase(name, kind=kind, subject=statement.subject, body=body, why=why)


def withdrawal_in(text: str) -> Withdrawal | None:
    """The sentence of a message that takes something back; None if it has none."""
    sentences = sentences_of(text)
    for n, sentence in enumerate(sentences):
        match = pattern("takeback").match(sentence)
        if match and not (match["object"] is None and looks_like_definition(sentence)):
            rest = " ".join([*sentences[:n], *sentences[n + 1 :]])
            about = _bare(pattern("object").sub("", _bare(match["object"] or "")))
            rest = "" if not about and statement_in(rest) is None and "?" not in rest else rest
            return Withdrawal(about, sentence.rstrip(".!? "), rest)
    return None


def _bare(text: str) -> str:
    return text.strip(" .!?,:\"'")


def forget(situation: Situation, asked: Withdrawal) -> str:
    """What to tell the user once it is taken back. Raises Settled with the call that does it."""
    done, offered = situation.calls("forget"), situation.offered("forget")
    about = asked.about or _last_said(situation)
    if not about:
        return phrase("takeback.nothing")
    if not done and not offered:
        return "" if statement_in(asked.question) else phrase("noforget")
    if not done:
        ask(call("forget", about=about, quote=asked.quote))
    step = done[-1]
    options = [c for c in step.data.get("candidates") or [] if isinstance(c, dict)]
    plain = [str(c.get("record_id")) for c in options if _is_about(str(c.get("body")), about)]
    if len(plain) == 1 and len(done) == 1 and offered:
        ask(call("forget", about=plain[0], quote=asked.quote))
    if step.error:
        return phrase("takeback.failed", error=" ".join(step.error.split())[:400])
    if readable(step).get("forgotten"):
        _withdraw(situation, about)
        return phrase("takeback.done", about=about)
    lines = [f'- "{c.get("body")}": forget {c.get("record_id")}' for c in options[:5]]
    found = [phrase("takeback.which"), *lines]
    return "\n".join(found) if lines else phrase("takeback.unknown", about=about)


def _last_said(situation: Situation) -> str:
    """What "it" is: the newest statement of the thread, else the only memory."""
    said = [text for role, text in reversed(situation.recent) if role == "user"]
    statements = [s.body for s in map(statement_in, said) if s is not None]
    only = situation.memories if len(situation.memories) == 1 else [""]
    return (statements or only)[0]


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
        if asked is not None:
            stated = [r for r in kept if _states(r, asked.about)]
            gone = stated if asked.about else stated[-1:]
            kept = [r for r in kept if r not in gone]
            text = asked.question
        kept += [(role, text)] if text else []
    return kept


def _states(message: tuple[str, str], about: str) -> bool:
    """Whether a message of the thread is the statement that is taken back; "" for any."""
    role, text = message
    told = role == "user" and (not about or _is_about(text, about))
    return told and statement_in(text) is not None


def _is_about(text: str, about: str) -> bool:
    """Whether a text has all the words that say what is taken back."""
    quiet = word_set("stop") | set(map(str, playbook()["takeback"]["quiet"]))
    words = {w for w in stems(about) if w not in quiet}
    return bool(words) and words <= set(stems(text))
