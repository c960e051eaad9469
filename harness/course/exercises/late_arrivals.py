"""The check of `late_arrivals`: values bound, names looked up, everything counted."""

import inspect
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.judge_names import names, pasted, unknown
from harness.course.staging.late_voyages import ASKED, CAP, ON_TIME, OTTER, late
from harness.course.staging.sql_bench import EngineCalls, staged, voyages
from harness.course.staging.stage import Stage
from harness.errors import ToolError
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Two queries: one for the names (SELECT carrier_id, name FROM carriers), one for the voyages "
    "of the carrier_id that you found. Look the name up in Python, in lower case.",
    "No such name: nearest(carrier, names) gives those that look like it; put them into the hint "
    'of a ToolError("bad_arguments", ..., hint). Values go into engine.execute(sql, [values]), '
    "where each ? stands for one of them.",
    "WHERE carrier_id = ? AND status = 'ARRIVED' AND delay_hours >= ? AND ocean_region = "
    "COALESCE(?, ocean_region) ORDER BY delay_hours DESC, voyage_id. total counts all rows, "
    "voyages holds the first 20 as dicts: dict(zip(result.columns, row)).",
)

_SHAPE = '{"carrier": name, "total": n, "voyages": [{"voyage_id": ..., "delay_hours": ...}, ...]}'

_COLUMNS = ("voyage_id", "delay_hours", "arrived_at")


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong."""
    notes = EngineCalls(fn, stage)
    try:
        inspect.signature(fn).bind(OTTER, min_hours=30, ocean_region="PACIFIC")
        inspect.signature(fn).bind(OTTER)
    except (TypeError, ValueError) as error:
        hint = "def late_arrivals(carrier, min_hours=24, ocean_region=None)"
        notes.add("signature", f"It can't be called as it will be: {error}.", hint)
        return notes.found
    for situation, carrier, carrier_id, hours, region in ASKED:
        _found(notes, situation, carrier, carrier_id, hours, region)
        if notes.found:
            return notes.found  # one cause shows in many places
    names(notes)
    unknown(notes)
    return notes.found


def _found(
    notes: EngineCalls,
    situation: str,
    carrier: str,
    carrier_id: int,
    hours: int | None,
    region: str | None,
) -> None:
    named: dict[str, Any] = {} if hours is None else {"min_hours": hours}
    if region:
        named["ocean_region"] = region
    seen = notes.run(situation, carrier, **named)
    values = [carrier, str(carrier_id), region, str(hours or "")]
    if pasted(notes, *filter(None, values)):
        notes.hopeless = True
    elif notes.changed:
        notes.add(
            "writes", f"When {situation}, it changed the database.", "A tool that lists only reads."
        )
        notes.renew()
    elif seen.error is not None:
        if carrier == ON_TIME and isinstance(seen.error, ToolError):
            notes.add(
                "none_is_error",
                "A carrier that was never late is not an error.",
                'Return "total": 0 and an empty list.',
            )
        else:
            notes.crashed(seen)
    elif _shaped(notes, seen.returned) and not notes.other_database():
        _judge(notes, seen.returned, situation, carrier_id, hours, region)


def _shaped(notes: EngineCalls, value: Any) -> bool:
    notes.hopeless = True
    if not isinstance(value, dict):
        what = "nothing" if value is None else type(value).__name__
        notes.add("not_a_dict", f"It returned {what}, not a dict.", _SHAPE)
        return False
    missing = [key for key in ("carrier", "total", "voyages") if key not in value]
    listed = value.get("voyages")
    if not missing and not (isinstance(listed, list) and all(isinstance(v, dict) for v in listed)):
        notes.add(
            "not_dicts", "'voyages' is not a list of dicts.", "dict(zip(result.columns, row))"
        )
        return False
    if not missing:
        missing = [key for key in _COLUMNS if any(key not in v for v in listed or [])]
    if missing:
        notes.add("key_missing", f"The result has no {', '.join(missing)}.", _SHAPE)
        return False
    notes.hopeless = False
    return True


def _judge(
    notes: EngineCalls,
    answer: dict[str, Any],
    situation: str,
    carrier_id: int,
    hours: int | None,
    region: str | None,
) -> None:
    least = 24 if hours is None else hours
    wanted = late(carrier_id, least, region)
    got = [voyage["voyage_id"] for voyage in answer["voyages"]]
    rows = {row[0]: row for row in voyages()}
    extra = [rows[each] for each in got if each in rows and each not in wanted]
    if extra:
        notes.note(_extra(extra[0], situation, carrier_id, least, region))
    elif wrong := [v for v in answer["voyages"] if not _as_stored(v, rows[v["voyage_id"]])]:
        notes.add(
            "row_wrong",
            f"When {situation}, a voyage is listed as {short_repr(wrong[0], 110)}, and "
            "the data has "
            f"{rows[wrong[0]['voyage_id']][4:6]}.",
            "dict(zip(result.columns, row)) keeps each value under its own name.",
        )
    elif len(got) > CAP:
        notes.add(
            "not_capped",
            f"When {situation}, {len(got)} voyages are listed.",
            f"List {CAP} at most; 'total' says how many there are.",
        )
    elif sorted(got) == sorted(wanted[:CAP]) and got != wanted[:CAP]:
        first = next(i for i, (a, b) in enumerate(zip(got, wanted, strict=False)) if a != b)
        tied = rows[got[first]][4] == rows[wanted[first]][4]
        notes.add(
            "ties_by_chance" if tied else "order_wrong",
            f"When {situation}, voyage {got[first]} comes before {wanted[first]}, and they were "
            f"{rows[got[first]][4]} and {rows[wanted[first]][4]} hours late.",
            "Equally late: the lower voyage_id first." if tied else "ORDER BY delay_hours DESC",
        )
    elif got != wanted[:CAP]:
        gone = [rows[each] for each in wanted if each not in got]
        if gone and all(row[4] == least for row in gone) and len(got) < CAP:
            notes.add(
                "boundary",
                f"When {situation}, a voyage of exactly {least} hours is missing.",
                "At least min_hours: >=.",
            )
        else:
            number, _, where, _, hours = next(rows[n] for n in wanted if n not in got)[:5]
            notes.add(
                "wrong_voyages",
                f"When {situation}, {len(got)} voyages are listed, not {len(wanted[:CAP])}. The "
                f"first that is missing is {number}, {hours} hours late, in the {where}.",
                f"Every voyage that fits, the longest delays first, {CAP} of them.",
            )
    elif answer["total"] != len(wanted):
        notes.add(
            "total_wrong",
            f"When {situation}, 'total' is {answer['total']!r}, and {len(wanted)} were late.",
            "It counts every match, listed or not.",
        )


def _as_stored(voyage: dict[str, Any], row: tuple[Any, ...]) -> bool:
    arrived = str(voyage["arrived_at"]).replace("T", " ")
    return voyage["delay_hours"] == row[4] and arrived.startswith(str(row[5]))


def _extra(
    row: tuple[Any, ...], situation: str, carrier_id: int, least: int, region: str | None
) -> Finding:
    """Why a voyage that is listed should not be."""
    number, of, where, status, hours = row[:5]
    if of != carrier_id:
        return Finding(
            "other_carriers",
            f"When {situation}, voyage {number} is listed, which another carrier operated.",
            "WHERE carrier_id = ?",
        )
    if status != "ARRIVED":
        return Finding(
            "not_arrived",
            f"When {situation}, voyage {number} is listed, and it is {status}.",
            "AND status = 'ARRIVED'",
        )
    if hours is None or hours < least:
        return Finding(
            "min_hours_ignored",
            f"When {situation}, voyage {number} is listed, which was {hours} hours late, not "
            f"{least}.",
            "AND delay_hours >= ?",
        )
    return Finding(
        "region_ignored",
        f"When {situation} ({region}), voyage {number} is listed, in the {where}.",
        "AND ocean_region = COALESCE(?, ocean_region): with None every region matches itself.",
    )
