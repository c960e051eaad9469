"""What `doctor` finds out about the model's endpoint: which models it has, and whether they call.

Nothing of a key is shown, whatever a server says. The tool call is a real request through `chat`,
so what an agent would get is what is reported; on a paid endpoint it costs a fraction of a cent.
"""

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from harness.commands.diagnosis import Diagnosis
from harness.errors import WorkshopError
from harness.evals.server_contract import exchanges
from harness.excerpt import short_repr
from harness.guards.secrets import redact
from harness.model.chat import chat
from harness.model.clients import client_for
from harness.model.endpoint_memory import known_endpoints
from harness.model.endpoint_profiles import (
    Profile,
    facts_of,
    prices_as_of,
    profile_of,
    profiles,
    successor_of,
)
from harness.session import deadline
from harness.settings import Settings, settings

LIST_SECONDS = 8.0  # for the list of models
CALL_SECONDS = 60.0  # for one reply: a model that is loaded first takes its time
_MOST = 3  # names to choose from
_RESULT = "There are 42 voyages."
_SLOW = (
    "A model that has to be loaded first takes its time: run this again. If it stays as slow, "
    "choose a smaller one, or give each turn more time (budget_seconds)."
)


def endpoint() -> Iterator[Diagnosis]:
    """Whether the endpoint answers, what it is, and whether it has the model."""
    now = settings()
    if not _configured(now):
        yield Diagnosis(
            "note", "no endpoint: the offline stand-in answers", "A key goes into .env."
        )
        return
    named, client = where(now), _client(now)
    try:
        listed = list(client.models.list())
    except openai.APIConnectionError:
        yield Diagnosis(
            "problem", f"{named}: not reachable", "Check OPENAI_BASE_URL and the network."
        )
        return
    except openai.AuthenticationError:
        yield Diagnosis("problem", f"{named}: refuses the key", "Check OPENAI_API_KEY in .env.")
        return
    except (openai.APIError, ValueError, TypeError, AttributeError):  # no list, or one of its own
        listed = []
    profile = profile_of(now.base_url, now.endpoint)
    yield from _kind(profile, listed, named)
    names = {str(model.id) for model in listed if getattr(model, "id", None)}
    if names:
        yield from _model_among(names, now.model, named, profile)
    else:
        yield Diagnosis("note", f"{named}: answers, but does not list its models")
    yield from _window(now, profile, client)


def calls() -> Iterator[Diagnosis]:
    """Whether the model calls a tool and answers from its result, streamed; in words, if not."""
    now = settings()
    if not _configured(now):
        return
    profile = profile_of(now.base_url, now.endpoint)
    exchange = next(each for each in exchanges() if each["name"] == "call")
    messages, tools = exchange["messages"], exchange["tools"]
    reply = _asked(messages, tools)
    if isinstance(reply, Diagnosis):
        yield reply
        return
    message = reply.choices[0].message
    made = message.tool_calls or []
    if not made:
        said = " ".join((message.content or "").split())[:60]
        hint = profile.limits[0] if profile else "Its server may have to be told to read calls."
        yield Diagnosis("problem", f"tool calls: none was made; it said {said!r}", hint)
        return
    yield Diagnosis("ok", f"tool calls: {_described(made)}")
    echo = message.model_dump(exclude_none=True)
    results = [{"role": "tool", "tool_call_id": call.id, "content": _RESULT} for call in made]
    reply = _asked([*messages, echo, *results], tools, stream=True)
    if isinstance(reply, Diagnosis):
        yield reply
    elif "42" in (reply.choices[0].message.content or ""):
        yield Diagnosis("ok", "tool results: it answers from them, streamed")
    elif reply.choices[0].message.tool_calls:
        yield Diagnosis("ok", "tool results: it takes them, streamed, and goes on calling")
    else:
        yield Diagnosis(
            "note",
            "tool results: it did not answer from one",
            "Small models often don't; expect poor answers from it.",
        )


def learnt() -> Iterator[Diagnosis]:
    """What the endpoints were found to need: their refusals taught it."""
    for each in known_endpoints():
        yield Diagnosis(
            "note",
            f"learnt of {each.name}: {'; '.join(each.words) or 'nothing'}",
            f"To have it learnt anew, delete {settings().home / 'endpoints.json'}.",
        )


def where(now: Settings) -> str:
    """The endpoint without anything that might be secret in its address."""
    if now.base_url:
        parts = urlsplit(now.base_url)
        host = parts.hostname or ""
        return f"endpoint {parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")
    return "endpoint the OpenAI API" if now.api_key else "no endpoint"


def _configured(now: Settings) -> bool:
    return now.api_key is not None or now.base_url is not None


def _client(now: Settings) -> openai.OpenAI:
    return client_for(now.model).with_options(timeout=LIST_SECONDS, max_retries=0)


def _kind(profile: Profile | None, listed: list[Any], named: str) -> Iterator[Diagnosis]:
    """What kind of server it is: by its address, and by what it says itself."""
    owners = {str(getattr(model, "owned_by", "")) for model in listed}
    seen = next((p for p in profiles() if any(re.search(p.owner, o) for o in owners)), None)
    if seen and profile and seen != profile:
        yield Diagnosis(
            "note",
            f"{named}: by its address {profile.words}, but it says that it is {seen.words}",
            f"Set WORKSHOP_ENDPOINT={seen.name} in .env.",
        )
    elif seen and not profile:
        yield Diagnosis(
            "note", f"{named}: it is {seen.words}", f"Set WORKSHOP_ENDPOINT={seen.name} in .env."
        )
    known = seen or profile
    for limit in known.limits if known else ():
        yield Diagnosis("note", f"{known.words}: {limit}" if known else limit)


def _model_among(
    names: set[str], model: str, named: str, profile: Profile | None
) -> Iterator[Diagnosis]:
    if model in names or (profile and profile.names == "deployments"):
        yield Diagnosis("ok", f"{named}: reachable; {_priced(model)}")
        return
    near = _nearest(model, names)
    yield Diagnosis(
        "problem",
        f"{named}: reachable, but it lists no model {model!r}",
        f"Set WORKSHOP_MODEL to one that it has, such as {', '.join(near)}.",
    )


def _nearest(model: str, names: set[str]) -> list[str]:
    """Names that may have been meant: what took a retired model's place, then the most alike."""
    by_lower = {name.lower(): name for name in sorted(names)}
    alike = difflib.get_close_matches(model.lower(), by_lower, _MOST, cutoff=0.5)
    family = [low for low in by_lower if low.startswith(re.split(r"[-.:/\d]", model.lower())[0])]
    later = successor_of(model)
    found = [name for name in (later,) if name in names] + [by_lower[low] for low in alike + family]
    return list(dict.fromkeys(found))[:_MOST] or sorted(names)[:_MOST]


def _priced(model: str) -> str:
    facts = facts_of(model)
    if facts is None:
        return f"{model}, of which neither price nor window is known here"
    return (
        f"{model}, {facts.window:,} tokens, ${facts.price_in:g} in and ${facts.price_out:g} out "
        f"for a million (as of {prices_as_of()})"
    )


def _window(now: Settings, profile: Profile | None, client: openai.OpenAI) -> Iterator[Diagnosis]:
    """The window that we reckon with, and the one that the server says it has."""
    told = _told_window(profile, client)
    reckoned = f"window: {now.window_tokens:,} tokens{'' if now.window_set else ' unless set'}"
    if told is None:
        yield Diagnosis("ok", reckoned)
    elif told < now.window_tokens:
        yield Diagnosis(
            "problem",
            f"{reckoned}, but the server has {told:,}",
            f"Set WORKSHOP_WINDOW_TOKENS={told} in .env, or start the server with more.",
        )
    elif told > now.window_tokens and not now.window_set:
        yield Diagnosis(
            "note",
            f"{reckoned}; the server has {told:,}",
            f"WORKSHOP_WINDOW_TOKENS={told} uses it.",
        )
    else:
        yield Diagnosis("ok", f"{reckoned}; the server has {told:,}")


def _told_window(profile: Profile | None, client: openai.OpenAI) -> int | None:
    """The number where the server says it, None where it doesn't."""
    if profile is None or profile.told_at is None:
        return None
    address = client.base_url.join(profile.told_at["path"])
    try:
        value = json.loads(client.get(str(address), cast_to=httpx2.Response).content)
        for name in profile.told_at["at"]:
            value = value[0] if isinstance(value, list) else value
            value = value[name]
    except (openai.APIError, ValueError, LookupError, TypeError):
        return None
    return value if isinstance(value, int) and value > 0 else None


def _asked(messages: list[Any], tools: list[Any], stream: bool = False) -> Any:
    """The reply, or the diagnosis of why there is none."""
    with deadline(CALL_SECONDS) as now:
        try:
            return chat(messages, tools, stream=stream)
        except openai.BadRequestError as error:
            return Diagnosis("problem", f"tool calls: refused: {redact(str(error))[:160]}")
        except WorkshopError as error:
            hint = _SLOW if now.seconds_left() <= 0 else error.hint
            return Diagnosis("problem", f"tool calls: {error.message}", hint)


def _described(made: list[Any]) -> str:
    """Calls in words, with what is odd about their arguments."""
    call = made[0].function
    try:
        right = isinstance(json.loads(call.arguments)["query"], str)
    except (ValueError, LookupError, TypeError):
        right = False
    said = (
        "it calls a tool" if right else f"it calls {call.name!r} with {short_repr(call.arguments)}"
    )
    return f"{said}, {len(made)} calls at once" if len(made) > 1 else said
