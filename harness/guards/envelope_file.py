"""Reading an envelope from a file or a dict, with faults named in words."""

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from harness.errors import WorkshopError
from harness.guards.effect import covered
from harness.guards.envelope import AXES, Denial, Envelope, Grant, Quantity, Span

_NAMED = ("name", "grants", "denials")  # `also` and `account` are the program's, not a file's
_EVERYTHING = {"*", "any", "all", "everything", "everywhere", "anyone"}
_NAMES_IN = ("resource", "action", "destination")
_KNOWN = {
    "grants": tuple(Grant.model_fields),
    "denials": tuple(Denial.model_fields),
    "quantity": tuple(Quantity.model_fields),
    "time": tuple(Span.model_fields),
}
_EXAMPLES = {
    "quantity": "{unit: message, action: 1, turn: 2, hour: 10, tenant_day: 50}",
    "time": 'session, or {start: "2026-08-17T08:00:00+02:00", end: ...}: each with its zone',
    "approval": "none, or user",
    "reversibility": "unchanged, reversible or irreversible: the worst that may happen",
}


class _OnceOnly(yaml.SafeLoader):
    """YAML in which a key that is written twice is an error, not the last one."""


def _mapping(loader: _OnceOnly, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [key.value for key, _ in node.value]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise yaml.constructor.ConstructorError(
            None, None, f"{twice!r} is written twice", node.start_mark
        )
    return loader.construct_mapping(node, deep=True)


_OnceOnly.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_envelope(source: Envelope | Mapping[str, Any] | Path | str) -> Envelope:
    """An envelope from a YAML file, a dict, or as it is.

    Raises WorkshopError for a file that can't be read, an unknown axis, a wildcard, a budget
    without its unit, a time without its zone, a span that ends before it begins, a grant that a
    denial takes back whole.
    """
    if isinstance(source, Envelope):
        return source
    if isinstance(source, Mapping):
        return envelope_of(source, "The envelope")
    if isinstance(source, Path | str):
        return envelope_of(read_yaml(Path(source)), Path(source).name, Path(source).stem)
    raise WorkshopError(
        f"An envelope can't be made of {type(source).__name__}.",
        "Give an Envelope, a dict, or the path of a YAML file.",
    )


def read_yaml(path: Path) -> Any:
    """What a YAML file holds. Raises WorkshopError where it can't be read."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _OnceOnly)  # a SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise WorkshopError(f"{path.name} can't be read: {why}.", "Name a YAML file.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = getattr(error, "problem", None) or str(error).splitlines()[0]
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 1})" if mark else ""
        raise WorkshopError(
            f"{path.name} is not proper YAML: {why}{line}.", "data/roles has examples."
        ) from error


def envelope_of(data: Any, source: str, name: str = "envelope") -> Envelope:
    """The envelope that a mapping describes; raises what `read_envelope` raises."""
    if not isinstance(data, Mapping):
        raise WorkshopError(f"{source} holds no mapping.", "It has name, grants and denials.")
    unknown = [key for key in data if key not in _NAMED]
    if unknown:
        raise _unknown(source, str(unknown[0]), _NAMED)
    for part in ("grants", "denials"):
        for number, each in enumerate(data.get(part) or (), 1):
            _check_names(f"{source}, {part[:-1]} {number}", each)
    filled = {key: value for key, value in data.items() if value is not None}
    try:
        envelope = Envelope(**{"name": name, **filled})
    except ValidationError as error:
        raise _in_words(source, error) from None
    for number, grant in enumerate(envelope.grants, 1):
        if any(_takes_back(denial, grant) for denial in envelope.denials):
            raise WorkshopError(
                f"{source}, grant {number}: a denial forbids all that it grants.",
                "Take one of them out; a denial always wins.",
            )
    return envelope


def _check_names(where: str, entry: Any) -> None:
    """No wildcards: what is meant must be named."""
    for axis in _NAMES_IN if isinstance(entry, Mapping) else ():
        value = entry.get(axis)
        for name in value if isinstance(value, list | tuple) else [value]:
            if isinstance(name, str) and ("*" in name or name.lower() in _EVERYTHING):
                raise WorkshopError(
                    f"{where}, {axis}: {name!r} is a wildcard.",
                    "Name what is meant; a name covers everything below it (outside covers "
                    "outside/acme.example).",
                )


def _takes_back(denial: Denial, grant: Grant) -> bool:
    pairs = [(getattr(denial, axis), getattr(grant, axis)) for axis in _NAMES_IN]
    return all(
        forbidden is None or (granted and all(covered(forbidden, each) for each in granted))
        for forbidden, granted in pairs
    )


def _unknown(where: str, key: str, known: tuple[str, ...]) -> WorkshopError:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."
    return WorkshopError(f"{where}: {key!r} is unknown.", hint)


def _in_words(source: str, error: ValidationError) -> WorkshopError:
    """The first fault, with the grant and the axis that it is in."""
    details = error.errors()
    spans = [d for d in details if "Span" in str(d["loc"]) and d["type"] != "model_type"]
    detail = (spans or details)[0]  # of the two forms of time the one that was meant
    path = [str(part + 1) if isinstance(part, int) else part for part in detail["loc"]]
    parent = next((part for part in reversed(path[:-1]) if part in _KNOWN), "")
    axis = next((part for part in path if part in AXES), "")
    where = f"{source}, {' '.join(path[:2]).replace('s ', ' ', 1)}" if path else source
    if detail["type"] == "extra_forbidden":
        return _unknown(where, path[-1], _KNOWN.get(parent, AXES))
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "missing":
        message = f"{path[-1]} is missing"
    elif axis == "quantity" and detail["type"] in ("model_type", "model_attributes_type"):
        message = "a budget needs its unit and its tiers"
    elif detail["type"] == "timezone_aware":
        message = "the time has no zone"
    hint = (
        f"Write {axis} as {_EXAMPLES[axis]}." if axis in _EXAMPLES else "data/roles has examples."
    )
    return WorkshopError(f"{where}{f', {axis}' if axis else ''}: {message}.", hint)
