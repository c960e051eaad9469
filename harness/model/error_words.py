"""The sentences of an error body, in whatever form a server keeps them."""

import json
from collections.abc import Iterator
from typing import Any

# Where error bodies keep their sentence, the best first. Any other form is shown as it came.
_SAID = ("message", "msg", "detail", "error_description", "errormessage", "faultstring", "reason",
         "description", "title", "error", "raw", "cause", "status_text")  # fmt: skip


def sentences(value: Any, deep: int = 0) -> Iterator[str]:
    """The sentences of an error body, the best first, where a body keeps them in whatever form."""
    if deep > 6:
        return
    if isinstance(value, str):
        inner = loaded(value) if value.lstrip()[:1] in ("{", "[") else None
        if inner is not None:
            yield from sentences(inner, deep + 1)
        elif value.strip():
            yield value.strip()
    elif isinstance(value, list):
        for each in value:
            yield from sentences(each, deep + 1)
    elif isinstance(value, dict):
        by_name = {str(name).lower(): each for name, each in value.items()}
        place = by_name.get("loc")
        for name in _SAID:
            for said in sentences(by_name.get(name), deep + 1):
                yield f"{'.'.join(map(str, place))}: {said}" if isinstance(place, list) else said
        for name, each in by_name.items():
            if name not in _SAID and isinstance(each, dict | list) and name != "loc":
                yield from sentences(each, deep + 1)


def loaded(text: str) -> Any:
    """A text's JSON; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
