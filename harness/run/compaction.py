"""Fitting a conversation to the model's context window, and keeping it legal.

`repair_history` makes any list of messages one that the API accepts. `fit` makes a long one
shorter: the system message, the task and the last steps stay, what lies between is summarised.
"""

import itertools
import operator
import warnings
from collections.abc import Iterator
from typing import Any

from harness.config import current_config
from harness.errors import WorkshopError
from harness.model.json_text import offloaded, to_json
from harness.model.message_changes import each_call
from harness.model.overflow import Overflow
from harness.model.tokens import count_message
from harness.model.tool_calls import as_dict, in_a_field
from harness.run.turn import INTERRUPTED, Seen, Turn
from harness.settings import settings

Message = dict[str, Any]

SUMMARY_MARK = "[Earlier steps, summarised]"
_SYSTEM = ("system", "developer")
_REFUSED_SHARE = 0.9  # of a window that a server named: two counts never agree
_RENEW_AFTER = 8  # messages
_SUMMARY_TOKENS = 800  # kept free for the summary, where there is room
_SUMMARY_LINE = 160  # characters of each step that the rule-based summary keeps
_SUMMARY_LINES = 40  # of a summary, at most
_HANDLE_CHARS = 250  # what an offloaded result says beside its two ends


def repair_history(messages: list[Message], legal: int = 0) -> list[Message]:
    """The same conversation, legal: each call has exactly one result, in order, right behind it.

    A result that comes later than that is moved up. Results without a call go, calls
    without a result get one that says "interrupted". Nothing else changes. Pure and idempotent;
    the list itself comes back when there is nothing to mend. The first `legal` messages are known
    to be right and not looked at.
    """
    repaired: list[Message] = messages[:legal]
    places: dict[Any, int] = {}  # of the calls that have no result yet
    for message in itertools.islice(messages, legal, None):
        if message.get("role") == "tool":
            place = places.pop(message.get("tool_call_id"), None)
            if place is not None:
                repaired[place] = message
            continue
        repaired.append(message)
        for call in message.get("tool_calls") or ():
            places[call["id"]] = len(repaired)
            missing = {"role": "tool", "tool_call_id": call["id"], "content": INTERRUPTED}
            repaired.append(missing)
    if len(repaired) == len(messages) and all(map(operator.is_, repaired, messages)):
        return messages
    return repaired


def fit(
    messages: list[Message], seen: Seen, turn: Turn | None = None, most: int | None = None
) -> list[Message]:
    """`messages`, or a compacted copy when they exceed `compact_at` of the window.

    `seen` knows how many tokens they are; `most` is what the endpoint is known to take. Raises
    WorkshopError when the system message and the task alone do not fit.
    """
    config = current_config()
    window = config.window_tokens or settings().window_tokens
    limit = min(int(window * config.compact_at), most or window)
    limit = min(limit, turn.limit or limit) if turn else limit
    if seen.tokens <= limit:
        return messages
    return compact(messages, limit, window, config.keep_last, turn)


def fit_refused(
    messages: list[Message], said: Overflow, in_tools: int, turn: Turn | None = None
) -> tuple[list[Message], int] | None:
    """The messages compacted for a server whose window is smaller than we were told, and a limit.

    `said` is what the server told of its window, `in_tools` what the tools take up, in tokens. The
    turn remembers the limit. Where no number helps, half of what was sent is left. None when
    nothing is left to leave out.
    """
    tokens = sum(map(count_message, messages))
    sent = said.sent if said.sent and said.sent < 4 * (tokens + in_tools) else 0
    others = max(sent - tokens, in_tools, 0)
    limit = int(((said.window or 0) - others) * _REFUSED_SHARE)
    if not 0 < limit < tokens:
        limit = tokens // 2
    if turn is not None:
        turn.limit = min(limit, turn.limit or limit)
    made = compact(messages, limit, tokens, current_config().keep_last, turn)
    return (made, limit) if sum(map(count_message, made)) < tokens else None


def compact(
    messages: list[Message], limit: int, window: int, keep_last: int, turn: Turn | None = None
) -> list[Message]:
    """Head, a summary of the middle, and as much of the tail as `limit` tokens hold.

    The head is the system message and the task. A tool result never loses its call: the tail is
    cut only before a message that is not a result. Of the tail's results and arguments the oldest
    are shortened before the tail is. Raises WorkshopError when the head alone exceeds `window`.
    """
    messages = [_with_plain_calls(message) for message in messages]
    head = messages[: _head_end(messages)]
    in_head = sum(map(count_message, head))
    if in_head > window:
        raise WorkshopError(
            f"The system message and the question alone exceed the window of {window} tokens: "
            f"they have {in_head}.",
            "Raise window_tokens, or ask a shorter question.",
        )
    room = limit - in_head
    reserved = min(_SUMMARY_TOKENS, room // 3)
    start, tail = len(messages), []
    for start in _starts(messages, len(head), keep_last):
        tail = _shorten(messages[start:], room - reserved)
        if sum(map(count_message, tail)) <= room - reserved:
            break
    middle = messages[len(head) : start]
    left = room - sum(map(count_message, tail))
    return [*head, *_summary(middle, turn, max(left, 0)), *tail]


def _with_plain_calls(message: Message) -> Message:
    """A loop may echo the calls as the objects that they came in."""
    calls = message.get("tool_calls")
    if not calls or all(isinstance(call, dict) for call in calls):
        return message
    return {**message, "tool_calls": [c if isinstance(c, dict) else as_dict(c) for c in calls]}


def _head_end(messages: list[Message]) -> int:
    """Behind the first user message, which is the task; without one, behind the system message."""
    roles = [message.get("role") for message in messages]
    if "user" in roles:
        return roles.index("user") + 1
    return next((i for i, role in enumerate(roles) if role not in _SYSTEM), len(roles))


def _starts(messages: list[Message], head_end: int, keep_last: int) -> Iterator[int]:
    """Where the tail may begin, the longest tail first: never at a result."""
    first = max(head_end, len(messages) - keep_last)
    while head_end < first < len(messages) and messages[first].get("role") == "tool":
        first -= 1  # not in the midst of a row of results: their call comes with them
    for position in range(first, len(messages)):
        if messages[position].get("role") != "tool":
            yield position


def _shorten(messages: list[Message], room: int) -> list[Message]:
    """The same messages, the oldest and longest results and arguments shortened until they fit."""
    messages = list(messages)
    tokens = sum(map(count_message, messages))
    for allowed in (4_000, 2_000, 1_000, 500, 200):
        for position, message in enumerate(messages):
            if tokens <= room:
                return messages
            shorter = _shorter(message, allowed)
            if shorter is not message:
                tokens += count_message(shorter) - count_message(message)
                messages[position] = shorter
    return messages


def _shorter(message: Message, allowed: int) -> Message:
    """A result, or a message with calls, of which no text is much longer than `allowed`."""
    message = each_call(message, lambda call: _shorter_call(call, allowed))
    content, is_result = message.get("content"), message.get("role") == "tool"
    if not isinstance(content, str) or len(content) <= allowed + _HANDLE_CHARS:
        return message
    if is_result and not content.startswith("ERROR: "):
        return {**message, "content": offloaded(content, message["tool_call_id"], allowed)}
    if is_result or message.get("tool_calls"):
        return {**message, "content": f"{content[:allowed]}..."}
    return message


def _shorter_call(call: Message, allowed: int) -> Message:
    arguments = call["function"].get("arguments")
    if not isinstance(arguments, str) or len(arguments) <= allowed + _HANDLE_CHARS:
        return call
    function = {**call["function"], "arguments": in_a_field("shortened", arguments, allowed)}
    return {**call, "function": function}


def _summary(middle: list[Message], turn: Turn | None, room: int) -> list[Message]:
    """The middle in short, in at most about `room` tokens; nothing where there is no middle.

    The last thing that the user said is kept as it was, where there is room.
    """
    if not middle:
        return []
    text = _by_model(middle, turn) if turn and turn.summariser else summarise_by_rule(middle)
    said = next((m for m in reversed(middle) if m.get("role") == "user"), None)
    if said is not None and not str(said.get("content")).startswith(SUMMARY_MARK):
        kept = [said] if count_message(said) <= room // 2 else []
    else:
        kept = []
    room -= sum(map(count_message, kept))
    message = {"role": "user", "content": f"{SUMMARY_MARK}\n{text}"}
    while count_message(message) > room and "\n" in message["content"]:
        lines = message["content"].splitlines()[1:]
        lines = lines[max(1, len(lines) // 4) :]  # the oldest steps go first
        message = {"role": "user", "content": "\n".join([SUMMARY_MARK, *lines])}
    return [message, *kept]


def _by_model(middle: list[Message], turn: Turn) -> str:
    """The model's summary, renewed after every few messages; by rule what came since.

    By rule altogether when the model gives none.
    """
    text, covered = turn.summary
    if not text or not 0 <= len(middle) - covered < _RENEW_AFTER:
        try:
            text = turn.summariser.of_steps(middle)  # type: ignore[union-attr]
        except Exception as error:  # a summary is a convenience: it must not cost the answer
            warnings.warn(f"The summary is made by rule: {error!r}", stacklevel=2)
            text = ""
        text, covered = text or summarise_by_rule(middle), len(middle)
        turn.summary = text, covered
    since = middle[covered:]
    return f"{text}\n{summarise_by_rule(since)}" if since else text


def summarise_by_rule(messages: list[Message], line: int = _SUMMARY_LINE) -> str:
    """A line a step, of so many characters: what was called and how its result begins.

    Of many steps the last ones.
    """
    lines: list[str] = []  # from the last to the first
    for message in reversed(messages):
        if len(lines) >= _SUMMARY_LINES:
            break
        lines += reversed(_steps(message, line))
    return "\n".join(reversed(lines[:_SUMMARY_LINES]))


def _steps(message: Message, line: int) -> list[str]:
    content = message.get("content")
    text = content if isinstance(content, str) else to_json(content)
    if text.startswith(SUMMARY_MARK):
        return text.splitlines()[1:]  # an earlier summary, taken over
    lines = []
    if content:
        name = {"tool": "result", "assistant": "said"}.get(message.get("role", ""), "user")
        lines.append(f"- {name}: {' '.join(text.split())}"[:line])
    for call in message.get("tool_calls") or ():
        function = call["function"]
        lines.append(f"- called {function['name']}({function['arguments']})"[:line])
    return lines
