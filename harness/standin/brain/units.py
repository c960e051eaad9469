"""Units: which one a column is in, as its name, its comment or a correction says; conversions."""

import re
from collections.abc import Mapping, Sequence

from harness.standin.brain.factlines import Column
from harness.standin.brain.words import Token, keys, playbook, tidy, tokenise


def unit_of(token: Token, words: str = "words") -> str:
    """The unit that a word names, or ""."""
    for name, unit in playbook()["units"].items():
        if token.key in {k for word in unit[words] for k in keys(str(word))}:
            return str(name)
    return ""


def unit_of_column(column: Column, corrected: Mapping[tuple[str, str], str] | None = None) -> str:
    """The unit of a column: as a correction says, else as its name or comment says; or ""."""
    if corrected and (column.table, column.name) in corrected:
        return corrected[(column.table, column.name)]
    if not column.is_number:
        return ""
    text = re.split(r"\bnever\b", f"{column.name.replace('_', ' ')} {column.comment}")[0]
    return next((u for token in tokenise(tidy(text)) if (u := unit_of(token, "said"))), "")


def never_units(column: Column) -> list[str]:
    """The units that a column's comment rules out."""
    said = re.findall(r"\bnever (?:in )?(\w+)", column.comment)
    return [unit for word in said for unit in [unit_of(tokenise(word)[0])] if unit]


def units_of(numbers: Sequence[float], given: str, own: str) -> tuple[float, ...] | None:
    """Numbers of one unit in another; None where they don't fit each other."""
    table = playbook()["units"]
    if given == own:
        return tuple(numbers)
    if not own or table[given]["dimension"] != table[own]["dimension"]:
        return None
    if given == "fahrenheit":
        return tuple((n - 32) * 5 / 9 for n in numbers)
    return tuple(n * float(table[given]["factor"]) / float(table[own]["factor"]) for n in numbers)


def measures(own: str, unit: str) -> bool:
    """Whether two units measure the same."""
    units = playbook()["units"]
    return bool(own) and bool(unit) and units[own]["dimension"] == units[unit]["dimension"]
