"""What the user takes back: noticed, forgotten through the tool, and no longer counted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.standin.brain.callforms import act, call
from harness.standin.brain.corrections import looks_like_definition, stems
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import Reply
from harness.standin.brain.remember import sentences_of, statement_in
from harness.standin.brain.words import playbook, word_set

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
