"""Judging one round: was the reply echoed, and each of its calls answered, as the API wants it?"""

import json
from typing import Any

from harness.course.report import Finding
from harness.course.staging.stage import Seen, Sent
from harness.excerpt import short_repr

ECHO = "Append the assistant's message with all its tool_calls first, then one tool message a call."
RESULT = (
    'For each call of the message append {"role": "tool", "tool_call_id": call.id, "content": ...}.'
)


def round_fault(seen: Seen, index: int) -> Finding | None:
    """What is wrong with how request `index` carries on from the reply before; the cause only."""
    before, now = seen.requests[index - 1], seen.requests[index]
    odd = [message for message in now.messages if not isinstance(message, dict)]
    if odd:
        return _no_message(odd[0])
    lost = _history(seen, now, before)
    if lost or not before.calls:
        return lost
    known = {call["id"] for sent in seen.requests[: index - 1] for call in sent.calls}
    new = [
        (place, message)
        for place, message in enumerate(now.messages)
        if not _belongs_to(message, known)
    ]
    echoes = [(place, m) for place, m in new if m.get("role") == "assistant" and "tool_calls" in m]
    results = [(place, m) for place, m in new if m.get("role") == "tool"]
    if not echoes:
        return _no_echo(bool(results))
    return (
        _echo_fault(before, echoes, results)
        or _ids_fault(before, results)
        or _order_fault(before, now, echoes, results)
        or _content_fault(results)
    )


def results_of(sent: Sent, calls: list[dict[str, Any]]) -> list[str]:
    """The text that answers each of `calls` in a request; "" where there is none."""
    found = {m.get("tool_call_id"): _text(m.get("content")) for m in sent.messages if _is_result(m)}
    return [found.get(call["id"], "") for call in calls]


def _text(content: Any) -> str:
    """A content as text, also where it is a list of parts."""
    if isinstance(content, list):
        return "".join(str(p.get("text", "")) if isinstance(p, dict) else str(p) for p in content)
    return str(content or "")


def _is_result(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "tool"


def _belongs_to(message: Any, ids: set[str]) -> bool:
    """Whether a message is of an earlier round: its echo or one of its results."""
    if not isinstance(message, dict):
        return False
    calls = message.get("tool_calls")
    own = {c.get("id") for c in calls if isinstance(c, dict)} if isinstance(calls, list) else set()
    return message.get("tool_call_id") in ids or bool(own & ids)


def _history(seen: Seen, now: Sent, before: Sent) -> Finding | None:
    """A later request must still hold what the one before held."""
    hint = "Keep one list of messages for the whole turn, and only append to it."
    start = [m for m in seen.requests[0].messages if m.get("role") in ("system", "user")]
    if not all(message in now.messages for message in start):
        what = "the system prompt and the question: the model has forgotten what it was asked"
    elif not all(m in now.messages for m in before.messages if m.get("role") == "tool"):
        what = "the results of an earlier round: the model has forgotten what it found out"
    else:
        return None
    return Finding("history_lost", f"A later request no longer holds {what}.", hint)


def _no_message(odd: Any) -> Finding:
    what = "None" if odd is None else f"a {type(odd).__name__}"
    hint = "messages += a_list adds its messages one by one; append(a_list) adds the list itself."
    if not isinstance(odd, list):
        hint = 'Each message is a dict: {"role": ..., "content": ...}.'
    return Finding("not_a_message", f"Among the messages is {what}, which is not a message.", hint)


def _no_echo(answered: bool) -> Finding:
    what = "answered the tool calls" if answered else "asked the model again"
    return Finding(
        "no_echo",
        f"You {what} without first echoing the assistant's message with its tool_calls. The API "
        "answers 400: a tool message must follow the message that asked for it.",
        ECHO,
    )


def _echo_fault(
    before: Sent, echoes: list[tuple[int, Any]], results: list[tuple[int, Any]]
) -> Finding | None:
    listed = [c for _, m in echoes for c in m["tool_calls"] or [] if isinstance(c, dict)]
    echoed = [call.get("id") for call in listed]
    wanted = [call["id"] for call in before.calls]
    arguments = [(call.get("function") or {}).get("arguments") for call in listed]
    if results and results[0][0] < echoes[0][0]:
        return Finding(
            "order_wrong",
            "A tool result comes before the assistant's message that asked for it.",
            ECHO,
        )
    if any(not isinstance(text, str) for text in arguments):
        return Finding(
            "arguments_object",
            "The echo carries a call's arguments as an object. The API wants them as the text that "
            "the model wrote.",
            "Echo call.function.arguments as it is; what json.loads gave you is for the tool.",
        )
    if len(echoes) > 1:
        return Finding(
            "echo_repeated",
            f"One assistant message was echoed {len(echoes)} times, or in pieces.",
            "Echo it once, before the loop over its calls.",
        )
    if len(echoed) < len(wanted) and set(echoed) <= set(wanted):
        return Finding(
            "echo_incomplete",
            f"The model made {len(wanted)} calls in one message; your echo has {len(echoed)}.",
            "Echo the message with all of its tool_calls.",
        )
    if echoed != wanted:
        return _wrong_ids("The echo carries ids that the model did not give.")
    said = str((before.reply or {}).get("content") or "").strip()
    told = " ".join(_text(message.get("content")) for _, message in echoes).strip()
    if said != told:
        return Finding(
            "echo_text_lost",
            f"The model wrote {short_repr(said)} beside its calls; the echo has "
            f"{short_repr(told)}.",
            "Echo the whole message, text and calls: message.model_dump(exclude_none=True).",
        )
    return _changed(before, listed)


def _changed(before: Sent, listed: list[dict[str, Any]]) -> Finding | None:
    for call, echo in zip(before.calls, listed, strict=True):
        asked, told = call["function"], echo["function"]
        same = told["arguments"] == asked["arguments"] or not _is_json(asked["arguments"])
        if asked["name"] != told.get("name") or not (
            same or _parsed(told["arguments"]) == _parsed(asked["arguments"])
        ):
            return Finding(
                "echo_changed",
                f"The echo of the call {asked['name']} is not what the model wrote.",
                "Echo the name and the arguments unchanged.",
            )
    return None


def _ids_fault(before: Sent, results: list[tuple[int, Any]]) -> Finding | None:
    wanted = [call["id"] for call in before.calls]
    given = [message.get("tool_call_id") for _, message in results]
    if any(each not in wanted for each in given):
        return _wrong_ids("A tool message carries an id that no call has.")
    if len(set(given)) < len(given):
        return _wrong_ids("Two tool messages carry the same id.")
    if len(given) < len(wanted):
        missing = [c["function"]["name"] for c in before.calls if c["id"] not in given]
        return Finding(
            "call_unanswered",
            f"The model made {len(wanted)} call{'s' if len(wanted) > 1 else ''} and got "
            f"{len(given)} result{'' if len(given) == 1 else 's'}: {', '.join(missing)} was left "
            "unanswered. The API answers 400.",
            RESULT,
        )
    return None


def _wrong_ids(what: str) -> Finding:
    return Finding(
        "ids_wrong",
        f"{what} The model can't tell which result belongs to which call.",
        "Copy the id of each call: tool_call_id=call.id.",
    )


def _order_fault(
    before: Sent, now: Sent, echoes: list[tuple[int, Any]], results: list[tuple[int, Any]]
) -> Finding | None:
    wanted = [call["id"] for call in before.calls]
    first = echoes[0][0] + 1
    behind = [m.get("tool_call_id") for m in now.messages[first : first + len(wanted)]]
    if [message.get("tool_call_id") for _, message in results] != wanted:
        what = "The results stand in another order than the calls."
    elif behind != wanted:
        what = "Something comes between the assistant's message and the results of its calls."
    else:
        return None
    return Finding("order_wrong", what, "Answer the calls one by one, in the order of the message.")


def _content_fault(results: list[tuple[int, Any]]) -> Finding | None:
    for _, message in results:
        content = message.get("content")
        parts = content if isinstance(content, list) and content else [content]
        if not all(isinstance(p, str) or (isinstance(p, dict) and "type" in p) for p in parts):
            return Finding(
                "result_not_text",
                f"A tool message carries {_kind(content)} as its content, not text.",
                "Send what TOOLS[name][0](...) returned, or dispatch(call).content: both are text.",
            )
    return None


def _kind(content: Any) -> str:
    if isinstance(content, dict) and "__object__" in content:
        return f"an object ({content['__object__']})"
    return {dict: "an object", list: "a list", type(None): "nothing"}.get(type(content), "a number")


def _is_json(text: Any) -> bool:
    return _parsed(text) is not None


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None
