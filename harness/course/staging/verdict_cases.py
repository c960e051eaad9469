"""What the checks of part 04 share: a table of cases, each with the one verdict that is right."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from harness.course.report import Finding
from harness.course.staging.plain_bench import Calls
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr


@dataclass(frozen=True)
class Case:
    """One call: the finding's code when its verdict is another, what the case is, what to try.

    `last` is for what would follow from another fault: told only where no other was found.
    """

    code: str
    situation: str
    arguments: tuple[Any, ...]
    verdict: str
    hint: str
    last: bool = False


def again_with(case: Case, **changes: tuple[Any, ...]) -> Iterator[Case]:
    """The same case once for each of these values of its first argument: the verdict stays."""
    first, *rest = case.arguments
    for field, values in changes.items():
        for value in values:
            if getattr(first, field) == value:
                continue
            new: dict[str, Any] = {field: value}
            model = isinstance(first, BaseModel)
            changed = first.model_copy(update=new) if model else replace(first, **new)
            yield replace(
                case,
                situation=f"{case.situation}, and its {field} is {value!r}",
                arguments=(changed, *rest),
                hint=f"No rule speaks of {field} here, so it decides nothing.",
                last=True,
            )


def judge(
    fn: Callable[..., Any],
    stage: Stage,
    cases: Sequence[Case],
    verdicts: tuple[str, ...],
    signature: str,
) -> list[Finding]:
    """Call `fn` with every case. One finding a code; a constant answer is told as that."""
    notes = Calls(fn, stage)
    try:
        inspect.signature(fn).bind(*cases[0].arguments)
    except (TypeError, ValueError) as error:
        notes.add("signature", f"It can't be called as it will be: {error}.", signature)
        return notes.found
    given: list[Any] = []
    for case in cases:
        given.append(notes.call(case.situation, *case.arguments))
        if notes.hopeless:
            return notes.found
        if given[-1] not in verdicts:
            what = "nothing" if given[-1] is None else short_repr(given[-1])
            notes.add(
                "not_a_verdict",
                f"When {case.situation}, it returned {what}.",
                f"One of {', '.join(map(repr, verdicts))}.",
            )
            return notes.found
    if len(set(given)) == 1:
        notes.add(
            "always_the_same",
            f"It says {given[0]!r}, whatever it is asked.",
            "Look at the first case that needs another answer: "
            + next(case.situation for case in cases if case.verdict != given[0])
            + ".",
        )
        return notes.found
    judged = sorted(zip(cases, given, strict=True), key=lambda pair: pair[0].last)
    for case, verdict in judged:
        if verdict != case.verdict and not (case.last and notes.found):
            notes.add(
                case.code,
                f"When {case.situation}, it says {verdict!r}; it should be {case.verdict!r}.",
                case.hint,
            )
    return notes.found
