"""The check of `admit`: what may enter the memory, and on whose word."""

from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.admission_cases import (
    by_quote,
    two_rules,
)
from harness.course.staging.admission_sources import by_others, by_the_model, never
from harness.course.staging.plain_bench import staged
from harness.course.staging.stage import Stage
from harness.course.staging.verdict_cases import Case, judge

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
    return [*by_quote(), *by_the_model(), *never(), *two_rules(), *by_others()]
