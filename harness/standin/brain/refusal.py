"""Saying no: what the stand-in can't read, lacks, or was not offered."""

from typing import Any

from harness.standin.brain.tree import Problem
from harness.standin.brain.words import playbook

Reply = dict[str, Any]


def said(text: str) -> Reply:
    """A final answer, signed."""
    mark = playbook()["signature"]
    body = text.strip()
    return {"content": body if mark in body else f"{body}\n{mark}", "tool_calls": []}


def refuse(reason: str, near: str = "") -> Reply:
    """An honest refusal: the reason, a question near to it that works, and how to ask anything."""
    help_ = " ".join(part for part in (near, str(playbook()["anything"])) if part)
    return {**said(f"{reason}\n{help_}"), "refused": True}


def because(reason: str, near: str = "", **values: object) -> Reply:
    """A refusal for one of the playbook's reasons."""
    return refuse(str(playbook()["reasons"][reason]).format(**values), near)


def failed(error: str) -> Reply:
    """What a tool complained of."""
    return because("failed", error=" ".join(error.split())[:400])


def refuse_problem(problem: Problem, near: str = "") -> Reply:
    """The refusal that fits a problem."""
    words, reasons, shown = quoted(problem.words), playbook()["reasons"], playbook()["shown_units"]
    if problem.kind == "role":
        return said(f"{words}: {reasons['role']}" if words else str(reasons["role"]))
    if problem.kind == "trap":
        _, unit, name, table = problem.words
        asked, comment = shown.get(unit, unit), problem.text.rstrip(".")
        return said(reasons["trap"].format(asked=asked, column=f"{table}.{name}", comment=comment))
    why = problem.text.rstrip(".") if problem.kind == "clarify" else problem.text
    kind = problem.kind if problem.kind in reasons else "unknown"
    return because(kind, near, words=words, why=why or words)


def quoted(words: list[str]) -> str:
    """Some words in quotes; of many the first few."""
    shown = [f'"{word}"' for word in dict.fromkeys(words)][:4]
    return ", ".join(shown) + (" ..." if len(set(words)) > 4 else "")
