"""The check of `LoopGuard`: what it gives back, what it lets run, and when it trips."""

import inspect
from typing import Any

from harness.course.report import Finding
from harness.course.staging.driven import Call, Watched, call, fails, mixed, row, same_result
from harness.course.staging.plain_bench import staged
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Keep one list, self.calls, with a dict for each call: which call it was, what came back, "
    "whether that was an error, whether it was new. `before` looks at the last three of them, "
    "`tripped` at the last three, four and five.",
    "json.dumps([name, arguments], sort_keys=True) is the same text for the same call, whatever "
    "the order of its keys. A repeat brings nothing new: take AGAIN off the end of its observation "
    "(removesuffix) before you compare.",
    "three, four, five = (self.calls[-n:] for n in (3, 4, 5)). Three equal calls: repeated_call. "
    "Three failed ones in five: error_rate. len(four) == 4 and nothing new in it: no_progress.",
)

REASONS = ("repeated_call", "error_rate", "no_progress")
_METHODS = {"before": 2, "after": 3}


def findings(cls: Any, stage: Stage) -> list[Finding]:
    """Everything that the class does wrong, causes only."""
    watched = Watched(cls, stage)
    for situation in (_shape, _first_call, _repeats, _as_it_was, _others, _window, _trips):
        situation(watched)
        if watched.found:
            return watched.found
    for situation in (_too_early, _errors, _news):
        situation(watched)
        if watched.hopeless:
            break
    return watched.found


def _shape(watched: Watched) -> None:
    if not inspect.isclass(watched.cls):
        watched.add("not_a_class", "LoopGuard is a function, not a class.", "class LoopGuard: ...")
        return
    for method, count in _METHODS.items():
        function = getattr(watched.cls, method, None)
        try:
            inspect.signature(function).bind(*[None] * (count + 1))  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            hint = "before(self, name, arguments) and after(self, name, arguments, observation)"
            watched.add("signature", f"{method} can't be called as it will be: {error}.", hint)
            return
    try:
        inspect.signature(watched.cls).bind()
    except TypeError as error:
        watched.add("signature", f"LoopGuard() can't be made: {error}.", "def __init__(self)")


def _first_call(watched: Watched) -> None:
    driven = watched.drive("a good call is made for the first time", [call("A")])
    if watched.hopeless:
        return
    if driven.last is not None:
        watched.add(
            "first_call_refused",
            "A call that was never made before is not run; `before` gives "
            f"{short_repr(driven.last)}.",
            "Return None where the call may run.",
        )
    elif callable(driven.reasons[0]):
        watched.add(
            "tripped_is_a_method",
            "guard.tripped is a method; `if guard.tripped:` is then always true.",
            "Put @property above it.",
        )
    elif driven.reasons[0]:
        watched.add(
            "trips_at_once",
            f"After one good call it trips: {short_repr(driven.reasons[0])}.",
            "None until there is a reason.",
        )


def _repeats(watched: Watched) -> None:
    """A call that was among the last three is not run again."""
    first = call("A")
    driven = watched.drive("the same call is made twice in a row", [first, first])
    if watched.hopeless:
        return
    if driven.last is None:
        watched.add(
            "repeat_runs",
            "The same call, made twice in a row, is run twice.",
            "`before` looks for it among the last three calls and returns what it brought.",
        )
    elif not isinstance(driven.last, str):
        watched.add(
            "not_text",
            f"`before` gave a {type(driven.last).__name__} for a repeated call, and the model "
            "reads text.",
            "Return the stored observation and AGAIN, as one text.",
        )
    elif not _kept(first, driven.last):
        watched.add(
            "observation_lost",
            "The model asks again, and is not given what the call brought the first time.",
            "The stored observation first, then a word about it.",
        )
    elif driven.last == first[2]:
        watched.add(
            "no_word",
            "The stored observation comes back without a word; to the model it looks as if the "
            "tool had run again.",
            "Add AGAIN to it.",
        )


def _as_it_was(watched: Watched) -> None:
    """What comes back is the observation itself, to the last letter, with one word behind it."""
    told = (*fails("P")[:2], f" {fails('P')[2]} \n")
    driven = watched.drive("a call that failed is made again", [told, told])
    if watched.hopeless or watched.found:
        return
    if not _kept(told, str(driven.last)):
        watched.add(
            "observation_changed",
            f"The call brought {told[2]!r}; what `before` gives back begins with "
            f"{str(driven.last)[: len(told[2])]!r}.",
            "removesuffix(AGAIN) takes AGAIN off as a whole; rstrip takes letters.",
        )
        return
    for what, texts in (
        ("capitals", ("gate a", "gate A", "Gate a", "GATE A", "gATE a")),
        ("blanks", ("gate a", " gate a", "gate a ", " gate a ", "gate a\n")),
    ):
        near = [call(letter, text) for letter, text in zip("VWXYZ", texts, strict=True)]
        driven = watched.drive(f"results differ in {what} only", near)
        if not watched.hopeless and driven.reasons[-1] == "no_progress":
            watched.add(
                "observation_compared_loosely",
                f"Five results that differ in {what} only are taken for the same: 'no_progress'.",
                "Compare observations as they are, with ==.",
            )
    stored = watched.drive("a call comes back twice", row("Q", "R", "Q", "S", "Q")).stored
    if not watched.hopeless and len(str(stored[4])) != len(str(stored[2])):
        watched.add(
            "word_piles_up",
            "The second time that a call comes back, its text is longer than the first time: "
            f"{str(stored[4])[-60:]!r}.",
            "Take AGAIN off the end of the observation in `after`, before you store it.",
        )


def _others(watched: Watched) -> None:
    """What is the same call, and what is not."""
    one = ("read_berth", {"berth": "A", "when": {"day": 3, "hours": [4, 5]}}, '{"free": 1}')
    turned = ("read_berth", {"when": {"hours": [4, 5], "day": 3}, "berth": "A"}, '{"free": 1}')
    other = ("read_berth", {"berth": "A", "when": {"day": 3, "hours": [5, 4]}}, '{"free": 2}')
    tool = ("book_berth", {"berth": "A", "when": {"day": 3, "hours": [4, 5]}}, '{"free": 3}')
    if watched.drive("only the order of the keys differs", [one, turned]).last is None:
        if not watched.hopeless:
            watched.add(
                "key_order",
                "The same arguments in another order are taken for another call.",
                "json.dumps(..., sort_keys=True) writes both in the same way, at every depth.",
            )
        return
    small, large = call("a"), call("A")
    differ = watched.drive("the arguments differ in capitals only", [small, large]).last is not None
    if differ or watched.drive("the arguments differ", [one, other]).last is not None:
        watched.add(
            "arguments_ignored",
            "The same tool with other arguments is taken for the same call.",
            "Compare name and arguments.",
        )
        return
    if watched.drive("only the tool differs", [one, tool]).last is not None:
        watched.add(
            "name_ignored",
            "Another tool with the same arguments is taken for the same call.",
            "Compare name and arguments.",
        )
        return
    watched.drive("one guard has seen a call", row("A"))
    if watched.drive("another guard gets the same call", row("A")).last is not None:
        watched.add(
            "shared_state",
            "A new LoopGuard() knows the calls of an old one: the next turn would not run them.",
            "Make the list in __init__: self.calls = [].",
        )


def _kept(made: Call, text: str) -> bool:
    """Whether a text contains what a call brought, also where a word was put inside its JSON."""
    return made[2].strip("{}") in text


def _window(watched: Watched) -> None:
    """The last three calls, no fewer and no more."""
    first = call("A")
    driven = watched.drive("two other calls come between two equal ones", row("A", "B", "C", "A"))
    if driven.last is None:
        watched.add(
            "window_short",
            "The same call was among the last three, with two others since, and it is run again.",
            "Look at self.calls[-3:], not only at the last one.",
        )
    elif not _kept(first, str(driven.last)):
        watched.add(
            "observation_lost",
            "A repeated call is given what another call brought.",
            "The observation of the call that was the same.",
        )
    driven = watched.drive("a call was made four calls ago", row("A", "B", "C", "D", "A"))
    if not watched.found and driven.last is not None:
        watched.add(
            "window_long",
            "A call that was made four calls ago is not run again; things may have changed since.",
            "Only the last three count: self.calls[-3:].",
        )


def _trips(watched: Watched) -> None:
    """Each of the three reasons, where it is due, and by its name."""
    cases = (
        ("repeated_call", "the same call is made three times in a row", row("A", "A", "A")),
        ("error_rate", "three of the last five calls failed", mixed("ooooofofof")),
        ("no_progress", "four calls bring what is known already", same_result("ABCDE")),
    )
    missed: list[tuple[str, str]] = []
    for reason, situation, calls in cases:
        said = (watched.drive(situation, calls).reasons or [None])[-1]
        if watched.hopeless:
            return
        if not said:
            missed.append((reason, situation))
        elif said != reason:
            watched.add(
                "wrong_reason",
                f"When {situation}, tripped is {short_repr(said)}; it should be {reason!r}.",
                f"The names are {', '.join(REASONS)}: a trace and a learner need to tell them "
                "apart.",
            )
    if len(missed) == len(cases):
        watched.add(
            "never_trips",
            "It never trips, whatever happens.",
            "Return the name of a reason when one is there.",
        )
        return
    for reason, situation in missed:
        watched.add(f"{reason}_missed", f"It does not trip when {situation}.", _WHEN[reason])


_WHEN = {
    "repeated_call": "The last three calls are equal: that is a loop.",
    "error_rate": 'Count the observations among the last five that begin with "ERROR".',
    "no_progress": "Nothing in the last four calls was new: other words, the same result.",
}


def _too_early(watched: Watched) -> None:
    reasons = watched.drive("the same call is made twice in a row", row("A", "A")).reasons
    if reasons and reasons[-1]:
        watched.add(
            "repeat_too_soon",
            "It trips at the second of two equal calls; the model has not read the word yet.",
            "The third in a row.",
        )
        return
    situation = "a call comes back, but not in a row"
    reasons = watched.drive(situation, row("A", "B", "A", "C", "A")).reasons
    if "repeated_call" in reasons:
        watched.add(
            "not_in_a_row",
            "It trips at three equal calls that had others between them.",
            "Only the last three calls count, and all of them must be equal.",
        )


def _errors(watched: Watched) -> None:
    reasons = watched.drive("two of the last five calls failed", mixed("ofoof")).reasons
    if any(reasons):
        watched.add(
            "errors_too_soon",
            f"It trips ({short_repr(next(filter(None, reasons)))}) at two errors among five calls.",
            "Models slip and recover: three of the last five.",
        )
        return
    for situation, calls, code, hint in (
        (
            "the first three calls fail",
            mixed("fff"),
            "errors_too_late",
            "Three failed ones are enough, also where there were no five calls yet.",
        ),
        (
            "a call fails, another one too, and the first comes back",
            [fails("A"), fails("B"), fails("A")],
            "replayed_errors",
            "What `before` gave back is an error too: it begins with ERROR, with AGAIN behind it.",
        ),
    ):
        reasons = watched.drive(situation, calls).reasons
        if not watched.hopeless and not any(reasons):
            watched.add(code, f"It does not trip when {situation}.", hint)
            return
    reasons = watched.drive("errors are long past", mixed("ffoooof")).reasons
    if any(reasons):
        watched.add(
            "old_errors_count",
            "Two errors at the start and one much later trip it.",
            "Look at self.calls[-5:] only.",
        )
        return
    word = [call(c, f'{{"status": "ok", "text": "ERROR is a word, {c}"}}') for c in "ABCDEF"]
    plain = [call(c, f"Errors: none. Berth {c} is clear.") for c in "GHIJKL"]
    if any(watched.drive("a result has the word ERROR in it", [*word, *plain]).reasons):
        watched.add(
            "error_anywhere",
            "A good result with the word ERROR in it is taken for an error.",
            'observation.startswith("ERROR")',
        )


def _news(watched: Watched) -> None:
    reasons = watched.drive("three calls bring what is known", same_result("ABCD")).reasons
    if any(reasons):
        watched.add(
            "progress_too_soon",
            "It trips though the first of the last four calls brought something new.",
            "All of the last four, and there must be four.",
        )
        return
    mixed = [*same_result("ABC"), call("D"), *same_result("EF")]
    if any(watched.drive("something new comes in between", mixed).reasons):
        watched.add(
            "progress_ignored",
            "It trips though one of the last four calls brought something new.",
            "Look at the last four only; one that is new is progress.",
        )
        return
    known = [call(letter, made[2]) for letter, made in zip("VWXYZ", row(*"ABCDE"), strict=True)]
    driven = watched.drive("calls bring what was known long ago", [*row(*"ABCDEFGHIJ"), *known])
    if not watched.hopeless and not any(driven.reasons):
        watched.add(
            "memory_short",
            "Five calls in a row bring what earlier ones had brought, only not the very last, and "
            "it takes that for news.",
            "Compare with the observations of all earlier calls of the turn.",
        )
        return
    situation = "two calls take turns, A B A B A B"
    reasons = watched.drive(situation, row(*"ABABAB")).reasons
    if not any(reasons) and not watched.hopeless:
        watched.add(
            "repeats_are_news",
            f"When {situation}, what `before` gave back is taken for something new.",
            "A repeat brings what is known, with a word: take the word off before you compare.",
        )
