# ruff: noqa: E501  (the versions stand as learners write them)
"""Right versions of `finish`."""

RIGHT = {
    "a class": """
class _Finish:
    def __call__(self, text, model):
        try:
            return model.model_validate_json(self.inner(text or ""))
        except ValidationError as error:
            return "ERROR: " + "; ".join(map(self.told, error.errors())) + ". Answer again, as JSON."

    def inner(self, text):
        before, brace, rest = text.partition("{")
        inside, end, after = rest.rpartition("}")
        return brace + inside + end

    def told(self, fault):
        return f"{'/'.join(str(part) for part in fault['loc'])} {fault['msg']}"


finish = _Finish()
""",
    "re and a lambda": r"""
import re

_inner = lambda text: (re.search(r"\{.*\}", text or "", re.DOTALL) or [""])[0]


def finish(text, model):
    try:
        result = model.model_validate_json(_inner(text))
    except ValidationError as error:
        result = f"ERROR: {[(fault['loc'], fault['msg']) for fault in error.errors()]} Answer again as one JSON object."
    return result
""",
    "errors as lines": r"""
def finish(text, model):
    if text is None:
        text = ""
    first, last = text.find("{"), text.rfind("}")
    found = text[first : last + 1] if 0 <= first < last else text
    try:
        return model.model_validate_json(found)
    except ValidationError as error:
        lines = ["ERROR: this is not what was asked for."]
        for fault in error.errors():
            way = " > ".join(str(step) for step in fault["loc"]) or "(all of it)"
            lines.append(f"- {way}: {fault['msg']}")
        lines.append(f"Please send it once more, as JSON of {model.__name__}.")
        return "\n".join(lines)
""",
    "two helpers": """
def _json_of(text):
    if not text or "{" not in text:
        return ""
    return "{" + text.split("{", 1)[1].rsplit("}", 1)[0] + "}"


def _said(error):
    for fault in error.errors(include_url=False):
        yield "[" + "][".join(map(repr, fault["loc"])) + "] " + fault["msg"]


def finish(text: str | None, model):
    try:
        answer = model.model_validate_json(_json_of(text))
    except ValidationError as error:
        return "ERROR: " + ", and ".join(_said(error)) + ". Please provide one valid JSON object."
    return answer
""",
    "json first, then the model": """
import json


def finish(text, model):
    text = text or ""
    start = text.find("{")
    try:
        if start < 0:
            raise ValueError("there is no { in it")
        data = json.loads(text[start : text.rfind("}") + 1])
    except ValueError as error:
        return f"ERROR: the answer is not JSON ({error}). Answer again, with one JSON object and nothing else."
    match data:
        case dict():
            try:
                return model.model_validate_json(json.dumps(data))
            except ValidationError as error:
                faults = "; ".join(".".join(str(p) for p in e["loc"]) + " " + e["msg"] for e in error.errors())
                return f"ERROR: {faults}. Answer again, as JSON with these fields: {', '.join(model.model_fields)}."
    return "ERROR: this is no object. Answer again, as a JSON object."
""",
}
