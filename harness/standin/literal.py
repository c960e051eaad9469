"""A model that takes a contract at its word: each argument is filled as its description says.

    with standin.script(literal): ...

It has no idea of its own what a tool wants. Told to pass keywords, it passes keywords; told
nothing, it passes what the user said. That makes it a measure for the words of a contract (part
02). It reads the request and nothing else.
"""

import json
import re
from typing import Any

from harness.standin.turns import Message, call, say
from harness.standin.wire import task_of

GIVES_UP = "I could not find that in the documentation."
WELCOME = "You are welcome."

_MOST = 5  # keywords, where the description names no number
_TRIES = 3  # calls with the same text in other words
_REWORDED = ("{}", "Tell me: {}", "I need to know this: {}")
_VERSION = re.compile(r"\b(?:version |v)(\d+\.\d+)\b", re.IGNORECASE)
_VERSION_FORMAT = re.compile(r"\bv(?:\{|\d|<|x\.)", re.IGNORECASE)
_KEYWORDS = re.compile(
    r"\b(\d+|two|three|four|five|few) (?:key ?words?|words|terms)\b|\bkey ?words?\b",
    re.IGNORECASE,
)
_NO_KEYWORDS = re.compile(
    r"\b(?:not|no|never|don't pass|rather than) (?:\w+ )?key ?words?", re.IGNORECASE
)
_SHOWN = re.compile(r"""['"`]([^'"`?.]{3,60})['"`]""")
_TRIGGER = re.compile(
    r"\bwhen(?:ever)?\b|\buse (?:this |it )?(?:to|for|if|after|before)\b", re.IGNORECASE
)
_SOURCE = re.compile(r"\b(?:sources?|urls?|links?)\b", re.IGNORECASE)
_CITE = re.compile(r"\b(?:cit|quot|mention|refer|credit|attribut)", re.IGNORECASE)
_ANSWERS = re.compile(
    r"\b(?:answers?|you|always|must|every|name|give|show|link|contain|add|state|end|tell|say|put"
    r"|reader|user)\b",
    re.IGNORECASE,
)
_FIELDS = re.compile(r"\b(?:snippets?|excerpts?)\b", re.IGNORECASE)
_RETRY = re.compile(
    r"\b(?:retry|again|once|(?:one|1) (?:more|time)|second|single|repeat)\b"
    r"|\b(?:use|try|search (?:\w+ )?with)\b"
    r"|\b(?:drop|remove|omit|leave|take)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|^\s*(?:please |tell |show |find |search |explain |look |give )", re.IGNORECASE
)
_SMALL = frozenset(
    """a about all allowed am an and any are as at be been but by can could did do does for from get
    go goes going had happens has have hello how i if in into is it its know long me much many my
    need no not of off on or our please should still tell that the their them then there they this
    to up us use version want was we were what when where which who why will with within without
    would you your""".split()
)


def literal(request: dict[str, Any]) -> Message:
    """The next message: a call as the contract words it, or an answer from what came back."""
    question = task_of(request)
    tools = [tool["function"] for tool in request.get("tools") or ()]
    seen = [str(m["content"]) for m in request["messages"] if m["role"] == "tool"]
    if not tools:
        return say(_answer(seen) or GIVES_UP)
    tool = tools[0]
    if _TRIGGER.search(tool.get("description", "")) and not _ASKS.search(question):
        return say(WELCOME)
    if not seen:
        return call(tool["name"], **_arguments(tool, question, 0))
    if answer := _answer(seen):
        return say(answer)
    return _after_nothing(tool, question, seen)


def keywords(text: str, most: int = _MOST) -> list[str]:
    """The words of a text that say what it is about, in order."""
    words = re.findall(r"[a-z][a-z-]*", _VERSION.sub(" ", text).lower())
    return list(dict.fromkeys(word for word in words if word not in _SMALL))[:most]


def _after_nothing(tool: dict[str, Any], question: str, seen: list[str]) -> Message:
    """Nothing was found, or the call failed: try once more where that makes sense, else give up.

    With keywords it tries again only if it was told to. With a sentence it has nothing but other
    words for the same sentence.
    """
    tried = len(seen)
    before, now = _arguments(tool, question, tried - 1), _arguments(tool, question, tried)
    told = any(_RETRY.search(_said(text)) for text in seen)
    sentence = question in " ".join(map(str, now.values()))
    limit = _TRIES if sentence else 2 if told else 1
    if tried >= limit or now == before:
        return say(GIVES_UP)
    return call(tool["name"], **now)


def _arguments(tool: dict[str, Any], question: str, tried: int) -> dict[str, Any]:
    """A value for each parameter that is required, or that the question has something for."""
    parameters = tool.get("parameters", {})
    example = _example(tool.get("description", ""))
    found = {}
    for name, schema in parameters.get("properties", {}).items():
        described, shown = str(schema.get("description", "")), str(example.get(name, ""))
        if name in parameters.get("required", ()):
            found[name] = _text(described, shown, question, tried)
        elif _of_versions(described) and (version := _VERSION.search(question)):
            exact = _VERSION_FORMAT.search(described) or _VERSION_FORMAT.match(shown)
            found[name] = f"v{version[1]}" if exact else version[1]
    return found


def _of_versions(described: str) -> bool:
    """Whether a parameter's text speaks of versions, or shows one."""
    return "version" in described.lower() or bool(_VERSION_FORMAT.search(described))


def _text(described: str, shown: str, question: str, tried: int) -> str:
    """Keywords, one fewer at each try, where they are asked for or shown; else the sentence."""
    if _NO_KEYWORDS.search(described):
        return _sentence(question, tried)
    asked = _KEYWORDS.search(described)
    if in_words := _SHOWN.search(described):
        shown = in_words[1]
    copied = 0 < len(shown.split()) <= _MOST and not shown.endswith("?")
    if not asked and not copied:
        return _sentence(question, tried)
    most = int(asked[1]) if asked and str(asked[1]).isdigit() else _MOST
    words = keywords(question, most)
    return " ".join(words[: max(len(words) - tried, 2)])


def _sentence(question: str, tried: int) -> str:
    return _REWORDED[min(tried, len(_REWORDED) - 1)].format(question)


def _example(description: str) -> dict[str, Any]:
    """The example call that a description ends with."""
    _, found, text = description.partition("Example: ")
    try:
        value = json.JSONDecoder().raw_decode(text)[0] if found else {}
    except ValueError:
        value = {}
    return value if isinstance(value, dict) else {}


def _answer(seen: list[str]) -> str:
    """What the last observation says, with its source if the contract asks for that."""
    try:
        snippets = json.loads(seen[-1])["snippets"] if seen else []
    except (ValueError, KeyError, TypeError):
        return ""
    if not snippets:
        return ""
    told = any(_cites(_said(text)) for text in seen)
    return snippets[0]["excerpt"] + (f" Source: {snippets[0]['source']}" if told else "")


def _cites(told: str) -> bool:
    """Whether a clause asks for the source, and does not only list it beside the other fields."""
    for clause in re.split(r"[.;:\n]", told):
        asks = _CITE.search(clause) or (_ANSWERS.search(clause) and not _FIELDS.search(clause))
        if asks and _SOURCE.search(clause):
            return True
    return False


def _said(observation: str) -> str:
    """What an observation tells the model to do: its output contract and its instructions."""
    try:
        value = json.loads(observation)
    except ValueError:
        return observation
    return f"{value.get('contract', '')}\n{value.get('instructions', '')}"
