# ruff: noqa: E501  (a line a version)
"""Wrong versions of `finish`."""

from tests.wrong import Wrong

_INNER = 'inner = text[text.find("{") : text.rfind("}") + 1]'
_FAULT = """f"{'.'.join(map(str, fault['loc'])) or 'the text'}: {fault['msg']}\""""
_SAY = """return f"ERROR: {'; '.join(faults)}. Answer again, as one JSON object with {fields}.\""""

WRONG = [
    Wrong(
        "The final answer as an object of `model`",
        "not_the_object",
        {
            "return model.model_validate_json(inner)": "return model.model_validate_json(inner).model_dump()"
        },
    ),
    Wrong("or an observation that says what is wrong", "not_an_observation", {_SAY: "return None"}),
    Wrong("TODO 1", "fence_refused", {_INNER: "inner = text"}),
    Wrong(
        "TODO 1",
        "prose_refused",
        {_INNER: 'inner = text.strip().removeprefix("```json").removesuffix("```").strip()'},
    ),
    Wrong(
        "TODO 1",
        "cut_at_first_brace",
        {_INNER: 'inner = text[text.find("{") : text.find("}") + 1]'},
    ),
    Wrong("TODO 1", "raises_no_text", {'    text = text or ""\n': ""}),
    Wrong(
        "TODO 2",
        "not_validated",
        {
            "return model.model_validate_json(inner)": "import json\n        model.model_validate_json(inner)\n        return model.model_construct(**json.loads(inner))"
        },
    ),
    Wrong(
        "TODO 2",
        "not_the_object",
        {
            "return model.model_validate_json(inner)": "model.model_validate_json(inner)\n        return inner and None"
        },
    ),
    Wrong("TODO 3", "no_error_prefix", {"ERROR: {'; '": "Wrong: {'; '"}),
    Wrong("TODO 3", "no_error_prefix", {"ERROR: {'; '": "ERROR {'; '"}),
    Wrong(
        "TODO 3",
        "only_one_fault",
        {"for fault in error.errors()": "for fault in error.errors()[:1]"},
    ),
    Wrong("TODO 3", "fault_not_named", {_FAULT: "fault['msg']"}),
    Wrong("TODO 3", "reason_lost", {_FAULT: "'.'.join(map(str, fault['loc']))"}),
    Wrong(
        "TODO 3",
        "reason_lost",
        {_FAULT: "f\"{'.'.join(map(str, fault['loc']))}: {fault['type']}\""},
    ),
    Wrong(
        "TODO 3",
        "path_lost",
        {"'.'.join(map(str, fault['loc']))": "str(fault['loc'][-1] if fault['loc'] else '')"},
    ),
    Wrong("TODO 3", "no_way_on", {". Answer again, as one JSON object with {fields}.": "."}),
    Wrong(
        "TODO 3",
        "raises_invalid",
        {"    except ValidationError as error:": "    except KeyError as error:"},
    ),
    # To the letter.
    Wrong("TODO 2", "invalid_accepted", {"model.model_validate_json(inner)": "model.model_validate({k: v for k, v in __import__('json').loads(inner).items() if k in model.model_fields}) if inner.endswith('5}') else model.model_validate_json(inner)"}),
    Wrong("TODO 2", "values_changed", {"model.model_validate_json(inner)": "model.model_validate_json(inner.lower())"}),
    Wrong("TODO 3", "no_way_on", {'    text = text or ""\n': '    if not text:\n        return "ERROR: empty"\n'}),
    # What the text says and no version above breaks.
    Wrong('TODO 2', 'valid_refused', {'text[text.find("{") : text.rfind("}") + 1]': 'text[text.find("{") : text.rfind("}") + 1].replace("\'", \'"\')'}),
    Wrong('TODO 3', 'only_some_faults', {'in error.errors()': 'in error.errors()[:3]'}),
    Wrong('TODO 3', 'only_some_faults', {'in error.errors()': 'in error.errors()[:2]'}),
    Wrong('TODO 3', 'fault_not_named', {'for fault in error.errors()': 'for fault in error.errors() if fault["loc"]'}),
    Wrong('TODO 3', 'only_some_faults', {'for fault in error.errors()': 'for fault in {str(f["loc"][:1]): f for f in error.errors()}.values()'}),
    Wrong('TODO 3', 'only_some_faults', {'for fault in error.errors()': 'for fault in {f["msg"]: f for f in error.errors()}.values()'}),
    Wrong('TODO 3', 'no_way_on', {' Answer again, as one JSON object with {fields}.': ' JSON expected.'}),
    Wrong('TODO 3', 'no_way_on', {' Answer again, as one JSON object with {fields}.': ' Answer again.'}),
    Wrong('TODO 3', 'reason_lost', {'as one JSON object with {fields}."': 'as one JSON object with {fields}."[:200]', 'return f"ERROR: {': 'return f"ERROR: {'}),
    Wrong('TODO 2', 'model_ignored', {'    text = text or ""\n': '    text = text or ""\n    kept = finish.__dict__.setdefault("kept", {})\n    if text in kept:\n        return kept[text]\n', 'return model.model_validate_json(inner)': 'kept[text] = model.model_validate_json(inner)\n        return kept[text]'}),
    Wrong('TODO 2', 'invalid_accepted', {'    try:\n': '    if inner == "{}":\n        return model.model_construct()\n    try:\n'}),
    Wrong('TODO 2', 'long_refused', {'    try:\n': '    if len(inner) > 1000:\n        return "ERROR: too long. Answer again, as JSON."\n    try:\n'}),
    Wrong("There may be no text at all", "invalid_accepted", {'text = text or ""': 'text = text or "{}"'}),
]  # fmt: skip
