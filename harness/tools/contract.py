"""A tool's contract: what the model is told before it calls, and what a call is held to.

Everything comes from the function itself: its name, its signature, its docstring, and the words
given to `@register`. The schema that is sent with every request stays light; the output contract
goes with each observation and the heavy instructions with the first one of a turn (progressive
disclosure).
"""

import difflib
import inspect
import json
import re
import typing
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import PydanticJsonSchemaWarning

from harness.errors import WorkshopError

Tier = Literal["read", "write"]
Cost = Literal["low", "medium", "high"]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # what the chat completions API accepts
_FIELD = "arg_"  # before a parameter's name: pydantic refuses or drops some names of fields
_ARGS_SECTION = re.compile(
    r"\n\s*Args:\s*\n(.*?)(?:\n\s*\n|\n\s*(?:Returns|Raises):|\Z)", re.DOTALL
)
_ARG_LINE = re.compile(r"^\s*(\w+)(?:\s*\([^)]*\))?:\s*(.+)$")


@dataclass(frozen=True)
class ToolContract:
    """One tool. `timeout` is in seconds; `returns` is the output contract.

    `idempotent` is None where nobody said; `missing` is what to do about a parameter left out.
    """

    name: str
    fn: Callable[..., Any]
    description: str
    arguments: type[BaseModel]
    parameters: dict[str, Any]
    when: str = ""
    returns: str = ""
    instructions: str = ""
    tier: Tier = "read"
    cost: Cost = "low"
    permission: str = ""
    preconditions: str = ""
    idempotent: bool | None = None
    missing: str = ""
    example: dict[str, Any] | None = None
    repeatable: bool = False
    timeout: float = 30.0
    always: bool = False

    @cached_property
    def fields(self) -> dict[str, FieldInfo]:
        """The parameters by the name that the model uses."""
        return {info.alias or key: info for key, info in self.arguments.model_fields.items()}

    @cached_property
    def parameter_fields(self) -> dict[str, str]:
        """The function's own parameters, and under which attribute the arguments hold each."""
        return {key.removeprefix(_FIELD): key for key in self.arguments.model_fields}

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as the chat completions API wants it: the light part of the contract."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.summary,
                "parameters": self.parameters,
            },
        }

    @property
    def summary(self) -> str:
        """What, when, and what it costs: the part that matters for choosing comes first."""
        parts = [self.description]
        if self.when:
            parts.append(f"Use when: {self.when}")
        if self.preconditions:
            parts.append(f"Before: {self.preconditions}")
        if self.tier == "write":
            said = {True: ", safe to repeat", False: ", not safe to repeat", None: ""}
            parts.append(f"Writes ({self.cost} cost{said[self.idempotent]}).")
        if self.permission:
            parts.append(f"Needs permission: {self.permission}.")
        if self.example:
            parts.append(f"Example: {json.dumps(self.example, ensure_ascii=False, default=str)}")
        return " ".join(parts)


def contract_of(fn: Callable[..., Any], **words: Any) -> ToolContract:
    """Read the contract off a function. Raises WorkshopError for what no schema can carry."""
    name: Any = words.pop("name", None) or getattr(fn, "__name__", None)
    _check_function(fn, name)
    _check_words(name, words)
    doc = inspect.getdoc(fn) or ""
    model = _arguments_model(name, fn, doc)
    given: dict[str, Any] = {
        k: " ".join(v.split()) if k in ("when", "returns") else v for k, v in words.items()
    }
    return ToolContract(
        name=name,
        fn=fn,
        description=" ".join(doc.split("\n\n")[0].split()),
        arguments=model,
        parameters=_parameters(name, model),
        **given,
    )


def _check_function(fn: Any, name: Any) -> None:
    if not callable(fn) or name is None:
        raise WorkshopError(
            f"@register takes a named function, not {fn!r:.60}.",
            "Write @register above a def, or @register(when=..., returns=...).",
        )
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise WorkshopError(
            f"The API refuses the tool name {name!r:.100}.",
            "Use 1 to 64 letters, digits, underscores and hyphens.",
        )
    if inspect.iscoroutinefunction(fn) or inspect.isgeneratorfunction(fn):
        raise WorkshopError(
            f"{name}: a tool returns its result; this function is async or yields.",
            "Make it a plain function with a return.",
        )


def _check_words(name: str, words: dict[str, Any]) -> None:
    """Refuse words that `@register` has not: a misspelt tier must not pass for read."""
    for word, value in words.items():
        if word not in _WORDS:
            near = difflib.get_close_matches(word, _WORDS, n=1) or [", ".join(_WORDS)]
            raise WorkshopError(f"{name}: @register has no {word}=.", f"Did you mean: {near[0]}?")
        if not _WORDS[word](value):
            raise WorkshopError(
                f"{name}: @register can't take {word}={value!r:.60}.",
                "harness/tools/contract.py says what each word takes (ToolContract).",
            )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


_WORDS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("when", "returns", "instructions", "missing"), _is_text),
    **dict.fromkeys(("permission", "preconditions"), _is_text),
    "tier": lambda value: value in typing.get_args(Tier),
    "cost": lambda value: value in typing.get_args(Cost),
    "idempotent": lambda value: value is None or isinstance(value, bool),
    "example": lambda value: value is None or isinstance(value, dict),
    "timeout": _is_seconds,
    **dict.fromkeys(("repeatable", "always"), _is_flag),
}


def _arguments_model(name: str, fn: Callable[..., Any], doc: str) -> type[BaseModel]:
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
        fields[f"{_FIELD}{parameter.name}"] = (_aliased(hint, parameter.name, default), default)
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


def _parameters(name: str, model: type[BaseModel]) -> dict[str, Any]:
    try:
        with warnings.catch_warnings():  # a default that is no JSON is left out
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
