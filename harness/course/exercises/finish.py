"""The check of `finish`: an answer that fits comes back as an object, any other as an ERROR."""

import inspect
import json
from collections.abc import Callable
from datetime import date
from typing import Any

from pydantic import BaseModel

from harness.course.report import Finding
from harness.course.staging.answer_models import EXPECTED, GOOD, Berths, Fleet, Free, Stay
from harness.course.staging.judge_answers import FAULTS, changed
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.excerpt import excerpt, short_repr

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "pydantic does the work: model.model_validate_json(text) returns the object, or raises "
    "ValidationError, also for text that isn't JSON. Its errors() is a list with a dict a fault.",
    "The JSON is what lies between the first { and the last }: text[text.find('{') : "
    "text.rfind('}') + 1]. A fault has 'loc', a tuple that leads to the field, and 'msg'.",
    "except ValidationError as error: return 'ERROR: ' + '; '.join(f\"{fault['loc']}: "
    "{fault['msg']}\" for fault in error.errors()) + '. Answer again, as JSON.'",
)


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong, causes only."""
    notes = Calls(fn, stage)
    try:
        inspect.signature(fn).bind("text", Stay)
    except (TypeError, ValueError) as error:
        hint = "def finish(text, model): ..."
        notes.add("signature", f"It can't be called as it will be: {error}.", hint)
        return notes.found
    for situation in _SITUATIONS:
        situation(notes)
        if notes.found:
            break
    return notes.found


def _good(notes: Calls) -> None:
    result = notes.call("the answer fits", json.dumps(GOOD), Stay)
    if notes.hopeless:
        return
    if result == EXPECTED:
        _as_pydantic_does(notes)
    elif isinstance(result, str) and result.lstrip().startswith("{"):
        notes.add(
            "not_the_object",
            f"For an answer that fits it returned text ({excerpt(result, 60)}), not an object.",
            "return model.model_validate_json(...)",
        )
    elif isinstance(result, str):
        notes.add(
            "valid_refused",
            f"An answer that fits, {json.dumps(GOOD)}, is refused: {excerpt(result, 90)}",
            "Give what is between the braces to model_validate_json as it is.",
        )
    elif isinstance(result, Stay) and isinstance(result.arrives, date):
        notes.add(
            "values_changed",
            f"The answer is {short_repr(EXPECTED, 90)}, and the object {short_repr(result, 90)}.",
            "Give what is between the braces to model_validate_json as it is.",
        )
    elif isinstance(result, Stay):
        notes.add(
            "not_validated",
            "The object holds what the text said, not what the model declares: "
            f"{short_repr(result, 90)}",
            "model.model_validate_json checks and converts; model_construct does neither.",
        )
    else:
        what = "nothing" if result is None else f"a {type(result).__name__}"
        notes.add(
            "not_the_object",
            f"For an answer that fits it returned {what}, not an object of the model.",
            "return model.model_validate_json(...)",
        )


def _as_pydantic_does(notes: Calls) -> None:
    """Text for a number, a default, another model: model_validate_json knows what to do."""
    both = json.dumps({"free": 4, "full": 5})
    for situation, text, expected, code in (
        ("a number comes as text", changed(hours="41"), EXPECTED, "valid_refused"),
        ("a field with a default is left out", "{}", Free(), "valid_refused"),
        ("a model takes two numbers", both, Berths(free=4, full=5), "valid_refused"),
        ("the same text is for another model", both, Free(free=4), "model_ignored"),
    ):
        result = notes.call(situation, text, type(expected))
        if notes.hopeless or notes.found:
            return
        if result != expected or type(result) is not type(expected):
            notes.add(
                code,
                f"When {situation}, it should be {short_repr(expected, 90)}; it is "
                f"{short_repr(result, 90)}.",
                "Give the text to model.model_validate_json, each time, with nothing else.",
            )
            return


def _wrapped(notes: Calls) -> None:
    text = f"```json\n{json.dumps(GOOD, indent=2)}\n```"
    result = notes.call("the JSON stands in a code fence", text, Stay, code="crash_fenced")
    if not notes.hopeless and result != EXPECTED:
        notes.add(
            "fence_refused",
            "JSON in a code fence is refused; models wrap it often, and it costs a round.",
            "Take what lies between the first { and the last }.",
        )


def _prose(notes: Calls) -> None:
    """Words around the JSON, and braces inside of it."""
    text = f"Here is the answer: {json.dumps(GOOD)}\nI hope that helps."
    result = notes.call("there is prose around the JSON", text, Stay, code="crash_fenced")
    if notes.hopeless:
        return
    if result != EXPECTED:
        notes.add(
            "prose_refused",
            "An answer that fits, with a sentence before and after it, is refused: "
            f"{short_repr(str(result), 80)}.",
            "Take what lies between the first { and the last }.",
        )
        return
    two = Fleet(harbour="north", stays=[EXPECTED, EXPECTED])
    result = notes.call("there are objects in the object", two.model_dump_json(), Fleet)
    if not notes.hopeless and result != two:
        notes.add(
            "cut_at_first_brace",
            "An answer that fits, with objects in a list, is refused: "
            f"{short_repr(str(result), 80)}.",
            "To the last }: text.rfind('}') + 1.",
        )
    if notes.found or notes.hopeless:
        return
    long = Fleet(harbour="} {", stays=[EXPECTED] * 60)
    result = notes.call("the answer is long and has braces in a text", _dumped(long), Fleet)
    if not notes.hopeless and result != long:
        notes.add(
            "long_refused",
            f"An answer that fits, of {len(_dumped(long)):,} characters and with braces in a "
            f"text, is refused: {short_repr(str(result), 80)}.",
            "From the first { to the last }, however long that is; pydantic does the rest.",
        )


def _dumped(model: BaseModel) -> str:
    return model.model_dump_json()


_SITUATIONS = (_good, _wrapped, _prose, *FAULTS)
