"""The check of `fit_window`: shorter, still legal, and never without the task."""

import copy
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.judge_window import (
    OTHER_WORDS,
    PIECES,
    Message,
    common_tail,
    head_kept,
    is_legal,
    is_list,
    is_marked,
    tell_changed,
)
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.course.staging.window_cases import conversation, tokens

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    PIECES,
    "A tail may begin only where a message is not a tool result: then every result in it has its "
    "call before it. List those places; try them from the earliest one in the last keep_last.",
    "starts = [i for i in range(head_end, len(messages)) if messages[i]['role'] != 'tool']; the "
    "first start whose head + marker + messages[start:] fits wins, else the last one.",
)


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong."""
    notes = Calls(fn, stage)
    for situation in _SITUATIONS:
        situation(notes)
        if notes.hopeless:
            return notes.found
    if not notes.found:
        _impossible(notes)
    return notes.found


def _short(notes: Calls) -> None:
    messages = conversation(1, 1, 2, 1, 1, 1)
    situation = "everything fits"
    result = notes.call(situation, copy.deepcopy(messages), tokens(messages), 4)
    if notes.hopeless or not is_list(result, notes):
        return
    if len(result) == len(messages) and result != messages:
        tell_changed(result, messages, notes)
    elif result != messages:
        notes.add(
            "cut_needlessly",
            "The conversation was exactly as long as the limit allows, and it was changed.",
            "Within the limit, return it as it is.",
        )


def _long(notes: Calls) -> None:
    messages = conversation(*[1] * 12)
    _judge(notes, "the conversation is too long", messages, tokens(messages) - 1, 8, 8)


def _by_default(notes: Calls) -> None:
    """Without keep_last, 8 messages stay."""
    if notes.found:
        return
    messages = conversation(*[1] * 12)
    situation = "keep_last is left out"
    result = notes.call(situation, copy.deepcopy(messages), tokens(messages) - 1)
    if notes.hopeless or not is_list(result, notes):
        return
    if len(kept := common_tail(result, messages, 2)) != 8:
        notes.add(
            "default_wrong",
            f"When {situation}, {len(kept)} of the last messages are left; it should be 8.",
            "keep_last: int = 8",
        )


def _uneven(notes: Calls) -> None:
    messages = conversation(*[1] * 12)
    situation = "keep_last falls between a call and its result"
    _judge(notes, situation, messages, tokens(messages) - 1, 5, 4)


def _several_calls(notes: Calls) -> None:
    messages = conversation(3, 1, 0, 3, 1, 3, 3)
    situation = "one message made three calls"
    _judge(notes, situation, messages, tokens(messages) - 1, 6, 4)
    messages = conversation(1, 1, 1, 0, 1, 1)
    situation = "the tail begins behind a message of the assistant"
    _judge(notes, situation, messages, tokens(messages) - 1, 4, 4)


def _compacted(notes: Calls, messages: list[Message]) -> list[Message]:
    """What it makes of a conversation that is too long; [] where that isn't a list."""
    if notes.found:
        return []
    once = notes.call("a conversation is compacted", messages, tokens(messages) - 1, 4)
    return once if not notes.hopeless and is_list(once, notes) else []


def _twice(notes: Calls) -> None:
    """Its own result, grown, is compacted again; the task must still be there."""
    once = _compacted(notes, conversation(*[1] * 10))
    if not once:
        return
    grown = [*once, *conversation(1, 1, 1, 1, 1)[2:]]
    situation = "a conversation is compacted for the second time"
    _judge(notes, situation, grown, tokens(grown) - 1, 4, 4)


def _tight(notes: Calls) -> None:
    """The last keep_last messages don't fit, fewer do: at every limit as many as go in."""
    messages = conversation(*[1] * 12, words=200)
    for most in (2, 4, 6):
        for spare in (4, 60, 130, 190)[most == 2 :]:  # the last step stays in any case
            limit = tokens(messages[:2]) + tokens(messages[-most:]) + spare
            situation = f"the limit is {limit} and the last 8 messages don't fit"
            _judge(notes, situation, messages, limit, 8, None)
            if notes.found or notes.hopeless:
                return


def _two_systems(notes: Calls) -> None:
    """The head is everything up to the first user message, however much that is."""
    messages = conversation(*[1] * 12)
    messages.insert(1, {"role": "system", "content": "Answer in the words of the harbour."})
    situation = "two system messages come before the task"
    _judge(notes, situation, messages, tokens(messages) - 1, 8, 8)
    _judge(notes, "no system message is there", messages[2:], tokens(messages[2:]) - 1, 8, 8)
    greeted = [messages[0], {"role": "assistant", "content": "Ahoy!"}, *messages[2:]]
    situation = "the assistant has said something before the task"
    _judge(notes, situation, greeted, tokens(greeted) - 1, 8, 8)


def _one_big_group(notes: Calls) -> None:
    messages = conversation(1, 1, 9)
    situation = "the last message made more calls than keep_last"
    _judge(notes, situation, messages, tokens(messages) - 1, 4, 10)


def _nothing_kept(notes: Calls) -> None:
    messages = conversation(*[1] * 6)
    _judge(notes, "none of the last messages need stay", messages, tokens(messages) - 1, 0, 2)


def _impossible(notes: Calls) -> None:
    messages = conversation(1, 1, 1, 1)
    _judge(notes, "not even the last step fits", messages, 20, 4, 2)


def _exact(notes: Calls) -> None:
    """What it returned fits exactly into its own length."""
    messages = conversation(*[1] * 6)
    once = _compacted(notes, messages)
    if not once:
        return
    situation = "head, marker and the last messages have exactly as many tokens as the limit"
    _judge(notes, situation, messages, tokens(once), 4, 4)


def _few_and_long(notes: Calls) -> None:
    messages = conversation(1, 1, words=400)
    situation = "there are fewer messages than keep_last, and they don't fit"
    _judge(notes, situation, messages, tokens(messages) - 1, 8, 2)


def _user_in_between(notes: Calls) -> None:
    """A tail may begin with anything but a tool result, a message of the user too."""
    for role, who in (("user", "the user"), ("system", "the system")):
        messages = conversation(*[1] * 8)
        messages.insert(-2, {"role": role, "content": "And mind the tide."})
        situation = f"{who} has said something in between"
        _judge(notes, situation, messages, tokens(messages) - 1, 3, 3)


_SITUATIONS = (
    _short,
    _long,
    _by_default,
    _uneven,
    _several_calls,
    _two_systems,
    _twice,
    _tight,
    _exact,
    _few_and_long,
    _user_in_between,
    _one_big_group,
    _nothing_kept,
)


def _judge(
    notes: Calls,
    situation: str,
    messages: list[Message],
    limit: int,
    keep_last: int,
    length: int | None,
) -> None:
    """Call it and note the first thing that is wrong. `length` is the right length of the tail;
    None: as many of the last messages as fit beside head and marker.
    """
    if notes.hopeless or notes.found:
        return
    result = notes.call(situation, copy.deepcopy(messages), limit, keep_last)
    head = next(i for i, message in enumerate(messages) if message["role"] == "user") + 1
    if notes.hopeless or not is_list(result, notes) or not head_kept(result, messages, head, notes):
        return
    if not is_legal(result, messages, situation, notes):
        return
    if result == messages:
        notes.add("over_limit", f"It left everything as it was, when {situation}.", HINTS[0])
        return
    tail = common_tail(result, messages, head)
    between = result[head : len(result) - len(tail)]
    missing = len(messages) - head - len(tail)
    if not is_marked(between, messages, missing, situation, notes, last=not tail):
        return
    over = tokens(result) - limit
    if length is None:
        used = tokens(result[: head + 1]) + OTHER_WORDS
        length = max(_fitting(messages, used, limit, keep_last), len(tail))
    last_step = next(n for n, each in enumerate(messages[::-1], 1) if each["role"] != "tool")
    if over > 0 and len(tail) > last_step:
        notes.add(
            "over_limit",
            f"The result is {over} tokens over the limit of {limit}, when {situation}.",
            "Head and marker count too: take fewer of the last messages until all of it fits.",
        )
    elif len(tail) < length:
        notes.add(
            "tail_lost",
            f"Only {len(tail)} of the last messages are left, when {situation} and keep_last is "
            f"{keep_last}; {length} would fit.",
            "The last messages are what the model is working on: keep keep_last of them, fewer "
            "only where they don't fit.",
        )
    elif len(tail) > length:
        notes.add(
            "keep_last_ignored",
            f"{len(tail)} of the last messages are left, when {situation} and keep_last is "
            f"{keep_last}; it should be {length}.",
            "The tail begins keep_last messages from the end, or at the next whole step.",
        )


def _fitting(messages: list[Message], used: int, limit: int, keep_last: int) -> int:
    """How many of the last messages fit beside a head and a marker of so many tokens."""
    starts = [
        i for i in range(len(messages) - keep_last, len(messages)) if messages[i]["role"] != "tool"
    ]
    fitting = [i for i in starts if used + tokens(messages[i:]) <= limit]
    return len(messages) - (fitting or starts[-1:])[0]
