"""All judgements together: what the checks of loops use."""

from harness.course.staging.judge_end import Ending
from harness.course.staging.judge_requests import Requests
from harness.course.staging.judge_tools import Tools, says_error

__all__ = ["Verdict", "says_error"]


class Verdict(Requests, Tools, Ending):
    """The findings of one function, and the judgements that add to them."""
