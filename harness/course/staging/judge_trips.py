"""What is judged of `LoopGuard.tripped`: each of its three reasons, and that it waits for one."""

from harness.course.staging.driven import (
    Watched,
    by_other_tools,
    call,
    fails,
    mixed,
    row,
    same_result,
)
from harness.excerpt import short_repr

REASONS = ("repeated_call", "error_rate", "no_progress")


def trips(watched: Watched) -> None:
    """Each of the three reasons, where it is due, and by its name."""
    cases = (
        ("repeated_call", "the same call is made three times in a row", row("A", "A", "A")),
        ("error_rate", "three of the last five calls failed", mixed("ooooofofof")),
        ("no_progress", "four calls bring what is known already", same_result("ABCDE")),
    )
    missed: list[tuple[str, str]] = []
    for reason, situation, calls in cases:
        driven = watched.drive(situation, calls)
        said = (driven.reasons or [None])[-1]
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
        elif driven.guard.tripped != said:
            watched.add(
                "reading_changes_it",
                f"When {situation}, tripped is {said!r}, and when read again "
                f"{driven.guard.tripped!r}.",
                "Reading it changes nothing: work the reason out from the last calls each time.",
            )
    if len(missed) == len(cases):
        watched.add(
            "never_trips",
            "It never trips, whatever happens.",
            "Return the name of a reason when one is there.",
        )
        return
    others = "four tools bring what a fifth had brought"
    if not missed and not any(watched.drive(others, by_other_tools(5)).reasons):
        missed.append(("no_progress", others))
    for reason, situation in missed:
        watched.add(f"{reason}_missed", f"It does not trip when {situation}.", _WHEN[reason])


_WHEN = {
    "repeated_call": "The last three calls are equal: that is a loop.",
    "error_rate": 'Count the observations among the last five that begin with "ERROR".',
    "no_progress": "Nothing in the last four calls was new: the same results, whichever call or "
    "tool they came from.",
}


def too_early(watched: Watched) -> None:
    """A guard that stops honest work."""
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


def lasting(watched: Watched) -> None:
    """A reason that is over, or that another call hides."""
    over = [*row("A", "A", "A"), *row("B", "C", "D")]
    reasons = watched.drive("the loop goes on after three equal calls", over).reasons
    if reasons and reasons[-1]:
        watched.add(
            "reason_kept",
            f"Three new calls after three equal ones, tripped is still {short_repr(reasons[-1])}.",
            "It speaks of the last calls: work it out from them each time.",
        )
        return
    run_anyway = [call("A", f'{{"free": {number}}}') for number in range(3)]
    driven = watched.drive("the same call is run three times", run_anyway, ask=False)
    if not watched.hopeless and driven.reasons[-1] != "repeated_call":
        watched.add(
            "repeated_call_missed",
            "It does not trip when the same call is made three times in a row, and was run each "
            "time and brought something else.",
            "The same call is the same tool with the same arguments, whatever it brought.",
        )


def errors(watched: Watched) -> None:
    """Three failed calls among the last five."""
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
    for pattern in ("fffo", "ffoof", "fofof", "offfo", "fffoo"):
        situation = f"a round has {len(pattern)} calls and three fail"
        reasons = watched.drive(situation, mixed(pattern), whole_round=True).reasons
        if not watched.hopeless and not any(reasons):
            watched.add(
                "errors_in_places",
                f"It does not trip when {situation}, in this order: {', '.join(pattern)}.",
                "Three of the last five, wherever they are (f failed): the last may be good.",
            )
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


def news(watched: Watched) -> None:
    """Four calls that brought nothing new."""
    reasons = watched.drive("three calls bring what is known", same_result("ABCD")).reasons
    if any(reasons):
        watched.add(
            "progress_too_soon",
            "It trips though the first of the last four calls brought something new.",
            "All of the last four, and there must be four.",
        )
        return
    long = "The berths of the harbour: " + ", ".join(f"berth {n} is free" for n in range(60))
    for what, known, fresh in (
        ("something new", '{"status": "ok", "rows": []}', '{"free": 7}'),
        ("an error, the first of its words", "[]", "ERROR: gauge D is offline."),
        ("an empty text, the first one", "[]", ""),
        ("a text that differs from a known one at its end only", long, f"{long}!"),
    ):
        brought = [("read_berth", {"berth": n}, fresh if n == 3 else known) for n in range(6)]
        if any(watched.drive(f"{what} comes in between", brought).reasons):
            watched.add(
                "progress_ignored",
                f"It trips though one of the last four calls brought {what}.",
                "One that is new is progress; new is what no earlier call brought, to the letter.",
            )
            return
    earlier = [call(letter, made[2]) for letter, made in zip("VWXYZ", row(*"ABCDE"), strict=True)]
    driven = watched.drive("calls bring what was known long ago", [*row(*"ABCDEFGHIJ"), *earlier])
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
