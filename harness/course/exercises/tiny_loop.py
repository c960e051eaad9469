"""The check of `tiny_loop`: the smallest loop that asks, answers calls, and comes to an end."""

import inspect
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging import situations as at
from harness.course.staging.stage import Seen, Stage, staged
from harness.course.staging.verdicts import Verdict

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Start with two messages: the system prompt and the question. Each round is one "
    "chat(messages, tools); the reply's message decides what happens next.",
    "No message.tool_calls: return message.content. Else append the message itself "
    "(message.model_dump(exclude_none=True)), then what answer_tool_calls(message) gives.",
    "for _ in range(max_rounds): ... and after the loop "
    "return chat(messages).choices[0].message.content, without tools.",
)

_BLANKS = "  A line,\n\n  and  another \n"


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong, causes only."""
    verdict = Verdict(fn)
    try:
        inspect.signature(fn).bind("question", max_rounds=3)
        inspect.signature(fn).bind("question")
    except (TypeError, ValueError) as error:
        hint = "def tiny_loop(question: str, max_rounds: int = 8) -> str"
        verdict.add("signature", f"It can't be called as it will be: {error}.", hint)
        return verdict.found
    for situation in (_plain_answer, _two_rounds):
        situation(fn, stage, verdict)
        if verdict.hopeless:
            return verdict.found
    _several_calls(fn, stage, verdict)
    _error_first(fn, stage, verdict)
    _same_again(fn, stage, verdict)
    for rounds, calls, named in ((4, 3, True), (11, 1, True), (0, 1, True), (8, 1, False)):
        if not verdict.found:
            _cap(fn, stage, verdict, rounds, calls, **({"max_rounds": rounds} if named else {}))
    if not verdict.found:
        verdict.stopped(stage.play(fn, "a reply is empty", at.empty_first, named=False))
    return verdict.found


def _plain_answer(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    reply = at.answers(at.ANSWER)
    seen = stage.play(fn, "the model answers at once", reply, found=verdict.found, named=False)
    verdict.asked(seen)
    verdict.stopped(seen)
    if not verdict.hopeless:
        verdict.first_request(seen, context=False)
        verdict.returned(seen, at.ANSWER)
        for situation, text in (("the answer is long", at.LONG), ("it has blanks", _BLANKS)):
            again = stage.play(fn, situation, at.answers(text), named=False)
            verdict.returned(again, text)


def _two_rounds(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    situation = "the model calls a tool, twice"
    seen = stage.play(fn, situation, at.two_rounds, found=verdict.found, named=False)
    if verdict.fresh(seen):
        return
    if verdict.protocol(seen):
        verdict.hopeless = True
        return
    if verdict.stopped(seen):
        return
    verdict.looped(seen, 3)
    if not verdict.hopeless:
        verdict.offers_kept(seen)
        _nothing_added(seen, verdict)
        verdict.ran(seen)
        verdict.returned(seen, at.ANSWER)


def _nothing_added(seen: Seen, verdict: Verdict) -> None:
    own = [
        [m for m in sent.messages if m.get("role") not in ("assistant", "tool")]
        for sent in seen.requests
    ]
    if added := [each[-1] for each in own if len(each) > len(own[0])]:
        verdict.add(
            "asked_again",
            f"Between the rounds a message of the role {added[0].get('role')!r} was added that "
            "nobody wrote.",
            "Append the reply's message and what answer_tool_calls(message) returns; no more.",
        )


def _error_first(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    situation = "a tool fails, and the model tries another"
    seen = stage.play(fn, situation, at.error_first, found=verdict.found, named=False)
    if verdict.protocol(seen):
        return
    if len(seen.requests) == 2 and not seen.requests[1].offers_tools:
        verdict.add(
            "gave_up",
            "A tool failed, and the loop asked for the last word at once, without tools.",
            "An error is a result like any other: the model reads it and tries something else.",
        )
    elif not verdict.stopped(seen):
        verdict.looped(seen, 3)


def _same_again(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    situation = "the model makes the same call in two rounds"
    seen = stage.play(fn, situation, at.same_again, found=verdict.found, named=False)
    rounds = sum(sent.offers_tools for sent in seen.requests)
    if not verdict.found and rounds < 3:
        verdict.add(
            "stops_at_repeat",
            f"The model made one call in two rounds, and after {rounds} rounds the loop ended.",
            "Only a reply without tool calls, or the last of the rounds, is an end.",
        )


def _several_calls(fn: Callable[..., Any], stage: Stage, verdict: Verdict) -> None:
    situation = "the model makes four calls in one message"
    seen = stage.play(fn, situation, at.several_calls, found=verdict.found, named=False)
    if not verdict.protocol(seen):
        verdict.stopped(seen)
        verdict.calls_decide(seen)


def _cap(
    fn: Callable[..., Any], stage: Stage, verdict: Verdict, rounds: int, each: int, **arguments: Any
) -> None:
    situation = f"the model never stops calling tools and {rounds} rounds are allowed"
    reply = at.never_stops(each=each, beside="One moment.", forced=_BLANKS)
    seen = stage.play(fn, situation, reply, found=verdict.found, named=False, **arguments)
    if not verdict.protocol(seen) and verdict.forced(seen, situation):
        verdict.rounds(seen, rounds, "max_rounds")
        if not {"no_forced_final", "forced_offers_tools", "rounds_ignored"} & set(verdict.codes):
            verdict.returned(seen, _BLANKS)
