"""What a check puts around a function: a scripted model, probe tools, and a record of it all.

A `Stage` plays one situation at a time and returns what was `Seen`: every message list that went
to `chat`, every tool that ran, every row that was logged, what came back or was raised.
"""

import functools
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from harness.course.report import Finding
from harness.course.runner.fake_clock import FakeClock
from harness.course.staging import probes

if TYPE_CHECKING:
    from harness.course.runner.child import Watch

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
    rows: list[tuple[str, str, str]] = field(default_factory=list)  # thread, role, content
    returned: Any = None
    error: BaseException | None = None
    overran: bool = False
    earlier: tuple[str, ...] = ()  # the questions of the runs before

    def runs_after(self, index: int) -> list[probes.Run]:
        """The tools that ran between the reply to request `index` and the next request."""
        return [run for run in self.runs if run.after == index + 1]


class Stage:
    """The scripted world of one check."""

    def __init__(self, clock: FakeClock, watch: "Watch", restore: Callable[[], None]) -> None:
        self.clock = clock
        self._restore = restore
        self._watch = watch
        self._found: list[Finding] = []
        self._seen = Seen("", "", "", "")
        self._started = 0.0
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
        **arguments: Any,
    ) -> Seen:
        """Call `fn(question, thread_id=..., **arguments)` with a model that answers `reply`.

        `reply` gets the request's body and its number, from 0. With `named=False` the function
        gets the question and nothing else but `arguments`.
        """
        from harness import standin

        self.step(situation, found)
        number = len(self._questions) + 1
        question = f"How full is berth {number} of the port right now?"
        thread = f"check-thread-{number}" if named else "default"
        seen = self._seen = Seen(situation, question, thread, token(thread, question))
        seen.earlier = tuple(self._questions)
        self._questions.append(question)
        last_row = _last_row()
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
        import openai

        seen = self._seen
        if len(seen.requests) >= MAX_REQUESTS:
            raise Overrun
        offered = bool(tools) and more.get("tool_choice") != "none"
        sent = Sent(plain(messages), offered, self.clock.seconds - self._started)
        seen.requests.append(sent)
        try:
            reply = real(messages, tools, **more)
        except openai.BadRequestError as error:
            sent.refusal = str(error.message)
            raise
        sent.reply = plain(reply.choices[0].message)
        return reply

    def build_context(self, thread_id: Any, user_query: Any) -> str:
        """Stands in for `build_context`: a text that is recognised wherever it turns up."""
        mark = token(thread_id, user_query)
        self._seen.contexts[mark] = (thread_id, user_query)
        fact = f"- [column] HARBOUR.berths.code: Column HARBOUR.berths.code. Values: {mark}."
        return f"# Knowledge\n{fact}\n# Question\n{user_query}"

    def ran(self, name: str, arguments: dict[str, Any]) -> None:
        """A probe tool was called."""
        self._seen.runs.append(probes.Run(name, dict(arguments), len(self._seen.requests)))


_stage: Stage | None = None


@contextmanager
def staged(clock: FakeClock, watch: "Watch", restore: Callable[[], None]) -> Iterator[Stage]:
    """A stage with the model scripted, the context marked and only probe tools in TOOLS.

    `restore` is called each time the function has ended, to undo what it did to Python itself.
    """
    global _stage
    _install()
    _stage = Stage(clock, watch, restore)
    try:
        with probes.only_probes(_stage.ran):
            yield _stage
    finally:
        _stage = None


@functools.lru_cache(maxsize=1)
def _install() -> None:
    """Put the stage between every module of the harness and `chat` and `build_context`.

    Once and for good, because a module that is imported later takes what it finds. Vectors are
    made up on a stage: loading the embedding model would take longer than a step may.
    """
    import harness
    from harness import context
    from harness.model import chat as model_chat
    from harness.retrieval import embedding

    real_chat, real_context = model_chat.chat, context.build_context
    real_vectors = embedding.compute
    embedding.compute = lambda texts: (real_vectors if _stage is None else _vectors)(texts)

    @functools.wraps(real_chat)
    def chat(messages: Any, tools: Any = None, **more: Any) -> Any:
        if _stage is None:
            return real_chat(messages, tools, **more)
        return _stage.chat(real_chat, messages, tools, **more)

    @functools.wraps(real_context)
    def build_context(thread_id: Any, user_query: Any, *rest: Any, **more: Any) -> str:
        if _stage is None:
            return real_context(thread_id, user_query, *rest, **more)
        return _stage.build_context(thread_id, user_query)

    harness.chat, harness.build_context = real_chat, real_context
    for key, module in list(sys.modules.items()):
        if key.split(".")[0] == "harness" and isinstance(module, ModuleType):
            for name, value in list(vars(module).items()):
                if value is real_chat or value is real_context:
                    setattr(module, name, chat if value is real_chat else build_context)


def _vectors(texts: list[str]) -> list[bytes]:
    """A unit vector for each text, packed as the cache has it; it means nothing."""
    import numpy as np

    from harness.retrieval.embedding import pack

    seeds = [zlib.crc32(text.encode("utf-8", "replace")) for text in texts]
    made = [np.random.default_rng(seed).standard_normal(384) for seed in seeds]
    return pack([each / np.linalg.norm(each) for each in made])


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


def _last_row() -> int:
    from harness.databases.state import state

    return state().read("SELECT COALESCE(MAX(seq), 0) FROM messages")[0][0]


def _rows_since(last: int) -> list[tuple[str, str, str]]:
    from harness.databases.state import state

    rows = state().read(
        "SELECT thread_id, role, content FROM messages WHERE seq > ? ORDER BY seq", (last,)
    )
    return [(row[0], row[1], row[2]) for row in rows]
