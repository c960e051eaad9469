"""The check of `retire`: nine triggers, three exits, and records that an event does not concern."""

from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.plain_bench import staged
from harness.course.staging.retirement_cases import VERSIONS, cases
from harness.course.staging.stage import Stage
from harness.course.staging.verdict_cases import judge

__all__ = ["HINTS", "cases", "findings", "staged"]

HINTS = (
    "Two questions for each trigger: does this event concern this record, and if so, by which exit "
    'does it leave? Whatever the event does not concern is "keep".',
    "The exits: user_deletion and sensitive leave nothing (hard_delete); a contradiction leaves a "
    "tombstone, so that the claim is not learned again; all the others archive.",
    VERSIONS,
)

VERDICTS = ("hard_delete", "tombstone", "archive", "keep")
_SIGNATURE = "def retire(record: GovernedRecord, event: Event) -> str"


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` lets go, or keeps, wrongly."""
    return judge(fn, stage, cases(), VERDICTS, _SIGNATURE)
