"""The check of `alerts`: three numbers over many turns, each against its limit."""

import itertools
import zlib
from collections.abc import Callable
from statistics import fmean
from typing import Any

from harness.config import Alerts
from harness.course.report import Finding
from harness.course.staging.alert_cases import CASES, Turn
from harness.course.staging.made_events import event
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

NAMES = ("cap_breaches", "mean_latency_ms", "tokens_per_task")

HINTS = (
    "Measure the three values first, in a dict with the names of the limits; compare at the end.",
    "any(event['phase'] == 'CAP_REACHED' for event in events) tells whether a turn ended at a cap. "
    "For latency put the steps of all turns into one list; for tokens make one sum a turn and take "
    "the largest.",
    "{name: value for name, value in measured.items() if value > getattr(limits, name)}; and "
    "fmean(steps) if steps else 0.0, max(tokens, default=0).",
)


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """What `fn` does wrong: the first cause, which explains what would follow."""
    notes = Calls(fn, stage)
    for situation, turns, limits, expected, code, hint in CASES:
        due = notes.call(situation, turns, limits)
        if notes.hopeless or notes.found:
            break
        if not isinstance(due, dict):
            what = "nothing" if due is None else f"a {type(due).__name__}"
            notes.add("not_a_dict", f"It returned {what}, not a dict of name and value.", HINTS[2])
            break
        if not _same(due, expected):
            if notes.remembers(situation, due, turns, limits):
                break
            if code not in ("at_the_limit", "limits_ignored"):
                code, hint = _slip(due, expected, limits) or (code, hint)
            shown = ", ".join(f"{name} {value:,g}" for name, value in expected.items())
            wanted = shown or "no alert is due"
            message = f"When {situation}: {wanted}; it returned {short_repr(due, 100)}."
            notes.add(code, message, hint)
            break
    if not notes.found and not notes.hopeless:
        _any(notes)
    return notes.found


def _slip(
    due: dict[Any, Any], expected: dict[str, float], limits: Alerts
) -> tuple[str, str] | None:
    """A fault in what is returned, when everything was measured right."""
    if due.keys() == expected.keys():
        for name, value in expected.items():
            limit = getattr(limits, name)
            odd = isinstance(due[name], bool) or not isinstance(due[name], int | float)
            if odd or due[name] in (limit, value - limit):
                return "value_wrong", f"Beside {name!r} stands what was measured: {value:,.0f}."
        return None
    for name, value in due.items():
        if name in NAMES and isinstance(value, int | float) and value <= getattr(limits, name):
            return (
                "not_due",
                f"{name!r} is {value:g} and its limit {getattr(limits, name):g}: leave it out.",
            )
    return None


def _same(due: dict[Any, Any], expected: dict[str, float]) -> bool:
    """The same names, and values that differ by no more than rounding to a whole number."""
    if due.keys() != expected.keys():
        return False
    values = [(due[name], expected[name]) for name in expected]
    return all(isinstance(a, int | float) and abs(a - b) < 0.51 for a, b in values)


def _any(notes: Calls) -> None:
    """Turns of no special kind; the same ones every time."""
    phases = ("PLANNING", "EXECUTION", "OBSERVING", "TOOL_SELECTION", "CAP_REACHED", "COMPLETED")
    for number in range(12):
        dice = (zlib.crc32(f"{number} {n}".encode()) for n in itertools.count())
        turns = [
            [
                event(
                    next(dice) % 3,
                    phases[next(dice) % 6],
                    operation=("chat", "execute_tool", None)[next(dice) % 3],
                    status=(None, "ok", "failed")[next(dice) % 3],
                    latency_ms=(None, 0.0, 60.0, 300.0)[next(dice) % 4],
                    tokens=(None, {"prompt": 300, "completion": 50})[next(dice) % 2],
                )
                for _ in range(next(dice) % 7)
            ]
            for _ in range(next(dice) % 5)
        ]
        limits = Alerts(cap_breaches=next(dice) % 2, mean_latency_ms=90, tokens_per_task=400)
        due = notes.call(f"turns are made up at random ({number})", turns, limits)
        over = _measured(turns).items()
        expected = {name: value for name, value in over if value > getattr(limits, name)}
        if notes.hopeless or notes.found:
            return
        if not isinstance(due, dict) or not _same(due, expected):
            notes.add(
                "values_wrong",
                f"For {short_repr(turns, 200)} and {limits!r} it should be {expected}; it "
                f"returned {short_repr(due, 100)}.",
                "Measure by hand what these turns have: caps, steps with a latency, chat's tokens.",
            )
            return


def _measured(turns: list[Turn]) -> dict[str, float]:
    steps = [
        each["latency_ms"]
        for events in turns
        for each in events
        if each["phase"] in ("PLANNING", "EXECUTION") and each["latency_ms"] is not None
    ]
    chats = [[e["tokens"] for e in t if e["operation"] == "chat" and e["tokens"]] for t in turns]
    return {
        "cap_breaches": sum("CAP_REACHED" in [each["phase"] for each in turn] for turn in turns),
        "mean_latency_ms": fmean(steps) if steps else 0.0,
        "tokens_per_task": max((sum(sum(c.values()) for c in chat) for chat in chats), default=0),
    }
