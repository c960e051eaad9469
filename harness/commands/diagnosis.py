"""One line of what `doctor` says."""

from typing import Literal, NamedTuple


class Diagnosis(NamedTuple):
    """What was looked at; `hint` says what to do about it."""

    state: Literal["ok", "note", "problem"]
    text: str
    hint: str = ""
