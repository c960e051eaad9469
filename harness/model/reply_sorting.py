"""What a reply says, sorted in one place: thoughts, calls, refusal, answer."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from openai.types.chat import ChatCompletion

from harness.model.content_parts import is_thought, text_of
from harness.model.json_text import speakable
from harness.model.markup import families
from harness.model.thoughts import lacks_beginning, without_thoughts
from harness.model.written_calls import Offered, WrittenCall, written_call

_OF_THE_PROTOCOL = ("stop", "length", "tool_calls", "content_filter")
_NOTHING = "\u2800\u3164\u115f\u1160\uffa0"  # letters and symbols that look like a space
_REFUSED = "The model refused to answer."


@dataclass(frozen=True)
class SortedReply:
    """What a message says. `answer` is None where it holds no text at all, not even thoughts.

    `finish` is one of the protocol's reasons, or "error"; `written` is a call found in the
    text of a reply without calls.
    """

    answer: str | None
    thoughts: str
    refusal: str | None
    finish: str
    written: WrittenCall | None


def sort_reply(
    message: Mapping[str, Any], finish: Any, offered: Callable[[], Offered], has_calls: bool
) -> SortedReply:
    """Sort a message, as `whole_message` gives it. `offered` gives the tools and parameters."""
    content = message.get("content")
    thoughts = [_thoughts_of(part) for part in content] if isinstance(content, list) else []
    refusal = speakable(text_of(message.get("refusal")) or _refusal_of(content)) or None
    answer, reason = _text(content), finish_of(finish, has_calls)
    if answer:
        answer, more = without_thoughts(answer)
        thoughts.append(more)
    if answer and not is_visible(answer):
        answer = ""
    if reason == "refusal":
        reason, refusal = "stop", refusal or answer or _REFUSED
    written = None
    if answer is not None and not has_calls and not refusal:  # in a channel of its own, or beside
        written = written_call(answer or speakable(_text(content) or ""), offered())
    return SortedReply(answer, "\n".join(filter(None, thoughts)), refusal, reason, written)


def begins_in_thoughts(reply: ChatCompletion) -> bool:
    """Whether a reply's text begins with thoughts of which only the end is marked."""
    choice = reply.choices[0]
    own = getattr(choice, "own_content", None)
    return bool(getattr(choice, "thoughts", "")) and isinstance(own, str) and lacks_beginning(own)


def says_nothing(reply: ChatCompletion) -> bool:
    """Whether a reply that ended by itself holds no call, no refusal and no text."""
    choice = reply.choices[0]
    message = choice.message
    said = message.tool_calls or message.refusal or (message.content or "").strip()
    return choice.finish_reason in ("stop", "tool_calls") and not said


def finish_of(said: Any, has_calls: bool) -> str:
    """A finish_reason in the protocol's words, by what it contains, in any case of letters."""
    reason = re.sub(r"[\W_]+", "_", str(said or "")).lower()
    if reason in _OF_THE_PROTOCOL:
        return reason
    for known, stems in families()["finish"] if reason else ():
        if any(stem in reason for stem in stems):
            return known
    return "tool_calls" if has_calls and not reason else "stop"


def is_visible(text: str) -> bool:
    """Whether a text holds a character that can be seen."""
    return any(c not in _NOTHING and unicodedata.category(c)[0] not in "CZ" for c in text)


def _text(content: Any) -> str | None:
    """Content as one text; None for none."""
    if content is None or isinstance(content, bool):
        return None
    if isinstance(content, (str, list, dict)):
        return speakable(text_of(content))
    return speakable(str(content))


def _thoughts_of(part: Any) -> str:
    if not isinstance(part, dict) or not is_thought(part):
        return ""
    said = (part.get(key) for key in ("thinking", "reasoning", "text", "summary"))
    return next((text_of(each) for each in said if text_of(each)), "")


def _refusal_of(content: Any) -> str:
    """What the parts of a content refuse."""
    if isinstance(content, list):
        return "".join(map(_refusal_of, content))
    return text_of(content.get("refusal")) if isinstance(content, dict) else ""
