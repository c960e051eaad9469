"""One request and its reply, whole or streamed, within the session's deadline."""

import contextlib
import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletion

from harness.model.clients import given_up
from harness.model.posting import post
from harness.model.response_parsing import (
    ProviderError,
    UnusableReply,
    clean_reply,
    read_reply,
)
from harness.model.sse import events
from harness.model.streaming import accumulate
from harness.model.timeout import run_bounded
from harness.model.visible_text import VisibleText
from harness.model.written_calls import Offered
from harness.session import current_session

REQUEST_SECONDS = 300.0  # for a request outside of any deadline


@dataclass
class Exchange:
    """How to ask and how to read what comes.

    `used` are the call ids of the conversation, `offered` its tools. `tell` hears a streamed text;
    with `thinks` not before the end of thoughts was seen.
    """

    client: openai.OpenAI
    used: set[str]
    offered: Callable[[], Offered]
    tell: Callable[[dict[str, Any]], None] | None = None
    thinks: bool = False

    def ask(self, body: dict[str, Any]) -> ChatCompletion:
        """Send a request. Raises UnusableReply, ProviderError when time is up, openai's errors.

        The client's own timeout is per read, so the clock over all of it is ours.
        """
        seconds = min(REQUEST_SECONDS, current_session().seconds_left())
        over = threading.Event()  # nobody waits any more

        def send() -> ChatCompletion:
            given_up.set(over)  # in this request's copy of the context
            if body.get("stream"):
                return self._streamed(body, seconds, over)
            return self._whole(body, seconds)

        try:
            return run_bounded(send, seconds)
        except TimeoutError as error:
            raise ProviderError(
                f"The model did not answer within {max(seconds, 0):.0f} s.",
                "Raise budget_seconds, or try again.",
            ) from error
        finally:
            over.set()

    def _whole(self, body: dict[str, Any], seconds: float) -> ChatCompletion:
        response = post(self.client, body, seconds)
        reply = read_reply(response.content, self.used, self.offered)
        if self.tell is not None:
            _finish(VisibleText(self.tell), reply)
        return reply

    def _streamed(
        self, body: dict[str, Any], seconds: float, over: threading.Event
    ) -> ChatCompletion:
        """Read the stream as it comes, until nobody waits for it any more."""
        visible = VisibleText(self.tell, self.thinks) if self.tell else None
        response = post(self.client, body, seconds, stream=True)
        with contextlib.closing(response):
            pieces = itertools.takewhile(lambda _: not over.is_set(), response.iter_bytes())
            try:
                data = accumulate(events(pieces), visible.hear if visible else None)
                reply = clean_reply(data, self.used, self.offered)
            except (httpx2.HTTPError, ValueError, RecursionError) as error:
                cause = error if type(error) is ValueError else type(error).__name__
                raise UnusableReply(f"its stream broke off ({cause})") from error
        if visible is not None and not over.is_set():
            _finish(visible, reply)
        return reply


def _finish(visible: VisibleText, reply: ChatCompletion) -> None:
    """Tell the rest of an answer. A call that is written as text, and nothing else, is none."""
    choice = reply.choices[0]
    written = getattr(choice, "written_call", None)
    if written is None or not written.alone:
        visible.finish(choice.message.content or "")
