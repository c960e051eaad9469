"""Judging how `late_arrivals` looks a carrier up: any letters, no other name, errors that help."""

import re

from harness.course.runner.explain import first_line
from harness.course.staging.late_voyages import CARGO, OBRIEN, ON_TIME, OTTER, late
from harness.course.staging.sql_bench import CARRIERS, EngineCalls
from harness.course.staging.stage import Seen
from harness.databases.sql_errors import nearest
from harness.errors import ToolError
from harness.excerpt import short_repr

_UNKNOWN = ("Oter Lines", "OtterLine", "Line", "%", "x' OR '1'='1", "")


def names(notes: EngineCalls) -> None:
    """Each carrier is found, whatever its letters, a quote in it, or its name so far."""
    for typed, name in (("oTTer line", OTTER), ("heron OF lagos", CARRIERS[1])):
        seen = notes.run("the name is in other letters", typed, min_hours=30)
        if not _total(seen):
            notes.add(
                "case_matters",
                f"{typed!r} was not found, and {name!r} is there.",
                "Compare carrier.lower() with the names in lower case.",
            )
            return
        if seen.returned["carrier"] != name:
            notes.add(
                "name_not_looked_up",
                f"Asked for {typed!r}, 'carrier' is {seen.returned['carrier']!r}.",
                "Return the name as the data has it.",
            )
    seen = notes.run("the name has a quote in it", OBRIEN)
    if _total(seen) != len(late(43, 24)):
        notes.add(
            "quote_breaks",
            f"{OBRIEN!r} is a carrier like any other, and its voyages were not found.",
            "Look the name up in Python; values go into engine.execute(sql, [values]).",
        )
    if not notes.found:
        _renamed(notes)


def _total(seen: Seen) -> int | None:
    return seen.returned.get("total") if isinstance(seen.returned, dict) else None


def _renamed(notes: EngineCalls) -> None:
    now, rename = "Kittiwake & Sons", "UPDATE SUPPLYCHAIN.carriers SET name = ? WHERE name = ?"
    notes.database.execute(rename, [now, OTTER])
    try:
        seen = notes.run("a carrier got another name since the last call", now)
    finally:
        notes.database.execute(rename, [OTTER, now])
    if _total(seen) != len(late(41, 24)):
        notes.add(
            "remembers",
            f"{OTTER!r} is called {now!r} since the last call, and that name was not found.",
            "Read the names from engine in each call.",
        )


def unknown(notes: EngineCalls) -> None:
    """What is no carrier's name is an error, with the names that are near and no others."""
    for carrier in _UNKNOWN:
        close = nearest(carrier, list(CARRIERS)) if carrier != "%" else []
        situation = f"there is no carrier {carrier!r}"
        seen = notes.run(situation, carrier)
        if carrier not in ("%", "Line", "") and pasted(notes, carrier):
            return
        said = str(seen.error)
        if seen.error is None:
            notes.add(
                "unknown_silent",
                f"When {situation}, it returned {short_repr(seen.returned)}. A model reads that "
                "as an answer.",
                'raise ToolError("bad_arguments", f"carrier: there is no {carrier!r}.", "Did you '
                'mean ...?")',
            )
        elif not isinstance(seen.error, ToolError):
            notes.add(
                "wrong_error",
                f"When {situation}, it raised {type(seen.error).__name__}: "
                f"{first_line(seen.error)}",
                'raise ToolError("bad_arguments", ...): a model can act on that.',
            )
        elif left_out := [name for name in close if name not in said]:
            notes.add(
                "no_nearest",
                f"When {situation}, {left_out[0]} is near, and the error doesn't name it: "
                f"{short_repr(said, 120)}.",
                "nearest(carrier, names) gives one or several; put them all into the hint.",
            )
        elif close and ON_TIME in said and CARGO in said:
            notes.add(
                "all_names",
                f"When {situation}, the error names every carrier: {short_repr(said, 120)}.",
                "Only those nearest to it: a real list has hundreds.",
            )
        elif seen.error.kind != "bad_arguments":
            notes.add(
                "kind_wrong",
                f"When {situation}, the ToolError's kind is {seen.error.kind!r}.",
                'ToolError("bad_arguments", ...): the model can mend its argument.',
            )


def pasted(notes: EngineCalls, *values: str) -> bool:
    """Whether a value is written into the text of a statement, where a ? belongs."""
    for value in values:
        found = [
            sql for sql in notes.ran if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sql, re.I)
        ]
        if found:
            line = next((x for x in found[0].splitlines() if value.lower() in x.lower()), found[0])
            notes.add(
                "pasted",
                f"A value, {value!r}, was pasted into the SQL: {short_repr(line.strip(), 100)}.",
                "Write ? where the value goes, and pass the values: engine.execute(sql, "
                "[carrier_id, ...]). A name with a quote in it then stays a name.",
            )
            return True
    return False
