"""Changes to a request's messages that some servers ask for. Pure: each gives a new list.

A list that needs no change comes back itself.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from harness.model.content_parts import text_of

Message = dict[str, Any]
Messages = list[Message]

BETWEEN = "I have read the results."  # said by the assistant where a server wants it to speak
NO_TEXT = "(no text)"
GO_ON = "Go on."
_SYSTEM = ("system", "developer")


def each(messages: Messages, change: Callable[[Message], Message]) -> Messages:
    """Every message changed; the list itself where none was."""
    made = [change(message) for message in messages]
    return messages if all(a is b for a, b in zip(made, messages, strict=True)) else made


def each_call(message: Message, change: Callable[[Message], Message]) -> Message:
    """A message with its calls changed."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    made = [change(call) if isinstance(call, dict) else call for call in calls]
    return message if all(a is b for a, b in zip(made, calls, strict=True)) else {
        **message, "tool_calls": made
    }  # fmt: skip


def without(value: Message, names: Iterable[str]) -> Message:
    """An object without some of its fields."""
    found = value.keys() & set(names)
    return {k: v for k, v in value.items() if k not in found} if found else value


def with_text(message: Message, least: str = "") -> Message:
    """The content of what the model or a tool said as text, `least` where there is none."""
    content = message.get("content")
    if message.get("role") not in ("assistant", "tool"):
        return message
    if isinstance(content, str) and (content.strip() or not least):
        return message
    text = content if isinstance(content, str) else text_of(content)
    return {**message, "content": text if text.strip() else least}


def with_null(message: Message) -> Message:
    """The content of a message with calls as null."""
    if not message.get("tool_calls") or message.get("content", "") is None:
        return message
    return {**message, "content": None}


def without_content(message: Message) -> Message:
    """A message with calls without its content."""
    return without(message, ["content"]) if message.get("tool_calls") else message


def with_parts(message: Message) -> Message:
    """Text as a list of one part."""
    content = message.get("content")
    if not isinstance(content, str):
        return message
    return {**message, "content": [{"type": "text", "text": content}]}


def with_field(message: Message, name: str) -> Message:
    """What the model said, with a field of which some servers want that it is there and not ""."""
    if message.get("role") != "assistant" or message.get(name):
        return message
    return {**message, name: " "}


def with_signatures(message: Message) -> Message:
    """Calls with the signature that Google takes for calls that its models did not make."""
    signed = {"google": {"thought_signature": "skip_thought_signature_validator"}}

    def with_one(call: Message) -> Message:
        return call if call.get("extra_content") else {**call, "extra_content": signed}

    return each_call(message, with_one)


def tools_as_text(messages: Messages) -> Messages:
    """Calls as text of the model and results as text of the user."""

    def as_text(message: Message) -> Message:
        content = text_of(message.get("content"))
        if message.get("role") == "tool":
            return {"role": "user", "content": f"Result {message.get('tool_call_id')}: {content}"}
        calls = [
            f"Call {call['id']}: {call['function']['name']} {call['function'].get('arguments')}"
            for call in message.get("tool_calls") or ()
        ]
        if not calls:
            return message
        return {**without(message, ["tool_calls"]), "content": "\n".join([content, *calls]).strip()}

    return each(messages, as_text)


def alternating(messages: Messages) -> Messages:
    """Roles in turn: neighbours of one role become one, and nobody speaks right after a tool."""
    made: Messages = []
    for message in messages:
        last = made[-1] if made else None
        role = message.get("role")
        joins = role == "user" or (role == "assistant" and last and not last.get("tool_calls"))
        if last and joins and last.get("role") == role:
            made[-1] = {**last, **message, "content": _both(last, message)}
            continue
        if role == "user" and last and last.get("role") == "tool":
            made.append({"role": "assistant", "content": BETWEEN})
        if role == "assistant" and (last is None or last.get("role") in _SYSTEM):
            made.append({"role": "user", "content": GO_ON})
        made.append(message)
    if made and made[-1].get("role") == "assistant" and not made[-1].get("tool_calls"):
        made.append({"role": "user", "content": GO_ON})
    return messages if len(made) == len(messages) else made


def _both(first: Message, second: Message) -> str:
    return "\n\n".join(filter(None, (text_of(first.get("content")), text_of(second["content"]))))


def one_call_each(messages: Messages) -> Messages:
    """Several calls of one message as several messages, each followed by its result."""
    made: Messages = []
    for position, message in enumerate(messages):
        calls = message.get("tool_calls") or []
        if message.get("role") == "tool" and _is_of_several(messages, position):
            continue  # already behind its call
        if len(calls) < 2:
            made.append(message)
            continue
        results = {m.get("tool_call_id"): m for m in messages[position + 1 :]
                   if m.get("role") == "tool"}  # fmt: skip
        for number, call in enumerate(calls):
            content = message.get("content") if number == 0 else None
            made.append({**message, "content": content, "tool_calls": [call]})
            if call["id"] in results:
                made.append(results[call["id"]])
    return messages if len(made) == len(messages) else made


def _is_of_several(messages: Messages, position: int) -> bool:
    while position >= 0 and messages[position].get("role") == "tool":
        position -= 1
    return position >= 0 and len(messages[position].get("tool_calls") or []) > 1


def system_first(messages: Messages) -> Messages:
    """One system message, at the beginning."""
    system = [message for message in messages if message.get("role") in _SYSTEM]
    if not system or (len(system) == 1 and messages[0] is system[0]):
        return messages
    text = "\n\n".join(text_of(message.get("content")) for message in system)
    rest = [message for message in messages if message.get("role") not in _SYSTEM]
    return [{**system[0], "content": text}, *rest]


def system_as_user(messages: Messages) -> Messages:
    """The system message's text at the head of the first message of the user."""
    system = [message for message in messages if message.get("role") in _SYSTEM]
    rest = [message for message in messages if message.get("role") not in _SYSTEM]
    if not system:
        return messages
    text = {"role": "user", "content": "\n\n".join(text_of(m.get("content")) for m in system)}
    if rest and rest[0].get("role") == "user":
        return [{**rest[0], "content": _both(text, rest[0])}, *rest[1:]]
    return [text, *rest]


def renamed_role(messages: Messages, old: str, new: str) -> Messages:
    """One role under another name."""
    return each(messages, lambda m: {**m, "role": new} if m.get("role") == old else m)


def with_tool_names(messages: Messages) -> Messages:
    """Every result with the name of its tool."""
    names = {
        call["id"]: call["function"]["name"]
        for message in messages
        for call in message.get("tool_calls") or ()
    }

    def named(message: Message) -> Message:
        if message.get("role") != "tool" or message.get("name"):
            return message
        return {**message, "name": names.get(message.get("tool_call_id"), "tool")}

    return each(messages, named)


def arguments_as_objects(messages: Messages) -> Messages:
    """The arguments of calls as objects, not as text."""

    def parsed(call: Message) -> Message:
        arguments = call["function"].get("arguments")
        if not isinstance(arguments, str):
            return call
        function = {**call["function"], "arguments": json.loads(arguments or "{}")}
        return {**call, "function": function}

    return each(messages, lambda message: each_call(message, parsed))


class IdForm:
    """The form of call ids that a refusal asks for: a prefix and a length, or a UUID."""

    def __init__(self, refusal: str) -> None:
        pattern = re.search(r"\^\(?([A-Za-z_-]*)[^$\s]*?\{(?:\d+,\s*)?(\d+)\}", refusal)
        prefix = re.search(r"(?:begin|start)s?(?:ing)? with\W+([\w-]+)", refusal, re.IGNORECASE)
        long = re.search(
            r"length\D{0,12}(\d+)|(\d+)[ -]?(?:char|digit|alphanum)"
            r"|(?:most|than|maximum|max)\D{0,20}(\d+)",
            refusal,
            re.IGNORECASE,
        )
        self.prefix = prefix[1] if prefix else pattern[1] if pattern else ""
        said = next((n for n in long.groups() if n), "24") if long else "24"
        length = int(pattern[2]) + len(self.prefix) if pattern else int(said)
        self.length = min(max(length, 4), 64)
        self.uuid = bool(re.search(r"\buuid\b", refusal, re.IGNORECASE))

    def of(self, old: str) -> str:
        """An id of that form, always the same for an old one."""
        if self.uuid:
            return str(uuid.uuid5(uuid.NAMESPACE_OID, old))
        if old.startswith(self.prefix) and old.isalnum() and len(old) == self.length:
            return old
        digest = hashlib.sha256(old.encode("utf-8", "replace")).hexdigest()
        return f"{self.prefix}{digest}"[: self.length]


def with_ids(messages: Messages, form: IdForm) -> Messages:
    """Call ids in another form, in calls and results alike."""

    def changed(message: Message) -> Message:
        found = each_call(message, lambda call: _put(call, "id", form))
        return _put(found, "tool_call_id", form) if message.get("role") == "tool" else found

    return each(messages, changed)


def _put(value: Message, key: str, form: IdForm) -> Message:
    old = value.get(key)
    new = form.of(old) if isinstance(old, str) else old
    return value if new == old else {**value, key: new}
