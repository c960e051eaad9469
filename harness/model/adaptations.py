"""A refused request, changed as its refusal says: what to recognise is data, refusals.yaml.

`recognise` finds what the refusal is about and what changes this request; `adapted` applies what
was learnt. Nothing here asks a server: negotiation does, once for each change.
"""

import functools
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from harness.model import message_changes as change
from harness.model.content_parts import text_of
from harness.model.plain_schemas import plain_schemas, with_required, with_strict
from harness.model.tokens import count_message, count_tokens
from harness.settings import settings

Body = dict[str, Any]
Change = Callable[[Body, str], Body]


class Learnt(NamedTuple):
    """An adaptation that an endpoint needs: its name, and the refusal that asked for it."""

    name: str
    refusal: str


class Row(NamedTuple):
    """A row of refusals.yaml."""

    name: str
    group: str
    words: str
    says: re.Pattern[str]


_SHORT_REPLY, _SHORTEST_REPLY = 2_048, 256  # tokens
_WITHOUT = "without "  # before the name of a field that a refusal named
_NEEDED = {"model", "messages", "tools", "stream", "role", "content", "tool_calls", "tool_call_id",
           "id", "type", "function", "name", "arguments"}  # fmt: skip
_WANTED = re.compile(
    r"pass(?:ed)? back|missing|requir|must (?:be )?(?:includ|present|provid|return)", re.IGNORECASE
)


@functools.cache
def rows() -> dict[str, Row]:
    """The table, by name, in its order."""
    import yaml  # here, because most servers refuse nothing

    text = Path(__file__).with_name("refusals.yaml").read_text(encoding="utf-8")
    found = {}
    for row in yaml.safe_load(text):
        says = re.compile("|".join(row["says"]), re.IGNORECASE | re.DOTALL)
        found[row["name"]] = Row(row["name"], row["group"], row["words"], says)
    return found


def recognise(body: Body, refusal: str, tried: Iterable[Learnt]) -> Learnt | None:
    """The change that a refusal asks for and that this request lacks, if one is left to try."""
    done = {each.name for each in tried}
    if not _WANTED.search(refusal):
        for name in _named(body, refusal):
            if _WITHOUT + name not in done:
                return Learnt(_WITHOUT + name, refusal)
    for row in rows().values():
        fits = row.name not in done and row.says.search(refusal)
        if fits and _CHANGES[row.name](body, refusal) is not body:
            return Learnt(row.name, refusal)
    return None


def adapted(body: Body, learnt: Iterable[Learnt]) -> Body:
    """A request with everything that was learnt of its endpoint."""
    for each in learnt:
        if each.name.startswith(_WITHOUT):
            body = _drop(body, {each.name.removeprefix(_WITHOUT)})
        elif each.name in _CHANGES:
            body = _CHANGES[each.name](body, each.refusal)
    return body


def in_words(learnt: Learnt) -> str:
    """An adaptation as a person reads it."""
    row = rows().get(learnt.name)
    return row.words if row else learnt.name


def with_another(learnt: Iterable[Learnt], new: Learnt) -> tuple[Learnt, ...]:
    """What is known of an endpoint and one thing more; of its group the new one counts."""
    group = _group(new.name)
    return (*(each for each in learnt if _group(each.name) != group), new)


def wanted_back(learnt: Iterable[Learnt], refusal: str) -> Learnt | None:
    """What was left out for an endpoint that now asks for it."""
    if not _WANTED.search(refusal):
        return None
    left_out = (each for each in learnt if each.name.startswith(_WITHOUT))
    return next((e for e in left_out if _names(e.name.removeprefix(_WITHOUT), refusal)), None)


def _group(name: str) -> str:
    return rows()[name].group if name in rows() else name


def _named(body: Body, refusal: str) -> list[str]:
    """Fields that the request can do without and that the refusal names, the first named first."""
    found = [name for name in _droppable(body) if _names(name, refusal)]
    return sorted(found, key=lambda name: (refusal.find(name), name))


def _names(field: str, refusal: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(field)}(?!\w)", refusal) is not None


def _droppable(body: Body) -> set[str]:
    return (set(body) - _NEEDED) | _of_messages(body)


def _of_messages(body: Body) -> set[str]:
    """The fields of messages and calls that are not of the protocol."""
    found: set[str] = set()
    for message in body["messages"]:
        found |= message.keys()
        for call in message.get("tool_calls") or ():
            found |= call.keys() | call["function"].keys()
    return found - _NEEDED


def _drop(body: Body, names: set[str]) -> Body:
    def of_call(call: Body) -> Body:
        function = change.without(call["function"], names)
        made = change.without(call, names)
        return made if function is call["function"] else {**made, "function": function}

    def of_message(message: Body) -> Body:
        return change.each_call(change.without(message, names), of_call)

    body = _with_messages(body, change.each(body["messages"], of_message))
    return change.without(body, names)


def _with_messages(body: Body, messages: change.Messages) -> Body:
    return body if messages is body["messages"] else {**body, "messages": messages}


def _messages(made: Callable[[change.Messages], change.Messages]) -> Change:
    return lambda body, _: _with_messages(body, made(body["messages"]))


def _each(made: Callable[[change.Message], change.Message]) -> Change:
    return _messages(lambda messages: change.each(messages, made))


@functools.lru_cache(maxsize=64)
def _form(refusal: str) -> change.IdForm:
    return change.IdForm(refusal)


def _ids(body: Body, refusal: str) -> Body:
    return _with_messages(body, change.with_ids(body["messages"], _form(refusal)))


def _system_on_top(body: Body, _: str) -> Body:
    system = [m for m in body["messages"] if m.get("role") in ("system", "developer")]
    if not system:
        return body
    text = "\n\n".join(text_of(message.get("content")) for message in system)
    return {**body, "system": text, "messages": [m for m in body["messages"] if m not in system]}


def _thoughts(body: Body, refusal: str) -> Body:
    """The field of thoughts that a refusal misses; it was never there, so it holds nothing."""
    named = re.search(r"\b(?:reason|think)\w*_\w+", refusal, re.IGNORECASE)
    return _each(lambda message: change.with_field(message, named[0]))(body, "") if named else body


def _whole(body: Body) -> Body:
    return change.without(body, ["stream", "stream_options"])


def _with_tools(body: Body, _: str) -> Body:
    """The tools that the history calls, for a server that wants to know them; none to call."""
    calls = [call for m in body["messages"] for call in m.get("tool_calls") or ()]
    if body.get("tools") or not calls:
        return body
    nothing = {"type": "object", "properties": {}}
    functions = [
        {"name": name, "description": name, "parameters": nothing}
        for name in dict.fromkeys(call["function"]["name"] for call in calls)
    ]
    tools = [{"type": "function", "function": each} for each in functions]
    return {**body, "tools": tools, "tool_choice": "none"}


def _bounded_reply(body: Body, _: str) -> Body:
    """What the window leaves for the reply, at most: a small model may not find an end itself."""
    if "max_tokens" in body or "max_completion_tokens" in body:
        return body
    window = settings().window_tokens
    sent = sum(map(count_message, body["messages"]))
    sent += count_tokens(json.dumps(body["tools"], default=str)) if body.get("tools") else 0
    longest = max(window // 4, _SHORT_REPLY)
    return {**body, "max_tokens": max(min(window - sent, longest), _SHORTEST_REPLY)}


_CHANGES: dict[str, Change] = {
    "ids": _ids,
    "tools_as_text": _messages(change.tools_as_text),
    "thoughts": _thoughts,
    "signatures": _each(change.with_signatures),
    "one_call_each": _messages(change.one_call_each),
    "system_first": _messages(change.system_first),
    "system_on_top": _system_on_top,
    "developer": _messages(lambda m: change.renamed_role(m, "system", "developer")),
    "system": _messages(lambda m: change.renamed_role(m, "developer", "system")),
    "system_as_user": _messages(change.system_as_user),
    "alternating": _messages(change.alternating),
    "tool_names": _messages(change.with_tool_names),
    "tools": _with_tools,
    "arguments": _messages(change.arguments_as_objects),
    "parts": _each(change.with_parts),
    "null_content": _each(change.with_null),
    "no_content": _each(change.without_content),
    "text_content": _each(change.with_text),
    "some_content": _each(lambda message: change.with_text(message, change.NO_TEXT)),
    "no_stream_options": lambda body, _: change.without(body, ["stream_options"]),
    "auto_tool_choice": lambda body, _: (
        {**body, "tool_choice": "auto"} if body.get("tools") and "tool_choice" not in body else body
    ),
    "bounded_reply": _bounded_reply,
    "whole_with_tools": lambda body, _: _whole(body) if body.get("tools") else body,
    "whole": lambda body, _: _whole(body),
    "required": with_required,
    "strict": with_strict,
    "schemas": plain_schemas,
    "plain": lambda body, _: _drop(body, _droppable(body)),
    "bare": lambda body, _: _drop(body, _of_messages(body)),
}
