"""What is judged of a conversation that was made shorter: head, marker, tail, each as it was."""

import re
from typing import Any

from harness.course.staging.plain_bench import Calls
from harness.excerpt import short_repr
from harness.standin.protocol import check_messages
from harness.standin.refusals import ApiError

Message = dict[str, Any]


PIECES = (
    "Three pieces: the head (up to the first user message), one marker message, and a tail that "
    "begins at most keep_last messages from the end. Within the limit already: change nothing."
)
OTHER_WORDS = 15  # tokens by which a marker may be longer where more is left


def folded(messages: list[Message]) -> list[str]:
    """The contents without their blanks and capitals."""
    return ["".join(text_of(message).split()).casefold() for message in messages]


def tell_changed(result: list[Message], messages: list[Message], notes: Calls) -> None:
    """The first message that is another than it was."""
    new, old = next((n, o) for n, o in zip(result, messages, strict=False) if n != o)
    key = next(each for each in (*old, *new) if old.get(each) != new.get(each))
    was, now = str(old.get(key, "")), str(new.get(key, ""))
    pairs = enumerate(zip(was, now, strict=False))
    differ = next((i for i, (a, b) in pairs if a != b), min(len(was), len(now)))
    at = max(differ - 12, 0)
    has = f"and has {short_repr(now[at:], 60)}" if key in new else "and it is gone"
    notes.add(
        "message_changed",
        f"A message of the role {old.get('role')!r} was rewritten: its {key} had "
        f"{short_repr(was[at:], 60)}, {has}.",
        "Messages are kept or left out, whole; none is rewritten.",
    )


def is_list(result: Any, notes: Calls) -> bool:
    """Whether it is a list of messages; a finding where it is not."""
    if isinstance(result, list) and result and all(isinstance(each, dict) for each in result):
        return True
    what = "nothing" if result is None else "an empty list" if result == [] else type(result)
    name = what.__name__ if isinstance(what, type) else what
    notes.add("not_a_list", f"It returned {name}, not a list of messages.", PIECES)
    notes.hopeless = True
    return False


def head_kept(result: list[Message], messages: list[Message], end: int, notes: Calls) -> bool:
    """Whether it begins with the head as it was."""
    if result[:end] == messages[:end]:
        return True
    gone = next((message for message in messages[:end] if message not in result), None)
    if gone is None:
        notes.add(
            "order_changed",
            "The shorter conversation does not begin with the system message and the task.",
            "Head, marker, tail, in this order.",
        )
    elif folded(result[:end]) == folded(messages[:end]) or any(
        gone["content"] in text_of(each) for each in result
    ):
        tell_changed(result, messages, notes)
    else:
        what = {"user": "task", "system": "system message"}.get(gone["role"])
        notes.add(
            f"{what.split()[0] if what else 'head'}_lost",
            f"The {what or 'message before the task'} is gone from the shorter conversation: "
            f"{short_repr(gone['content'])}.",
            "Keep everything up to the first user message, however many messages that is.",
        )
    return False


def is_legal(result: list[Message], messages: list[Message], situation: str, notes: Calls) -> bool:
    """Whether the API takes it; a finding that says why not."""
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
            notes.add("refused", f"The API refuses it, when {situation}: {message}", PIECES)
        return False
    return True


def common_tail(result: list[Message], messages: list[Message], head: int) -> list[Message]:
    """The longest end that both lists share, the head left aside."""
    length = 0
    most = min(len(result), len(messages)) - head
    while length < most and result[-1 - length] == messages[-1 - length]:
        length += 1
    return result[len(result) - length :]


def is_marked(
    between: list[Message],
    messages: list[Message],
    missing: int,
    situation: str,
    notes: Calls,
    *,
    last: bool,
) -> bool:
    """What comes between head and tail must be one message that says something.

    `last` says that nothing comes behind it.
    """
    if not between:
        notes.add(
            "no_marker",
            f"Messages were left out and nothing says so, when {situation}.",
            "Put one message in their place: how many are missing, or a summary of them.",
        )
    elif rewritten := next(
        ((new, old) for new in between for old in messages if _is_another(new, old)), None
    ):
        tell_changed([rewritten[0]], [rewritten[1]], notes)
    elif last and len(between) == 1:
        notes.add(
            "tail_lost",
            f"Of the last messages nothing is left, when {situation}.",
            "At least the last step stays, whatever the limit.",
        )
    elif last and between[-1] not in messages and all(m in messages for m in between[:-1]):
        notes.add(
            "order_changed",
            f"The marker stands behind the last messages, when {situation}.",
            "Head, marker, tail, in this order.",
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
    elif (counts := re.findall(r"(\d+)\s+(?:\w+\s+)?messages?", text_of(between[0]))) and (
        str(missing) not in counts
    ):
        notes.add(
            "count_false",
            f"{missing} messages are missing, and the marker says "
            f"{short_repr(text_of(between[0]))}.",
            "start - head_end of them were left out.",
        )
    else:
        return True
    return False


def _is_another(new: Message, old: Message) -> bool:
    """Whether it is the same call or result, written anew."""
    marks = [(each.get("tool_call_id"), each.get("tool_calls")) for each in (new, old)]
    return new != old and any(marks[0]) and marks[0] == marks[1]


def text_of(message: Message) -> str:
    """A message's content as text."""
    return str(message.get("content") or "")
