"""Its tools, its skills, the day in the data, the workshop's ideas."""

import re
from typing import Any

from harness.standin.brain.callforms import act, call, search_call
from harness.standin.brain.knowing import know
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.smalltalk import _low
from harness.standin.brain.words import playbook


def about_itself(situation: Situation) -> dict[str, Any] | None:
    """Its tools, its skills, the day in the data, the workshop's ideas; None for the rest."""
    low = _low(situation.question)
    book = playbook()
    if low in [_low(str(w)) for w in book["tools_asked"]]:
        lines = [
            f"- {name}: {_first(each.get('description'))}"
            for name, each in sorted(situation.tools.items())
        ]
        return said(
            "\n".join(["In this turn I was offered:", *lines]) if lines else str(book["notools"])
        )
    if low in [_low(str(w)) for w in book["skills_asked"]]:
        return _skills(situation)
    if low in [_low(str(w)) for w in book["today_asked"]]:
        return _today(situation)
    named = re.fullmatch(
        r"(?:how (?:does|do) (?:i use )?|what (?:does|is) |explain |describe |when "
        r"(?:do|should) i use )(\w+?)(?: work| do| for)?\W*",
        situation.question.strip().lower(),
    )
    if named and named[1] in situation.tools:
        description = str(situation.tools[named[1]].get("description") or "It has no description.")
        return said(f"{named[1]}: {description}")
    return _idea(low)


def _first(text: Any) -> str:
    return re.split(r"(?<=[.])\s", " ".join(str(text or "").split()))[0]


def _skills(situation: Situation) -> dict[str, Any]:
    known = list(situation.skills)
    if situation.offered("list_skills") and not situation.calls("list_skills"):
        return act(call("list_skills", query="skills"))
    for step in situation.calls("list_skills"):
        known = [
            (str(s.get("name")), str(s.get("description")))
            for s in step.data.get("skills") or []
            if isinstance(s, dict)
        ] or known
    lines = [f"- {name}: {_first(text)}" for name, text in known]
    return (
        said("\n".join(["Playbooks that I know of:", *lines]))
        if lines
        else refuse("I was shown no playbook.")
    )


def _today(situation: Situation) -> dict[str, Any]:
    if not situation.calls("search_knowledge") and situation.offered("search_knowledge"):
        return act(search_call(situation, "snapshot today is", 8))
    today = know(situation).today
    if today is None:
        return refuse("No fact that I was shown states which day is today in this data.")
    return said(f"In this data today is {today} ({today:%A}).")


def _idea(low: str) -> dict[str, Any] | None:
    """A question for one of the workshop's ideas, and nothing else."""
    book = playbook()
    for start in sorted(map(str, book["explaining"]), key=len, reverse=True):
        if not low.startswith(f"{start} "):
            continue
        rest = low[len(start) + 1 :]
        for end in map(str, book["explained"]):
            rest = rest.removesuffix(f" {end}")
        for each in book["ideas"].values():
            if rest in [_low(str(w)) for w in each["words"]]:
                return said(str(each["text"]))
    return None
