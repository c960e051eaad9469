"""Orders to act: the offered tool whose name begins with the verb, its arguments from the words."""

import itertools
import re
from typing import Any

from harness.standin.brain.callforms import act, call
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import Reply, failed, refuse, said
from harness.standin.brain.words import keys, playbook, tidy, tokenise, word_set

_CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z][\w-]{2,}\b")
_MAIL = re.compile(r"[\w.+-]+@[\w.-]+\w")
_SAYING = re.compile(
    r"(?:\b(?:saying|that|because|about|stating)\b|:)\s*(.+)", re.IGNORECASE | re.DOTALL
)
_TO = re.compile(r"\bto\s+((?:[A-Z][\w&.-]*\s?)+)")


def ordered(situation: Situation) -> Reply | None:
    """The next step of an order ("rebook ...", "draft ..."); None for other messages."""
    words = [t.low for t in tokenise(tidy(situation.question))]
    words = words[1:] if words[:1] in (["please"], ["now"]) else words
    if not words or words[0] not in word_set("writes") | word_set("acts"):
        return None
    name = _tool(situation, words)
    if not name:
        return refuse(str(playbook()["readonly"]))
    for step in situation.calls(name)[-1:]:
        hidden = ("status", "contract", "instructions")
        shown = [f"{k} {v}" for k, v in step.data.items() if k not in hidden and v is not None]
        told = f"{name}: {', '.join(shown) or 'done'}."
        return failed(step.error) if step.error else said(told)
    required = (situation.tools[name].get("parameters") or {}).get("required") or []
    found = _arguments(situation.question, situation.parameters(name))
    missing = [each for each in required if each not in found]
    if missing:
        return said(str(playbook()["orderneeds"]).format(missing=" and ".join(missing)))
    return act(call(name, **found))


def _tool(situation: Situation, words: list[str]) -> str:
    """The tool that is named by the verb, and by most other words of the order."""
    known = {key for word in words for key in keys(word)}
    fitting = [n for n in sorted(situation.tools) if n.lower().split("_")[0] == words[0]]
    return max(fitting, key=lambda n: len(known & set(keys(n.replace("_", " ")))), default="")


def _arguments(text: str, properties: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, schema in properties.items():
        value = _value(text, name, schema if isinstance(schema, dict) else {})
        if value is not None and value not in found.values():
            found[name] = value
    return found


def _value(text: str, name: str, schema: dict[str, Any]) -> Any:
    """What the order says for one parameter; None where it says nothing."""
    parts = set(keys(name.replace("_", " "))) - {"id", "no", "number", "new"}
    if schema.get("enum"):
        return next((each for each in schema["enum"] if str(each).lower() in text.lower()), None)
    if schema.get("type") in ("integer", "number"):
        return _number_after(text, parts)
    if schema.get("type") == "boolean":
        return None
    if parts & {"message", "body", "text", "reason", "subject", "note", "content"}:
        match = _SAYING.search(text)
        return " ".join(match.group(1).split()).strip(" .\"'") if match else None
    if (mail := _MAIL.search(text)) and parts & {"to", "recipient", "address", "mail", "email"}:
        return mail.group()
    if parts & {"to", "recipient", "carrier"}:
        match = _TO.search(text)
        return match.group(1).strip(" .") if match else None
    return next(iter(_CODE.findall(text)), None)


def _number_after(text: str, parts: set[str]) -> int | None:
    """The number that follows a word of the parameter's name."""
    pairs = itertools.pairwise(tokenise(tidy(text)))
    numbers = (t.number for before, t in pairs if t.number is not None and before.key in parts)
    found = next(numbers, None)
    return None if found is None else int(found)
