"""What is judged of `finish` where an answer does not fit: each fault named, and what to do."""

import json
import re
from typing import Any

from pydantic import BaseModel, ValidationError

from harness.course.staging.answer_models import GOOD, Berths, Closed, Fleet, Free, Span, Stay
from harness.course.staging.plain_bench import Calls
from harness.excerpt import excerpt, short_repr

_WAY_ON = re.compile("again|json|answer|object|retry|correct", re.IGNORECASE)
_DO = re.compile(
    r"again|retry|repeat|correct|answer|send|give|reply|respond|return|write|fix|"
    r"provide|produce|submit|\b(?:make|output|try|use)\b",
    re.IGNORECASE,
)
_FORM = re.compile("json|object", re.IGNORECASE)


def bad(notes: Calls) -> None:
    """A field that is missing, one out of range."""
    for situation, text in (
        ("a field is missing", changed(hours=None)),
        ("a number is out of range", changed(hours=900)),
    ):
        _refused(notes, situation, text, "raises_invalid")
        if notes.found:
            return
    more = json.dumps({"free": 4, "full": 5})
    _refused(notes, "the model forbids other fields and there is one", more, "crash", Closed)


def no_json(notes: Calls) -> None:
    """What is no JSON object, cut off, or not there at all."""
    for situation, text in (
        ("the answer is a plain sentence", "There are 42 of them."),
        ("the JSON was cut off", json.dumps(GOOD)[:-20]),
        ("the answer is a JSON list", "[1, 2]"),
        ("the JSON is broken", '{"berth": "east one", "hours": forty, "arrives": "2026-05-04"}'),
        ("the answer is an empty object", "{}"),
        ("the answer is empty", ""),
        ("there is no answer at all (None)", None),
    ):
        code = "raises_no_text" if not text else "raises_no_json"
        _refused(notes, situation, text, code)
        if notes.found:
            return
    for nothing in ("", None):
        situation = f"there is no answer ({nothing!r}), and the model needs no field"
        _refused(notes, situation, nothing, "raises_no_text", Free)
        if notes.found:
            return


def named(notes: Calls) -> None:
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
    both = _refused(notes, "two fields are wrong", changed(hours=0, arrives="soon"), "crash")
    one = _refused(notes, "one of them is wrong", changed(hours=0), "crash")
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
        _refused(notes, "hours is missing", changed(hours=None), "crash"),
        _refused(notes, "hours is out of range", changed(hours=900), "crash"),
    ]
    if texts[0] == texts[1]:
        notes.add(
            "reason_lost",
            "A field that is missing and one that is out of range get the same words.",
            'Say what is wrong, too: "msg" has it.',
        )


def nested(notes: Calls) -> None:
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


def all_of_them(notes: Calls) -> None:
    """Five faults, some with the same words, and one of the whole object."""
    stays: list[dict[str, Any]] = [dict(GOOD) for _ in range(12)]
    stays[3]["arrives"], stays[5]["berth"] = "soon", 4
    del stays[7]["hours"], stays[11]["hours"]
    text = json.dumps({"harbour": 5, "stays": stays})
    said = _refused(notes, "five fields are wrong", text, "crash", Fleet)
    for fault in [] if notes.found else _faults(Fleet, text):
        way = ".".join(map(str, fault["loc"]))
        if not all(str(step) in said for step in fault["loc"]):
            notes.add(
                "only_some_faults",
                f"Five fields are wrong, and {way} is not named; the model needs a round for each.",
                'Go through all of error.errors(): "loc" leads to the field.',
            )
        elif fault["msg"] not in said:
            notes.add(
                "reason_lost",
                f"What is wrong with {way} is {fault['msg']!r}, and the model does not read it: "
                f"{short_repr(said, 120)}.",
                'Say what is wrong, too: "msg" has it.',
            )
        if notes.found:
            return
    situation = "two fields do not fit each other"
    said = _refused(notes, situation, '{"first": 5, "last": 4}', "crash", Span)
    if not notes.found and "last comes before first" not in said:
        notes.add(
            "fault_not_named",
            f"When {situation}, what is wrong is not said: {short_repr(said, 120)}.",
            'A fault of the whole object has an empty "loc"; its "msg" says what it is.',
        )


def _faults(model: type[BaseModel], text: str) -> list[Any]:
    try:
        model.model_validate_json(text)
    except ValidationError as error:
        return list(error.errors())
    return []


def what_to_do(notes: Calls) -> None:
    """Each fault in pydantic's own words, and at the end what to do."""
    for situation, nothing in (("the answer is empty", ""), ("there is no answer (None)", None)):
        said = _refused(notes, situation, nothing, "crash")
        if not notes.found and not _WAY_ON.search(said):
            notes.add(
                "no_way_on",
                f"When {situation}, it says {short_repr(said)} and not what to do.",
                "End with it: Answer again, as one JSON object.",
            )
    text = changed(hours=0, arrives="soon")
    said = _refused(notes, "two fields are wrong", text, "crash")
    if notes.found:
        return
    words = [fault["msg"] for fault in _faults(Stay, text)]
    unsaid = [each for each in words if each not in said]
    last = max(said.find(each) + len(each) for each in words)
    if unsaid:
        notes.add(
            "reason_lost",
            f"What is wrong is {unsaid[0]!r}, and the model reads {short_repr(said, 120)}.",
            'Say what is wrong, too: "msg" has it.',
        )
    elif not (_DO.search(said[last:]) and _FORM.search(said[last:])):
        notes.add(
            "no_way_on",
            f"It ends with {said[-50:]!r} and does not say what to do, and in which form.",
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


def changed(**changes: Any) -> str:
    """The good answer with other values; None leaves one out."""
    values = {**GOOD, **changes}
    return json.dumps({name: value for name, value in values.items() if value is not None})


FAULTS = (bad, no_json, named, nested, all_of_them, what_to_do)
