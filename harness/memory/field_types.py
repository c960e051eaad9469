"""The types that the fields of a memory have, checked before anything is made of them."""

from dataclasses import fields
from typing import Any

from harness.errors import WorkshopError
from harness.excerpt import short_repr
from harness.memory.admission import Proposal

_BOOLEANS = {each.name for each in fields(Proposal) if isinstance(each.default, bool)}
_TEXTS = {
    each.name
    for each in fields(Proposal)
    if "str" in str(each.type) and "dict" not in str(each.type)
} - {"valid_from", "expires_at", "timestamp", "source"}  # parsed, or compared with what there is


def check_types(given: dict[str, Any]) -> None:
    """Raise WorkshopError for a field that is no text, or not true or false, where it has to be."""
    for name, value in given.items():
        if name in _BOOLEANS and not isinstance(value, bool):
            raise WorkshopError(f"{name} must be True or False, not {short_repr(value)}.")
        if name in _TEXTS and not (value is None or isinstance(value, str)):
            raise WorkshopError(f"{name} must be a text, not {short_repr(value)}.")
