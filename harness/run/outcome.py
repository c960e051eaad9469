"""How a turn ends: the closed set of statuses, the result, and reading a reply without calls."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from openai.types.chat import ChatCompletion
from pydantic import ValidationError

from harness import clock
from harness.config import TurnConfig, current_config
from harness.guards.termination import REASONS, missing_tools
from harness.model.echo import of_the_protocol
from harness.model.json_text import to_json
from harness.run.turn import Turn
from harness.session import current_session
from harness.ui.html import bundle
from harness.ui.turn_card import turn_html, turn_text

EMPTY_REPLY = "Your reply was empty. Call a tool, or give your answer."
_SHOWN = 200  # characters


class TurnStatus(StrEnum):
    """How a turn ended. Whatever it is, there is an answer."""

    COMPLETED = "completed"
    ITERATION_CAP = "iteration_cap"
    DEADLINE = "deadline"
    TOKEN_CAP = "token_cap"
    SAFETY_TRIP = "safety_trip"
    NEEDS_APPROVAL = "needs_approval"
    REFUSED = "refused"
    FILTERED = "filtered"
    LENGTH = "length"
    PROVIDER_ERROR = "provider_error"
    INTERRUPTED = "interrupted"


_STOPPED = (
    TurnStatus.ITERATION_CAP,
    TurnStatus.DEADLINE,
    TurnStatus.TOKEN_CAP,
    TurnStatus.SAFETY_TRIP,
)


@dataclass(frozen=True)
class TurnResult:
    """A turn's answer and its receipts.

    `steps` has a dict for each tool call (round, tool, arguments, status); `usage` counts tokens;
    `trip` names the safety terminator when `status` is safety_trip; `messages` is the conversation
    as the model saw it; `approval_id` is what a turn that needs_approval waits for;
    `events` is its trace; `why` says of a turn that was stopped what stopped it: for a cap which
    setting, what it was and what was used.
    """

    answer: str
    status: TurnStatus
    steps: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    trace_id: str = ""
    trip: str | None = None
    messages: list[dict[str, Any]] = field(default_factory=list, repr=False)
    approval_id: str = ""
    events: list[dict[str, Any]] = field(default_factory=list, repr=False)
    why: str = ""

    def __str__(self) -> str:
        return turn_text(self.answer, self.status, self.events, self.trip, self.why)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(str(self), self._html())

    def _html(self) -> str:
        return turn_html(self.answer, self.status, self.events, self.trip, self.why)


@dataclass(frozen=True)
class Decision:
    """What to do with a reply that has no calls: answer with `text`, or say `nudge` and go on."""

    status: TurnStatus
    text: str = ""
    nudge: str = ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The nudge as the conversation carries it, behind what the model had said."""
        said = [{"role": "assistant", "content": self.text}] if self.text else []
        return [*said, {"role": "user", "content": self.nudge}]


def what_next(reply: ChatCompletion, turn: Turn, config: TurnConfig) -> Decision:
    """Tell an answer from a refusal, a half answer, an empty one and one that came too early."""
    choice = reply.choices[0]
    text = (choice.message.content or "").strip()
    if choice.message.refusal:
        return Decision(TurnStatus.REFUSED, choice.message.refusal)
    if choice.finish_reason == "content_filter":
        return Decision(TurnStatus.FILTERED, text or "The provider's content filter stopped this.")
    if choice.finish_reason == "length":
        nudge = "Your reply was cut off at the token limit. Give the whole answer again, shorter."
        return _once(turn, "length", Decision(TurnStatus.LENGTH, text), nudge)
    written = getattr(choice, "written_call", None)
    if written is not None and written.alone:  # again: chat has pointed it out once
        turn.tripped = "premature_stop"
        return Decision(TurnStatus.SAFETY_TRIP)
    if not text:
        return _once(turn, "empty_reply", Decision(TurnStatus.SAFETY_TRIP), EMPTY_REPLY)
    if missing := missing_tools(turn, config):
        nudge = f"Not yet: this task needs {', '.join(missing)} to be called first."
        return _once(turn, "premature_stop", Decision(TurnStatus.SAFETY_TRIP, text), nudge)
    if config.answer_model and (fault := _fault(text, config.answer_model)):
        schema = to_json(config.answer_model.model_json_schema())
        nudge = f"The answer must be JSON that fits its schema ({fault}). Give it again: {schema}"
        return _once(turn, "premature_stop", Decision(TurnStatus.SAFETY_TRIP, text), nudge)
    return Decision(TurnStatus.COMPLETED, text)


def _once(turn: Turn, name: str, after: Decision, nudge: str) -> Decision:
    """The first time the model is told; the second time it is the outcome."""
    if name not in turn.nudged:
        turn.nudged.add(name)
        return Decision(after.status, after.text, nudge)
    if after.status is TurnStatus.SAFETY_TRIP:
        turn.tripped = name
    return after


def _fault(text: str, model: Any) -> str:
    try:
        model.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or 'the text'}: {first['msg']}"
    return ""


def out_of_budget(turn: Turn, config: TurnConfig) -> TurnStatus | None:
    """The budget that is used up, if one is: time (as the session's deadline says) or tokens."""
    if current_session().seconds_left() <= 0:
        return TurnStatus.DEADLINE
    if turn.tokens >= config.token_limit:
        return TurnStatus.TOKEN_CAP
    return None


def kept_back(budget: float) -> float:
    """Seconds of a budget that the rounds leave for the final answer: a fifth, one, or half."""
    return min(30.0, max(budget / 5, min(1.0, budget / 2)))


def failed(error: Exception, turn: Turn, config: TurnConfig) -> tuple[TurnStatus, str]:
    """How a turn goes on whose request brought no reply. No answer: one can still be forced."""
    if stopped := out_of_budget(turn, config):
        return stopped, ""
    filtered = getattr(error, "code", None) == "content_filter"  # some servers refuse the request
    status = TurnStatus.FILTERED if filtered else TurnStatus.PROVIDER_ERROR
    return status, summary(turn, status, str(error))


def result_of(
    turn: Turn, status: TurnStatus, answer: str, messages: list[dict[str, Any]]
) -> TurnResult:
    """The result of a finished turn."""
    steps = [
        {"round": c.round, "tool": c.name, "arguments": c.arguments, "status": c.kind or c.status}
        for c in turn.calls
    ]
    usage = {
        "prompt_tokens": turn.prompt_tokens,
        "completion_tokens": turn.completion_tokens,
        "total_tokens": turn.tokens,
        "rounds": turn.rounds,
    }
    plain = [of_the_protocol(message) for message in messages]
    return TurnResult(
        answer,
        status,
        steps,
        usage,
        turn.id,
        turn.tripped,
        plain,
        turn.approval_id,
        list(turn.events),
        why(status, turn) if status in _STOPPED else "",
    )


def shown(call: dict[str, Any]) -> str:
    """A call for a line that a person reads."""
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    return f"{name}({arguments if len(arguments) <= _SHOWN else f'{arguments[:_SHOWN]} ...'})"


def why(status: TurnStatus, turn: Turn) -> str:
    """The reason in words, for the model's last request and for a plain summary."""
    if status is TurnStatus.SAFETY_TRIP:
        return REASONS.get(turn.tripped or "", "the turn stopped making progress")
    config, rounds = current_config(), current_config().max_iterations
    return {
        TurnStatus.ITERATION_CAP: f"the rounds are used up (max_iterations={rounds})",
        TurnStatus.DEADLINE: f"the time is used up ({_deadline(turn, config)})",
        TurnStatus.TOKEN_CAP: (
            f"the tokens are used up (token_cap={config.token_limit}, used {turn.tokens})"
        ),
        TurnStatus.LENGTH: "the answer was cut off",
        TurnStatus.INTERRUPTED: "the turn was interrupted",
    }.get(status, "the turn ended early")


def _deadline(turn: Turn, config: TurnConfig) -> str:
    """Which setting ended a turn, the turn's budget or a shorter one of its session's."""
    budget, used = config.budget_seconds, clock.now() - turn.started
    given = (turn.deadline or turn.started) - turn.started
    if turn.deadline is not None and (budget is None or given < max(budget, 1.0) - 0.5):
        return f"the session's deadline={max(given, 0.0):.0f}, used {used:.0f}"
    return f"budget_seconds={budget}, used {used:.0f}"


def last_request(turn: Turn, status: TurnStatus) -> dict[str, Any]:
    """The message that asks for the final answer, and says why the turn has to stop."""
    ask = f"Stop here: {why(status, turn)}. Give your best answer now, without tools."
    return {"role": "user", "content": ask}


def make_final(reply: ChatCompletion, turn: Turn) -> None:
    """Turn a reply to the last request into an answer: without calls, and never empty."""
    message = reply.choices[0].message
    message.tool_calls = None
    if not (message.content or message.refusal or "").strip():
        message.content = summary(turn, TurnStatus.SAFETY_TRIP)


def summary(turn: Turn, status: TurnStatus, said: str = "") -> str:
    """An answer without a model: why the turn ended, and what the tools last said. Never empty."""
    lines = [said or f"I could not finish: {why(status, turn)}."]
    results = [call for call in turn.calls if call.status == "ok"][-3:]
    if results:
        lines.append("What I had found by then:")
        lines += [f"- {call.name}: {call.observation[:300]}" for call in results]
    return "\n".join(lines)
