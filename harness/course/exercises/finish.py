"""The check of `finish`: an answer that fits comes back as an object, any other as an ERROR."""

import inspect
import json
import re
from collections.abc import Callable
from datetime import date
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.course.report import Finding
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


class Stay(BaseModel):
    """How long a ship stays at a berth."""

    berth: str
    hours: int = Field(ge=1, le=500)
    arrives: date


class Fleet(BaseModel):
    """Several stays."""

    harbour: str
    stays: list[Stay]


class Closed(BaseModel):
    """A model that takes no other field."""

    model_config = ConfigDict(extra="forbid")
    free: int


class Berths(BaseModel):
    """Two numbers whose faults have the same words."""

    free: int = Field(ge=1)
    full: int = Field(ge=1)


GOOD = {"berth": "East  One", "hours": 41, "arrives": "2026-05-04"}
_WAY_ON = re.compile("again|json|answer|object|retry|correct", re.IGNORECASE)
EXPECTED = Stay(berth="East  One", hours=41, arrives=date(2026, 5, 4))


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong, causes only."""
    notes = Calls(fn, stage)
    try:
        inspect.signature(fn).bind("text", Stay)
    except (TypeError, ValueError) as error:
        hint = "def finish(text, model): ..."
        notes.add("signature", f"It can't be called as it will be: {error}.", hint)
        return notes.found
    for situation in (_good, _wrapped, _prose, _bad, _no_json, _named, _nested, _what_to_do):
        situation(notes)
        if notes.found:
            break
    return notes.found


def _good(notes: Calls) -> None:
    result = notes.call("the answer fits", json.dumps(GOOD), Stay)
    if notes.hopeless or result == EXPECTED:
        return
    if isinstance(result, str):
        notes.add("valid_refused", f"An answer that fits is refused: {excerpt(result, 90)}")
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


def _bad(notes: Calls) -> None:
    """A field that is missing, one out of range."""
    for situation, text in (
        ("a field is missing", _changed(hours=None)),
        ("a number is out of range", _changed(hours=900)),
    ):
        _refused(notes, situation, text, "raises_invalid")
        if notes.found:
            return
    more = json.dumps({"free": 4, "full": 5})
    _refused(notes, "the model forbids other fields and there is one", more, "crash", Closed)


def _no_json(notes: Calls) -> None:
    for situation, text in (
        ("the answer is a plain sentence", "There are 42 of them."),
        ("the JSON was cut off", json.dumps(GOOD)[:-20]),
        ("the answer is a JSON list", "[1, 2]"),
        ("the JSON is broken", '{"berth": "east one", "hours": forty, "arrives": "2026-05-04"}'),
        ("the answer is empty", ""),
        ("there is no answer at all (None)", None),
    ):
        code = "raises_no_text" if not text else "raises_no_json"
        _refused(notes, situation, text, code)
        if notes.found:
            return


def _named(notes: Calls) -> None:
    """Every faulty field, and what is wrong with it, and no other field as faulty."""
    told = [
        _refused(notes, f"{name} is out of range", json.dumps({**good, name: 0}), "crash", Berths)
        for good in [{"free": 4, "full": 5}]
        for name in good
    ]
    if not notes.found and told[0] == told[1]:
        notes.add(
            "fault_not_named",
            f"Whichever of two fields is wrong, the model reads {short_repr(told[0], 90)}.",
            'Say which field it is: "loc" leads to it.',
        )
    if notes.found:
        return
    both = _refused(notes, "two fields are wrong", _changed(hours=0, arrives="soon"), "crash")
    one = _refused(notes, "one of them is wrong", _changed(hours=0), "crash")
    named = [name for name in ("hours", "arrives") if name in both and both != one]
    if len(named) < 2:
        only = next((name for name in ("hours", "arrives") if name in both), "")
        code = "only_one_fault" if only else "fault_not_named"
        said = f"only {only} is named" if only else "neither is named"
        notes.add(
            code,
            f"Two fields are wrong and {said}; the model needs a round for each.",
            'Go through error.errors(): "loc" leads to the field.',
        )
        return
    texts = [
        _refused(notes, "hours is missing", _changed(hours=None), "crash"),
        _refused(notes, "hours is out of range", _changed(hours=900), "crash"),
    ]
    if texts[0] == texts[1]:
        notes.add(
            "reason_lost",
            "A field that is missing and one that is out of range get the same words.",
            'Say what is wrong, too: "msg" has it.',
        )


def _nested(notes: Calls) -> None:
    """A fault in a list inside: the model must be led to the item."""
    stays = [GOOD, {**GOOD, "hours": "many"}]
    text = json.dumps({"harbour": "north", "stays": stays})
    situation = "a field of the second item of a list is wrong"
    said = _refused(notes, situation, text, "crash", Fleet)
    if not notes.found and not ("hours" in said and "stays" in said and "1" in said):
        notes.add(
            "path_lost",
            f"When {situation}, the way to it is not said: {excerpt(said, 90)}",
            "\".\".join(map(str, fault['loc'])) gives stays.1.hours.",
        )


def _what_to_do(notes: Calls) -> None:
    """Each fault in pydantic's own words, and at the end what to do."""
    for situation, nothing in (("the answer is empty", ""), ("there is no answer (None)", None)):
        said = _refused(notes, situation, nothing, "crash")
        if not notes.found and not _WAY_ON.search(said):
            notes.add(
                "no_way_on",
                f"When {situation}, it says {short_repr(said)} and not what to do.",
                "End with it: Answer again, as one JSON object.",
            )
    text = _changed(hours=0, arrives="soon")
    said = _refused(notes, "two fields are wrong", text, "crash")
    if notes.found:
        return
    try:
        Stay.model_validate_json(text)
    except ValidationError as error:
        unsaid = [fault["msg"] for fault in error.errors() if fault["msg"] not in said]
        last = max(said.find(fault["msg"]) + len(fault["msg"]) for fault in error.errors())
    if unsaid:
        notes.add(
            "reason_lost",
            f"What is wrong is {unsaid[0]!r}, and the model reads {short_repr(said, 120)}.",
            'Say what is wrong, too: "msg" has it.',
        )
    elif not _WAY_ON.search(said[last:]):
        notes.add(
            "no_way_on",
            f"It ends with {said[-50:]!r} and does not say what to do.",
            "End with it: Answer again, as one JSON object.",
        )


def _refused(
    notes: Calls, situation: str, text: str | None, code: str, model: type[BaseModel] = Stay
) -> str:
    """The observation that refuses an answer; "" with a finding when there is none."""
    result = notes.call(situation, text, model, code=code)
    if notes.hopeless or notes.found:
        return ""
    if isinstance(result, BaseModel):
        notes.add(
            "invalid_accepted",
            f"When {situation}, it is taken for an answer: {short_repr(result, 90)}",
            "What does not fit the model is not an answer.",
        )
    elif not isinstance(result, str):
        what = "nothing" if result is None else f"a {type(result).__name__}"
        notes.add(
            "not_an_observation",
            f"When {situation}, it returned {what}; the model should read what is wrong.",
            'Return text that begins with "ERROR: ".',
        )
    elif not result.startswith("ERROR: "):
        notes.add(
            "no_error_prefix",
            f"When {situation}, what it says does not begin with ERROR: but {short_repr(result)}.",
            "Begin with ERROR: as every observation does that reports a fault.",
        )
    else:
        return result
    return ""


def _changed(**changes: Any) -> str:
    """The good answer with other values; None leaves one out."""
    values = {**GOOD, **changes}
    return json.dumps({name: value for name, value in values.items() if value is not None})
