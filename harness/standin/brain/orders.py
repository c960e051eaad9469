"""Orders to act: the offered tool whose name begins with the verb, its arguments from the words."""

import itertools
import re
from typing import Any

from harness.standin.brain.callforms import call
from harness.standin.brain.reading import Situation
from harness.standin.brain.refusal import refuse, said
from harness.standin.brain.words import keys, playbook, tidy, tokenise, word_set

_CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z][\w-]{2,}\b")
_MAIL = re.compile(r"[\w.+-]+@[\w.-]+\w")
_SAYING = re.compile(
    r"(?:\b(?:saying|that|because|about|stating)\b|:)\s*(.+)", re.IGNORECASE | re.DOTALL
)
_TO = re.compile(r"\bto\s+((?:[A-Z][\w&.-]*\s?)+)")


def ordered(situation: Situation) -> dict[str, Any] | None:
    """The next step of an order ("rebook ...", "draft ..."); None if the message is none."""
    words = [t.low for t in tokenise(tidy(situation.question))]
    words = words[1:] if words[:1] in (["please"], ["now"]) else words
    if not words or words[0] not in word_set("writes") | word_set("acts"):
        return None
    name = _tool(situation, words)
    if not name:
        return refuse(str(playbook()["readonly"]))
    return _act(situation, name)


def _tool(situation: Situation, words: list[str]) -> str:
    """The tool that is named by the verb, and by most other words of the order."""
    parts = {name: name.lower().split("_") for name in sorted(situation.tools)}
    fitting = [name for name in parts if parts[name][0] == words[0]]
    known = {key for word in words for key in keys(word)}
    fits = {name: len(known & {k for p in parts[name] for k in keys(p)}) for name in fitting}
    return max(fitting, key=lambda name: fits[name], default="")


def _act(situation: Situation, name: str) -> dict[str, Any]:
    done = situation.calls(name)
    if done:
        step = done[-1]
        if step.error:
            reason = " ".join(step.error.split())[:400]
            return refuse(str(playbook()["reasons"]["failed"]).format(error=reason))
        hidden = ("status", "contract", "instructions")
        shown = [f"{k} {v}" for k, v in step.data.items() if k not in hidden and v is not None]
        return said(f"{name}: {', '.join(shown) or 'done'}.")
    schema = situation.tools[name].get("parameters") or {}
    found = _arguments(situation.question, situation.parameters(name))
    missing = [each for each in schema.get("required") or [] if each not in found]
    if missing:
        return said(str(playbook()["orderneeds"]).format(missing=" and ".join(missing)))
    return {"content": None, "tool_calls": [call(name, **found)]}


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
    codes = _CODE.findall(text)
    return codes[0] if codes else None


def _number_after(text: str, parts: set[str]) -> int | None:
    """The number that follows a word of the parameter's name."""
    tokens = tokenise(tidy(text))
    for before, token in itertools.pairwise(tokens):
        if token.number is not None and before.key in parts:
            return int(token.number)
    return None
