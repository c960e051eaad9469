"""Fitting a conversation to the model's context window, and keeping it legal.

`repair_history` makes any list of messages one that the API accepts. `fit` makes a long one
shorter: the system message, the task and the last steps stay, what lies between is summarised.
"""

from typing import Any

from harness.calls import canonical
from harness.config import current_config
from harness.errors import WorkshopError
from harness.session import current_turn
from harness.settings import settings
from harness.texts import offloaded
from harness.tokens import count_message
from harness.turn import INTERRUPTED, Seen, Turn

Message = dict[str, Any]

_RENEW_AFTER = 8  # messages
_SUMMARY_LINE = 160  # characters of each step that the rule-based summary keeps


def repair_history(messages: list[Message], legal: int = 0) -> list[Message]:
    """The same conversation, legal: each call has exactly one result, in order, right behind it.

    Results without a call go, calls without a result get one that says "interrupted". Nothing
    else changes. Pure and idempotent; the list itself comes back when there is nothing to mend.
    The first `legal` messages are known to be right and not looked at.
    """
    repaired: list[Message] = messages[:legal]
    position, changed = legal, False
    while position < len(messages):
        message = messages[position]
        position += 1
        if message.get("role") == "tool":
            changed = True  # an orphan: a result that belongs to a call comes with it, below
            continue
        repaired.append(message)
        calls = message.get("tool_calls")
        if not calls:
            continue
        results = position
        while results < len(messages) and messages[results].get("role") == "tool":
            results += 1
        mended = _results_for(calls, messages[position:results])
        if mended is None:
            repaired.extend(messages[position:results])
        else:
            repaired.extend(mended)
            changed = True
        position = results
    return repaired if changed else messages


def _results_for(calls: list[Any], results: list[Message]) -> list[Message] | None:
    """The results in the order of the calls; None when they are already right."""
    wanted = [call["id"] for call in calls]
    if wanted == [result.get("tool_call_id") for result in results]:
        return None
    by_id: dict[Any, Message] = {}
    for result in results:
        by_id.setdefault(result.get("tool_call_id"), result)
    missing = {"role": "tool", "content": INTERRUPTED}
    return [by_id.get(each) or {**missing, "tool_call_id": each} for each in wanted]


def fit(messages: list[Message], seen: Seen) -> list[Message]:
    """`messages`, or a compacted copy when they exceed `compact_at` of the window.

    `seen` knows how many tokens they are.

    Raises WorkshopError when the system message and the task alone do not fit.
    """
    config = current_config()
    window = config.window_tokens or settings().window_tokens
    limit = int(window * config.compact_at)
    if seen.tokens <= limit:
        return messages
    return compact(messages, limit, window, config.keep_last, current_turn())


def compact(
    messages: list[Message], limit: int, window: int, keep_last: int, turn: Turn | None = None
) -> list[Message]:
    """Head, a summary of the middle, and as much of the tail as `limit` tokens hold.

    A tool result never loses its call: the tail is cut only in front of a message that is no
    result. Results in the tail are shortened, oldest first, before the tail is.
    """
    head_end = next((i + 1 for i, m in enumerate(messages) if m.get("role") == "user"), 1)
    head = messages[:head_end]
    if sum(map(count_message, head)) > window:
        raise WorkshopError(
            f"The system message and the question alone exceed the window of {window} tokens.",
            "Raise window_tokens, or ask a shorter question.",
        )
    starts = [i for i in range(head_end, len(messages)) if messages[i].get("role") != "tool"]
    starts = [i for i in starts if i >= len(messages) - keep_last] or starts[-1:]
    for start in starts or [len(messages)]:
        middle, tail = messages[head_end:start], messages[start:]
        candidate = [*head, *_summary(middle, turn), *tail]
        if sum(map(count_message, candidate)) <= limit:
            return candidate
    return _shorten_results([*head, *_summary(middle, turn), *tail], limit)


def _shorten_results(messages: list[Message], limit: int) -> list[Message]:
    """Halve the longest results until everything fits, or nothing long is left."""
    messages = list(messages)
    for allowed in (4_000, 2_000, 1_000, 500, 200):
        for position, message in enumerate(messages):
            if message.get("role") == "tool" and len(message.get("content") or "") > allowed:
                content = offloaded(message["content"], message["tool_call_id"], allowed)
                messages[position] = {**message, "content": content}
        if sum(map(count_message, messages)) <= limit:
            break
    return messages


def _summary(middle: list[Message], turn: Turn | None) -> list[Message]:
    """One message that stands for the middle; none when there is no middle."""
    if not middle:
        return []
    text = _by_model(middle, turn) if turn and turn.summarise else summarise_by_rule(middle)
    return [{"role": "user", "content": f"[Earlier steps, summarised]\n{text}"}]


def _by_model(middle: list[Message], turn: Turn) -> str:
    """The model's summary, renewed after every few messages; by rule what came since."""
    text, covered = turn.summary
    if not text or not 0 <= len(middle) - covered < _RENEW_AFTER:
        text, covered = turn.summarise(middle), len(middle)  # type: ignore[misc]
        turn.summary = text, covered
    since = middle[covered:]
    return f"{text}\n{summarise_by_rule(since)}" if since else text


def summarise_by_rule(messages: list[Message], line: int = _SUMMARY_LINE) -> str:
    """A line a step, of so many characters: what was called and how its result begins."""
    lines = []
    for message in messages:
        content = message.get("content")
        text = " ".join((content if isinstance(content, str) else canonical(content)).split())
        for call in message.get("tool_calls") or ():
            function = call["function"]
            lines.append(f"- called {function['name']}({function['arguments']})"[:line])
        if content:
            name = {"tool": "result", "assistant": "said", "user": "user"}.get(
                message.get("role", ""), "note"
            )
            lines.append(f"- {name}: {text}"[:line])
    return "\n".join(lines[-40:])
