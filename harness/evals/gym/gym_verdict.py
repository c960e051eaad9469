"""The verdict of a case: what the agent did over the wire, and how it ended."""

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.evals.gym.contestant import Outcome
from harness.evals.gym.referee import Exchange
from harness.excerpt import excerpt

# How a run can end, and what that means.
ENDINGS = {
    "answered": "ended with the right answer",
    "ended": "ended by itself, without the answer",
    "raised": "ended with an error",
    "hung": "did not end in time",
    "flooded": "sent more requests than the gym takes",
    "never called": "sent no request",
}
_SPACE = re.compile(r"[\s│|╭╮╰╯─━]+")  # what a terminal's boxes put into a text


@dataclass(frozen=True)
class Finding:
    """One thing that it did wrong."""

    code: str
    message: str


@dataclass
class Verdict:
    """One case: how it ended, and everything that was wrong with it."""

    case: str
    about: str
    answerable: bool
    ending: str
    requests: int
    seconds: float
    exit_code: int | None
    findings: list[Finding] = field(default_factory=list)

    @property
    def survived(self) -> bool:
        """Whether nothing was wrong."""
        return not self.findings

    def record(self) -> dict[str, Any]:
        """As a line of JSONL."""
        return {**asdict(self), "survived": self.survived}


def judge(exchange: Exchange, outcome: Outcome | None) -> Verdict:
    """The verdict of one case; without an outcome (a client of its own) by the wire alone."""
    case = exchange.case
    ending = _ending(exchange, outcome)
    return Verdict(
        case.name,
        case.about,
        case.answerable,
        ending,
        exchange.count,
        round(outcome.seconds, 2) if outcome else 0.0,
        outcome.exit_code if outcome else None,
        _findings(exchange, outcome, ending),
    )


def _ending(exchange: Exchange, outcome: Outcome | None) -> str:
    if exchange.flooded:
        return "flooded"
    if outcome is not None and outcome.stopped:
        return "hung"
    if not exchange.count:
        return "never called"
    if outcome is None:
        return "answered" if exchange.answered else "ended"
    if exchange.mark in _SPACE.sub("", outcome.output):
        return "answered"
    return "raised" if outcome.exit_code else "ended"


def _findings(exchange: Exchange, outcome: Outcome | None, ending: str) -> list[Finding]:
    found = []
    if ending == "never called":
        message = "It sent no request: does it take its address from OPENAI_BASE_URL?"
        if exchange.elsewhere:
            message = f"It asked for {exchange.elsewhere[0]}; the gym speaks chat completions."
        found.append(Finding("never_called", f"{message}{_last_words(outcome)}"))
    elif ending == "flooded":
        found.append(Finding("flooded", f"It sent more than {exchange.most} requests."))
    elif ending == "hung":
        seconds = outcome.seconds if outcome else 0
        found.append(Finding("hung", f"After {seconds:.0f} seconds it had not ended."))
    elif exchange.case.answerable and ending != "answered":
        found.append(_no_answer(exchange, outcome, ending))
    if exchange.refused:
        found.append(
            Finding("illegal_request", f"The API refuses: {excerpt(exchange.refused[0], 160)}")
        )
    if ran := exchange.ran_anyway():
        found.append(Finding("ran_faulty_call", f"It ran a call that it must not: {ran[0]}."))
    return found


def _no_answer(exchange: Exchange, outcome: Outcome | None, ending: str) -> Finding:
    if ending == "raised":
        return Finding("raised", f"An error ended it.{_last_words(outcome)}")
    if exchange.answered:
        return Finding("answer_lost", "The model gave the answer, and the agent did not show it.")
    said = " ".join(outcome.output.split())[-100:] if outcome else ""
    if outcome is not None and not said:
        return Finding("no_answer", "It ended as if all were well, and said nothing.")
    return Finding("no_answer", f"It ended without the answer{f': {said!r}' if said else '.'}")


def _last_words(outcome: Outcome | None) -> str:
    """The last line of what it wrote about an error."""
    lines = outcome.errors.strip().splitlines() if outcome else []
    return f" {excerpt(lines[-1], 160)}" if lines else ""
