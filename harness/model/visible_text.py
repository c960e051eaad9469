"""What a listener hears of a streamed text: the answer as it comes, never thoughts."""

import re
from collections.abc import Callable
from typing import Any

from harness.model.json_text import speakable
from harness.model.markup import families, mark_begins
from harness.model.thoughts import without_thoughts
from harness.model.written_calls import first_mark_of_a_call

_HALF = re.compile(r"[\ud800-\udbff]\Z")  # the first half of a surrogate pair
_BEGUN = re.compile(  # may become a mark
    r"[<\[◁＜][^<>\[\]▷＞\n]{0,80}\Z|`[^`\n]{0,200}\Z|&(?:lt?)?\Z|&lt;(?:(?!&gt;)[^<>\n]){0,80}\Z"
    r"|<details[^<>]{0,80}>\s*(?:<(?:summary>[^<>]{0,80}(?:</?[a-z]{0,8})?)?)?\Z"
)
_ENDS = re.compile(r"[>\]▷＞;:`.]")  # without one of them no mark is complete
_PROBE = "\x00"


class VisibleText:
    """Takes the pieces of a text and tells what of them is sure to be answer.

    `tell` gets {"text": ...} for each piece, and {"restarted": ...} when what it was told turns
    out to have been thoughts. With `held` nothing is told before the end of thoughts was seen.
    """

    def __init__(self, tell: Callable[[dict[str, Any]], None], held: bool = False) -> None:
        self._tell = tell
        self._text = ""
        self._half = ""
        self._told = ""
        self._open = not held  # whether the end of the text is answer, as far as can be seen
        self._held = held
        self._hidden = self._begun = False  # whether there were thoughts; may be a mark at the end

    def hear(self, piece: str) -> None:
        """The next piece."""
        piece = self._half + piece
        self._half = found[0] if (found := _HALF.search(piece)) else ""
        piece = speakable(piece.removesuffix(self._half))
        self._text += piece
        if self._open and not mark_begins().search(piece) and not self._may_begin():
            self._say(piece if self._told or not self._hidden else piece.lstrip())
        elif self._open or self._begun or _ENDS.search(piece):
            self._look_again()

    def finish(self, answer: str) -> None:
        """Tell the rest of the answer; all of it, anew, when something else was told before."""
        if not answer.startswith(self._told):
            if self._told.startswith(answer) and not self._told[len(answer) :].strip():
                return
            self._tell({"restarted": "what came so far was not the answer"})
            self._told = ""
        self._say(answer[len(self._told) :])

    def _look_again(self) -> None:
        text = _BEGUN.sub("", self._text)
        answer, thoughts = without_thoughts(text + _PROBE, ended=False)
        if self._held and not thoughts:
            return
        self._held, self._hidden = False, bool(thoughts)
        self._begun = text != self._text
        cut = first_mark_of_a_call(answer)
        self._open = answer.endswith(_PROBE) and cut == len(answer)
        answer = answer[:cut].removesuffix(_PROBE)
        if answer.startswith(self._told):
            self._say(answer[len(self._told) :])
        elif not self._told.startswith(answer):
            self._tell({"restarted": "what came so far was not the answer"})
            self._told = ""
            self._say(answer)
        self._open = self._open and not self._begun

    def _may_begin(self) -> bool:
        """Whether the text so far is the beginning of a mark that is made of words, or is one."""
        begun = self._text.lstrip()
        if not begun or len(begun) > 40:
            return False
        marks = [pair[0] for pair in families()["thought_pairs"]]
        return any(mark.startswith(begun) or begun.startswith(mark) for mark in marks)

    def _say(self, text: str) -> None:
        if text:
            self._told += text
            self._tell({"text": text})
