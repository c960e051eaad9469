"""The check of `retrieve_tools`: the right few schemas out of a toolbox, in a stable order."""

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
from harness.course.staging.judge_retrieval import (
    IN_ORDER,
    always_among,
    chosen,
    more_than,
    nearest_to,
    texts_of_others,
    wrong_tools,
)
from harness.course.staging.plain_bench import Calls
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr
from harness.tools.toolbox import TOOLS

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Two groups. contracts() tells which tools are always on: contract.always. From the others you "
    "want the k whose texts are nearest to the question.",
    'embed([user_query, *texts]) gives one vector a text: the question first, then "name: '
    'description" of each tool that is not always on. vectors[1:] @ vectors[0] are the cosines; '
    "the highest is the nearest.",
    IN_ORDER,
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


def _by_meaning(notes: Calls) -> None:
    names = chosen(notes, "k is 2", QUESTION, 2)
    if names is None:
        return
    texts = texts_of_others()
    others = [name for name in names if name in texts]
    missing = [name for name in ALWAYS if name not in names]
    right = nearest_to(QUESTION, texts, 2)
    if len(names) == len(TOOLS):
        notes.add("returns_all", "It returned every tool that there is, and k was 2.", HINTS[1])
    elif missing:
        message = f"{missing[0]} is always on, and was not returned."
        notes.add("always_missing", message, "contract.always: whatever the question is.")
    elif not others:
        _none_of_the_others(notes)
    elif len(others) < 2 and len(names) == 2:
        _always_counted(notes, 2, len(others))
    elif len(others) != 2:
        message = f"k was 2, and it returned {len(others)} tools that are not always on."
        notes.add("k_ignored", message, "The k nearest: [:k].")
    elif set(others) != right:
        notes.add(*wrong_tools(others, right, texts))
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


def _always_counted(notes: Calls, k: int, got: int) -> None:
    message = f"k was {k}, and always-on tools took up {k - got} of the places."
    notes.add("always_counted", message, "The k are counted without them.")


def _none_of_the_others(notes: Calls) -> None:
    """With k = 2 only the always-on tools came: they took the places, or nothing else is chosen."""
    k = len(ALWAYS) + 2
    names = chosen(notes, f"k is {k}", QUESTION, k)
    others = set(names or ()) - {*ALWAYS}
    if others:
        _always_counted(notes, k, len(others))
    elif not notes.found:
        message = f"Whether k was 2 or {k}, it returned none but the always-on tools."
        notes.add("others_missing", message, "And the k nearest of those that are not always on.")


def _whole_texts(notes: Calls) -> None:
    """Each tool is found by its name and all of its description."""
    for name, text in texts_of_others().items():
        description = text.removeprefix(f"{name}: ")
        embedded = [each for each in computed if description in each]
        if embedded and (more := more_than(embedded[-1], name, description)):
            notes.add(
                "text_changed",
                f"The text that was embedded of {name} holds more than its name and description: "
                f"{short_repr(more)}.",
                'f"{name}: {description}": with parameters in it, tools of the same kind look '
                "alike.",
            )
            return
        if not embedded:
            notes.add(
                "text_changed",
                f"No text was embedded that has the whole description of {name}.",
                'f"{name}: {description}", as they are in TOOLS.',
            )
            return


def _numbers(notes: Calls) -> None:
    """Other k than 2, and none given."""
    texts = texts_of_others()
    for k, count in ((0, 0), (1, 1), (5, 5), (50, len(texts))):
        names = chosen(notes, f"k is {k}", QUESTION, k)
        if names is None:
            return
        got = len([name for name in names if name in texts])
        missing = [name for name in ALWAYS if name not in names]
        if missing:
            message = f"{missing[0]} is always on, and was not returned when k was {k}."
            notes.add("always_missing", message, "contract.always: whatever k is.")
        elif got != count:
            _wrong_number(notes, k, got, texts)
        if notes.found:
            return
    names = chosen(notes, "k is left out", QUESTION)
    if names is not None and len(names) != 6 + len(ALWAYS):
        got = len(names) - len(ALWAYS)
        notes.add("default_k", f"Without k it returned {got} and not 6.", "k: int = 6")


def _wrong_number(notes: Calls, k: int, got: int, texts: dict[str, str]) -> None:
    """Why another number of tools came than k: it may be the answer of another call."""
    kept = chosen(notes, f"k is {k} in a question that is new", f"{QUESTION} And today?", k)
    if (
        kept is not None
        and got != (now := len(set(kept) - {*ALWAYS}))
        and now == min(k, len(texts))
    ):
        message = (
            f"The same question came with another k, {k}, and it returned {got} tools not always "
            "on, as before."
        )
        notes.add("remembers", message, "Work it out at every call: k may differ, and TOOLS.")
    elif kept is not None and got == k - always_among(k, texts) and _has_all(notes, texts):
        _always_counted(notes, k, got)
    elif kept is not None:
        message = f"k was {k}, and it returned {got} of {len(texts)} tools not always on."
        notes.add("k_ignored", message, "The k nearest: [:k].")


def _has_all(notes: Calls, texts: dict[str, str]) -> bool:
    """Whether every tool comes where k is large enough: nothing else leaves any out."""
    names = chosen(notes, "k is as large as TOOLS", QUESTION, len(TOOLS))
    return set(names or ()) >= set(texts)


def _by_name(notes: Calls) -> None:
    """A tool whose name says it, and its description does not."""
    names = chosen(notes, "a tool's name says what it is for", "Where is the tide table?", 1)
    if names is not None and set(names) - {*ALWAYS} == nearest_to(QUESTION, texts_of_others(), 1):
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
    names = chosen(notes, "two tools are nearly as near", CLOSE, 1)
    texts = texts_of_others()
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
    names = chosen(notes, "a tool was registered since the last call", question, 1)
    if names is not None and LATE[0] not in names:
        notes.add(
            "stale",
            f"{LATE[0]} was registered a moment ago and is not found.",
            "Look into TOOLS at every call; a cell that ran earlier knows only the tools of then.",
        )
    add(LATE[0], "Paint for hulls and decks")
    add("lamp_check", "Light every lamp", True)
    names = chosen(notes, "a tool says something else now, and one more is always on", _PAINT, 1)
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
    chosen(notes, "the second question comes", question, 2)
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
    names = chosen(notes, "no tool is always on", QUESTION, 1)
    if names is not None and len(names) != 1:
        notes.add("k_ignored", f"With no tool always on, k = 1 gave {len(names)}.", HINTS[1])


def _no_tools(notes: Calls) -> None:
    TOOLS.clear()
    names = chosen(notes, "there are no tools", QUESTION, 2)
    if names:
        notes.add("not_schemas", "Without any tool it returned some.", IN_ORDER)
