"""The contract between the stand-in and real servers: the same exchanges, their shapes compared.

A shape says which fields an answer has and of what kind they are, never what they hold, except for
the few words of the protocol (roles, types, finish reasons). The stand-in's are kept in
data/contract/standin.json; what it has and an endpoint lacks is where they differ.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import openai

from harness.model.adaptations import Learnt, adapted
from harness.model.response_parsing import UnusableReply, read_reply
from harness.model.server_errors import explained
from harness.model.sse import DONE, events
from harness.settings import root

Shape = dict[str, str]  # a path, and the kinds found there: "null | text"

FOLDER = "data/contract"
_OR = " | "
_SECONDS = 180.0  # for one exchange: a small machine takes its time
_SPOKEN = ("object", "role", "type", "finish_reason")  # their words belong to the protocol
_KINDS = {str: "text", bool: "yes or no", int: "number", float: "number", type(None): "null"}
_OPEN = ("logprobs", "service_tier", "system_fingerprint", "refusal", "annotations", "_details")


class Outcome(NamedTuple):
    """One exchange: its status, the shape of the answer, and whether the loop's reader took it.

    `calls` are the names of the tools that it calls.
    """

    status: int
    shape: Shape
    read: str = ""
    calls: tuple[str, ...] = ()


def exchanges() -> list[dict[str, Any]]:
    """The requests of data/contract/exchanges.yaml, in order; `status` says what may come back."""
    import yaml  # only here

    text = (root() / FOLDER / "exchanges.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    for each in data["exchanges"]:
        each["tools"] = data["tools"] if each.get("tools") else None
        each.setdefault("status", [200])
    return data["exchanges"]


def run_exchange(
    client: openai.OpenAI, model: str, exchange: dict[str, Any], learnt: tuple[Learnt, ...] = ()
) -> Outcome:
    """Ask once, in the form that an endpoint is known to need.

    Raises ProviderError when the server can't be reached.
    """
    body = {"model": exchange.get("model", model), "messages": exchange["messages"]}
    body |= {name: exchange[name] for name in ("tools", "stream") if exchange.get(name)}
    body = adapted(body, learnt)
    client = client.with_options(max_retries=0, timeout=_SECONDS)
    try:
        response = client.post("/chat/completions", body=body, cast_to=httpx2.Response)
    except openai.APIStatusError as error:
        return Outcome(error.status_code, shape_of([_loads(error.response.content)]))
    except openai.APIError as error:
        raise explained(error, model) from error
    raw = response.content
    try:
        pieces = [e for e in events([raw]) if e != DONE] if body.get("stream") else [_loads(raw)]
    except ValueError:
        pieces = [_loads(raw)]
    try:
        message = read_reply(raw, ()).choices[0].message
    except UnusableReply as error:
        return Outcome(response.status_code, shape_of(pieces), f"not understood: {error}")
    calls = tuple(call.function.name for call in message.tool_calls or ())  # type: ignore[union-attr]
    return Outcome(response.status_code, shape_of(pieces), "understood", calls)


def shape_of(values: Iterable[Any]) -> Shape:
    """Every path in some values, with the kinds that were found there."""
    found: dict[str, set[str]] = {}
    for value in values:
        for path, kind in _paths(value, ""):
            found.setdefault(path, set()).add(kind)
    return {path: _OR.join(sorted(found[path])) for path in sorted(found)}


def differences(expected: Shape, found: Shape) -> list[str]:
    """Where an answer lacks what the stand-in's has, or has it of another kind."""
    said = []
    for path, kinds in expected.items():
        if any(part in path for part in _OPEN) or kinds == "null":
            continue
        if path not in found:
            if _parent(path) in found or "." not in path:  # else it is said of what it is in
                said.append(f"no {path}")
        elif not set(kinds.split(_OR)) & set(found[path].split(_OR)):
            said.append(f"{path} is {found[path]}, not {kinds}")
    return said


def _parent(path: str) -> str:
    return path.removesuffix("[]") if path.endswith("[]") else path.rpartition(".")[0]


def beyond(expected: Shape, found: Shape) -> list[str]:
    """Fields of an answer that the stand-in's does not have."""
    return [path for path in found if path not in expected]


def recorded(name: str) -> dict[str, Outcome]:
    """What was recorded of an endpoint, by exchange."""
    data = json.loads((root() / FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    rows = data["exchanges"].items()
    return {k: Outcome(v["status"], v["shape"], v["read"], tuple(v["calls"])) for k, v in rows}


def record(path: Path, about: dict[str, Any], outcomes: dict[str, Outcome]) -> None:
    """Write what an endpoint answered, its shapes only."""
    rows = {name: outcome._asdict() for name, outcome in outcomes.items()}
    text = json.dumps({**about, "exchanges": rows}, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def _paths(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield path or ".", "object"
        for key, each in value.items():
            if key in _SPOKEN and isinstance(each, str):
                yield f"{path}.{key}".lstrip("."), repr(each)
            else:
                yield from _paths(each, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        yield path or ".", "list"
        for each in value:
            yield from _paths(each, f"{path}[]")
    else:
        yield path or ".", _KINDS.get(type(value), "text")


def _loads(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode("utf-8", "replace")
