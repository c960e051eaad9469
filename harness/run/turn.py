"""The turn under way: which calls the model made, and what each of them came to.

`chat` announces the calls of a reply, the guarded call claims and answers them. So the harness
knows the id of a call, and whether it was made before, even under a loop that passes neither on.
"""

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from harness.model.tokens import count_message
from harness.model.tool_calls import PendingCall, canonical
from harness.run import trace

REPEAT_WINDOW = 3  # the same call within the last three is not run again
REPEAT_LIMIT = 3  # the third in a row trips
INTERRUPTED = (
    "ERROR: interrupted before it finished. Its effects are unknown; check before repeating."
)
_CAPPED = ("iteration_cap", "deadline", "token_cap", "safety_trip")


class Seen:
    """What is known of a growing list of messages: tokens and call ids, each message read once."""

    def __init__(self) -> None:
        self.tokens = 0
        self.ids: set[str] = set()
        self._read = 0
        self._last: dict[str, Any] | None = None

    def update(self, messages: list[dict[str, Any]]) -> "Seen":
        """Read the messages that were added; all of them when this is another list."""
        same = 0 < self._read <= len(messages) and messages[self._read - 1] is self._last
        if not same:
            self.tokens, self.ids, self._read = 0, set(), 0
        for message in messages[self._read :]:
            self.tokens += count_message(message)
            self.ids.update(_call_ids(message))
        self._read = len(messages)
        self._last = messages[-1] if messages else None
        return self


def _call_ids(message: dict[str, Any]) -> list[str]:
    calls = message.get("tool_calls") or ()
    return [str(c.get("id") if isinstance(c, dict) else getattr(c, "id", "")) for c in calls]


@dataclass
class Turn:
    """One question and all that is done to answer it; `calls` are the answered ones, in order.

    `started` and `deadline` are readings of `clock.now()`. `tripped` names the safety terminator
    that ended the turn, if one did; `status` is how the turn ended, where the loop says it.
    """

    id: str
    thread_id: str
    user_message: str
    started: float
    deadline: float | None = None
    rounds: int = 0
    calls: list[PendingCall] = field(default_factory=list)
    pending: list[PendingCall] = field(default_factory=list)
    disclosed: set[str] = field(default_factory=set)
    tripped: str | None = None
    status: str = ""
    count: Counter[str] = field(default_factory=Counter)  # answered calls by status and kind
    results: set[tuple[str, str]] = field(default_factory=set)  # (tool, result) that came in
    last_news: int = 0  # the last round that brought a new one
    prompt_tokens: int = 0
    completion_tokens: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    finished: bool = False
    seen: Seen = field(default_factory=Seen)
    nudged: set[str] = field(default_factory=set)
    on_event: Callable[[dict[str, Any]], None] | None = None
    limit: int | None = None  # of the messages in tokens, where a server said so
    summary: tuple[str, int] = ("", 0)  # of the middle of a long conversation; messages covered
    summarise: Callable[[list[dict[str, Any]]], str] | None = None

    def tell(self, event: dict[str, Any]) -> None:
        """Give an event to the caller's `on_event`, whose own failure must not cost the turn."""
        if self.on_event is None:
            return
        try:
            self.on_event(event)
        except Exception as error:
            self.on_event = None
            warnings.warn(f"on_event raised {error!r} and is not called again", stacklevel=2)

    def end(self) -> None:
        """The turn was answered. A cap that was reached is a warning in the trace, no error."""
        if self.finished:
            return
        self.finished = True
        status = self.status or ("safety_trip" if self.tripped else "completed")
        capped = status in _CAPPED
        level = "warning" if capped else "error" if status == "provider_error" else "info"
        phase: trace.Phase = "CAP_REACHED" if capped else "COMPLETED"
        trace.record(self, phase, decision=status, status=status, trip=self.tripped, level=level)

    def settle(self, messages: list[dict[str, Any]]) -> None:
        """Note the results that a loop gave without a tool, such as one for an unknown name."""
        waiting = {call.id: call for call in self.pending if not call.status}
        for message in reversed(messages if waiting else []):
            if message.get("role") == "assistant":
                break
            call = waiting.get(message.get("tool_call_id") or "")
            if call is not None:
                text = str(message.get("content"))
                bad = text.lstrip().startswith(("ERROR", '{"error"'))
                self.observe(call, text, "error" if bad else "ok")

    def announce(self, message: dict[str, Any], calls: list[PendingCall]) -> None:
        """A reply with tool calls came in: remember them and write them to the thread."""
        from harness.memory import journal

        self.rounds += 1
        self.pending = calls
        for call in calls:
            call.round = self.rounds
        journal.record_tool_calls(self.thread_id, self.id, message)

    @property
    def idle_rounds(self) -> int:
        """Rounds in a row, up to the last, that brought errors, repeats and known results only."""
        return self.rounds - self.last_news

    def find(self, call_id: Any) -> PendingCall | None:
        """The call of the last reply with this id."""
        return next((call for call in self.pending if call.id == call_id), None)

    def claim(self, name: str, arguments: Any) -> PendingCall | None:
        """The unanswered call that a loop is now running: by name and arguments, else by name."""
        open_calls = [c for c in self.pending if c.name == name and not c.status]
        key = f"{name} {canonical(dict(arguments))}"
        return next((c for c in open_calls if c.key == key), next(iter(open_calls), None))

    def recent_same(self, call: PendingCall) -> PendingCall | None:
        """An equal call among the last three that were answered."""
        recent = reversed(self.calls[-REPEAT_WINDOW:])
        return next((earlier for earlier in recent if earlier.key == call.key), None)

    def repeat(self, call: PendingCall, earlier: PendingCall) -> str:
        """Answer a call with the observation of an equal one; the third in a row trips."""
        self.observe(call, earlier.observation, "repeated")
        tail = self.calls[-REPEAT_LIMIT:]
        if len(tail) == REPEAT_LIMIT and all(c.key == call.key for c in tail):
            self.tripped = "repeated_call"
        return earlier.observation

    def interrupt(self) -> None:
        """Answer what is still open, so that the thread stays one that can be gone on with."""
        for call in self.pending:
            if not call.status:
                self.observe(call, INTERRUPTED, "interrupted")

    def observe(
        self,
        call: PendingCall,
        text: str,
        status: str,
        started: float | None = None,
        kind: str = "",
        whole: str | None = None,
    ) -> None:
        """Store what a call came to: in the turn, in the thread, and in the trace.

        `text` is what the model reads; the thread keeps `whole` where that is longer.
        """
        from harness.memory import journal

        call.observation, call.status, call.kind = text, status, kind
        self.calls.append(call)
        self.count.update({status, kind})
        result = call.name, whole or text
        call.news = status == "ok" and result not in self.results
        if call.news:
            self.results.add(result)
            self.last_news = call.round
        journal.record_observation(
            self.thread_id, self.id, call.id, call.name, whole or text, status
        )
        trace.record(
            self,
            "OBSERVING",
            decision=call.name,
            tool=call.name,
            input=call.arguments if call.arguments is not None else call.fault,
            output=text,
            started=started,
            status=kind or status,
        )
