"""Saying no: what the stand-in can't read, lacks, or was not offered."""

from harness.standin.brain.tree import Problem
from harness.standin.brain.words import playbook


def said(text: str) -> dict[str, object]:
    """A final answer, signed."""
    mark = playbook()["signature"]
    body = text.strip()
    return {"content": body if mark in body else f"{body}\n{mark}", "tool_calls": []}


def refuse(reason: str, near: str = "") -> dict[str, object]:
    """An honest refusal: the reason, a question near to it that works, and how to ask anything."""
    book = playbook()
    help_ = " ".join(part for part in (near, str(book["anything"])) if part)
    return {**said(f"{reason}\n{help_}"), "refused": True}


def refuse_problem(problem: Problem, near: str = "") -> dict[str, object]:
    """The refusal that fits a problem."""
    words = quoted(problem.words)
    reasons = playbook()["reasons"]
    if problem.kind == "role":
        return said(f"{words}: {reasons['role']}" if words else str(reasons["role"]))
    if problem.kind == "trap":
        asked = playbook()["shown_units"].get(problem.words[1], problem.words[1])
        column = f"{problem.words[3]}.{problem.words[2]}"
        return said(
            reasons["trap"].format(asked=asked, column=column, comment=problem.text.rstrip("."))
        )
    if problem.kind == "unit":
        return refuse(reasons["unit"].format(words=words), near)
    if problem.kind == "clarify" and problem.text:
        return refuse(reasons["clarify"].format(why=problem.text.rstrip("."), words=words), near)
    reason = reasons.get(problem.kind, reasons["unknown"])
    return refuse(reason.format(words=words, why=problem.text or words), near)


def quoted(words: list[str]) -> str:
    """Some words in quotes; of many the first few."""
    shown = [f'"{word}"' for word in dict.fromkeys(words)][:4]
    return ", ".join(shown) + (" ..." if len(set(words)) > 4 else "")
