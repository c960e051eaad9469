"""The check of `fit_window`: shorter, still legal, and never without the task."""

import copy
import re
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.staging.plain_bench import Calls, staged
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr
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
_OTHER_WORDS = 15  # tokens by which a marker may be longer where more is left


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


def conversation(*groups: int, words: int = 60) -> list[Message]:
    """A legal history: system, task, then for each number a message with so many calls.

    0 means a message of the assistant without calls. Each text is of about `words` tokens.
    """
    messages: list[Message] = [
        {
            "role": "system",
            "content": " You are the harbour master's assistant. " + _filler(1, 20) + "\n",
        },
        {
            "role": "user",
            "content": "# Question\nWhich berth was free the longest? " + _filler(2, 9) + " \n",
        },
    ]
    for number, calls in enumerate(groups):
        if not calls:
            text = f" Note {number}: " + _filler(number, words) + "\n"
            messages.append({"role": "assistant", "content": text})
            continue
        ids = [f"call_{number}_{i}" for i in range(calls)]
        function = {"name": "read_page", "arguments": f'{{"page": {number}}}'}
        made = [{"id": i, "type": "function", "function": dict(function)} for i in ids]
        messages.append({"role": "assistant", "content": "", "tool_calls": made})
        for i in ids:
            text = f'{{"status": "ok", "page": "{i} {_filler(number, words)}"}}\n'
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
    if len(result) == len(messages) and result != messages:
        _changed(result, messages, notes)
    elif result != messages:
        notes.add(
            "cut_needlessly",
            "The conversation was exactly as long as the limit allows, and it was changed.",
            "Within the limit, return it as it is.",
        )


def _folded(messages: list[Message]) -> list[str]:
    """The contents without their blanks and capitals."""
    return ["".join(_text(message).split()).casefold() for message in messages]


def _changed(result: list[Message], messages: list[Message], notes: Calls) -> None:
    """The first message that is another than it was."""
    new, old = next((n, o) for n, o in zip(result, messages, strict=False) if n != o)
    notes.add(
        "message_changed",
        f"The message {short_repr(old)} came back as {short_repr(new)}.",
        "Messages are kept or left out, whole; none is rewritten.",
    )


def _long(notes: Calls) -> None:
    messages = conversation(*[1] * 12)
    _judge(notes, "the conversation is too long", messages, tokens(messages) - 1, 8, 8)


def _uneven(notes: Calls) -> None:
    messages = conversation(*[1] * 12)
    situation = "keep_last falls between a call and its result"
    _judge(notes, situation, messages, tokens(messages) - 1, 5, 4)


def _several_calls(notes: Calls) -> None:
    messages = conversation(3, 1, 0, 3, 1, 3, 3)
    situation = "one message made three calls"
    _judge(notes, situation, messages, tokens(messages) - 1, 6, 4)


def _compacted(notes: Calls, messages: list[Message]) -> list[Message]:
    """What it makes of a conversation that is too long; [] where that isn't a list."""
    if notes.found:
        return []
    once = notes.call("a conversation is compacted", messages, tokens(messages) - 1, 4)
    return once if not notes.hopeless and _is_list(once, notes) else []


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


def _one_big_group(notes: Calls) -> None:
    messages = conversation(1, 1, 9)
    situation = "the last message made more calls than keep_last"
    _judge(notes, situation, messages, tokens(messages) - 1, 4, 10)


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
    messages = conversation(*[1] * 8)
    messages.insert(-2, {"role": "user", "content": "And mind the tide."})
    situation = "the user has said something in between"
    _judge(notes, situation, messages, tokens(messages) - 1, 3, 3)


_SITUATIONS = (
    _short,
    _long,
    _uneven,
    _several_calls,
    _two_systems,
    _twice,
    _tight,
    _exact,
    _few_and_long,
    _user_in_between,
    _one_big_group,
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
    if notes.hopeless or not _is_list(result, notes) or not _head(result, messages, head, notes):
        return
    if not _legal(result, messages, situation, notes):
        return
    if result == messages:
        notes.add("over_limit", f"It left everything as it was, when {situation}.", HINTS[0])
        return
    tail = _common_tail(result, messages, head)
    between = result[head : len(result) - len(tail)]
    if not _marked(between, messages, len(messages) - head - len(tail), situation, notes):
        return
    over = tokens(result) - limit
    if length is None:
        used = tokens(result[: head + 1]) + _OTHER_WORDS
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


def _is_list(result: Any, notes: Calls) -> bool:
    if isinstance(result, list) and result and all(isinstance(each, dict) for each in result):
        return True
    what = "nothing" if result is None else "an empty list" if result == [] else type(result)
    name = what.__name__ if isinstance(what, type) else what
    notes.add("not_a_list", f"It returned {name}, not a list of messages.", HINTS[0])
    notes.hopeless = True
    return False


def _head(result: list[Message], messages: list[Message], end: int, notes: Calls) -> bool:
    if result[:end] == messages[:end]:
        return True
    gone = next((message for message in messages[:end] if message not in result), None)
    if gone is None:
        notes.add(
            "order_changed",
            "The shorter conversation does not begin with the system message and the task.",
            "Head, marker, tail, in this order.",
        )
    elif _folded(result[:end]) == _folded(messages[:end]):
        _changed(result, messages, notes)
    else:
        task = gone["role"] == "user"
        notes.add(
            "task_lost" if task else "system_lost",
            f"The {'task' if task else 'system message'} is gone from the shorter conversation: "
            f"{short_repr(gone['content'])}.",
            "Keep everything up to the first user message, however many messages that is.",
        )
    return False


def _legal(result: list[Message], messages: list[Message], situation: str, notes: Calls) -> bool:
    try:
        check_messages({"messages": result})
    except ApiError as error:
        known = {c["id"] for m in result for c in m.get("tool_calls") or ()}
        added = [m for m in result if m not in messages]
        orphans = [
            m for m in result if m.get("role") == "tool" and m.get("tool_call_id") not in known
        ]
        answered = {m.get("tool_call_id") for m in result if m.get("role") == "tool"}
        if added and added[0].get("role") not in ("user", "system", "assistant", "developer"):
            notes.add(
                "marker_role",
                f"The marker has the role {added[0].get('role')!r}. The API answers 400.",
                '{"role": "user", "content": ...}',
            )
        elif orphans:
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


def _common_tail(result: list[Message], messages: list[Message], head: int) -> list[Message]:
    """The longest end that both lists share, the head left aside."""
    length = 0
    most = min(len(result), len(messages)) - head
    while length < most and result[-1 - length] == messages[-1 - length]:
        length += 1
    return result[len(result) - length :]


def _marked(
    between: list[Message], messages: list[Message], missing: int, situation: str, notes: Calls
) -> bool:
    """What comes between head and tail must be one message that says something."""
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
            f"{len(between)} messages are between head and tail, when {situation}.",
            "One marker for everything that is missing, the earlier marker included.",
        )
    elif not str(between[0].get("content") or "").strip():
        notes.add("marker_empty", "The marker says nothing.", "Say how much is missing.")
    elif (counts := re.findall(r"(\d+)\s+(?:\w+\s+)?messages?", _text(between[0]))) and (
        str(missing) not in counts
    ):
        notes.add(
            "count_false",
            f"{missing} messages are missing, and the marker says {short_repr(_text(between[0]))}.",
            "start - head_end of them were left out.",
        )
    else:
        return True
    return False


def _text(message: Message) -> str:
    return str(message.get("content") or "")
