"""An answer as JSON, when the loop asks for it with a schema."""

import json
import re
from typing import Any

_ASK = re.compile(r"must be JSON that fits its schema.*?(\{.*)\Z", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def as_json(nudge: str, text: str) -> str:
    """The answer in the form that the nudge asks for; the text as it is if it asks for none."""
    match = _ASK.search(nudge)
    if not match:
        return text
    try:
        schema, _ = json.JSONDecoder().raw_decode(match.group(1))
    except ValueError:
        return text
    numbers = [float(n) for n in _NUMBER.findall(text.splitlines()[0])]
    return json.dumps(_value(schema, schema, text, numbers), ensure_ascii=False)


def _value(schema: Any, whole: Any, text: str, numbers: list[float]) -> Any:
    """Something of the schema's type, taken from the answer; numbers in the order they stand."""
    if not isinstance(schema, dict):
        return text
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        return _value(whole.get("$defs", {}).get(name, {}), whole, text, numbers)
    if schema.get("enum"):
        named = [option for option in schema["enum"] if str(option).lower() in text.lower()]
        return (named or schema["enum"])[0]
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        fields = schema.get("properties") or {}
        return {name: _value(each, whole, text, numbers) for name, each in fields.items()}
    if kind in ("integer", "number"):
        found = numbers.pop(0) if numbers else 0
        return int(found) if kind == "integer" else found
    if kind == "array":
        return []
    if kind == "boolean":
        return not text.lower().startswith("no")
    return None if kind == "null" else text
