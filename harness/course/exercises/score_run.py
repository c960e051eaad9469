"""The check of `score_run`: three shares of a run's calls, whatever the run was like."""

import itertools
import zlib
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Three small counts. Fitting calls among all calls, expected tools that worked among all that "
    "are expected, repeated calls among all calls. Think of no calls, and of nothing expected.",
    'worked = {call["tool"] for call in calls if call["status"] == "ok"}, and recall is '
    "len(set(expected) & worked) / len(set(expected)). arguments are dicts, which no set can hold, "
    "but a list can: key in keys[:i].",
    'keys = [(call["tool"], call["arguments"]) for call in calls]; a call repeats an earlier one '
    "if keys[i] in keys[:i]. Divide only where there is something to divide by: n / len(calls) if "
    "calls else 1.0.",
)

NAMES = ("precision", "recall", "redundancy")
_NEAR = 0.006  # a share that was rounded to two places is fine
_WRONG = {name: f"{name}_wrong" for name in NAMES}

Call = dict[str, Any]
# A wrong value that gives itself away: (name, value) -> code, what it shows, hint.
Slips = dict[tuple[str, float], tuple[str, str, str]]


_ARGUMENTS = "Other arguments make another call.", "Compare tool and arguments."
_EXPECTED = "Expected tools fit too.", "{*expected, *allowed}"
_TOOL = "Two tools are two calls.", HINTS[2]
_FITS = "Precision looks at the tool of a call, and at nothing else."
_PAIR = "Compare tool and arguments; the status is not part of a call."


def made(tool: str, status: str = "ok", **arguments: Any) -> Call:
    """A call of a run."""
    return {"round": 1, "tool": tool, "arguments": arguments, "status": status}


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """What `fn` does wrong: the first cause, which explains what would follow."""
    notes = Calls(fn, stage)
    for step in _STEPS:
        step(notes)
        if notes.hopeless or notes.found:
            break
    return notes.found


def right(calls: list[Call], expected: list[str], allowed: list[str]) -> dict[str, float]:
    """The three shares."""
    keys = [(call["tool"], call["arguments"]) for call in calls]
    fitting = sum(tool in expected or tool in allowed for tool, _ in keys)
    worked = {call["tool"] for call in calls if call["status"] == "ok"}
    again = sum(key in keys[:i] for i, key in enumerate(keys))
    return {
        "precision": fitting / len(calls) if calls else 1.0,
        "recall": len(set(expected) & worked) / len(set(expected)) if expected else 1.0,
        "redundancy": again / len(calls) if calls else 0.0,
    }


def _scores(
    notes: Calls,
    situation: str,
    calls: list[Call],
    expected: list[str],
    allowed: list[str] | None = None,
    slips: Slips | None = None,
) -> None:
    """Have a run scored, and note the first share that is not as it should be."""
    more = [] if allowed is None else [list(allowed)]
    scores = notes.call(situation, [dict(call) for call in calls], list(expected), *more)
    if notes.hopeless or notes.found:
        return
    if not isinstance(scores, dict):
        what = "nothing" if scores is None else type(scores).__name__
        notes.add("not_a_dict", f"It returned {what}, not a dict.", f"Its keys: {', '.join(NAMES)}")
        return
    if lacking := [name for name in NAMES if name not in scores]:
        notes.add("keys_wrong", f"The dict lacks {lacking[0]!r}.", f"Its keys: {', '.join(NAMES)}")
        return
    for name, value in right(calls, expected, allowed or []).items():
        got = scores[name]
        if isinstance(got, bool) or not isinstance(got, int | float):
            notes.add("not_a_share", f"{name} is {got!r}, not a number.", "A share from 0 to 1.")
        elif not 0 <= got <= 1:
            notes.add("not_a_share", f"{name} is {got}.", "A share is a number from 0 to 1.")
        elif abs(got - value) > _NEAR:
            code, why, hint = (slips or {}).get((name, round(got, 2)), (_WRONG[name], "", HINTS[0]))
            told = f"{name} is {got:.2f} instead of {value:.2f}, when {situation}."
            notes.add(code, f"{told} {why}".strip(), hint)
        if notes.found:
            return


def _shape(notes: Calls) -> None:
    slips = {("precision", 0.0): ("expected_ignored", *_EXPECTED)}
    situation = "one call was made, and it was needed"
    _scores(notes, situation, [made("look", q=1)], ["look"], None, slips)


def _precision(notes: Calls) -> None:
    calls = [made("look", q=1), made("note", q=1), made("note", q=2), made("send", q=1)]
    slips = {
        ("precision", 0.25): ("allowed_ignored", "Allowed tools fit too.", "{*expected, *allowed}"),
        ("precision", 0.5): (
            "expected_ignored",
            "Expected tools fit too.",
            "{*expected, *allowed}",
        ),
        ("redundancy", 0.25): ("arguments_ignored", *_ARGUMENTS),
        ("redundancy", 0.5): ("tool_ignored", *_TOOL),
        ("precision", 0.67): ("tools_counted", "Count the calls, not the tools.", HINTS[0]),
    }
    situation = "of four calls one is of an expected tool, two are of an allowed one"
    _scores(notes, situation, calls, ["look"], ["note"], slips)


def _recall(notes: Calls) -> None:
    calls = [made("look", q=1), made("note", "failed", q=2)]
    calls += [made("send", "bad_arguments", q=3), made("send", q=4)]
    failed = "A call that failed got nothing done."
    slips = {
        ("recall", 0.75): ("failed_counted", failed, 'call["status"] == "ok"'),
        ("recall", 0.25): ("later_success", "One call of send failed, the next was ok.", HINTS[1]),
        ("precision", 0.5): ("fit_by_status", "A call that failed fits, too.", _FITS),
    }
    situation = "of four expected tools two ran, one failed and one was not called"
    _scores(notes, situation, calls, ["look", "note", "send", "sum"], None, slips)


def _redundancy(notes: Calls) -> None:
    calls = [made("look", q=1), made("note"), made("look", q=1), made("look", q=2)]
    calls.append(made("look", q=3))
    neighbours = "The same call was made two calls earlier."
    slips = {
        ("precision", 0.8): ("fit_once", "A call that repeats another fits, too.", _FITS),
        ("redundancy", 0.6): ("arguments_ignored", *_ARGUMENTS),
        ("redundancy", 0.4): (
            "first_counted",
            "The first of two equal calls repeats nothing.",
            "Look at the calls before it only.",
        ),
        ("redundancy", 0.0): ("only_neighbours", neighbours, "keys[i] in keys[:i]"),
    }
    situation = "the third of five calls is the first once more"
    _scores(notes, situation, calls, ["look", "note"], None, slips)
    if not notes.found:
        said = "The second and the third both repeat the first."
        same: Slips = {("redundancy", 0.33): ("counted_once", said, "Count calls, not keys.")}
        _scores(
            notes, "the same call is made three times", [made("look")] * 3, ["look"], None, same
        )
    if not notes.found:
        calls = [made("Look"), made("look", q="A"), made("look", q="a")]
        _scores(notes, "names and arguments differ in capitals only", calls, ["look"])


def _once(notes: Calls) -> None:
    """What ran once has run, whatever came before, after, or beside it."""
    ok, failed = made("look", q=1), made("look", "failed", q=1)
    later: Slips = {
        ("recall", 0.0): ("later_failure", "One call of look was ok: at least once.", HINTS[1]),
        ("redundancy", 0.0): ("status_compared", "It is made again, whatever came of it.", _PAIR),
    }
    _scores(notes, "a call is ok, and fails when made again", [ok, failed], ["look"], None, later)
    _scores(notes, "a call fails, and is ok when made again", [failed, ok], ["look"], None, later)
    told = "look is named twice, and is one tool; it ran."
    twice: Slips = {("recall", 0.5): ("expected_twice", told, "set(expected)")}
    _scores(notes, "an expected tool is named twice", [ok], ["look", "look"], None, twice)
    told = "note is allowed, and nobody needs it."
    more: Slips = {("recall", 0.5): ("allowed_needed", told, "needed = set(expected)")}
    _scores(notes, "an allowed tool was not called", [ok], ["look"], ["note"], more)


def _look_alikes(notes: Calls) -> None:
    """Texts that are almost "ok", almost a tool's name, almost an argument."""
    for status in ("okay", "not ok", "OK", " ok", "", "repeated", "empty"):
        told = f"{status!r} is another status than 'ok'."
        alike: Slips = {("recall", 1.0): ("status_alike", told, 'call["status"] == "ok"')}
        call = made("look", status, q=1)
        _scores(notes, f"the status of a call is {status!r}", [call], ["look"], None, alike)
    for near in ("look_up", "loo", "Look", "look "):
        told = f"{near!r} is another tool than 'look'."
        slip = ("tool_alike", told, "The whole name: call['tool'] in expected.")
        near_slips: Slips = {("precision", 1.0): slip, ("recall", 1.0): slip}
        situation = f"{near!r} was called"
        _scores(
            notes, f"{situation} and 'look' is expected", [made(near)], ["look"], [], near_slips
        )
        _scores(notes, f"{situation} and 'look' is allowed", [made(near)], [], ["look"], near_slips)
    kinds: Slips = {("redundancy", 0.5): ("arguments_ignored", *_ARGUMENTS)}
    for one, other in (
        ("1", 1),
        ("", None),
        ([1, 2], [2, 1]),
        ("a b", "a  b"),
        ({"k": 1}, {"k": 2}),
    ):
        calls = [made("look", q=one), made("look", q=other)]
        _scores(notes, f"q is {one!r}, then {other!r}", calls, ["look"], None, kinds)
    calls = [*(made("look", q=number) for number in range(8)), made("look", q=0)]
    told = "The same call was made eight calls earlier."
    far: Slips = {("redundancy", 0.0): ("only_near", told, "keys[i] in keys[:i], all of them")}
    _scores(notes, "the ninth call is the first once more", calls, ["look"], None, far)


def _order_of_keys(notes: Calls) -> None:
    one, other = made("look", q=1, k=[2]), made("look", k=[2], q=1)
    why = "Two dicts with the same keys and values are equal, in whatever order."
    slips = {("redundancy", 0.0): ("key_order", why, "json.dumps(..., sort_keys=True), or ==.")}
    _scores(notes, "the same arguments come in another order", [one, other], ["look"], None, slips)
    if not notes.found:
        broken = [{**made("look", "bad_arguments"), "arguments": None}, made("look")]
        _scores(notes, "the arguments of a call could not be read (None)", broken, ["look"])


def _nothing(notes: Calls) -> None:
    said = "Without a call nothing was wrong, and nothing was done twice."
    slips = {
        ("precision", 0.0): ("no_calls", said, "1.0 if not calls"),
        ("redundancy", 1.0): ("no_calls", said, "0.0 if not calls"),
        ("recall", 1.0): ("none_ran", "A tool was expected and none ran.", HINTS[1]),
    }
    _scores(notes, "no call was made", [], ["look"], None, slips)
    if not notes.found:
        said = "Where nothing is expected nothing is missing."
        none: Slips = {("recall", 0.0): ("none_expected", said, "1.0 if not expected")}
        _scores(notes, "no tool is expected", [made("look")], [], ["look"], none)


def _any(notes: Calls) -> None:
    """Runs of no special kind; the same ones every time."""
    tools, statuses = ("look", "note", "send", "sum"), ("ok", "ok", "failed", "repeated")
    for number in range(12):
        dice = (zlib.crc32(f"{number} {n}".encode()) for n in itertools.count())
        calls = [
            made(tools[next(dice) % 4], statuses[next(dice) % 4], q=next(dice) % 2)
            for _ in range(next(dice) % 9)
        ]
        expected = [tool for tool in tools if next(dice) % 2]
        allowed = [tool for tool in tools if next(dice) % 3 == 0]
        situation = f"{len(calls)} calls were made, as in {calls[:2]} ..."
        _scores(notes, situation, calls, expected, allowed)
        if notes.hopeless or notes.found:
            return


_STEPS = (
    _shape,
    _precision,
    _recall,
    _redundancy,
    _order_of_keys,
    _nothing,
    _once,
    _look_alikes,
    _any,
)
