"""The check of `authorize`: seven axes, grants and denials, allow, deny or ask."""

import copy
import inspect
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.authority_cases import CASES, Case
from harness.course.staging.authority_grid import grid
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Write a small function that looks at one grant and returns the first axis that refuses, or "
    '"". An axis that the grant does not name refuses too. Then look at what all grants said.',
    "Names: any(covers(name, request[axis]) for name in grant[axis]). Budgets: the unit, then "
    "0 < amount <= action, then used[tier] + amount <= budget[tier] for turn, hour and tenant_day.",
    'Denials first. One grant that refuses nothing is ("allow", ""). Else one that lacks only '
    'the user\'s yes is ("ask", "approval"). Else ("deny", axis): never ask for what a yes can\'t '
    "lift.",
)
_VERDICTS = ("allow", "deny", "ask")


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong: the first fault of each kind."""
    notes = Calls(fn, stage)
    try:
        inspect.signature(fn).bind({}, {})
    except (TypeError, ValueError) as error:
        notes.add(
            "signature",
            f"It can't be called as it will be: {error}.",
            "def authorize(envelope: dict, request: dict) -> tuple[str, str]",
        )
        return notes.found
    cases = [*CASES, *grid()]
    for step in dict.fromkeys(case.step for case in cases):
        for case in (each for each in cases if each.step == step):
            _judge(notes, case)
            if notes.hopeless:
                return notes.found
        if notes.found:
            break
    return notes.found


def _judge(notes: Calls, case: Case) -> None:
    if case.code in notes.codes:
        return
    envelope, request = copy.deepcopy((case.envelope, case.request))  # the cases outlive the check
    said = notes.call(case.situation, envelope, request)
    if notes.hopeless:
        return
    if not (isinstance(said, tuple | list) and len(said) == 2 and said[0] in _VERDICTS):
        what = "nothing" if said is None else short_repr(said)
        notes.add(
            "shape",
            f"When {case.situation}, it returned {what}.",
            'A verdict and an axis: ("allow", ""), ("deny", "time") or ("ask", "approval").',
        )
        notes.hopeless = True
        return
    if said[0] != case.verdict:
        notes.add(
            case.code,
            f"When {case.situation}, it said {said[0]!r}, not {case.verdict!r}.",
            case.hint,
        )
    elif case.verdict == "allow" and said[1] != "":
        notes.add(
            "wrong_axis",
            f"When {case.situation}, it allows, and names an axis: {short_repr(said[1])}.",
            'Nothing refuses: ("allow", "").',
        )
    elif case.refusers and said[1] not in case.refusers:
        notes.add(
            "wrong_axis",
            f"When {case.situation}, it names {short_repr(said[1])}; what refuses is "
            f"{' or '.join(map(repr, case.refusers))}.",
            "The caller reads it: it says what would have to be granted.",
        )
    elif case.axis and said[1] != case.axis:
        notes.add(
            "wrong_axis",
            f"When {case.situation}, the axis is {case.axis!r}, not {short_repr(said[1])}.",
            "The caller reads it: it says what would have to be granted.",
        )
