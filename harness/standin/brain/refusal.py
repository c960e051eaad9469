"""Saying no: what the stand-in can't read, lacks, or was not offered."""

from harness.standin.brain.intent import Problem
from harness.standin.brain.words import playbook


def said(text: str) -> dict[str, object]:
    """A final answer, signed."""
    mark = playbook()["signature"]
    body = text.strip()
    return {"content": body if mark in body else f"{body}\n{mark}", "tool_calls": []}


def refuse(reason: str) -> dict[str, object]:
    """An honest refusal: the reason, what can be asked, and how to ask anything."""
    return {**said(f"{reason}\n{playbook()['can']}"), "refused": True}


def refuse_problem(problem: Problem) -> dict[str, object]:
    """The refusal that fits a problem."""
    words = ", ".join(f'"{word}"' for word in problem.words)
    reasons = playbook()["reasons"]
    if problem.kind == "role":
        return said(reasons["role"])
    if problem.kind == "unit":
        return refuse(reasons["unit"].format(words=words))
    if problem.kind == "clarify" and problem.text:
        return refuse(reasons["clarify"].format(why=problem.text, words=words))
    reason = reasons.get(problem.kind, reasons["unknown"])
    return refuse(reason.format(words=words, why=problem.text or words))
