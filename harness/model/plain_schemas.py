"""Tool schemas in the form that a server takes: without what it refuses, with what it misses."""

import re
from collections.abc import Callable
from typing import Any

# What a schema can do without: a looser one does no harm, since every call is validated here.
KEYWORDS = (
    "anyOf", "oneOf", "allOf", "not", "const", "default", "additionalProperties", "pattern",
    "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "minItems",
    "exclusiveMaximum", "maxItems", "uniqueItems", "multipleOf", "title", "examples", "strict",
    "$schema", "$defs", "$ref", "propertyNames", "patternProperties", "prefixItems", "properties",
)  # fmt: skip
_ESSENTIAL = ("properties",)


def plain_schemas(body: dict[str, Any], refusal: str) -> dict[str, Any]:
    """The request with tools whose schemas lack the keywords that the refusal names.

    All of them when it names none. A choice of schemas becomes its first that is not null; an
    object gets its `properties`, if only none.
    """
    tools = body.get("tools")
    if not tools:
        return body
    named = {word for word in KEYWORDS if re.search(rf"(?<![\w$]){re.escape(word)}(?!\w)", refusal)}
    names = (named or set(KEYWORDS)) - set(_ESSENTIAL)
    made = [_of_tool(tool, names) for tool in tools]
    if made == tools and re.search(r"empty|at least one|non-empty", refusal):
        made = [_without_empty(tool) for tool in tools]
    return body if made == tools else {**body, "tools": made}


def with_required(body: dict[str, Any], refusal: str) -> dict[str, Any]:
    """The request with `required` in every object of its schemas, if only an empty one.

    Where the refusal wants every parameter in it, those that may be left out may be null instead.
    """
    tools = body.get("tools") or []
    every = re.search(r"\b(?:every|each|all)\b", refusal, re.IGNORECASE) is not None
    made = [_with_parameters(tool, lambda schema: _required(schema, every)) for tool in tools]
    return body if made == tools else {**body, "tools": made}


def with_strict(body: dict[str, Any], _: str) -> dict[str, Any]:
    """The request with tools that say that their schemas are not strict."""
    tools = body.get("tools") or []
    made = [{**tool, "function": {"strict": False, **tool["function"]}} for tool in tools]
    return body if made == tools else {**body, "tools": made}


def _with_parameters(tool: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    function = tool["function"]
    parameters = change(function.get("parameters") or {"type": "object", "properties": {}})
    return {**tool, "function": {**function, "parameters": parameters}}


def _required(schema: Any, every: bool) -> Any:
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    if "items" in made:
        made["items"] = _required(made["items"], every)
    if schema.get("type") == "object":
        properties = schema.get("properties") or {}
        needed = schema.get("required") or []
        made["properties"] = {
            name: _required(each, every)
            if name in needed or not every
            else _nullable(_required(each, every))
            for name, each in properties.items()
        }
        made["required"] = list(properties) if every else needed
    return made


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that null fits, too, which the guarded call takes for left out."""
    if isinstance(schema.get("anyOf"), list):
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    if not isinstance(schema.get("type"), str):
        return schema
    values = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **values, "type": [schema["type"], "null"]}


def _without_empty(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool that takes no arguments without a schema for them, which the API allows."""
    function = dict(tool["function"])
    if not (function.get("parameters") or {}).get("properties"):
        function.pop("parameters", None)
    return {**tool, "function": function}


def _of_tool(tool: dict[str, Any], names: set[str]) -> dict[str, Any]:
    function = {k: v for k, v in tool["function"].items() if k not in names}
    parameters = function.get("parameters") or {"type": "object"}
    return {**tool, "function": {**function, "parameters": _plain(parameters, names)}}


def _plain(schema: Any, names: set[str]) -> Any:
    if isinstance(schema, list):
        return [_plain(each, names) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {k: v for k, v in schema.items() if k not in names}
    for word in ("anyOf", "oneOf", "allOf"):
        if word in names and schema.get(word):
            kept = [each for each in schema[word] if each.get("type") != "null"] or schema[word]
            made = {**{k: v for k, v in kept[0].items() if k not in names}, **made}
    if "properties" in made:
        made["properties"] = {k: _plain(v, names) for k, v in made["properties"].items()}
    elif made.get("type") == "object":
        made["properties"] = {}
    return made | {"items": _plain(made["items"], names)} if "items" in made else made
