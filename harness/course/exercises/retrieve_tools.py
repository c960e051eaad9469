"""The check of `retrieve_tools`: the right few schemas out of a toolbox, in a stable order."""

import copy
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.harbour import (
    ALWAYS,
    CLOSE,
    LATE,
    QUESTION,
    add,
    computed,
    nearness,
    once,
    staged,
)
from harness.course.staging.plain_bench import Calls
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr
from harness.tools.toolbox import TOOLS, contracts

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Two groups. contracts() tells which tools are always on: contract.always. From the others you "
    "want the k whose texts are nearest to the question.",
    'embed([user_query, *texts]) gives one vector a text: the question first, then "name: '
    'description" of each tool that is not always on. vectors[1:] @ vectors[0] are the cosines; '
    "the highest is the nearest.",
    "At the end go through TOOLS once, in its own order, and keep the schema of each name that was "
    "chosen: [schema for name, (_, schema) in TOOLS.items() if name in chosen].",
)

_PAINT = "Which paint is there for hulls?"


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """What `fn` does wrong: the first cause, which explains what would follow."""
    notes = Calls(fn, stage)
    steps: tuple[Callable[[Calls], None], ...] = (_by_meaning, _numbers, _by_name, _close)
    for step in (*steps, _late, _cheap, _none_always, _no_tools):
        step(notes)
        if notes.hopeless or notes.found:
            break
    return notes.found


def _chosen(notes: Calls, situation: str, question: str, *k: int) -> list[str] | None:
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
        notes.add("not_a_list", f"It returned {what}, not a list of schemas.", HINTS[2])
        return None
    if result and all(isinstance(each, str) for each in result):
        notes.add("names", "It returned names. chat needs the schemas.", HINTS[2])
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
        notes.add("not_schemas", message, HINTS[2])
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


def _texts() -> dict[str, str]:
    """The tools that are not always on, each with the text that it is found by."""

    off = [each.name for each in contracts() if not each.always]
    return {name: f"{name}: {TOOLS[name][1]['function']['description']}" for name in off}


def _nearest(question: str, texts: dict[str, str], k: int) -> set[str]:
    ranked = sorted(texts, key=lambda name: -nearness(question, texts[name]))
    return set(ranked[:k])


def _by_meaning(notes: Calls) -> None:
    names = _chosen(notes, "k is 2", QUESTION, 2)
    if names is None:
        return
    texts = _texts()
    others = [name for name in names if name in texts]
    missing = [name for name in ALWAYS if name not in names]
    right = _nearest(QUESTION, texts, 2)
    if len(names) == len(TOOLS):
        notes.add("returns_all", "It returned every tool that there is, and k was 2.", HINTS[1])
    elif missing:
        message = f"{missing[0]} is always on, and was not returned."
        notes.add("always_missing", message, "contract.always: whatever the question is.")
    elif len(others) < 2 and len(names) == 2:
        message = f"k was 2, and always-on tools took up {2 - len(others)} of the places."
        notes.add("always_counted", message, "The k are counted without them.")
    elif len(others) != 2:
        message = f"k was 2, and it returned {len(others)} tools that are not always on."
        notes.add("k_ignored", message, "The k nearest: [:k].")
    elif set(others) != right:
        notes.add(*_why(others, right, texts))
    elif names != [name for name in TOOLS if name in names]:
        notes.add(
            "order_wrong",
            f"The order is {', '.join(names)}; in TOOLS it is "
            f"{', '.join(name for name in TOOLS if name in names)}.",
            "The order of TOOLS, whatever the ranking was: a server's cache works on equal "
            "beginnings.",
        )
    else:
        _whole_texts(notes)


def _whole_texts(notes: Calls) -> None:
    """Each tool is found by its name and all of its description."""
    for name, text in _texts().items():
        description = text.removeprefix(f"{name}: ")
        if not any(description in each for each in computed):
            notes.add(
                "text_changed",
                f"No text was embedded that has the whole description of {name}.",
                'f"{name}: {description}", as they are in TOOLS.',
            )
            return


def _why(others: list[str], right: set[str], texts: dict[str, str]) -> tuple[str, str, str]:
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
    if set(others) == _nearest(QUESTION, plain, 2):
        return "description_ignored", message, "A name says little: embed name and description."
    return "wrong_tools", message, HINTS[1]


def _numbers(notes: Calls) -> None:
    """Other k than 2, and none given."""
    texts = _texts()
    for k, count in ((0, 0), (1, 1), (5, 5), (50, len(texts))):
        names = _chosen(notes, f"k is {k}", QUESTION, k)
        if names is None:
            return
        got = len([name for name in names if name in texts])
        if got != count or len(names) != count + len(ALWAYS):
            message = f"k was {k}, and it returned {got} of {len(texts)} tools not always on."
            notes.add("k_ignored", message, "The k nearest: [:k].")
            return
    names = _chosen(notes, "k is left out", QUESTION)
    if names is not None and len(names) != 6 + len(ALWAYS):
        got = len(names) - len(ALWAYS)
        notes.add("default_k", f"Without k it returned {got} and not 6.", "k: int = 6")


def _by_name(notes: Calls) -> None:
    """A tool whose name says it, and its description does not."""
    names = _chosen(notes, "a tool's name says what it is for", "Where is the tide table?", 1)
    if names is not None and set(names) - {*ALWAYS} == _nearest(QUESTION, _texts(), 1):
        notes.add(
            "remembers",
            f"Asked 'Where is the tide table?', it chose what {QUESTION!r} had chosen before.",
            "Embed the question of this call.",
        )
    elif names is not None and "tide_table" not in names:
        notes.add(
            "name_ignored",
            "Asked 'Where is the tide table?', it did not choose tide_table.",
            "Embed the name together with the description.",
        )


def _close(notes: Calls) -> None:
    """Two tools that are nearly as near: the nearer one is chosen."""
    names = _chosen(notes, "two tools are nearly as near", CLOSE, 1)
    texts = _texts()
    near, nearer = (nearness(CLOSE, texts[name]) for name in ("gulls_east", "gulls_west"))
    if names is not None and "gulls_west" not in names:
        notes.add(
            "scores_rounded",
            f"Asked {CLOSE!r}, it did not choose gulls_west, with {nearer:.4f} the nearest; "
            f"gulls_east has {near:.4f}.",
            "Sort by the products as they are; if you round them, then to six digits.",
        )


def _late(notes: Calls) -> None:
    """What is registered between two calls, new or in the place of another, is found."""
    add(*LATE)
    question = "Is there silt or a wreck on the harbour floor?"
    names = _chosen(notes, "a tool was registered since the last call", question, 1)
    if names is not None and LATE[0] not in names:
        notes.add(
            "stale",
            f"{LATE[0]} was registered a moment ago and is not found.",
            "Look into TOOLS at every call; a cell that ran earlier knows only the tools of then.",
        )
    add(LATE[0], "Paint for hulls and decks")
    add("lamp_check", "Light every lamp", True)
    names = _chosen(notes, "a tool says something else now, and one more is always on", _PAINT, 1)
    if gone := [
        each for each in (LATE[0], "lamp_check") if names is not None and each not in names
    ]:
        notes.add(
            "stale",
            f"{gone[0]} was registered anew a moment ago, and it is judged as it was before.",
            "Look into TOOLS and contracts() at every call; keep nothing from the one before.",
        )
    TOOLS.pop("lamp_check", None)


def _cheap(notes: Calls) -> None:
    """The tools' vectors are there already: a new question costs one new text."""
    computed.clear()
    question = once(" Who drives the Cranes on this shift? I mean the two\nat the North Quay, not.")
    _chosen(notes, "the second question comes", question, 2)
    if len(computed) > 3 and not notes.found and not notes.hopeless:
        notes.add(
            "embeds_again",
            f"A second question had {len(computed)} texts embedded anew.",
            "Embed each tool's text by itself, the same every time: embed keeps what it knows.",
        )
    elif question not in computed and not notes.found and not notes.hopeless:
        notes.add(
            "query_changed",
            f"It was asked {question!r}, and embedded "
            f"{short_repr(computed[0]) if computed else 'nothing'}.",
            "embed([user_query, ...]): the question as it was asked.",
        )


def _none_always(notes: Calls) -> None:
    """No tool is always on."""

    for name in ALWAYS:
        TOOLS.pop(name, None)
    names = _chosen(notes, "no tool is always on", QUESTION, 1)
    if names is not None and len(names) != 1:
        notes.add("k_ignored", f"With no tool always on, k = 1 gave {len(names)}.", HINTS[1])


def _no_tools(notes: Calls) -> None:
    TOOLS.clear()
    names = _chosen(notes, "there are no tools", QUESTION, 2)
    if names:
        notes.add("not_schemas", "Without any tool it returned some.", HINTS[2])
