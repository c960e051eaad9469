"""The check of `agent_turn`: situations, each judged by what it left behind."""

import inspect
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging import situations as at
from harness.course.staging.stage import Seen, Stage, staged
from harness.course.staging.verdicts import Verdict
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Follow the sentence: log the question, build_context, then rounds of chat(messages, tools). "
    "No tool calls in the reply: that is the answer. Whatever happens, log the answer and "
    "return it.",
    "In a round with tool calls, first append the assistant's message with all of its tool_calls, "
    "then one tool message for each call, in order, with the call's own id. An unknown tool, "
    "arguments that are not JSON and a tool that raises are results too: text that begins with "
    "ERROR: (dispatch writes it for you).",
    "Two budgets end the rounds: max_iterations, and the clock against budget_seconds, looked at "
    "in every round. When either is used up, append a user message that says so, call "
    "chat(messages) once more without tools, and answer with its content, or with a plain "
    "sentence when that is empty.",
)

_USUAL: dict[str, Any] = {"max_iterations": 8, "budget_seconds": 360.0, "verbose": False}


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong, causes only: what follows from another fault is left out."""
    verdict = Verdict(fn)
    if not _can_be_called(fn, verdict):
        return verdict.found
    _plain_answer(fn, stage, verdict)
    loud = 0 if verdict.hopeless else _two_rounds(fn, stage, verdict)
    if verdict.hopeless:
        return verdict.found
    quiet = _several_calls(fn, stage, verdict)
    _errors(fn, stage, verdict)
    _budgets(fn, stage, verdict)
    _nothing_said(fn, stage, verdict)
    if not verdict.found:
        _no_rounds(fn, stage, verdict)
    if not verdict.found:
        _again(fn, stage, verdict)
    if not verdict.found:
        _defaults(fn, stage, verdict)
    if not verdict.found:
        verdict.verbosity(loud, quiet)
    return verdict.found


def _can_be_called(fn: Callable[..., Any], verdict: Verdict) -> bool:
    hint = (
        "def agent_turn(user_query: str, thread_id: str = 'default', max_iterations: int = 8, "
        "budget_seconds: float = 360.0, verbose: bool = True) -> str"
    )
    if inspect.isgeneratorfunction(fn):
        verdict.add("signature", "It is a generator, not a plain function.", hint)
        return False
    try:
        signature = inspect.signature(fn)
        signature.bind("question")
        signature.bind("question", thread_id="t", **_USUAL)
    except (TypeError, ValueError) as error:
        verdict.add("signature", f"It can't be called as it will be: {error}.", hint)
        return False
    return True


def _play(
    fn: Callable[..., Any], stage: Stage, verdict: Verdict, situation: str, reply: Any, **more: Any
) -> Seen:
    arguments = {**_USUAL, **more}
    return stage.play(fn, situation, reply, found=verdict.found, **arguments)


def _plain_answer(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    seen = _play(fn, stage, verdict, "the model answers at once", at.answers(at.ANSWER))
    verdict.asked(seen)
    hint = ""
    if isinstance(seen.error, TypeError) and "NoneType" in str(seen.error):
        hint = (
            "This reply has no tool calls: message.tool_calls is None, and its content is the "
            "answer. Is the condition the wrong way round?"
        )
    verdict.stopped(seen, hint=hint)
    if not verdict.hopeless:
        verdict.first_request(seen)
        verdict.returned(seen, at.ANSWER)
        verdict.logged(seen)


def _two_rounds(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> int:
    """Two rounds of tools, told with verbose; how many characters that printed."""
    seen = _play(fn, stage, verdict, "the model calls a tool, twice", at.two_rounds, verbose=True)
    if verdict.fresh(seen):
        return 0
    if verdict.protocol(seen):
        verdict.hopeless = True
        return 0
    if not verdict.stopped(seen):
        verdict.looped(seen, 3)
        if not verdict.hopeless:
            verdict.first_request(seen)
            verdict.offers_kept(seen)
            verdict.ran(seen)
            verdict.returned(seen, at.ANSWER)
            verdict.logged(seen)
    return seen.printed


def _several_calls(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> int:
    """Several calls in a message, without verbose; how many characters that printed."""
    situation = "the model makes four calls in one message"
    seen = _play(fn, stage, verdict, situation, at.several_calls)
    if verdict.protocol(seen):
        return 0
    verdict.stopped(seen)
    verdict.calls_decide(seen)
    return seen.printed


def _errors(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    if "tool_not_run" in verdict.codes:
        return
    for situation, reply, code, hint in at.ERRORS:
        seen = _play(fn, stage, verdict, situation, reply)
        if verdict.protocol(seen):
            continue
        if verdict.stopped(seen, code, hint):
            continue
        if reply is at.bad_json and verdict.ran_bad_json(seen):
            continue
        verdict.told_of_error(seen)


def _budgets(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    for allowed, each in ((4, 3), (11, 1)):  # several calls in a round, and more than by default
        situation = f"the model never stops calling tools and {allowed} rounds are allowed"
        reply = at.never_stops(each=each)
        seen = _play(fn, stage, verdict, situation, reply, max_iterations=allowed)
        if not verdict.protocol(seen) and verdict.forced(seen, situation):
            verdict.rounds(seen, allowed)
            verdict.forced_asks(seen)
            verdict.forced_answer(seen)
        if verdict.found:
            break
    _no_answer(fn, stage, verdict)
    situation = "the model answers in the last round that is allowed"
    seen = _play(fn, stage, verdict, situation, at.last_round, max_iterations=2)
    if not verdict.protocol(seen) and "rounds_off_by_one" not in verdict.codes:
        verdict.stopped(seen)
        verdict.returned(seen, at.ANSWER)
    if "rounds_ignored" in verdict.codes:
        return
    situation = "each reply takes 30 seconds and the budget is 100"
    limits = {"max_iterations": at.MANY, "budget_seconds": 100.0}
    seen = _play(fn, stage, verdict, situation, at.never_stops(stage.clock, 30.0), **limits)
    if not verdict.protocol(seen) and verdict.forced(seen, situation):
        verdict.clock(seen, 100.0)
    if verdict.found:
        return
    situation = "the first reply takes 150 seconds and the budget is 100"
    seen = _play(fn, stage, verdict, situation, at.never_stops(stage.clock, 150.0), **limits)
    if not verdict.protocol(seen) and verdict.forced(seen, situation):
        verdict.clock(seen, 100.0, fewest=1)


def _no_answer(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    """The rounds are over, and something is there that is not an answer."""
    for situation, reply in (
        (
            "the model writes a line beside each call, for two rounds",
            at.never_stops(beside=at.ASIDE),
        ),
        ("every call fails, for two rounds", at.always_fails),
    ):
        if verdict.found:
            return
        seen = _play(fn, stage, verdict, situation, reply, max_iterations=2)
        if not verdict.protocol(seen) and not verdict.stopped(seen):
            verdict.no_answer_yet(seen)
            verdict.rounds(seen, 2)


def _no_rounds(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    """Where no rounds are allowed, the forced answer is all there is."""
    situation = "no rounds are allowed at all (0)"
    seen = _play(fn, stage, verdict, situation, at.never_stops(), max_iterations=0)
    if not verdict.protocol(seen) and not verdict.stopped(seen):
        verdict.no_answer_yet(seen)
        verdict.rounds(seen, 0)


def _nothing_said(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    if {"no_forced_final", "wrong_return"} & set(verdict.codes):
        return
    seen = _play(fn, stage, verdict, "the model's reply is empty", at.empty_first)
    if not verdict.protocol(seen):
        verdict.stopped(seen)
        verdict.said_something(seen)
        _asked_again(seen, verdict)
    unlogged = {"question_logged_late", "question_not_logged", "wrong_role"}
    if {"forced_offers_tools", "rounds_ignored", *unlogged} & set(verdict.codes):
        return
    situation = "the forced final answer is empty too"
    seen = _play(fn, stage, verdict, situation, at.empty_when_forced, max_iterations=1)
    if not verdict.protocol(seen):
        verdict.stopped(seen)
        verdict.said_something(seen)


def _asked_again(seen: Seen, verdict: Verdict) -> None:
    if len(seen.requests) == 1 and not verdict.found:
        verdict.add(
            "empty_taken",
            f"The model's reply was empty, nobody asked again, and the caller gets "
            f"{short_repr(seen.returned)}.",
            "No answer after the rounds: say so to the model and chat(messages) without tools.",
        )


def _again(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    """The same question once more, with a long answer; and a server that refuses everything."""
    first = _play(fn, stage, verdict, "the model gives a long answer", at.answers(at.LONG))
    verdict.returned(first, at.LONG)
    verdict.logged(first)
    situation = "the same question is asked again and has another answer"
    reply = at.answers(at.ANSWER)
    seen = stage.play(fn, situation, reply, found=verdict.found, like=first, **_USUAL)
    if not seen.requests or seen.returned == first.returned:
        verdict.add(
            "answer_kept",
            "The same question, asked again, was answered from what was kept of the first time.",
            "Ask the model in every turn: the data may have changed.",
        )
        return
    verdict.logged(seen)
    refused = _play(fn, stage, verdict, "the server refuses every request", at.down)
    if refused.overran:
        verdict.add(
            "endless_loop",
            f"When {refused.situation}, it asks again and again: stopped after "
            f"{len(refused.requests)} requests.",
            "An error of chat is not an answer: let it through, or answer that it failed.",
        )


def _defaults(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    """Called with a question and nothing else: thread "default", 8 rounds, 360 seconds."""
    for seconds, rounds in ((10.0, 8), (100.0, 4)):
        situation = f"it gets only a question and each reply takes {seconds:g} seconds"
        reply = at.never_stops(stage.clock, seconds)
        seen = stage.play(fn, situation, reply, found=verdict.found, named=False)
        verdict.stopped(seen)
        verdict.defaults(seen, rounds)
