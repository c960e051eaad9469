"""The referee: serves every case at an address of its own, and writes down what came and went."""

import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from harness.evals.gym.gym_cases import Case
from harness.evals.gym.gym_model import (
    fault_of,
    looks_good,
    mark_of,
    next_message,
    rounds,
)
from harness.standin.faults.faulty_replies import forget_failures
from harness.standin.faults.history import offered, text_of
from harness.standin.faults.registry import misbehave
from harness.standin.protocol import check_request
from harness.standin.refusals import ApiError
from harness.standin.server import Handler, serving
from harness.standin.service import parse, play
from harness.standin.turns import Message, Reply, Slow
from harness.standin.wire import refusal, with_ids

Request = dict[str, Any]

_BEGINNING = 6  # characters by which results are compared: the call's own data comes later


@dataclass(frozen=True)
class FaultyCall:
    """A call that must not be run: its id, its place in the message, and what is wrong with it."""

    id: Any
    place: int
    of: int
    why: str
    asked_in: int  # how many messages the request had


@dataclass
class Exchange:
    """What went over the wire in one case."""

    case: Case
    most: int  # requests, then the agent floods
    requests: list[Request] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    faulty: list[FaultyCall] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)  # routes that the gym does not serve
    count: int = 0
    good: str = ""  # how a good result begins, where that is known
    answered: bool = False  # whether the answer with the mark went out
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def mark(self) -> str:
        """What the right answer ends with."""
        return mark_of(self.case.name)

    @property
    def flooded(self) -> bool:
        """Whether more requests came than any honest agent needs."""
        return self.count > self.most

    @property
    def streams(self) -> bool:
        """Whether the agent asks for streams."""
        return any(request.get("stream") for request in self.requests)

    def take(self, body: bytes) -> Reply:
        """One request: checked, written down, answered."""
        with self.lock:
            self.count += 1
        try:
            if self.flooded:
                raise ApiError("The gym has seen enough requests.", status=429, code="flooded",
                               headers={"x-should-retry": "false"})  # fmt: skip
            request = parse(body)
            with self.lock:
                self.requests.append(request)
            self._check(request, len(body))
            return play(self._turn, request, zlib.crc32(body))
        except ApiError as error:
            return refusal(error)

    def ran_anyway(self) -> list[str]:
        """What is wrong with each faulty call whose result shows that it was run all the same.

        Such a result does not sound like an error, and begins as the good one of the plain case.
        """
        results = ((call, self._result_of(call)) for call in self.faulty)
        return [
            call.why for call, text in results if text is not None and looks_good(text, self.good)
        ]

    def first_result(self) -> str:
        """How the first result that the agent handed in begins; "" where there is none."""
        for request in self.requests:
            for _, text in rounds(request):
                return text[:_BEGINNING]
        return ""

    def _check(self, request: Request, size: int) -> None:
        try:
            check_request(request, size, any_model=True)
        except ApiError as error:
            with self.lock:
                self.refused.append(error.message)
            raise

    def _turn(self, request: Request) -> Any:
        think: Callable[[Request], Message] = lambda seen: next_message(seen, self.mark, self.good)  # noqa: E731
        model = self.case.model
        made = misbehave(model, request, think) if model else think(request)
        if isinstance(made, Slow):
            return Slow(made.seconds, lambda asked: self._noted(made(asked), asked))
        return self._noted(made, request)

    def _noted(self, made: Any, request: Request) -> Any:
        if not isinstance(made, Message):
            return made
        tools, calls = offered(request), with_ids(made, request).tool_calls
        with self.lock:
            self.answered |= self.mark in f"{made.content}{calls}"
            for place, call in enumerate(calls):
                if why := fault_of(call, tools):
                    self.faulty.append(
                        FaultyCall(
                            call.get("id"), place, len(calls), why,
                            len(request["messages"]),
                        )
                    )  # fmt: skip
        return made

    def _result_of(self, call: FaultyCall) -> str | None:
        """The text that the agent handed in for a call: by its id, or by its place."""
        for request in self.requests:
            messages = request.get("messages")
            if not isinstance(messages, list) or len(messages) <= call.asked_in:
                continue
            results = [m for m in messages[call.asked_in :] if m.get("role") == "tool"]
            own = [m for m in results if m.get("tool_call_id") == call.id]
            if len(own) == 1:
                return text_of(own[0])
            if len(results) >= call.of:
                return text_of(results[call.place])
        return None


class Referee:
    """All the exchanges of a run, by case; and the address of each case."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.good = ""  # see Exchange.good
        self.exchanges: dict[str, Exchange] = {}
        self.address = ""

    def open(self, case: Case) -> Exchange:
        """Begin a case afresh."""
        self.exchanges[case.name] = Exchange(case, self.most, good=self.good)
        return self.exchanges[case.name]

    def url(self, case: Case) -> str:
        """What to put into OPENAI_BASE_URL for a case."""
        return f"{self.address.removesuffix('/v1')}/{case.name}/v1"

    @contextmanager
    def serving(self, port: int = 0) -> Iterator["Referee"]:
        """Serve the cases that are open until the block ends. Raises WorkshopError."""
        forget_failures()
        referee = self

        class Door(Handler):
            def reply_to(self, path: str, body: bytes) -> Reply:
                return referee.reply_to(self.command, path, body)

        with serving(port, Door) as self.address:
            yield self

    def reply_to(self, method: str, path: str, body: bytes) -> Reply:
        """Answer a request at the address of a case."""
        name, _, route = path.lstrip("/").partition("/")
        exchange = self.exchanges.get(name)
        if exchange is None:
            return refusal(ApiError(f"The gym has no case at {path}.", status=404))
        if method == "POST" and route in ("v1/chat/completions", "chat/completions"):
            return exchange.take(body)
        if method == "GET" and route.endswith("models"):
            return Reply(body=b'{"object": "list", "data": [{"id": "gym", "object": "model"}]}')
        exchange.elsewhere.append(f"{method} /{route}")
        return refusal(ApiError(f"The gym serves chat completions, not /{route}.", status=404))
