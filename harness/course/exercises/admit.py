"""The check of `admit`: what may enter the memory, and on whose word."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from harness.course.report import Finding
from harness.course.staging.admission_cases import (
    by_quote,
    two_rules,
)
from harness.course.staging.admission_sources import by_others, by_the_model, never
from harness.course.staging.plain_bench import staged
from harness.course.staging.stage import Stage
from harness.course.staging.verdict_cases import Case, again_with, judge

__all__ = ["HINTS", "cases", "findings", "staged"]

HINTS = (
    "Two halves. First what must not be stored at all, not even in quarantine: a secret, a "
    "permission without a signed event, high impact written by the model, what was retracted, "
    "what is known. Then, by proposal.source, whether it is true on somebody's word.",
    "redact(text) != text means that there is a secret in the text. "
    "quoted(proposal.quote, known.user_message) finds the sentence that holds the quote, or None; "
    "for a tool's output likewise, in known.tool_output. A sentence that asks says nothing.",
    'if proposal.type == "policy_state" and not known.authorized: return "refuse". After the '
    'refusals: quoted sources "store" or "quarantine"; model_inference, model_summary and '
    'anything model_generated "quarantine"; the rest "store".',
)

VERDICTS = ("store", "quarantine", "refuse", "duplicate")
_SIGNATURE = "def admit(proposal: Proposal, known: Known) -> str"


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` admits or keeps out wrongly."""
    return judge(fn, stage, cases(), VERDICTS, _SIGNATURE)


def cases() -> list[Case]:
    """Every case, a quote that is found first."""
    told = [*by_quote(), *by_the_model(), *never(), *two_rules(), *by_others()]
    first = {(case.code, case.arguments[0].source): case for case in told[::-1]}
    return [*told, *(more for case in first.values() for more in _beside(case))]


def _beside(case: Case) -> Iterator[Case]:
    """The case again, with what a proposal claims of itself and no rule speaks of."""
    proposal, known = case.arguments
    yield from again_with(
        case,
        confidence=("confirmed", "observed", "inferred"),
        source_id=("mail@2",),
        kind=("memory", "preference"),
        scope=("project:atlas",),
        expires_at=("2020-01-01T00:00:00Z",),
        wording=("Put otherwise",),
    )
    if proposal.type != "policy_state":
        yield from again_with(case, type=("preference", "task_state"))
        if not proposal.model_generated:
            yield from again_with(case, high_impact=(True,))
        if proposal.quote and not proposal.high_impact:
            yield from again_with(case, model_generated=(True,))
        allowed = replace(known, authorized=True)
        yield replace(
            case,
            situation=f"{case.situation}, and an event is signed (known.authorized)",
            arguments=(proposal, allowed),
            hint="known.authorized lifts one thing: that a policy_state is not authorized.",
            last=True,
        )
