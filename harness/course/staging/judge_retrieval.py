"""What a check of retrieval knows: the harbour's texts, which are nearest, and what came back."""

import copy
from typing import Any

from harness.course.staging.harbour import ALWAYS, QUESTION, nearness
from harness.course.staging.plain_bench import Calls
from harness.excerpt import short_repr
from harness.tools.toolbox import TOOLS, contracts

_BY_TEXT = "Embed name and description of each, and the question: the highest products are nearest."
IN_ORDER = (
    "At the end go through TOOLS once, in its own order, and keep the schema of each name that was "
    "chosen: [schema for name, (_, schema) in TOOLS.items() if name in chosen]."
)
_LABELS = 4  # words that may stand around: "Tool: ... Description: ..."


def texts_of_others() -> dict[str, str]:
    """The tools that are not always on, each with the text that it is found by."""

    off = [each.name for each in contracts() if not each.always]
    return {name: f"{name}: {TOOLS[name][1]['function']['description']}" for name in off}


def nearest_to(question: str, texts: dict[str, str], k: int) -> set[str]:
    """The k whose texts are nearest to a question."""
    ranked = sorted(texts, key=lambda name: -nearness(question, texts[name]))
    return set(ranked[:k])


def more_than(text: str, name: str, description: str) -> str:
    """What else a text holds, if it is of this tool: a label of a few words is nothing."""
    rest = text.replace(description, " ", 1).replace(name, " ", 1)
    words = [word for word in rest.split() if any(map(str.isalnum, word))]
    return " ".join(words) if len(words) > _LABELS else ""


def always_among(k: int, texts: dict[str, str]) -> int:
    """How many always-on tools are among the k nearest of all; more than k - 1 are none."""
    every = texts | {n: f"{n}: {TOOLS[n][1]['function']['description']}" for n in ALWAYS}
    among = len(nearest_to(QUESTION, every, k) & {*ALWAYS})
    return among or k + 1


def wrong_tools(others: list[str], right: set[str], texts: dict[str, str]) -> tuple[str, str, str]:
    """The finding for the wrong two tools, by what they have in common."""
    given, wanted = ", ".join(sorted(others)), ", ".join(sorted(right))
    message = f"Asked {QUESTION!r} with k = 2, it chose {given}; the nearest are {wanted}."
    plain = {name: name for name in texts}
    lowest = sorted(nearness(QUESTION, text) for text in texts.values())[1]
    if all(nearness(QUESTION, texts[name]) <= lowest for name in others):
        return "farthest", message, "The highest cosine is the nearest: sort by -score."
    if opposite := [name for name in others if nearness(QUESTION, texts[name]) < 0]:
        message = f"Asked {QUESTION!r}, it chose {opposite[0]}, whose product is negative."
        return "sign_lost", message, "Below nothing is farthest: sort without abs."
    if set(others) == nearest_to(QUESTION, plain, 2):
        return "description_ignored", message, "A name says little: embed name and description."
    return "wrong_tools", message, _BY_TEXT


def chosen(notes: Calls, situation: str, question: str, *k: int) -> list[str] | None:
    """The names of the schemas that it returned, once they are what TOOLS holds; else None."""

    before = {name: copy.deepcopy(schema) for name, (_, schema) in TOOLS.items()}
    result = notes.call(situation, question, *k)
    now = {name: schema for name, (_, schema) in TOOLS.items()}
    if notes.hopeless:
        return None
    if now != before or list(now) != list(before):
        notes.add(
            "toolbox_changed",
            "It changed TOOLS, or a schema in it.",
            "Read from TOOLS; what the model is shown is the schema as it is there.",
        )
        return None
    if not isinstance(result, list):
        what = "nothing" if result is None else type(result).__name__
        notes.add("not_a_list", f"It returned {what}, not a list of schemas.", IN_ORDER)
        return None
    if result and all(isinstance(each, str) for each in result):
        notes.add("names", "It returned names. chat needs the schemas.", IN_ORDER)
        return None
    names = [_name(each) for each in result]
    odd = next((i for i, name in enumerate(names) if name not in before), None)
    if odd is not None and names[odd]:
        message = f"It returned the schema of {names[odd]}, which TOOLS does not hold (any more)."
        notes.add("stale", message, "Look into TOOLS at every call, and keep nothing.")
        return None
    if odd is not None:
        what = type(result[odd]).__name__
        message = f"An item ({what}) is not the schema of a tool: {short_repr(result[odd], 80)}."
        notes.add("not_schemas", message, IN_ORDER)
        return None
    changed = [n for n, schema in zip(names, result, strict=True) if schema != before[n]]
    if changed:
        message = f"The schema of {changed[0]} is not the one in TOOLS."
        notes.add("schema_changed", message, "TOOLS[name][1], as it is: the API reads it.")
        return None
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        message = f"{twice[0]} comes twice. The API refuses that."
        notes.add("duplicates", message, "Always-on tools are not among the others.")
        return None
    return names


def _name(schema: Any) -> str:
    function = schema.get("function") if isinstance(schema, dict) else None
    return str(function.get("name")) if isinstance(function, dict) else ""
