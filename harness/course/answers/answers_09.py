"""Our solutions of part 09, generated from authoring/09_long_tasks.py."""

# mypy: ignore-errors
import json

from harness.model.tokens import count_message


def fit_window(messages: list[dict], limit: int, keep_last: int = 8) -> list[dict]:
    """The conversation in at most `limit` tokens: head, a marker, the last `keep_last` messages.

    The head is everything up to the first user message. Fewer than `keep_last` stay where they
    don't fit or where a step would be cut; at least the last step stays, whatever the limit.
    """
    if sum(map(count_message, messages)) <= limit:
        return list(messages)
    head_end = next(i for i, message in enumerate(messages) if message["role"] == "user") + 1
    starts = [i for i in range(head_end, len(messages)) if messages[i]["role"] != "tool"]
    if not starts:
        return list(messages)
    wanted = [i for i in starts if i >= len(messages) - keep_last]
    for start in wanted or starts[-1:]:
        fitted = messages[:head_end]
        if start > head_end:
            note = f"[{start - head_end} earlier messages were left out]"
            fitted = [*fitted, {"role": "user", "content": note}]
        fitted = [*fitted, *messages[start:]]
        if sum(map(count_message, fitted)) <= limit:
            break
    return fitted


def offload(text: str, tool_call_id: str, max_chars: int = 4_000) -> str:
    """What the model sees of a long observation: head, tail, and how to get the rest."""
    if len(text) <= max_chars:
        return text
    tail = max_chars // 4
    head = max_chars - tail
    return json.dumps(
        {
            "status": "ok",
            "offloaded": True,
            "tool_call_id": tool_call_id,
            "head": text[:head],
            "tail": text[len(text) - tail :],
            "omitted_chars": len(text) - head - tail,
            "hint": f"fetch_tool_output(tool_call_id={tool_call_id!r}) returns the rest.",
        }
    )
