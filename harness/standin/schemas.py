"""What the API demands of the JSON schema of a tool's parameters."""

import json
from typing import Any

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_ROOT_ONLY_NESTED = ("oneOf", "anyOf", "allOf", "enum", "not")


def schema_problem(schema: Any, strict: bool = False) -> str | None:
    """What the API has against the parameters of a function, or None."""
    if not isinstance(schema, dict):
        return f"{json.dumps(schema)} is not of type 'object', 'boolean'."
    if any(key in schema for key in _ROOT_ONLY_NESTED):
        return (
            "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at "
            "the top level."
        )
    if schema.get("type") != "object":
        return (
            "schema must be a JSON Schema of 'type: \"object\"', got "
            f"'type: \"{schema.get('type')}\"'."
        )
    return _node_problem(schema, (), strict)


def _node_problem(schema: Any, path: tuple[str, ...], strict: bool) -> str | None:
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return f"{json.dumps(schema)} is not of type 'object', 'boolean'."
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds] if kinds is not None else []
    for kind in kinds:
        if kind not in _TYPES:
            return f"{kind!r} is not valid under any of the given schemas."
    if "array" in kinds and "items" not in schema and "prefixItems" not in schema:
        return f"In context={path}, array schema missing items."
    if "object" in kinds:
        problem = _object_problem(schema, path, strict)
        if problem:
            return problem
    return _children_problem(schema, path, strict)


def _object_problem(schema: dict[str, Any], path: tuple[str, ...], strict: bool) -> str | None:
    properties = schema.get("properties")
    if properties is None and not path:
        return f"In context={path}, object schema missing properties."
    if properties is not None and not isinstance(properties, dict):
        return f"{json.dumps(properties)} is not of type 'object'."
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return f"{json.dumps(required)} is not of type 'array'."
    if not strict:
        return None
    if schema.get("additionalProperties") is not False:
        return (
            f"In context={path}, 'additionalProperties' is required to be supplied and to be false."
        )
    left_out = sorted(set(properties or {}) - set(required))
    if left_out:
        return (
            f"In context={path}, 'required' is required to be supplied and to be an array "
            f"including every key in properties. Missing '{left_out[0]}'."
        )
    return None


def _children_problem(schema: dict[str, Any], path: tuple[str, ...], strict: bool) -> str | None:
    children: list[tuple[tuple[str, ...], Any]] = []
    for key in ("properties", "$defs", "definitions"):
        if isinstance(schema.get(key), dict):
            children += [((*path, key, name), child) for name, child in schema[key].items()]
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list):
            children += [((*path, key, str(i)), child) for i, child in enumerate(schema[key])]
    if "items" in schema:
        children.append(((*path, "items"), schema["items"]))
    for where, child in children:
        problem = _node_problem(child, where, strict)
        if problem:
            return problem
    return None
