"""Courtesies, other languages, and questions about the stand-in, its tools and its ideas."""

import re
from functools import lru_cache
from typing import Any

from harness.standin.brain.knowing import know
from harness.standin.brain.link import plain
from harness.standin.brain.reading import Situation
from harness.standin.brain.replies import Reply, act, call, refuse, said, search_call
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


_NAMED = re.compile(
    r"(?:how (?:does|do) (?:i use )?|what (?:does|is) |explain |describe |when "
    r"(?:do|should) i use )(\w+?)(?: work| do| for)?\W*"
)


def about_itself(situation: Situation) -> Reply | None:
    """Its tools, its skills, the day in the data, the workshop's ideas; None for the rest."""
    low, book = low_words(situation.question), playbook()
    for asked, reply in (("tools", _tools), ("skills", _skills), ("today", _today)):
        if low in [low_words(str(w)) for w in book[f"{asked}_asked"]]:
            return reply(situation)
    named = _NAMED.fullmatch(situation.question.strip().lower())
    if named and named[1] in situation.tools:
        description = str(situation.tools[named[1]].get("description") or "It has no description.")
        return said(f"{named[1]}: {description}")
    return _idea(low)


def _first(text: Any) -> str:
    return re.split(r"(?<=[.])\s", " ".join(str(text or "").split()))[0]


def _tools(situation: Situation) -> Reply:
    tools = sorted(situation.tools.items())
    lines = [f"- {name}: {_first(each.get('description'))}" for name, each in tools]
    offered = "\n".join(["In this turn I was offered:", *lines])
    return said(offered if lines else str(playbook()["notools"]))


def _skills(situation: Situation) -> Reply:
    if situation.offered("list_skills") and not situation.calls("list_skills"):
        return act(call("list_skills", query="skills"))
    listed = situation.known_skills[len(situation.skills) :]
    known = dict(listed or situation.skills)
    lines = [f"- {name}: {_first(text)}" for name, text in known.items()]
    if not lines:
        return refuse("I was shown no playbook.")
    return said("\n".join(["Playbooks that I know of:", *lines]))


def _today(situation: Situation) -> Reply:
    if not situation.calls("search_knowledge") and situation.offered("search_knowledge"):
        return act(search_call(situation, "snapshot today is", 8))
    today = know(situation).today
    if today is None:
        return refuse("No fact that I was shown states which day is today in this data.")
    return said(f"In this data today is {today} ({today:%A}).")


def _idea(low: str) -> Reply | None:
    """A question for one of the workshop's ideas, and nothing else."""
    book = playbook()
    for start in sorted(map(str, book["explaining"]), key=len, reverse=True):
        rest = low.removeprefix(f"{start} ")
        for end in map(str, book["explained"]):
            rest = rest.removesuffix(f" {end}")
        for each in book["ideas"].values() if low.startswith(f"{start} ") else ():
            if rest in [low_words(str(w)) for w in each["words"]]:
                return said(str(each["text"]))
    return None
