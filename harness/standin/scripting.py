"""Scripting the stand-in turn by turn, for tests and checks.

    with standin.script([call("run_sql", sql="SELECT 1"), say("One.")]) as seen:
        agent_turn("What is one?")
    assert len(seen.requests) == 2

While a script is active it answers every request that goes to the stand-in, whatever model is
named. Scripts nest: the innermost one answers, and the outer one takes up again where it was.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from harness.standin.context_window import CONTEXT_TOKENS
from harness.standin.protocol import check_request
from harness.standin.refusals import ApiError

REPEAT = "repeat"  # then=REPEAT: the last turn is used again and again


class Script:
    """An active script, and what it saw.

    requests: every request body, as a dict, in order of arrival (refused ones too).
    refused: the protocol errors that were sent back, as ApiError.
    exhausted: whether a request came for which there was no turn left.
    """

    def __init__(
        self, turns: Iterable[Any], then: Any = None, strict: bool = True, window: int | None = None
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self.refused: list[ApiError] = []
        self.exhausted = False
        self.active = True
        self._turns = list(turns)
        self._then = then
        self._strict = strict
        self._window = CONTEXT_TOKENS if window is None else window
        self._taken = 0
        self._lock = threading.Lock()

    @property
    def left(self) -> int:
        """How many turns have not been used."""
        return len(self._turns) - self._taken

    def take(self, request: dict[str, Any], size: int) -> Any:
        """Record a request of `size` bytes and return its turn. Raises ApiError."""
        with self._lock:
            self.requests.append(request)
            if self._strict:
                try:
                    check_request(request, size, window=self._window, any_model=True)
                except ApiError as error:
                    self.refused.append(error)
                    raise
            if self._taken < len(self._turns):
                self._taken += 1
                return self._turns[self._taken - 1]
            return self._after_the_last()

    def _after_the_last(self) -> Any:
        if isinstance(self._then, str) and self._then == REPEAT and self._turns:
            return self._turns[-1]
        if self._then is not None:
            return self._then
        self.exhausted = True
        raise ApiError(
            f"The script is over: it has {len(self._turns)} turns and this is request "
            f"{len(self.requests)}.",
            kind="script_exhausted",
            code="script_exhausted",
            headers={"x-should-retry": "false"},
        )


_mine: ContextVar[tuple[Script, ...]] = ContextVar("standin_scripts", default=())
_open: list[Script] = []  # for threads that were started without this context
_open_lock = threading.Lock()


def active_script() -> Script | None:
    """The innermost script of this context, else the one opened last in any other."""
    for script in reversed(_mine.get()):
        if script.active:
            return script
    return _open[-1] if _open else None


def script_is_active() -> bool:
    """Whether a script would answer the next request."""
    return active_script() is not None


@contextmanager
def script(
    turns: Iterable[Any] | Callable[[dict[str, Any]], Any] = (),
    *,
    then: Any = None,
    strict: bool = True,
    window: int | None = None,
) -> Iterator[Script]:
    """Answer with `turns` (see turns.py for their forms) until the block ends.

    turns: a list of turns, or one function of the request that answers every time.
    then: what follows the last turn: "repeat" uses it again, anything else is a turn for all
        further requests. Without it a request too many is refused with "script_exhausted".
    strict: check the protocol as the API does; a refused request uses no turn up.
    window: the model's context window in tokens.
    """
    if callable(turns):
        turns, then = (), turns
    opened = Script(turns, then, strict, window)
    token = _mine.set((*_mine.get(), opened))
    with _open_lock:
        _open.append(opened)
    try:
        yield opened
    finally:
        opened.active = False
        with _open_lock:
            _open.remove(opened)
        _mine.reset(token)
