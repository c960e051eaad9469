"""The check of `helpdesk_contract`: words that the linter accepts and that a model can act on."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from harness.course.labs.contract_measure import TASKS, contract_from, measure, search_docs
from harness.course.report import Finding
from harness.course.runner.fake_clock import FakeClock
from harness.course.runner.watch import Watch
from harness.course.staging import plain_bench
from harness.course.staging.contract_words import SAYS, SAYS_NOT, said
from harness.course.staging.plain_bench import Calls
from harness.course.staging.stage import Stage
from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.tools.lint import lint

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Six keys: description, when, returns, parameters (a text for each parameter), instructions, "
    "example. Begin with what the table above shows going wrong: whole sentences as search_terms.",
    "A parameter's text says form and number: '2 to 5 keywords taken from the request, no "
    "sentence', and for the version its format, v{major}.{minor}, and when to leave it out.",
    "'returns' names the fields and asks the model to cite the source; 'instructions' says what to "
    "do when nothing was found: retry once with one keyword fewer; 'example' is a call that runs.",
)

_SHAPE = (
    '{"description": ..., "when": ..., "returns": ..., "parameters": {"search_terms": ..., '
    '"version_filter": ...}, "instructions": ..., "example": {...}}'
)

# The linter speaks of a function's signature; here the words are in a dict.
_IN_THE_DICT = {
    "no_parameter_description": "Give it a text of its own under 'parameters': what it is, in "
    "which form, and when to leave it out.",
    "no_trigger": "Add 'when': the situation in which the model should reach for it.",
    "no_output_contract": "Add 'returns': the fields of the result and what the answer must do "
    "with them.",
}


@contextmanager
def staged(clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> Iterator[Stage]:
    """A plain stage, with everything loaded that a model's reading of the contract needs."""
    measure({"description": ""}, tasks=TASKS[-1:])
    with plain_bench.staged(clock, watch, restore) as stage:
        yield stage


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that is wrong with the words; how a model takes them only if the linter is."""
    notes = Calls(fn, stage)
    words = notes.call("it is asked for the contract")
    if notes.hopeless or not _shaped(words, notes):
        return notes.found

    try:
        contract = contract_from(words)
    except WorkshopError as error:
        notes.add("no_contract", f"No contract comes of it: {error.message}", error.hint or _SHAPE)
        return notes.found
    for fault in lint(contract, []):
        notes.add(fault.code, fault.message, _IN_THE_DICT.get(fault.code, fault.hint))
    if not notes.found:
        _stated(words, notes)
    if not notes.found:
        stage.step("a model reads the contract")
        _judge(measure(words), words, notes)
    terms = words.get("parameters", {}).get("search_terms", "")
    if not notes.found and not re.search(_NUMBER, terms, re.IGNORECASE):
        notes.add(
            "keywords_number",
            f"'search_terms' does not say how many keywords: {short_repr(terms, 90)}.",
            "A few: 2 to 5. An article must hold every one of them.",
        )
    return notes.found


_NUMBER = (
    r"\d|\b(?:few|several|some|two|three|four|five|handful|short|at most|up to)\b|'[^'?]{3,40}'"
)


def _shaped(words: Any, notes: Calls) -> bool:
    if not isinstance(words, dict):
        what = "nothing" if words is None else type(words).__name__
        notes.add("not_a_dict", f"It returned {what}, not a dict.", _SHAPE)
        return False
    for key in ("description", "when", "returns", "instructions"):
        if key in words and not isinstance(words[key], str):
            notes.add("not_text", f"{key!r} is {type(words[key]).__name__}, not text.", _SHAPE)
    texts = words.get("parameters", {})
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        notes.add("not_text", "'parameters' is not a dict of one text a parameter.", _SHAPE)
    if not isinstance(words.get("example") or {}, dict):
        what = f"'example' is {short_repr(words['example'], 60)}: not a dict of arguments."
        notes.add("example_shape", what, 'Such as {"search_terms": "reset API key"}.')
    return not notes.found


def _stated(words: dict[str, Any], notes: Calls) -> None:
    """What each text must say, in whatever words, and what it must not say."""
    parameters = words.get("parameters", {})
    texts = {**words, **parameters}
    texts["instructions"] = f"{words.get('instructions', '')} {words.get('returns', '')}"
    shown = str((words.get("example") or {}).get("version_filter", ""))
    texts["version_filter"] = f"{parameters.get('version_filter', '')} {shown}"
    written, denied = {**words, **parameters}, set[str]()
    for key, pattern, code, what, hint in SAYS_NOT:
        if found := said(pattern, str((texts if key == "instructions" else written).get(key, ""))):
            notes.add(code, f"{key!r} says {found!r}: {what}.", hint)
            denied.add(key)  # what it does not say is the same again
    for key, pattern, code, what, hint in SAYS:
        if key in denied or (key == "when" and not words.get("when")):
            continue  # without 'when' the description says it
        if not re.search(pattern, str(texts.get(key, "")), re.IGNORECASE):
            shown = short_repr(written.get(key, ""), 90)
            notes.add(code, f"{key!r} does not say {what}: {shown}.", hint)
    _example(words.get("example"), notes)


def _example(example: Any, notes: Calls) -> None:
    """The example is copied: it must be the kind of call that is wanted, and find something."""
    terms = str(example.get("search_terms", "")) if isinstance(example, dict) else ""
    version = example.get("version_filter") if isinstance(example, dict) else None
    if len(terms.split()) > 5 or "?" in terms:
        notes.add(
            "example_is_a_sentence",
            f"The example passes {terms!r}, {len(terms.split())} words: models copy examples "
            "before they read rules.",
            "A few keywords, as the parameter's text asks for.",
        )
    elif version is not None and not re.fullmatch(r"v\d+\.\d+", str(version)):
        notes.add(
            "example_version",
            f"The example passes {version!r} as version_filter.",
            "In the form that the parameter's text asks for, such as v2.1; or leave it out.",
        )
    elif example is not None and not terms.strip():
        notes.add(
            "example_empty",
            f"The example, {example!r}, searches for nothing.",
            "Show a call with a few keywords.",
        )
    elif not search_docs(**(example or {"search_terms": "-"}))["snippets"]:
        notes.add(
            "example_finds_nothing",
            f"The example, {example!r}, finds no article.",
            "Show a call that works: search_docs(**example) should return a snippet.",
        )


def _judge(board: Any, words: dict[str, Any], notes: Calls) -> None:
    """Name the cause of each task that was missed, beside the words that brought it."""
    rows = {row.task.name: row for row in board.rows}
    passed = [row for row in board.rows if row.calls and row.task.question in _terms(row)]
    if passed:
        notes.add(
            "sentences_passed",
            f"The model passed whole sentences: search_terms = {_terms(passed[0])!r}.",
            "Nothing told it better. Say in the parameter's text that keywords are wanted, and "
            "how many.",
        )
        return
    for name, wanted in (("limit", "v1.4"), ("signed", "v2.0")):
        given = rows[name].calls[0].get("version_filter") if rows[name].calls else None
        if given != wanted:
            how = "nothing" if given is None else repr(given)
            text = short_repr(words.get("parameters", {}).get("version_filter", ""), 90)
            notes.add(
                "version_wrong",
                f"'version_filter' says {text}; asked {rows[name].task.question!r}, the model "
                f"passed {how}.",
                f"Say its format and when to use it: here it should have passed {wanted!r}.",
            )
    found = [r for r in board.rows if r.task.source and not r.reached and r.answer]
    uncited = [row for row in found if "could not find" not in row.answer]
    if uncited and "version_wrong" not in notes.codes:
        notes.add(
            "no_citation",
            f"'returns' says {short_repr(words.get('returns', ''), 90)}; the answer to "
            f"{uncited[0].task.question!r} names no source.",
            "Say in returns= that the answer must cite the source.",
        )
    if not rows["alarm"].reached and len(rows["alarm"].calls) == 1 and not uncited:
        notes.add(
            "gave_up",
            f"'instructions' says {short_repr(words.get('instructions', ''), 90)}; asked "
            f"{rows['alarm'].task.question!r}, the model found nothing with "
            f"{_terms(rows['alarm'])!r} and gave up.",
            "Say in instructions= what to do then: retry once with one keyword fewer.",
        )
    if not notes.found and board.reached < len(board.rows):
        missed = ", ".join(row.task.name for row in board.rows if not row.reached)
        notes.add("goals_missed", f"These goals were missed: {missed}.", "print(measure(...))")


def _terms(row: Any) -> str:
    return str(row.calls[0].get("search_terms", ""))
