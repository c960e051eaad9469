"""`chat`: the only place that talks to a model.

It sends what it is given, waits no longer than the session's deadline, and hands back a reply
that has been put right. Each step of that is a module beside this one: echo (what goes back),
negotiation (what a refusal asks for), exchange (one request), response_parsing (what came).
"""

import functools
import json
from collections.abc import Callable
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from harness.config import current_config
from harness.guards.secrets import redact
from harness.guards.termination import trip
from harness.model.clients import active_script, client_for
from harness.model.echo import as_sent, remember
from harness.model.endpoint_memory import endpoint_of, keep
from harness.model.exchange import Exchange
from harness.model.negotiation import Negotiation
from harness.model.overflow import Overflow
from harness.model.reply_sorting import begins_in_thoughts, says_nothing
from harness.model.response_parsing import ProviderError
from harness.model.server_errors import explained, shown_short
from harness.model.tokens import count_message, count_tokens
from harness.model.tool_calls import as_dict, as_message, canonical, read_call
from harness.model.written_calls import offered_tools
from harness.run import outcome, recorder, trace, turn_events
from harness.run.compaction import fit, fit_refused
from harness.run.outcome import TurnStatus
from harness.run.turn import Seen, Turn
from harness.settings import settings

_NUDGE = "A call that is written as text is not run. Make it as a tool call, or answer."


def chat(
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None = None,
    *,
    model: str | None = None,
    tool_choice: Any = None,
    stream: bool = False,
) -> ChatCompletion:
    """Ask the model for its next message.

    `messages` (dicts, or a reply's own message) and `tools` are those of the chat completions API.
    A conversation that outgrows the window is compacted for the request; the list itself is never
    changed. With `stream` the reply comes in pieces, each told to the turn's `on_event`, and is put
    together again.

    Outside of a turn an empty reply is asked about once. Raises ProviderError when there is no
    usable reply (two lines, for a person), openai.BadRequestError when the request breaks the
    protocol, as the API words it, and WorkshopError for something in the list that isn't a message.
    """
    started = trace.timer()
    messages = [
        m if type(m) is dict and m.get("role") != "user" else _plain(m, i)
        for i, m in enumerate(messages)
    ]
    turn = recorder.turn_of_request(messages)
    if turn is not None:
        recorder.settle(turn, messages)
    stop = bool(turn and tools and trip(turn, current_config()))
    if turn and stop:  # also under a loop that looks at nothing: the answer is forced
        tools, messages = None, [*messages, outcome.last_request(turn, TurnStatus.SAFETY_TRIP)]
    request = _Request(turn, messages, tools, model, tool_choice, stream)
    try:
        reply = request.reply()
    except (ProviderError, openai.BadRequestError) as error:
        if turn is not None:
            turn_events.failed(turn, request.body, error, started)
        raise
    if turn is None:
        return reply
    _announce(turn, reply, request, started)
    told = _told_of_written_call(turn, reply, messages, tools)
    if stop:
        outcome.make_final(reply, turn)
    return chat(told, tools, model=model, tool_choice=tool_choice, stream=stream) if told else reply


class _Request:
    """A request as its endpoint takes it: which client, which form, which of the messages.

    `tokens` is our count of what is sent. A summary by the model, made on the way, reads other
    messages, so what is known of these is kept here.
    """

    def __init__(
        self,
        turn: Turn | None,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None,
        model: str | None,
        tool_choice: Any,
        stream: bool,
    ) -> None:
        """Raises WorkshopError where the messages can't be made to fit the window."""
        seen = (turn.seen if turn else Seen()).update(messages)
        self.tokens = seen.tokens
        self._turn = turn
        self._model = model or current_config().model or settings().model
        self._script = active_script()
        client = client_for(self._model)
        self.endpoint = endpoint_of(client, self._model, self._script)
        self._exchange = Exchange(
            client,
            seen.ids,
            lambda: offered_tools(tools, messages),
            functools.partial(trace.tell, turn) if turn and stream else None,
            self.endpoint.thinks,
        )
        odd, turn_id = seen.odd, turn.id if turn else ""
        fitted = as_sent(turn_id, fit(messages, seen, turn, self.endpoint.limit), odd)
        self.body = _body(fitted, tools, self._model, tool_choice, stream)

    def reply(self) -> ChatCompletion:
        """Ask until there is an answer, and keep what was learnt of the endpoint."""
        window = _Window(self._turn, self.body.get("tools"))
        negotiation = Negotiation(self._exchange, self.endpoint.learnt, window.shorten)
        reply = _in_words(lambda: negotiation.ask(self.body), self._model)
        if self._turn is None and says_nothing(reply):  # the loop of a turn sees to that itself
            reply = _in_words(lambda: negotiation.ask(_asking_again(self.body)), self._model)
            _insist(reply)
        self.endpoint = keep(
            self.endpoint,
            self._script,
            learnt=negotiation.learnt,
            limit=window.limit or self.endpoint.limit,
            thinks=self.endpoint.thinks or begins_in_thoughts(reply),
        )
        remember(self._turn.id if self._turn else "", reply)
        return reply


def _plain(message: Any, number: int) -> dict[str, Any]:
    """A message as a dict; what a person wrote without secrets, whatever a loop passes on."""
    message = message if isinstance(message, dict) else as_message(message, number)
    if message.get("role") != "user":
        return message
    content = message.get("content")
    if isinstance(content, list):
        plain: Any = [
            {**part, "text": redact(part["text"])}
            if isinstance(part, dict) and isinstance(part.get("text"), str)
            else part
            for part in content
        ]
    else:
        plain = redact(content) if isinstance(content, str) else content
    return message if plain == content else {**message, "content": plain}


def _asking_again(body: dict[str, Any]) -> dict[str, Any]:
    told = {"role": "user", "content": outcome.EMPTY_REPLY}
    return {**body, "messages": [*body["messages"], told]}


def _insist(reply: ChatCompletion) -> None:
    """Nothing said twice is no answer, and no loop is to take it for one."""
    if says_nothing(reply):
        raise ProviderError(
            "The model's replies were empty, twice in a row.",
            "Ask again or otherwise; if that stays so, try another model.",
        )


class _Window:
    """Makes a conversation shorter for a server that says it is too long for its window."""

    def __init__(self, turn: Turn | None, tools: list[dict[str, Any]] | None) -> None:
        self.limit: int | None = None  # of the messages, where the server said how long they may be
        self._turn = turn
        self._tools = tools

    def shorten(
        self, messages: list[dict[str, Any]], said: Overflow
    ) -> list[dict[str, Any]] | None:
        """Fewer messages, None where nothing can be left out."""
        in_tools = count_tokens(json.dumps(self._tools, default=as_dict)) if self._tools else 0
        made = fit_refused(messages, said, in_tools, self._turn)
        if made is not None and said.window:
            self.limit = made[1]
        return made[0] if made else None


def _in_words(ask: Callable[[], ChatCompletion], model: str) -> ChatCompletion:
    """The reply, or what went wrong as a person reads it."""
    try:
        return ask()
    except openai.BadRequestError as error:
        raise shown_short(error) from None
    except openai.APIError as error:
        raise explained(error, model) from error


def _told_of_written_call(
    turn: Turn,
    reply: ChatCompletion,
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
) -> list[dict[str, Any]] | None:
    """What to ask anew, once a turn, when a reply's text holds a call that no server has read.

    A call that was made before is only spoken of. The second time, a call without other text isn't
    an answer either: its text is taken out, so that no loop takes it for one.
    """
    choice = reply.choices[0]
    written = getattr(choice, "written_call", None)
    if written is None:
        return None
    if written.arguments is not None:
        key = f"{written.name} {canonical(written.arguments)}"
        if any(call.key == key for call in turn.calls):
            choice.written_call = None  # type: ignore[attr-defined]
            return None
    if tools and "written_call" not in turn.nudged:
        turn.nudged.add("written_call")
        trace.tell(turn, {"restarted": "the reply held a call as text"})
        said = {"role": "assistant", "content": choice.message.content}
        return [*messages, said, {"role": "user", "content": _NUDGE}]
    if written.alone:
        choice.message.content = ""
    return None


def _body(
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
    model: str,
    tool_choice: Any,
    stream: bool,
) -> dict[str, Any]:
    config, default = current_config(), settings()
    body: dict[str, Any] = {"model": model, "messages": messages}
    if tools:  # the API refuses an empty list
        body["tools"] = tools
        if tool_choice is not None:
            body["tool_choice"] = tool_choice
    for name in ("temperature", "top_p"):
        value = getattr(config, name)
        value = getattr(default, name) if value is None else value
        if value is not None:
            body[name] = value
    return {**body, "stream": True, "stream_options": {"include_usage": True}} if stream else body


def _announce(turn: Turn, reply: ChatCompletion, request: _Request, started: float) -> None:
    """Tell the turn what came in, so that the guarded calls know their ids and the thread them.

    A server that does not count the tokens is counted for.
    """
    choice = reply.choices[0]
    usage = reply.usage
    if usage and usage.prompt_tokens:
        tokens = usage.prompt_tokens, usage.completion_tokens
    else:
        tokens = request.tokens, count_message(choice.message.model_dump(exclude_none=True))
    turn.prompt_tokens += tokens[0]
    turn.completion_tokens += tokens[1]
    asked = (choice.message.tool_calls or []) if "tools" in request.body else []
    cut = choice.finish_reason == "length"
    calls = [read_call(c.id, c.function.name, c.function.arguments, cut) for c in asked]  # type: ignore[union-attr]
    adapted = request.endpoint.words
    more: dict[str, Any] = {"adapted": adapted} if adapted else {}
    turn_events.replied(turn, request.body, reply, calls, tokens, started, **more)
    if calls:
        recorder.announce(turn, [call.model_dump() for call in asked], calls)
