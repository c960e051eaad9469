"""Asking a server in the form that it takes: a refusal is read, and the request changed as it says.

Each change is made once. What a change does not help against is undone before the next one, and
when nothing is left to change, the refusal is final. So a server can't keep a turn busy.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from harness.model.adaptations import Learnt, adapted, recognise, wanted_back, with_another
from harness.model.exchange import Exchange
from harness.model.overflow import Overflow, overflow_of
from harness.model.response_parsing import ProviderError, UnusableReply
from harness.model.server_errors import refusal_of
from harness.model.tool_calls import as_dict
from harness.session import current_session

_MOST_CHANGES = 6  # of one request, before its refusal is passed on
# A refusal of what the model wrote, not of the request: another try may bring something else.
_OF_THE_MODEL = re.compile(
    r"failed_generation|\bmodel (?:has )?(?:produced|generated)\b.{0,20}\b(?:invalid|malformed)"
    r"|failed to (?:call|parse|generate)\b.{0,20}\b(?:function|tool|output)",
    re.IGNORECASE,
)
_MOST_COMPACTIONS = 3  # of one request
_LONG = 8_000  # characters of messages that may fill a window
_FINAL = (401, 402, 403, 404, 408, 429)  # what no other form of the request would help against

Body = dict[str, Any]
Shorten = Callable[[list[Body], Overflow], list[Body] | None]


def _of_an_option(body: Body, refusal: str) -> bool:
    """Whether a refusal speaks of an option of the request, not of the model or the address."""
    options = body.keys() - {"model", "messages", "tools"}
    return any(re.search(rf"(?<![a-z]){name}", refusal, re.IGNORECASE) for name in options)


class Negotiation:
    """One request, asked until it is answered or nothing is left to change.

    `learnt` is what the endpoint is known to need; afterwards, also what it turned out to need.
    `shorten` gives fewer messages for a window, or None.
    """

    def __init__(self, exchange: Exchange, learnt: tuple[Learnt, ...], shorten: Shorten) -> None:
        self.learnt = learnt
        self.changes: list[Learnt] = []
        self._exchange = exchange
        self._shorten = shorten
        self._returned: list[Learnt] = []
        self._compactions = 0
        self._asked_again = False
        self._refusal = ""

    def ask(self, body: Body) -> ChatCompletion:
        """The reply. Raises ProviderError, and openai's errors for a refusal that is final."""
        while True:
            request = adapted(body, self.learnt)
            try:
                return self._exchange.ask(request)
            except UnicodeEncodeError:  # half of an emoji, which no request can carry
                text = json.dumps(body, ensure_ascii=False, default=as_dict)
                body = json.loads(text.encode("utf-8", "replace"))
            except UnusableReply as error:
                body = self._after_unusable(body, error)
            except openai.APIStatusError as error:
                changed = self._changed(body, refusal_of(error), error.status_code)
                if changed is None:
                    raise
                body = changed

    def _after_unusable(self, body: Body, error: UnusableReply) -> Body:
        """A reply without a message: a refusal under status 200, or worth asking once more."""
        if self._exchange.tell is not None and body.get("stream"):
            self._exchange.tell({"restarted": str(error)})
        changed = self._changed(body, error.refusal, None) if error.refusal else None
        if changed is not None:
            return changed
        if self._asked_again or current_session().seconds_left() <= 1:
            raise ProviderError(
                f"The model's server sent no usable reply: {error}.",
                "Check OPENAI_BASE_URL and the server's log, or try again.",
            ) from error
        self._asked_again = True
        return body

    def _changed(self, body: Body, refusal: str, status: int | None) -> Body | None:
        """The request to go on with, None when the refusal is final."""
        if (overflow := overflow_of(refusal, status)) is not None:
            return self._shorter(body, overflow)
        if _OF_THE_MODEL.search(refusal) and not self._asked_again:
            self._asked_again = True
            return body
        used_up = len(self.changes) >= _MOST_CHANGES or current_session().seconds_left() <= 1
        if used_up or (status in _FINAL and not (status == 404 and _of_an_option(body, refusal))):
            return None
        back = wanted_back(self.learnt, refusal)
        if back is not None and back not in self._returned:
            self._returned.append(back)
            self._forget(back)
            return body
        said = re.sub(r"\d+", "#", refusal)
        if said == self._refusal and self.changes:
            self._forget(self.changes[-1])  # it did not help
        self._refusal = said
        tried = [*self.changes, *self._returned]
        found = recognise(adapted(body, self.learnt), refusal, tried)
        if found is None:
            return self._last_resort(body, status)
        self.changes.append(found)
        self.learnt = with_another(self.learnt, found)
        return body

    def _last_resort(self, body: Body, status: int | None) -> Body | None:
        """A long conversation made shorter, once: a full window has words in every language."""
        long = len(json.dumps(body["messages"], default=as_dict)) > _LONG
        if self._compactions or not long or status not in (400, 422, 500):
            return None
        return self._shorter(body, Overflow(None, None))

    def _shorter(self, body: Body, overflow: Overflow) -> Body | None:
        if self._compactions >= _MOST_COMPACTIONS:
            return None
        self._compactions += 1
        messages = self._shorten(body["messages"], overflow)
        return None if messages is None else {**body, "messages": messages}

    def _forget(self, learnt: Learnt) -> None:
        self.learnt = tuple(each for each in self.learnt if each != learnt)
