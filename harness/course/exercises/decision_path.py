"""The check of `decision_path`: the route of a turn, read from its events."""

import re
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.made_events import (
    asked,
    called,
    ended,
    open_turn,
    planned,
    said,
    straight,
)
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

Events = list[dict[str, Any]]

HINTS = (
    "Collect what is said by iteration: a dict of lists. Go through the events once; OBSERVING, "
    "PLANNING and the three last phases matter, all others are passed over.",
    "A call is event['tool'], with f' ({status})' behind it unless the status is 'ok' or None. "
    "model_decision counts only where it is 'answer' or 'no reply'.",
    "pieces = [f\"{n} {', '.join(steps[n])}\" for n in sorted(steps)]; the status of the last "
    "event of the turn comes behind them; ' | '.join(...).",
)


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """What `fn` does wrong: the first cause, which explains what would follow."""
    notes = Calls(fn, stage)
    _straight(notes)
    for situation, events, expected, code, hint in _CASES:
        if notes.found or notes.hopeless:
            break
        path = notes.call(situation, events)
        if notes.hopeless or notes.found or path == expected:
            continue
        if notes.remembers(situation, path, events):
            break
        code, hint = _SLIPS.get((code, str(path)), (code, hint))
        if _words(path) == _words(expected):
            code, hint = "form_wrong", HINTS[2]
        elif _BARE.search(str(path)) and not _BARE.search(expected):
            code, hint = (
                "empty_piece",
                "Where nothing is said, there is no piece: not even a number.",
            )
        message = f"When {situation}, it should be {expected!r}; it is {short_repr(path, 120)}."
        notes.add(code, message, hint)
    return notes.found


_BARE = re.compile(r"(?:^|\| )\d+ *(?:\||$)")  # a piece that is a number and nothing else


def _words(path: Any) -> list[str]:
    return re.findall(r"\w+", str(path))


def _straight(notes: Calls) -> None:
    """One call and an answer: most faults show here, each in its own way."""
    path = notes.call("a turn makes one call and answers", straight("look_up"))
    if notes.hopeless or notes.found or path == _STRAIGHT:
        return
    if not isinstance(path, str):
        what = "nothing" if path is None else f"a {type(path).__name__}"
        notes.add("not_text", f"It returned {what}, not a line of text.", HINTS[2])
    elif "\n" in path:
        notes.add("not_one_line", "It returned several lines.", '" | ".join(pieces)')
    elif path.startswith(("0  ", "0 |")) or "asked" in path or "context" in path:
        notes.add(
            "not_a_step",
            f"The question and the context are not steps of the model: {short_repr(path, 120)}.",
            "Of PLANNING take only the events whose model_decision is 'answer' or 'no reply'.",
        )
    elif path.count("look_up") > 1:
        notes.add(
            "counted_twice",
            f"One call is there {path.count('look_up')} times: {short_repr(path, 120)}.",
            "A call has an event for its selection, its run and its result: take OBSERVING only.",
        )
    elif "(ok)" in path or "(None)" in path:
        notes.add("ok_said", f"What went well is said too: {short_repr(path, 120)}.", HINTS[1])
    elif "answer" not in path:
        notes.add("answer_missing", f"The answer is missing: {short_repr(path, 120)}.", HINTS[1])
    elif "ompleted" not in path and "OMPLETED" not in path:
        notes.add(
            "end_missing", f"How the turn ended is missing: {short_repr(path, 120)}.", HINTS[2]
        )
    else:
        notes.add(
            "form_wrong", f"It should be {_STRAIGHT!r}; it is {short_repr(path, 120)}.", HINTS[2]
        )


_STRAIGHT = "1 look_up | 2 answer | completed"
_CASES: tuple[tuple[str, Events, str, str, str], ...] = (
    (
        "a round has several calls, one tool twice",
        [*asked(), *called(1, "weigh", "look_up", "weigh"), *said(2, "answer"), *ended()],
        "1 weigh, look_up, weigh | 2 answer | completed",
        "calls_lost",
        "A list, in the order of the events; a set loses the order and what comes twice.",
    ),
    (
        "a round has five calls, one tool four times",
        [*asked(), *called(1, "weigh", "weigh", "look_up", "weigh", "weigh"), *ended()],
        "1 weigh, weigh, look_up, weigh, weigh | completed",
        "calls_lost",
        "Every call is said, however many there are, and also where it is the one before again.",
    ),
    (
        "a round has a call, and then an answer",
        [*asked(), *called(1, "look_up"), *called(2, "weigh"), *said(2, "answer"), *ended()],
        "1 look_up | 2 weigh, answer | completed",
        "answer_misplaced",
        "The answer is added to what its iteration has: calls come first, ', ' between all.",
    ),
    (
        "a call failed",
        [
            *asked(),
            *called(1, "look_up", status="bad_arguments"),
            *called(2, "look_up"),
            *said(3, "answer"),
            *ended(),
        ],
        "1 look_up (bad_arguments) | 2 look_up | 3 answer | completed",
        "status_missing",
        "f\"{event['tool']} ({status})\", unless the status is 'ok' or None.",
    ),
    (
        "a call was answered from the store, one was blocked, and another has no status",
        [
            *asked(),
            *called(1, "look_up", status="repeated"),
            *called(2, "weigh", status="blocked"),
            *called(3, "weigh", status=None),
            *said(4, "answer"),
            *ended(),
        ],
        "1 look_up (repeated) | 2 weigh (blocked) | 3 weigh | 4 answer | completed",
        "status_wrong",
        "In brackets: whatever status there is, but neither 'ok' nor None.",
    ),
    *(
        (
            f"a call has the status {status!r}",
            [*asked(), *called(1, "look_up", status=status), *said(2, "answer"), *ended()],
            f"1 look_up ({status}) | 2 answer | completed",
            "status_wrong",
            f"{status!r} is neither 'ok' nor None: in brackets, as it is.",
        )
        for status in ("failed", "OK", "not ok", "empty", "offloaded", "unknown_tool")
    ),
    (
        "a request brought no reply",
        [*asked(), *called(1, "look_up"), *said(2, "no reply"), *ended()],
        "1 look_up | 2 no reply | completed",
        "no_reply_lost",
        "model_decision 'no reply' is a step by itself, like 'answer'.",
    ),
    *(
        (
            f"a turn ended with phase {phase} and status {status}",
            [*asked(), *called(1, "look_up"), *ended(status, phase)],
            f"1 look_up | {status}",
            "end_wrong",
            "The status of the last event, not its phase: a phase has several.",
        )
        for phase, status in (
            ("CAP_REACHED", "deadline"),
            ("CAP_REACHED", "token_cap"),
            ("COMPLETED", "refused"),
        )
    ),
    (
        "a turn was tripped",
        [*asked(), *called(1, "look_up"), *ended("safety_trip", "SAFETY_TRIP")],
        "1 look_up | safety_trip",
        "trip_lost",
        "Three phases end a turn: COMPLETED, CAP_REACHED and SAFETY_TRIP.",
    ),
    (
        "a turn has not ended",
        open_turn("look_up"),
        "1 look_up",
        "end_invented",
        "No event ends it, so there is no last piece.",
    ),
    (
        "the events of two rounds are mixed",
        [
            *asked(),
            *called(2, "weigh"),
            *called(1, "look_up"),
            *called(10, "weigh"),
            *said(11, "answer"),
            *ended(),
        ],
        "1 look_up | 2 weigh | 10 weigh | 11 answer | completed",
        "order_wrong",
        "sorted(steps), with the numbers as numbers: as texts, '10' comes before '2'.",
    ),
    (
        "the end of a turn comes first in the list",
        [*ended(), *asked(), *called(1, "look_up"), *said(2, "answer")],
        "1 look_up | 2 answer | completed",
        "order_wrong",
        "Go through all events; how the turn ended is the last piece, wherever it stands.",
    ),
    (
        "an iteration has the number 0",
        [*asked(), *called(0, "look_up"), *said(1, "answer"), *ended()],
        "0 look_up | 1 answer | completed",
        "number_lost",
        "The number is event['iteration'], 0 as well.",
    ),
    (
        "other phases have a model_decision, too",
        [
            *asked(),
            *(each | {"model_decision": "answer"} for each in called(1, "look_up")),
            *said(2, "answer"),
            *(each | {"model_decision": "no reply"} for each in ended()),
        ],
        "1 look_up | 2 answer | completed",
        "answer_of_another_phase",
        "model_decision counts in events of phase PLANNING only.",
    ),
    *(
        (
            f"the model decides {decision!r}",
            [*asked(), *planned(1, decision), *called(1, "answer_mail"), *open_turn("weigh")[2:]],
            "1 answer_mail, weigh",
            "decision_repeated",
            "Only the model_decisions 'answer' and 'no reply', to the letter, are said.",
        )
        for decision in ("call answer_mail", "Answer", "no reply yet")
    ),
    (
        "the model thinks aloud between calls",
        [*asked(), *planned(1, "call look_up"), *called(1, "look_up"), *open_turn("weigh")[2:]],
        "1 look_up, weigh",
        "decision_repeated",
        "A decision to call is said by the call itself.",
    ),
    ("there are no events", [], "", "nothing_there", "An empty line of text."),
)
_PHASES = "Three phases end a turn: COMPLETED, CAP_REACHED and SAFETY_TRIP."
_SLIPS = {  # what gives itself away: (code, path) -> another code and hint
    ("status_missing", "2 look_up | 3 answer | completed"): (
        "call_missing",
        "Every call has an event of phase OBSERVING; EXECUTION is there only where a tool ran.",
    ),
    ("status_missing", "1 look_up | 2 look_up | 3 answer | completed"): (
        "status_missing",
        "The event of phase OBSERVING has the status; one of TOOL_SELECTION has none yet.",
    ),
    ("end_wrong", "1 look_up"): ("end_missing", _PHASES),
    ("order_wrong", "1 look_up | 2 weigh | 3 weigh | 4 answer | completed"): (
        "numbers_changed",
        "The number of a piece is event['iteration'], not a count of the pieces.",
    ),
}
