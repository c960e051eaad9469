"""What is known of endpoints and models beforehand: endpoints.yaml and models.yaml.

What an endpoint teaches by its refusals comes on top (endpoint_memory). Nothing here asks a server.
"""

import functools
import re
from pathlib import Path
from typing import Any, NamedTuple

WINDOW = 128_000  # tokens, where nothing smaller is known: enough for any turn, and affordable
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{4}|\d{8}|latest)$")


class Profile(NamedTuple):
    """A row of endpoints.yaml."""

    name: str
    words: str
    address: str
    owner: str = "(?!)"
    needs: tuple[str, ...] = ()
    window: int | None = None
    told_at: dict[str, Any] | None = None
    names: str = "models"
    limits: tuple[str, ...] = ()


class ModelFacts(NamedTuple):
    """A row of models.yaml: tokens, and dollars for a million of them."""

    window: int
    price_in: float
    price_out: float

    def dollars(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost; part 14 reckons a bill with it."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000


@functools.cache
def profiles() -> tuple[Profile, ...]:
    """Every endpoint that is known, in the order of the file."""
    rows = _read("endpoints.yaml")
    return tuple(Profile(**{name: _kept(value) for name, value in row.items()}) for row in rows)


def _kept(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def profile_of(base_url: str | None, named: str | None = None) -> Profile | None:
    """The profile of an address (none is OpenAI's own), or the one that was named."""
    if named:
        return next((each for each in profiles() if each.name == named), None)
    url = base_url or "https://api.openai.com/v1"
    return next((p for p in profiles() if re.search(p.address, url, re.IGNORECASE)), None)


def facts_of(model: str) -> ModelFacts | None:
    """Window and prices of a model, if the file has them."""
    row = _models()["models"].get(model) or _models()["models"].get(_DATED.sub("", model))
    return ModelFacts(row["window"], row["in"], row["out"]) if row else None


def successor_of(model: str) -> str | None:
    """The nearest model to one that is no longer served."""
    retired: dict[str, str] = _models()["retired"]
    return retired.get(model) or retired.get(_DATED.sub("", model))


def prices_as_of() -> str:
    """The day of the prices, as YYYY-MM-DD."""
    return str(_models()["as_of"])


def default_window(base_url: str | None, model: str, named: str | None = None) -> int:
    """Tokens to reckon with where no setting says it: 128,000, or what is known to be less."""
    profile, facts = profile_of(base_url, named), facts_of(model)
    known = [WINDOW, profile.window if profile else None, facts.window if facts else None]
    return min(each for each in known if each)


@functools.cache
def _models() -> dict[str, Any]:
    return _read("models.yaml")


def _read(name: str) -> Any:
    import yaml  # here, because the stand-in needs none of this

    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
