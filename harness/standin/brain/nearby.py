"""After a refusal: a word that may have been meant, and a question near to it that works."""

import re
from difflib import get_close_matches

from harness.standin.brain.frames import parse
from harness.standin.brain.knowing import Knowing
from harness.standin.brain.link import general
from harness.standin.brain.tree import Problem
from harness.standin.brain.words import keys, playbook, tidy, tokenise

_LONGEST = 300  # characters of a question that is tried again


def near_question(text: str, problem: Problem, known: Knowing) -> str:
    """One line of help: "Did you mean voyages? What works: ...". "" where nothing is near."""
    if not known.schema.tables or len(text) > _LONGEST:
        return ""
    meant = {word: close for word in problem.words if (close := _meant(word, known))}
    rest = [word for word in problem.words if word not in meant]
    mended = meant or _adjectives(text, rest, known)
    tries = [_replaced(text, {**meant, **dict.fromkeys(rest, "")})] if mended else []
    tries.append(f"How many {_readable(text, known)} are there?")
    question = next((t for t in tries if _works(t, known)), "")
    book = playbook()
    lines = [str(book["meant"]).format(words=" and ".join(meant.values()))] if meant else []
    lines += [str(book["near"]).format(question=question)] if question else []
    return " ".join(lines)


def _meant(word: str, known: Knowing) -> str:
    """The known word that a misspelt one is nearest to; "" where none is near."""
    low = word.lower()
    if not low.isalpha() or len(low) < 4:
        return ""
    names = {part for t in known.schema.tables.values() for part in t.short.split("_")}
    names |= {part for c in known.schema.columns for part in c.name.split("_") if len(part) > 3}
    values = {str(v) for c in known.schema.columns for v in c.values if c.is_text}
    phrases = {p[0] for p in general() if len(p) == 1 and len(p[0]) > 3}
    for pool in (names, {v.lower(): v for v in sorted(values)}, phrases):
        close = get_close_matches(low, sorted(pool), 1, 0.8)
        if close:
            found = str(pool[close[0]]) if isinstance(pool, dict) else close[0]
            return "" if found.lower() == low else found
    return ""


def _replaced(text: str, meant: dict[str, str]) -> str:
    for word, new in meant.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", new, text, flags=re.IGNORECASE)
    return re.sub(r"\s+([?.!,])", r"\1", " ".join(text.split()))


def _adjectives(text: str, words: list[str], known: Knowing) -> bool:
    """Whether each word stands right before a noun, so that the question can do without it."""
    low = [t.key for t in tokenise(tidy(text))]
    for word in words:
        last = keys(word)[-1:]
        at = low.index(last[0]) if last and last[0] in low else len(low)
        if at + 1 >= len(low) or (low[at + 1],) not in known.lexicon.tables:
            return False
    return bool(words)


def _readable(text: str, known: Knowing) -> str:
    """The noun of a question, as it was written; else the table that refers to most others."""
    for token in tokenise(tidy(text)):
        if (token.key,) in known.lexicon.tables and token.low.endswith("s"):
            return token.low
    refers = [r.table for r in known.schema.references]
    most = max(sorted(known.schema.tables), key=refers.count)
    return known.schema.tables[most].short.replace("_", " ")


def _works(text: str, known: Knowing) -> bool:
    try:
        parse(text, known.world)
    except (Problem, LookupError):
        return False
    return True
