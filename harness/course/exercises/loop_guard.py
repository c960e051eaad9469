"""The check of `LoopGuard`: what it gives back, what it lets run, and when it trips."""

import inspect
import json
from typing import Any

from harness.course.report import Finding
from harness.course.staging.driven import Call, Watched, call, fails, row
from harness.course.staging.judge_trips import errors, lasting, news, too_early, trips
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

_METHODS = {"before": 2, "after": 3}


def findings(cls: Any, stage: Stage) -> list[Finding]:
    """Everything that the class does wrong, causes only."""
    watched = Watched(cls, stage)
    for situation in (
        _shape,
        _first_call,
        _own_calls,
        _repeats,
        _as_it_was,
        _others,
        _window,
        trips,
    ):
        situation(watched)
        if watched.found:
            return watched.found
    for situation in (too_early, errors, news):
        situation(watched)
        if watched.hopeless:
            break
    if not watched.found:
        lasting(watched)
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
    elif driven.reasons[0] is not None:
        watched.add(
            "not_none",
            f"Nothing is wrong yet, and tripped is {driven.reasons[0]!r}, not None.",
            "One of three names, or None.",
        )


def _own_calls(watched: Watched) -> None:
    """A guard knows the calls of its own turn only; the call before was made under another."""
    if watched.drive("another guard gets the same call", row("A")).last is not None:
        watched.add(
            "shared_state",
            "A new LoopGuard() knows the calls of an old one: the next turn would not run them.",
            "Make the list in __init__: self.calls = [].",
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
    for what, brought in (("failed", fails("P")[2]), ("brought an empty text", "")):
        again = ("read_berth", {"berth": "P"}, brought)
        driven = watched.drive(f"a call that {what} is made again", [again, again])
        if not watched.hopeless and driven.last is None:
            watched.add(
                "repeat_runs",
                f"A call that {what}, made twice in a row, is run twice.",
                "Whatever it brought: `before` gives it back, and says so. Compare with None.",
            )
        if watched.hopeless or watched.found:
            return
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
        if not str(stored[2]).startswith(row("Q")[0][2][:12]):
            watched.add(
                "word_in_front",
                "The word stands before the observation, so taking it off the end leaves it there: "
                f"the second time it comes back as {short_repr(stored[4], 120)}.",
                "The observation first, AGAIN behind it.",
            )
            return
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
    near = [(f"{a!r} and {b!r}", _read(q=a), _read(q=b)) for a, b in _NEAR]
    near += [("one argument and two", _read(q=1), _read(q=1, day=2)), ("all of them", one, other)]
    for which, first, second in near:
        if watched.drive(f"the arguments differ: {which}", [first, second]).last is not None:
            watched.add(
                "arguments_ignored",
                f"The same tool with other arguments is taken for the same call: {which}.",
                "Compare name and arguments, each as it is: json.dumps(..., sort_keys=True).",
            )
            return
    if watched.drive("only the tool differs", [one, tool]).last is not None:
        watched.add(
            "name_ignored",
            "Another tool with the same arguments is taken for the same call.",
            "Compare name and arguments.",
        )
        return


# Arguments that are almost the same.
_NEAR = (("a", "A"), ("a b", "a  b"), ("a", "a "), ([1, 2], [2, 1]), (1, "1"), (None, ""), (1, 2))


def _read(**arguments: Any) -> Call:
    return "read_berth", arguments, json.dumps(arguments)


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
