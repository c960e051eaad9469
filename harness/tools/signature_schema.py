"""From a function's signature and docstring to the model and the JSON schema of its arguments."""

import inspect
import json
import re
import typing
import warnings
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import PydanticJsonSchemaWarning

from harness.errors import WorkshopError

FIELD = "arg_"  # before a parameter's name: pydantic refuses or drops some names of fields
_ARGS_SECTION = re.compile(
    r"\n\s*Args:\s*\n(.*?)(?:\n\s*\n|\n\s*(?:Returns|Raises):|\Z)", re.DOTALL
)
_ARG_LINE = re.compile(r"^\s*(\w+)(?:\s*\([^)]*\))?:\s*(.+)$")


def arguments_model(name: str, fn: Callable[..., Any], doc: str) -> type[BaseModel]:
    """The arguments as a strict pydantic model. Raises WorkshopError for what can't be one."""
    described = _described_arguments(doc)
    try:
        hints = typing.get_type_hints(fn, include_extras=True)
        signature = inspect.signature(fn)
    except (NameError, TypeError, ValueError) as error:
        raise WorkshopError(f"{name}: its signature can't be read ({error}).") from error
    fields: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise WorkshopError(
                f"{name}: no schema can describe *{parameter.name}.",
                "Give the tool named parameters, each with a type.",
            )
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise WorkshopError(
                f"{name}: {parameter.name} can't be given by name.", "Take the / out of the def."
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        hint = _with_description(hints.get(parameter.name, Any), described.get(parameter.name, ""))
        fields[f"{FIELD}{parameter.name}"] = (_aliased(hint, parameter.name, default), default)
    try:
        return create_model(name, __config__=ConfigDict(extra="forbid", strict=True), **fields)
    except (PydanticUserError, NameError, TypeError) as error:
        raise _no_schema(name) from error


def _aliased(hint: Any, name: str, default: Any) -> Any:
    """The type with the parameter's name as alias: some names can't name a field of a model."""
    extras = typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()
    if any(isinstance(extra, FieldInfo) and extra.alias for extra in (*extras, default)):
        return hint
    return Annotated[hint, Field(alias=name)]


def _no_schema(name: str) -> WorkshopError:
    return WorkshopError(
        f"{name}: a parameter has a type or default that no JSON schema can carry.",
        "Use str, int, float, bool, list, dict, Literal, or a pydantic model.",
    )


def _with_description(hint: Any, described: str) -> Any:
    """Annotated[str, "words"] and a docstring line both become the field's description."""
    if typing.get_origin(hint) is Annotated:
        base, *extras = typing.get_args(hint)
        texts = [extra for extra in extras if isinstance(extra, str)]
        rest = [extra for extra in extras if not isinstance(extra, str)]
        if any(isinstance(extra, FieldInfo) and extra.description for extra in rest):
            texts, described = [], ""
        words = " ".join(texts) or described
        return Annotated[(base, *rest, *([Field(description=words)] if words else []))]
    return Annotated[hint, Field(description=described)] if described else hint


def _described_arguments(doc: str) -> dict[str, str]:
    section = _ARGS_SECTION.search(doc)
    lines = section.group(1).splitlines() if section else []
    matches = (_ARG_LINE.match(line) for line in lines)
    return {m.group(1): m.group(2).strip() for m in matches if m}


def parameters_of(name: str, model: type[BaseModel]) -> dict[str, Any]:
    """The light JSON schema of the arguments. Raises WorkshopError where there is none."""
    try:
        with warnings.catch_warnings():  # a default that JSON can't carry is left out
            warnings.simplefilter("ignore", PydanticJsonSchemaWarning)
            schema = model.model_json_schema()
        light = _light({**schema, "properties": schema.get("properties", {})}, top=True)
        json.dumps(light, allow_nan=False)
    except (PydanticUserError, ValueError, TypeError) as error:
        raise _no_schema(name) from error
    return light


def _light(schema: Any, top: bool = False) -> Any:
    """The schema without titles, and `int | None` as its plain type: OCI refuses nested anyOf."""
    if isinstance(schema, list):
        return [_light(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    light: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in ("properties", "$defs"):
            light[key] = {name: _light(each) for name, each in value.items()}
        elif key not in ("default", "enum", "const", "examples"):
            light[key] = _light(value)
        elif value is not None:
            light[key] = value
    options = [o for o in light.get("anyOf", []) if o != {"type": "null"}]
    if len(options) == 1:
        del light["anyOf"]
        light = {**options[0], **light}
    elif options:
        light["anyOf"] = options
    if top:
        light.setdefault("type", "object")
    return light
