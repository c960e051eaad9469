"""The check of `helpdesk_contract`: words that the linter accepts and that a model can act on."""

from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.errors import WorkshopError

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


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that is wrong with the words; how a model takes them only if the linter is."""
    notes = Calls(fn, stage)
    words = notes.call("it is asked for the contract")
    if notes.hopeless or not _shaped(words, notes):
        return notes.found
    from harness.course.labs.contract_measure import contract_from, measure
    from harness.tools.lint import lint

    try:
        contract = contract_from(words)
    except WorkshopError as error:
        notes.add("no_contract", f"No contract comes of it: {error.message}", error.hint or _SHAPE)
        return notes.found
    for fault in lint(contract, []):
        notes.add(fault.code, fault.message, fault.hint)
    if not notes.found:
        stage.step("a model reads the contract")
        _judge(measure(words), notes)
    return notes.found


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
    return not notes.found


def _judge(board: Any, notes: Calls) -> None:
    """Name the cause of each task that was missed."""
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
            notes.add(
                "version_wrong",
                f"Asked {rows[name].task.question!r}, the model passed {how} as version_filter.",
                f"Say its format and when to use it: here it should have passed {wanted!r}.",
            )
    found = [r for r in board.rows if r.task.source and not r.reached and r.answer]
    uncited = [row for row in found if "could not find" not in row.answer]
    if uncited and "version_wrong" not in notes.codes:
        notes.add(
            "no_citation",
            f"The answer to {uncited[0].task.question!r} names no source.",
            "Say in returns= that the answer must cite the source.",
        )
    if not rows["alarm"].reached and len(rows["alarm"].calls) == 1 and not uncited:
        notes.add(
            "gave_up",
            f"Asked {rows['alarm'].task.question!r}, the model found nothing with "
            f"{_terms(rows['alarm'])!r} and gave up.",
            "Say in instructions= what to do then: retry once with one keyword fewer.",
        )
    if not notes.found and board.reached < len(board.rows):
        missed = ", ".join(row.task.name for row in board.rows if not row.reached)
        notes.add("goals_missed", f"These goals were missed: {missed}.", "print(measure(...))")


def _terms(row: Any) -> str:
    return str(row.calls[0].get("search_terms", ""))
