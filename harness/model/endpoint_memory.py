"""What was learnt of an endpoint from its refusals, kept for the next question and for `doctor`."""

import json
import os
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import openai

from harness.model.adaptations import Learnt, in_words
from harness.model.endpoint_profiles import profile_of
from harness.settings import settings

_lock = threading.Lock()
_known: dict[tuple[Path, str], "Endpoint"] = {}
_of_scripts: weakref.WeakKeyDictionary[Any, "Endpoint"] = weakref.WeakKeyDictionary()
_FILE = "endpoints.json"


@dataclass(frozen=True)
class Endpoint:
    """A server and a model, and what they need.

    `limit` is how many tokens of messages its window holds, where it said so. `thinks` tells that
    its replies begin with thoughts of which only the end is marked.
    """

    name: str
    learnt: tuple[Learnt, ...] = ()
    limit: int | None = None
    thinks: bool = False

    @property
    def words(self) -> list[str]:
        """What was learnt, as a person reads it."""
        said = [in_words(each) for each in self.learnt]
        said += [f"a window of about {self.limit:,} tokens"] if self.limit else []
        return said + (["thoughts before the answer"] if self.thinks else [])


def endpoint_of(client: openai.OpenAI, model: str, script: Any = None) -> Endpoint:
    """What is known of a client's server and a model. Each script of the stand-in is a new one."""
    if script is not None:
        return _of_scripts.get(script) or Endpoint("script")
    name = f"{str(client.base_url).rstrip('/')} {model}"
    home = settings().home
    if (home, name) not in _known:
        kept = next((e for e in known_endpoints() if e.name == name), None)
        _known[home, name] = kept or Endpoint(name, _beforehand(str(client.base_url)))
    return _known[home, name]


def _beforehand(base_url: str) -> tuple[Learnt, ...]:
    """What a server of this kind is known to need, before it has refused anything."""
    if "standin.invalid" in base_url:
        return ()
    profile = profile_of(base_url, settings().endpoint)
    return tuple(Learnt(name, "") for name in profile.needs) if profile else ()


def keep(endpoint: Endpoint, script: Any = None, **changes: Any) -> Endpoint:
    """Remember something new of an endpoint, for this process and the next ones."""
    if all(getattr(endpoint, name) == value for name, value in changes.items()):
        return endpoint
    new = replace(endpoint, **changes)
    if script is not None:
        _of_scripts[script] = new
        return new
    with _lock:
        _known[settings().home, new.name] = new
        if "standin.invalid" not in new.name:
            _write([*(each for each in known_endpoints() if each.name != new.name), new])
    return new


def forget_endpoints() -> None:
    """Begin to learn anew."""
    with _lock:
        _known.clear()
        _of_scripts.clear()
        (settings().home / _FILE).unlink(missing_ok=True)


def known_endpoints() -> Iterator[Endpoint]:
    """Every endpoint of which something was learnt; a file that can't be read holds none."""
    try:
        rows = json.loads((settings().home / _FILE).read_text(encoding="utf-8"))
        for row in rows:
            learnt = tuple(Learnt(str(name), str(refusal)) for name, refusal in row["learnt"])
            yield Endpoint(str(row["name"]), learnt, row.get("limit"), bool(row.get("thinks")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return


def _write(endpoints: list[Endpoint]) -> None:
    rows = [
        {"name": e.name, "learnt": e.learnt, "limit": e.limit, "thinks": e.thinks}
        for e in endpoints
    ]
    path = settings().home / _FILE
    aside = path.with_name(f"{_FILE}.{os.getpid()}")
    try:
        aside.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
        aside.replace(path)
    except (OSError, UnicodeEncodeError):
        aside.unlink(missing_ok=True)  # not being able to remember must not cost the answer
