"""Courtesies, other languages, and questions about the stand-in itself."""

import re
from functools import lru_cache

from harness.standin.brain.link import plain
from harness.standin.brain.refusal import Reply, said
from harness.standin.brain.words import playbook, tidy, tokenise


def small_talk(question: str) -> Reply | None:
    """Greetings, and questions about the stand-in itself."""
    low = low_words(question)
    for each in playbook()["talk"].values():
        words = [low_words(str(word)) for word in each["words"]]
        if low in words or any(
            low.startswith(f"{w} ") for w in words if len(w.split()) > 2 and "stuck" in w
        ):
            return said(str(each["text"]).format(can=playbook()["can"]))
    return _foreign(question)


@lru_cache(maxsize=1024)  # the playbook's phrases are the same at every request
def low_words(text: str) -> str:
    """A phrase in small letters, put plainly, without punctuation."""
    return " ".join(t.low for t in tokenise(tidy(plain(text)[:400])))


def _foreign(question: str) -> Reply | None:
    """One line in the language of the question, where it is a common one."""
    for script in playbook()["scripts"]:
        if any(script["from"] <= ord(letter) <= script["to"] for letter in question[:200]):
            return said(str(script["text"]))
    words = {w.lower() for w in re.findall(r"[^\W\d_]+", question[:400])}
    found = {
        name: len(words & set(map(str, each["words"])))
        for name, each in playbook()["languages"].items()
    }
    best = max(found, key=lambda name: found[name])
    enough = found[best] >= 2 and 2 * found[best] >= len(words) * 0.6
    return said(str(playbook()["languages"][best]["text"])) if enough else None
