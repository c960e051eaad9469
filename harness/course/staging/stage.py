"""What a check puts around a function: a scripted model, probe tools, and a record of it all.

A `Stage` plays one situation at a time and returns what was `Seen`: every message list that went
to `chat`, every tool that ran, every row that was logged, what came back or was raised.
"""

import json
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import openai

from harness import standin
from harness.course.report import Finding
from harness.course.runner.fake_clock import FakeClock
from harness.course.runner.watch import Watch
from harness.course.staging import doubles, probes
from harness.databases.state import state
from harness.tools.toolbox import TOOLS

MAX_REQUESTS = 60  # of one call of the function; no situation needs more than a dozen


class Overrun(BaseException):
    """Ends a function that goes on asking the model without end."""


@dataclass
class Sent:
    """One request: what `chat` was given, as plain data, and what it gave back.

    `at` is in seconds of the fake clock since the function was called; `reply` is the assistant
    message, None when the request was refused, and then `refusal` is what the API said.
    """

    messages: list[dict[str, Any]]
    offers_tools: bool
    at: float
    tools: tuple[str, ...] = ()  # the names that were offered
    reply: dict[str, Any] | None = None
    refusal: str = ""

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The tool calls of the reply."""
        return (self.reply or {}).get("tool_calls") or []


@dataclass
class Seen:
    """What happened while the function ran once."""

    situation: str
    question: str
    thread_id: str
    context: str
    requests: list[Sent] = field(default_factory=list)
    runs: list[probes.Run] = field(default_factory=list)
    contexts: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    offers: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # retrieved: mark -> query, k
    rows: list[tuple[str, str, str]] = field(default_factory=list)  # thread, role, content
    rows_before: int = 0  # rows that were logged before the first request
    printed: int = 0  # characters
    built: str = ""  # the context, as it was built for this thread and question
    returned: Any = None
    error: BaseException | None = None
    overran: bool = False
    earlier: tuple[str, ...] = ()  # the questions of the runs before

    def runs_after(self, index: int) -> list[probes.Run]:
        """The tools that ran between the reply to request `index` and the next request."""
        return [run for run in self.runs if run.after == index + 1]


class Stage:
    """The scripted world of one check."""

    def __init__(self, clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> None:
        self.clock = clock
        self._restore = restore
        self._watch = watch
        self._found: list[Finding] = []
        self._seen = Seen("", "", "", "")
        self._started = 0.0
        self._last_row = 0
        self._questions: list[str] = []

    def step(self, situation: str, found: list[Finding] | None = None) -> None:
        """A new situation begins: its own seconds, its name for whoever has to stop it."""
        self._found = self._found if found is None else list(found)
        self._watch.step(situation, [finding.as_dict() for finding in self._found])

    def play(
        self,
        fn: Callable[..., Any],
        situation: str,
        reply: Callable[[dict[str, Any], int], Any],
        *,
        found: list[Finding] | None = None,
        named: bool = True,
        like: Seen | None = None,
        **arguments: Any,
    ) -> Seen:
        """Call `fn(question, thread_id=..., **arguments)` with a model that answers `reply`.

        `reply` gets the request's body and its number, from 0. With `named=False` the function
        gets the question and nothing else but `arguments`. With `like` it is asked the question
        of an earlier run once more, on the same thread.
        """

        self.step(situation, found)
        number = len(self._questions) + 1
        question = f"How full is berth {number} of the port right now? \n"
        thread = f"check-thread-{number}" if named else "default"
        if like is not None:
            question, thread = like.question, like.thread_id
        seen = self._seen = Seen(situation, question, thread, token(thread, question))
        seen.earlier = tuple(each for each in self._questions if each != question)
        self._questions.append(question)
        self._last_row = last_row = _last_row()
        printed = _printed()
        self._started = self.clock.seconds
        turns = iter(range(MAX_REQUESTS + 1))
        if named:
            arguments["thread_id"] = thread
        with standin.script(lambda request: reply(request, next(turns))):
            try:
                seen.returned = fn(question, **arguments)
            except Overrun:
                seen.overran = True
            except BaseException as error:
                seen.error = error
            finally:
                self._restore()
        seen.rows = _rows_since(last_row)
        seen.printed = _printed() - printed
        return seen

    def call(self, fn: Callable[..., Any], situation: str, *arguments: Any) -> Seen:
        """Call a function that asks no model, and see what it ran, returned or raised."""
        self.step(situation)
        seen = self._seen = Seen(situation, "", "", "")
        try:
            seen.returned = fn(*arguments)
        except BaseException as error:
            seen.error = error
        finally:
            self._restore()
        return seen

    def chat(self, real: Callable[..., Any], messages: Any, tools: Any = None, **more: Any) -> Any:
        """Stands in for `chat`: notes what it is given, and asks the real one."""

        seen = self._seen
        if len(seen.requests) >= MAX_REQUESTS:
            raise Overrun
        offered = bool(tools) and more.get("tool_choice") != "none"
        names = tuple(str(each["function"]["name"]) for each in (tools or []) if offered)
        sent = Sent(plain(messages), offered, self.clock.seconds - self._started, names)
        if not seen.requests:
            seen.rows_before = len(_rows_since(self._last_row))
        seen.requests.append(sent)
        try:
            reply = real(messages, tools, **more)
        except openai.BadRequestError as error:
            sent.refusal = str(error.message)
            raise
        sent.reply = plain(reply.choices[0].message)
        return reply

    def build_context(self, thread_id: Any, user_query: Any, *rest: Any, **more: Any) -> str:
        """Stands in for `build_context`: a text that is recognised wherever it turns up."""
        mark = token(thread_id, user_query)
        self._seen.contexts[mark] = (thread_id, user_query)
        fact = f"- [column] HARBOUR.berths.code: Column HARBOUR.berths.code. Values: {mark}."
        text = f"# Knowledge\n{fact}\n# Question\n{user_query}"
        if mark == self._seen.context:
            self._seen.built = text
        return text

    def retrieve_tools(self, user_query: Any, k: Any = 6, only: Any = None) -> list[dict[str, Any]]:
        """Stands in for `retrieve_tools`: all probes, and a tool that is named after query and k.

        So it shows in a request what its tools were chosen for.
        """

        mark = f"tool_{token(user_query, k)}"
        self._seen.offers[mark] = (user_query, k)
        if not isinstance(k, int) or k < 1:
            return []
        nothing: dict[str, Any] = {"type": "object", "properties": {}}
        about = {"name": mark, "description": "Nothing to call.", "parameters": nothing}
        return [*[schema for _, schema in TOOLS.values()], {"type": "function", "function": about}]

    def ran(self, name: str, arguments: dict[str, Any], text: str) -> None:
        """A probe tool was called, and returned this text."""
        self._seen.runs.append(probes.Run(name, dict(arguments), len(self._seen.requests), text))


_stage: Stage | None = None


def _current() -> Stage | None:
    return _stage


@contextmanager
def staged(clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> Iterator[Stage]:
    """A stage with the model scripted, the context marked and only probe tools in TOOLS.

    `restore` is called each time the function has ended, to undo what it did to Python itself.
    """
    global _stage
    doubles.install(_current)
    _stage = Stage(clock, watch, restore)
    try:
        with probes.only_probes(_stage.ran):
            yield _stage
    finally:
        _stage = None


def token(*parts: Any) -> str:
    """A word that stands for these values and occurs nowhere by chance."""
    return f"QX{zlib.crc32(repr(parts).encode('utf-8', 'replace')):08x}"


def plain(value: Any) -> Any:
    """A copy as plain data; what JSON can't carry becomes {"__object__": its type}."""
    return json.loads(json.dumps(value, default=_plain_object))


def _plain_object(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(exclude_none=True)
    return {"__object__": type(value).__name__}


def _printed() -> int:
    """Characters that were printed in this job so far."""
    return int(getattr(sys.stdout, "written", 0))


def _last_row() -> int:
    return state().read("SELECT COALESCE(MAX(seq), 0) FROM messages")[0][0]


def _rows_since(last: int) -> list[tuple[str, str, str]]:
    rows = state().read(
        "SELECT thread_id, role, content FROM messages WHERE seq > ? ORDER BY seq", (last,)
    )
    return [(row[0], row[1], row[2]) for row in rows]
