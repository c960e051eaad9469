"""The check of `fit_window`: shorter, still legal, and never without the task."""

import copy
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.model.tokens import count_message
from harness.standin.protocol import check_messages
from harness.standin.refusals import ApiError

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Three pieces: the head (up to the first user message), one marker message, and a tail that "
    "begins at most keep_last messages from the end. Within the limit already: change nothing.",
    "A tail may begin only where a message is not a tool result: then every result in it has its "
    "call before it. List those places; try them from the earliest one in the last keep_last.",
    "starts = [i for i in range(head_end, len(messages)) if messages[i]['role'] != 'tool']; the "
    "first start whose head + marker + messages[start:] fits wins, else the last one.",
)

Message = dict[str, Any]
_SLACK = 150  # tokens that are left for whatever a marker says


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong."""
    notes = Calls(fn, stage)
    for situation in (_short, _long, _uneven, _several_calls, _twice, _tight, _one_big_group):
        situation(notes)
        if notes.hopeless:
            return notes.found
    if not notes.found:
        _impossible(notes)
    return notes.found


def conversation(*groups: int, words: int = 60) -> list[Message]:
    """A legal history: system, task, then for each number a message with so many calls.

    0 stands for a message of the assistant without calls. Each text is of about `words` tokens.
    """
    messages: list[Message] = [
        {"role": "system", "content": "You are the harbour master's assistant. " + _filler(1, 20)},
        {
            "role": "user",
            "content": "# Question\nWhich berth was free the longest? " + _filler(2, 9),
        },
    ]
    for number, calls in enumerate(groups):
        if not calls:
            text = f"Note {number}: " + _filler(number, words)
            messages.append({"role": "assistant", "content": text})
            continue
        ids = [f"call_{number}_{i}" for i in range(calls)]
        function = {"name": "read_page", "arguments": f'{{"page": {number}}}'}
        made = [{"id": i, "type": "function", "function": dict(function)} for i in ids]
        messages.append({"role": "assistant", "content": "", "tool_calls": made})
        for i in ids:
            text = f'{{"status": "ok", "page": "{i} {_filler(number, words)}"}}'
            messages.append({"role": "tool", "tool_call_id": i, "content": text})
    return messages


def tokens(messages: list[Message]) -> int:
    """Tokens of a list of messages, as the harness counts them."""
    return sum(map(count_message, messages))


def _filler(seed: int, words: int) -> str:
    return " ".join(str((seed * 37 + i * 11) % 97) for i in range(words // 2))


def _short(notes: Calls) -> None:
    messages = conversation(1, 1, 2, 1, 1, 1)
    situation = "everything fits"
    result = notes.call(situation, copy.deepcopy(messages), tokens(messages), 4)
    if notes.hopeless or not _is_list(result, notes):
        return
    if result != messages:
        notes.add(
            "cut_needlessly",
            "The conversation was exactly as long as the limit allows, and it was changed.",
            "Within the limit, return it as it is.",
        )


def _long(notes: Calls) -> None:
    messages = conversation(*[1] * 12)
    _judge(notes, "the conversation is too long", messages, tokens(messages) - 1, 8, (8,))


def _uneven(notes: Calls) -> None:
    messages = conversation(*[1] * 12)
    situation = "keep_last falls between a call and its result"
    _judge(notes, situation, messages, tokens(messages) - 1, 5, (4, 6))


def _several_calls(notes: Calls) -> None:
    messages = conversation(3, 1, 0, 3, 1, 3, 3)
    situation = "one message made three calls"
    _judge(notes, situation, messages, tokens(messages) - 1, 6, (4, 8))


def _twice(notes: Calls) -> None:
    """Its own result, grown, is compacted again; the task must still be there."""
    if notes.found:
        return
    messages = conversation(*[1] * 10)
    once = notes.call("a conversation is compacted", messages, tokens(messages) - 1, 4)
    if notes.hopeless or not _is_list(once, notes):
        return
    grown = [*once, *conversation(1, 1, 1, 1, 1)[2:]]
    situation = "a conversation is compacted for the second time"
    _judge(notes, situation, grown, tokens(grown) - 1, 4, (4,))


def _tight(notes: Calls) -> None:
    """The last keep_last messages don't fit, fewer do."""
    messages = conversation(*[1] * 12, words=200)
    limit = tokens(messages[:2]) + tokens(messages[-4:]) + _SLACK
    _judge(notes, "fewer messages than keep_last fit", messages, limit, 8, (2, 4))


def _one_big_group(notes: Calls) -> None:
    messages = conversation(1, 1, 9)
    situation = "the last message made more calls than keep_last"
    _judge(notes, situation, messages, tokens(messages) - 1, 4, (10,))


def _impossible(notes: Calls) -> None:
    messages = conversation(1, 1, 1, 1)
    _judge(notes, "not even the last step fits", messages, 20, 4, (2,), possible=False)


def _judge(
    notes: Calls,
    situation: str,
    messages: list[Message],
    limit: int,
    keep_last: int,
    tails: tuple[int, ...],
    possible: bool = True,
) -> None:
    """Call it and note the first thing that is wrong. `tails` are the right lengths of the tail."""
    result = notes.call(situation, copy.deepcopy(messages), limit, keep_last)
    if notes.hopeless or not _is_list(result, notes) or not _head(result, messages, notes):
        return
    if not _legal(result, situation, notes):
        return
    if result == messages:
        notes.add("over_limit", f"It left everything as it was, when {situation}.", HINTS[0])
        return
    tail = _common_tail(result, messages)
    between = result[2 : len(result) - len(tail)]
    if not _marked(between, messages, situation, notes):
        return
    over = tokens(result) - limit
    if possible and over > 0:
        notes.add(
            "over_limit",
            f"The result is {over} tokens over the limit of {limit}, when {situation}.",
            "Take fewer of the last messages until head, marker and tail fit.",
        )
    elif len(tail) < min(tails):
        notes.add(
            "tail_lost",
            f"Only {len(tail)} of the last messages are left, when {situation} and keep_last is "
            f"{keep_last}; {min(tails)} would fit.",
            "The last messages are what the model is working on: keep keep_last of them, fewer "
            "only where they don't fit.",
        )
    elif len(tail) > max(tails):
        notes.add(
            "keep_last_ignored",
            f"{len(tail)} of the last messages are left, when {situation} and keep_last is "
            f"{keep_last}.",
            "The tail begins keep_last messages from the end, or at the next whole step.",
        )


def _is_list(result: Any, notes: Calls) -> bool:
    if isinstance(result, list) and result and all(isinstance(each, dict) for each in result):
        return True
    what = "nothing" if result is None else "an empty list" if result == [] else type(result)
    name = what.__name__ if isinstance(what, type) else what
    notes.add("not_a_list", f"It returned {name}, not a list of messages.", HINTS[0])
    notes.hopeless = True
    return False


def _head(result: list[Message], messages: list[Message], notes: Calls) -> bool:
    for index, code, what in ((0, "system_lost", "system message"), (1, "task_lost", "task")):
        if messages[index] not in result:
            notes.add(
                code,
                f"The {what} is gone from the shorter conversation.",
                "Keep everything up to the first user message.",
            )
            return False
    if result[:2] == messages[:2]:
        return True
    notes.add(
        "order_changed",
        "The shorter conversation does not begin with the system message and the task.",
        "Head, marker, tail, in this order.",
    )
    return False


def _legal(result: list[Message], situation: str, notes: Calls) -> bool:
    try:
        check_messages({"messages": result})
    except ApiError as error:
        known = {c["id"] for m in result for c in m.get("tool_calls") or ()}
        orphans = [m for m in result if m.get("role") == "tool" and m["tool_call_id"] not in known]
        answered = {m.get("tool_call_id") for m in result if m.get("role") == "tool"}
        if orphans:
            notes.add(
                "result_without_call",
                f"A tool result has lost its call, when {situation}. The API answers 400.",
                "The tail must not begin with a tool result: move its start to a message that is "
                "none.",
            )
        elif known - answered:
            notes.add(
                "call_without_result",
                f"A call has lost its result, when {situation}. The API answers 400.",
                "A message with calls and all its results stay or go together.",
            )
        else:
            message = str(error).splitlines()[0]
            notes.add("refused", f"The API refuses it, when {situation}: {message}", HINTS[0])
        return False
    return True


def _common_tail(result: list[Message], messages: list[Message]) -> list[Message]:
    """The longest end that both lists share, the head left aside."""
    length = 0
    most = min(len(result), len(messages)) - 2
    while length < most and result[-1 - length] == messages[-1 - length]:
        length += 1
    return result[len(result) - length :]


def _marked(between: list[Message], messages: list[Message], situation: str, notes: Calls) -> bool:
    """What stands between head and tail must be one message that says something."""
    if not between:
        notes.add(
            "no_marker",
            f"Messages were left out and nothing says so, when {situation}.",
            "Put one message in their place: how many are missing, or a summary of them.",
        )
    elif len(between) > 1 and any(m in messages and "tool_calls" in m for m in between):
        notes.add(
            "tail_changed",
            f"The last messages are not the conversation's own, when {situation}.",
            "Keep them word for word, in their order.",
        )
    elif len(between) > 1:
        notes.add(
            "several_markers",
            f"{len(between)} messages stand between head and tail, when {situation}.",
            "One marker for everything that is missing, the earlier marker included.",
        )
    elif not str(between[0].get("content") or "").strip():
        notes.add("marker_empty", "The marker says nothing.", "Say how much is missing.")
    else:
        return True
    return False
