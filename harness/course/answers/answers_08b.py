"""Our solutions of part 08b, generated from authoring/08b_when_answers_go_wrong.py."""

# mypy: ignore-errors
from pydantic import BaseModel, ValidationError


def finish(text: str | None, model: type[BaseModel]) -> BaseModel | str:
    """The final answer as an object of `model`, or an observation that says what is wrong."""
    text = text or ""
    inner = text[text.find("{") : text.rfind("}") + 1]
    try:
        return model.model_validate_json(inner)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'the text'}: {fault['msg']}"
            for fault in error.errors()
        ]
        fields = ", ".join(model.model_fields)
        return f"ERROR: {'; '.join(faults)}. Answer again, as one JSON object with {fields}."
