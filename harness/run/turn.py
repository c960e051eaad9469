"""A turn as data: a question, and the calls that were made to answer it. The recorder fills it."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from harness.model.tokens import count_message
from harness.model.tool_calls import ToolCall, is_sendable
from harness.session import Question

REPEAT_WINDOW = 3  # calls: the same one within the last three is not run again
INTERRUPTED = (
    "ERROR: interrupted before it finished. Its effects are unknown; check before repeating."
)


class Summariser(Protocol):
    """Writes summaries with a model. Either may return "": then they are made by rule."""

    def of_thread(self, summary: str, messages: Any) -> str:
        """A new summary of a thread: the one so far, and the messages to fold into it."""

    def of_steps(self, messages: list[dict[str, Any]]) -> str:
        """A summary of the middle of a long turn."""


class Opening(NamedTuple):
    """What the rounds of a turn go on from; `calls` of the last message have no result yet."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]  # on offer
    calls: Sequence[dict[str, Any]] = ()


class Seen:
    """What is known of a growing list of messages, each message read once.

    `odd` tells whether the arguments of some call are not a JSON object.
    """

    def __init__(self) -> None:
        self.tokens = 0
        self.odd = False
        self.ids: set[str] = set()
        self._read = 0
        self._last: dict[str, Any] | None = None

    def update(self, messages: list[dict[str, Any]]) -> "Seen":
        """Read the messages that were added; all of them when this is another list."""
        same = 0 < self._read <= len(messages) and messages[self._read - 1] is self._last
        if not same:
            self.tokens, self.ids, self._read, self.odd = 0, set(), 0, False
        for message in messages[self._read :]:
            self.tokens += count_message(message)
            if message.get("tool_calls"):
                self.ids.update(_call_ids(message))
                self.odd = self.odd or not all(map(is_sendable, message["tool_calls"]))
        self._read = len(messages)
        self._last = messages[-1] if messages else None
        return self


def _call_ids(message: dict[str, Any]) -> list[str]:
    calls = message.get("tool_calls") or ()
    return [str(c.get("id") if isinstance(c, dict) else getattr(c, "id", "")) for c in calls]


@dataclass
class Turn:
    """One question and all that is done to answer it; `calls` are the answered ones, in order.

    `started` and `deadline` are readings of `clock.now()`. `tripped` names the safety
    terminator that ended the turn, if one did; `status` is how it ended, where the loop says it.
    """

    question: Question
    started: float = 0.0
    deadline: float | None = None
    rounds: int = 0
    requests: int = 0  # that the model answered, or failed to
    calls: list[ToolCall] = field(default_factory=list)
    pending: list[ToolCall] = field(default_factory=list)
    unwritten: list[dict[str, Any]] = field(default_factory=list)  # of those, not in the journal
    disclosed: set[str] = field(default_factory=set)
    tripped: str | None = None
    approval_id: str = ""  # what a paused turn waits for
    status: str = ""
    count: Counter[str] = field(default_factory=Counter)  # answered calls by status and kind
    results: dict[str, str] = field(default_factory=dict)  # call -> the last result that it brought
    known: set[tuple[str, str]] = field(default_factory=set)  # (tool, result) that came in
    last_progress: int = 0  # the last round that brought another call or another result
    last_other: int = 0  # the last round that brought something else than a known error
    errors: set[str] = field(default_factory=set)  # that came, as `weighing.same_error` has them
    prompt_tokens: int = 0
    completion_tokens: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    held: list[dict[str, Any]] = field(default_factory=list)  # of those, not in the file yet
    opened: float = field(default_factory=time.perf_counter)
    sent: list[dict[str, Any]] = field(default_factory=list)  # the last request's messages
    logged: bool = False  # whether the question is in the thread
    context: str = ""  # what build_context made of the question
    finished: bool = False
    seen: Seen = field(default_factory=Seen)
    nudged: set[str] = field(default_factory=set)
    on_event: Callable[[dict[str, Any]], None] | None = None
    limit: int | None = None  # of the messages in tokens, where a server said so
    summary: tuple[str, int] = ("", 0)  # of the middle of a long conversation; messages covered
    summariser: Summariser | None = None

    @property
    def id(self) -> str:
        """The id of the turn and of its trace."""
        return self.question.id

    @property
    def thread_id(self) -> str:
        """The thread that the question was asked in."""
        return self.question.thread_id

    @property
    def tokens(self) -> int:
        """The tokens used so far, sent and received."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def most_silent(self) -> int:
        """How often the tool that returned nothing most often did so."""
        return max((n for what, n in self.count.items() if what.startswith("empty ")), default=0)

    @property
    def open_calls(self) -> list[ToolCall]:
        """The calls of the last reply that have no observation yet."""
        return [call for call in self.pending if not call.status]

    def find(self, call_id: Any) -> ToolCall | None:
        """The call of the last reply with this id."""
        return next((call for call in self.pending if call.id == call_id), None)

    def recent_same(self, call: ToolCall) -> ToolCall | None:
        """An equal call of this reply or of the last three, if nothing came between.

        What comes between is whatever may have changed the world: a call of a tool that is not
        declared to read, or one whose outcome is unknown.
        """
        made = (call for call in reversed(self.calls) if call.status != "repeated")
        for back, earlier in enumerate(made):
            if back >= REPEAT_WINDOW and earlier.round != call.round:
                return None
            if earlier.key == call.key:
                return earlier
            if earlier.changed:
                return None
        return None
