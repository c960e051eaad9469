"""Faults in when a model stops: too early, too late, never, or without a word."""

import json
import re
from dataclasses import replace
from typing import Any

from harness.standin.faults.history import (
    made_calls,
    observations,
    offered,
    plausible,
    text_of,
    told,
)
from harness.standin.faults.registry import ALWAYS, Think, named
from harness.standin.turns import Message, call_raw, say
from harness.standin.wire import task_of

PROMISE = "Let me look that up in the database for you."
GUESS = "There are 42 of them."


def _same_again(request: dict[str, Any], think: Think) -> Message:
    """The first call of the conversation, word for word."""
    earlier = made_calls(request)
    if earlier:
        function = earlier[0]["function"]
        return call_raw(function["name"], function["arguments"])
    message = think(request)
    if message.tool_calls or not offered(request):
        return replace(message, tool_calls=message.tool_calls[:1])
    return _use(offered(request)[0], request)


def _use(function: dict[str, Any], request: dict[str, Any], salt: str = "") -> Message:
    return call_raw(function["name"], json.dumps(plausible(function, request, salt)))


@named("repeats", "makes the same call with the same arguments for ever")
def _repeats(request: dict[str, Any], think: Think, option: str) -> Message:
    return _same_again(request, think) if offered(request) else think(request)


@named("calls-when-forced", "repeats its call even when no tools are offered")
def _calls_when_forced(request: dict[str, Any], think: Think, option: str) -> Message:
    return _same_again(request, think)


@named("oscillates", "goes back and forth between two calls")
def _oscillates(request: dict[str, Any], think: Think, option: str) -> Message:
    return _hop(request, think, 2, salted=False)


@named("hops", "tries one tool after another, unless the prompt shows which to take")
def _hops(request: dict[str, Any], think: Think, option: str) -> Message:
    names = "|".join(re.escape(tool["name"]) for tool in offered(request))
    example = re.compile(rf"(?:->|→|=>)\s*[`'\"]?(?:{names})\b")
    prompts = [m for m in request["messages"] if m.get("role") in ("system", "developer")]
    if names and any(example.search(text_of(prompt)) for prompt in prompts):
        return think(request)
    return _hop(request, think, len(offered(request)))


def _hop(request: dict[str, Any], think: Think, width: int, salted: bool = True) -> Message:
    tools = offered(request)[: max(width, 1)]
    if not tools:
        return think(request)
    number = len(made_calls(request))
    salt = f" ({number + 1})" if salted else ""
    return _use(tools[number % len(tools)], request, salt)


@named("never-stops", "always finds one more thing to look up")
def _never_stops(request: dict[str, Any], think: Think, option: str) -> Message:
    message = think(request)
    tools = offered(request)
    if message.tool_calls or not tools:
        return message
    search = next((f for f in tools if f["name"] == "search_knowledge"), tools[0])
    return _use(search, request, f" (more, {len(made_calls(request)) + 1})")


@named("stops-early", "announces the tool that it needs instead of calling it, once (=always)")
def _stops_early(request: dict[str, Any], think: Think, option: str) -> Message:
    return _instead_of_a_call(PROMISE, request, think, option)


@named("guesses", "makes a number up instead of calling a tool, once (=always)")
def _guesses(request: dict[str, Any], think: Think, option: str) -> Message:
    return _instead_of_a_call(GUESS, request, think, option)


def _instead_of_a_call(text: str, request: dict[str, Any], think: Think, option: str) -> Message:
    messages = request["messages"]
    said = [i for i, m in enumerate(messages) if m.get("content") == text]
    if said and option != ALWAYS:
        nudges = [
            i
            for i in range(said[0] + 1, min(said[0] + 2, len(messages)))
            if messages[i].get("role") in ("user", "system")
        ]
        kept = [m for i, m in enumerate(messages) if i not in said + nudges]
        return think({**request, "messages": kept})
    message = think(request)
    if not message.tool_calls or (made_calls(request) and option != ALWAYS):
        return message
    return say(text)


@named("empty", "answers with nothing at all until it is told so (=always: ever)")
def _empty(request: dict[str, Any], think: Think, option: str) -> Message:
    if option == ALWAYS or not (told(request) or made_calls(request)):
        return say("")
    return think(request)


@named("blank", "answers null, without a call, at the end (=always: ever)")
def _blank(request: dict[str, Any], think: Think, option: str) -> Message:
    message = think(request)
    if option == ALWAYS or not (message.tool_calls or told(request)):
        return say(None)
    return message


@named("half-answer", "is cut off in the middle of its answer (finish_reason length), once")
def _half_answer(request: dict[str, Any], think: Think, option: str) -> Message:
    message = think(request)
    text = message.content
    cut = any(m.get("role") == "assistant" and m.get("content") and not m.get("tool_calls")
              for m in request["messages"])  # fmt: skip
    if message.tool_calls or not isinstance(text, str) or cut or told(request):
        return message
    return replace(message, content=text[: len(text) // 2], finish_reason="length")


@named("refuses", "refuses to answer, in the API's refusal field")
def _refuses(request: dict[str, Any], think: Think, option: str) -> Message:
    return say(None, refusal="I'm sorry, but I can't help with that.")


@named("content-filter", "is stopped by the provider's content filter")
def _content_filter(request: dict[str, Any], think: Think, option: str) -> Message:
    return say("", finish_reason="content_filter")


@named("ends-with-calls-due", "says finish_reason tool_calls but sends no call, once")
def _no_calls(request: dict[str, Any], think: Think, option: str) -> Message:
    message = think(request)
    if not message.tool_calls or told(request) or observations(request):
        return message
    return say("", finish_reason="tool_calls")


@named("talks-and-calls", "writes text beside its calls")
def _talks(request: dict[str, Any], think: Think, option: str) -> Message:
    message = think(request)
    if not message.tool_calls:
        return message
    return replace(message, content=f"I will look into: {task_of(request)[:80]}")
