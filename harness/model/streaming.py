"""Putting a streamed reply together again, in the shape of one that came whole."""

from collections.abc import Iterable
from typing import Any

from harness.model.content_parts import counts
from harness.model.envelopes import message_of, respelled, unwrapped
from harness.model.foreign_forms import piece_of_a_block
from harness.model.message_parts import Hear, MessageParts
from harness.model.retried_stream import Retries, says_again
from harness.model.sse import DONE, events

__all__ = ["accumulate", "events"]


def accumulate(chunks: Iterable[Any], hear: Hear | None = None) -> Any:
    """One reply from its chunks. `hear` is told each piece of text when it comes.

    Chunks without choices are passed over. A stream that ends without a finish_reason, without
    DONE and without a last word on usage was cut off, and is read as "length".
    """
    reply: dict[str, Any] = {}
    said: dict[str, Any] = {}  # what came without choices, in case that nothing else comes
    choices, retries = _Choices(hear), Retries()
    done = False
    for data in chunks:
        if data == DONE:
            done = True
            break
        if not isinstance(data, dict):
            return data  # a body that wasn't a stream
        data = respelled(data)
        if not isinstance(data.get("choices"), list):
            data = piece_of_a_block(data) or unwrapped(data, "delta")
        if data.get("error"):
            if choices.ended:  # too late to matter
                break
            return {"error": data["error"]}
        reply.update({key: data[key] for key in ("id", "model", "created") if data.get(key)})
        listed = data.get("choices")
        if counts(data.get("usage")):
            reply["usage"] = data["usage"]
            done = done or (not listed and choices.begun)  # on its own it comes last
        said = said if listed else said or data
        listed = listed if isinstance(listed, list) else []
        pieces = [each for each in listed if isinstance(each, dict)]
        if retries.takes(data.get("id"), pieces, choices.ended):
            continue
        for choice in pieces:
            choices.add(choice)
    for again in retries.found:
        choices = _with_retry(choices, again)
    made = choices.whole(done)
    return {**reply, "choices": made} if made else {**said, **reply}  # that is unusable


def _with_retry(choices: "_Choices", again: list[dict[str, Any]]) -> "_Choices":
    """The fuller of two tries where the later one says the earlier again; else one reply."""
    later = _Choices(None)
    for piece in again:
        later.add(piece)
    if choices.is_said_again_by(later):
        return later if later.ended or not choices.ended else choices
    for piece in again:
        choices.add(piece)
    return choices


class _Choice:
    def __init__(self, index: Any, hear: Hear | None) -> None:
        self.index = index
        self.pieces: list[dict[str, Any]] = []
        self.finish: Any = None
        self.error: Any = None
        self.message = MessageParts(hear)

    def add(self, piece: dict[str, Any]) -> None:
        if len(self.pieces) < 2 and _says_something(piece):  # two tell that it is a choice
            self.pieces.append(piece)
        self.finish = piece.get("finish_reason") or self.finish
        self.error = piece.get("error") or self.error
        self.message.add(piece.get("delta", piece.get("text")))
        self.message.complete(message_of(piece, "message"))


class _Choices:
    """The choices of a stream. Nobody asks for more than one, but some servers count pieces."""

    def __init__(self, hear: Hear | None) -> None:
        self.all: list[_Choice] = []
        self._hear = hear
        self._one = True  # as long as each index comes once, and before any end

    @property
    def ended(self) -> bool:
        """Whether every choice has said how it ends, and that it did not fail."""
        ends = [str(choice.finish or "error") for choice in self.all]
        return bool(ends) and not any("error" in end.lower() for end in ends)

    def is_said_again_by(self, later: "_Choices") -> bool:
        """Whether another reply begins with all that this one says."""
        ours, theirs = ([choice.message.said for choice in each.all] for each in (self, later))
        return len(ours) == 1 == len(theirs) and says_again(ours[0], theirs[0])

    @property
    def begun(self) -> bool:
        """Whether any choice came."""
        return bool(self.all)

    def add(self, piece: dict[str, Any]) -> None:
        index = piece.get("index")
        found = [choice for choice in self.all if index is None or choice.index == index]
        if found:
            self._one = self._one and (len(self.all) == 1 or not _says_something(piece))
            found[-1].add(piece)
            return
        counted = all(len(choice.pieces) < 2 and not choice.finish for choice in self.all)
        self._one = self._one and counted
        choice = _Choice(index, self._hear if self._one else None)
        self.all.append(choice)
        choice.add(piece)

    def whole(self, done: bool) -> list[dict[str, Any]]:
        """The choices as a reply that came whole has them; none where nothing came."""
        if len(self.all) > 1 and self._one:  # the index counts the pieces
            one = _Choice(0, None)
            one.finish = next((c.finish for c in reversed(self.all) if c.finish), None)
            one.error = next((c.error for c in self.all if c.error), None)
            for piece in [piece for choice in self.all for piece in choice.pieces]:
                one.message.add(piece.get("delta", piece.get("text")))
                one.message.complete(message_of(piece, "message"))
            self.all = [one]
        made = []
        for choice in self.all:
            finish, message = choice.finish, choice.message
            if done:
                finish = finish or ("tool_calls" if message.calls else "stop")
            if message.empty and finish in (None, "length"):
                continue
            said = {"message": message.whole(), "finish_reason": finish or "length"}
            made.append({**said, "error": choice.error} if choice.error else said)
        return made


def _says_something(piece: dict[str, Any]) -> bool:
    delta = piece.get("delta", piece.get("text", piece.get("message")))
    if not isinstance(delta, dict):
        return bool(delta)
    return any(value for key, value in delta.items() if key != "role")
