"""The agent loop.

build_context -> chat with the retrieved tools -> tool calls ? dispatch : final answer -> log
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import openai

from harness.config import TurnConfig, base_config, current_config, in_force
from harness.context import SYSTEM_PROMPT, build_context
from harness.errors import WorkshopError
from harness.guards.outbound import looked_at
from harness.guards.termination import trip
from harness.model.chat import chat
from harness.model.response_parsing import ProviderError
from harness.model.timeout import run_bounded
from harness.run import outcome, recorder
from harness.run.compaction import repair_history
from harness.run.conversation import log_message, turn_for
from harness.run.final_answer import force
from harness.run.outcome import TurnResult, TurnStatus
from harness.run.pause import hold
from harness.run.turn import Opening, Turn
from harness.session import Question, current_session, deadline
from harness.tools.dispatch import dispatch
from harness.tools.toolbox import retrieve_tools

Message = dict[str, Any]
Begin = Callable[[], Opening]
Say = Callable[[str], None]


def agent_turn(
    user_query: str,
    thread_id: str = "default",
    max_iterations: int = 8,
    budget_seconds: float = 360.0,
    verbose: bool = True,
) -> str:
    """Answer a question with tools, within so many rounds and seconds. Never an empty string."""
    config = base_config().filled(max_iterations=max_iterations, budget_seconds=budget_seconds)
    return run_turn(user_query, thread_id, config=config, verbose=verbose).answer


def run_turn(
    user_query: str,
    thread_id: str = "default",
    *,
    max_iterations: int = 8,
    budget_seconds: float = 360.0,
    model: str | None = None,
    stream: bool = False,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    verbose: bool = False,
    config: TurnConfig | None = None,
) -> TurnResult:
    """Like `agent_turn`, and says how the turn ended, what it called and what it used.

    `on_event` gets each trace event, {"text": ...} as text streams in, {"restarted": ...} when a
    stream begins anew. `config` wins over the other arguments. Raises WorkshopError for what a
    caller got wrong; whatever the model, its server or a tool does becomes a status.
    """
    if not isinstance(user_query, str) or not user_query.strip():
        raise WorkshopError("The question is empty.", "Ask something, such as: how many voyages?")
    config, model = config or base_config(), model or current_config().model
    config = config.filled(
        max_iterations=max_iterations, budget_seconds=budget_seconds, model=model
    )
    budget = min(config.budget_seconds or 0.0, current_session().seconds_left())
    say = print if verbose else lambda line: None
    with in_force(config), deadline(max(budget, 1.0)):  # a second for the last word, always
        log_message(thread_id, "user", user_query)
        turn = turn_for(thread_id, user_query)
        turn.on_event = on_event
        return go_on(turn, lambda: _opening(turn.question, config), budget, say, stream)


def go_on(turn: Turn, begin: Begin, budget: float, say: Say, stream: bool) -> TurnResult:
    """Take a turn to its answer, or to the next approval that it needs, from what `begin` gives."""
    messages: list[Message] = []
    try:
        with deadline(budget - outcome.kept_back(budget)):
            opening = begin()
            messages = opening.messages
            status, answer = _rounds(turn, opening, say, stream)
        if not answer:
            answer = force(turn, messages, status, stream)
    except KeyboardInterrupt:
        recorder.interrupt(turn)
        status, answer = TurnStatus.INTERRUPTED, outcome.summary(turn, TurnStatus.INTERRUPTED)
    except BaseException:
        recorder.abandon(turn)
        raise
    answer, turn.status = looked_at(answer, "user"), status
    log_message(turn.thread_id, "assistant", answer)
    return outcome.result_of(turn, status, answer, repair_history(messages))


def _opening(asked: Question, config: TurnConfig) -> Opening:
    """The first messages and the tools on offer; the question alone when time runs out."""
    context, tools, left = asked.text, [], current_session().seconds_left()
    with suppress(TimeoutError):
        context = run_bounded(lambda: build_context(asked.thread_id, asked.text), left)
        tools = run_bounded(lambda: retrieve_tools(asked.text, config.k_tools, config.tools), left)
    system = {"role": "system", "content": SYSTEM_PROMPT + config.job}
    return Opening([system, {"role": "user", "content": context}], tools)


def _rounds(turn: Turn, opening: Opening, say: Say, stream: bool) -> tuple[TurnStatus, str]:
    """Rounds of model and tools, the calls of a paused turn first. No answer: force one."""
    config = current_config()
    messages, tools, calls = opening
    legal = 0  # messages already known to be a legal history
    for step in range(turn.rounds - bool(calls), config.max_iterations or 0):
        if stopped := outcome.out_of_budget(turn, config):
            say(f"  ! {outcome.why(stopped, turn)} at step {step}")
            return stopped, ""
        if not calls:
            try:
                messages[legal:] = repair_history(messages, legal)[legal:]
                legal = len(messages)
                reply = chat(messages, tools, stream=stream)
            except (ProviderError, openai.BadRequestError) as error:
                return outcome.failed(error, turn, config)
            message = reply.choices[0].message
            if not message.tool_calls:
                decision = outcome.what_next(reply, turn, config)
                if not decision.nudge:
                    say(f"  step {step}: final answer")
                    return decision.status, decision.text
                messages += decision.messages
                continue
            messages.append(message.model_dump(exclude_none=True))
            calls = messages[-1]["tool_calls"]
        for call in calls:
            say(f"  step {step}: -> {outcome.shown(call)}")
            result = dispatch(call)
            if result.approval_id:
                return TurnStatus.NEEDS_APPROVAL, hold(turn, messages, tools, result.approval_id)
            messages.append(result.message)
        calls = []
        if not outcome.out_of_budget(turn, config) and trip(turn, config):
            say(f"  ! stopped at step {step}: {outcome.why(TurnStatus.SAFETY_TRIP, turn)}")
            return TurnStatus.SAFETY_TRIP, ""
    say(f"  ! {outcome.why(TurnStatus.ITERATION_CAP, turn)}")
    return TurnStatus.ITERATION_CAP, ""
