"""Every setting in one place: the environment over `.env` over the defaults.

With WORKSHOP_OFFLINE=1 (tests, stored outputs) `.env` and every key are ignored.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from harness.envfile import read_env_file
from harness.errors import WorkshopError
from harness.model.endpoint_profiles import WINDOW, default_window, profile_of, profiles

REAL_MODEL = "gpt-5.5"
STANDIN_MODEL = "standin"
DATABASES = ("embedded", "oracle")
OCI_AUTHS = ("api_key", "instance_principal")
YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


class Settings(BaseModel):
    """What a run is configured with; change `.env`, never this object."""

    model_config = ConfigDict(frozen=True)

    api_key: str | None = Field(default=None, repr=False)
    base_url: str | None = None
    endpoint: str | None = None
    model: str = STANDIN_MODEL
    home: Path
    database: Literal["embedded", "oracle"] = "embedded"
    strict: bool = False
    offline: bool = False
    window_tokens: int = WINDOW
    window_set: bool = False
    trace: bool = True
    traces: Path | None = None
    trace_days: int = 30
    temperature: float | None = None
    top_p: float | None = None
    oci_auth: Literal["api_key", "instance_principal"] | None = None
    oci_config_file: str | None = None
    oci_profile: str | None = None
    oci_compartment: str | None = None
    oracle_dsn: str | None = None
    oracle_user: str | None = None
    oracle_password: str | None = Field(default=None, repr=False)
    oracle_agent_user: str | None = None
    oracle_agent_password: str | None = Field(default=None, repr=False)
    oracle_state: str | None = None
    oracle_admin_user: str | None = None
    oracle_admin_password: str | None = Field(default=None, repr=False)
    oracle_wallet: str | None = None
    oracle_wallet_password: str | None = Field(default=None, repr=False)

    @cached_property
    def trace_folder(self) -> Path:
        """Where traces are written; kept, since each event asks."""
        return self.traces or self.home / "traces"

    @cached_property
    def state_file(self) -> Path:
        """Where the agent's embedded state is; kept, since each statement asks."""
        return self.home / "agent.sqlite"

    @property
    def shares_state(self) -> bool:
        """Whether the agent's state is kept in Oracle AI Database as well as in the home."""
        account = self.oracle_agent_user and self.oracle_agent_password
        return self.database == "oracle" and bool(account) and self.oracle_state != "0"

    @property
    def dialect(self) -> str:
        """The SQL that the configured database speaks, as a model is told."""
        return "Oracle" if self.database == "oracle" else "DuckDB"


@lru_cache(maxsize=1)
def root() -> Path:
    """The folder that holds `harness/`, `data/` and `notebooks/`."""
    return Path(__file__).resolve().parent.parent


def env_path() -> Path:
    """Where `.env` is, or would be."""
    return root() / ".env"


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once. Raises WorkshopError for a setting that can't be."""
    offline = _flag("WORKSHOP_OFFLINE", os.environ.get("WORKSHOP_OFFLINE", ""))
    values = dict(os.environ) if offline else {**read_env_file(env_path()), **os.environ}
    values = {name: value.strip() for name, value in values.items() if value.strip()}
    found: dict[str, Any] = {
        "offline": offline,
        "home": _home(values.get("WORKSHOP_HOME")),
        "strict": _flag("WORKSHOP_STRICT", values.get("WORKSHOP_STRICT", "")),
        **_traces(values),
    }
    if not offline:
        key = _key(values)
        found |= {
            "api_key": key,
            "base_url": _url(values.get("OPENAI_BASE_URL")),
            "endpoint": _endpoint(values.get("WORKSHOP_ENDPOINT")),
            "model": values.get("WORKSHOP_MODEL") or (REAL_MODEL if key else STANDIN_MODEL),
            **_oci(values),
            "temperature": _number(values, "WORKSHOP_TEMPERATURE", None, 0, 2),
            "top_p": _number(values, "WORKSHOP_TOP_P", None, 0, 1),
            **_database(values),
        }
    return Settings(**found, **_window(values, found))


def reset_settings() -> None:
    """Forget what was read, so that the next `settings()` reads again."""
    settings.cache_clear()


@contextmanager
def home_at(folder: Path) -> Iterator[Path]:
    """Run a block with WORKSHOP_HOME there, as a process that has just started would.

    It is for the whole process: other threads see that home too, as long as the block runs. What
    is done there stays there: only the home of the settings is shared by a database.
    """
    before = {name: os.environ.get(name) for name in ("WORKSHOP_HOME", "ORACLE_STATE")}
    os.environ.update(WORKSHOP_HOME=str(folder), ORACLE_STATE="0")
    reset_settings()
    try:
        yield folder
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        reset_settings()


def model_in_words() -> str:
    """Which model answers, so that nobody takes the stand-in for more than it is."""
    if settings().model.startswith("standin"):
        return "Answers come from the offline stand-in; with a key in .env, from a real model."
    return f"Answers come from {settings().model}."


def _home(text: str | None) -> Path:
    """WORKSHOP_HOME, made if need be; a relative one is taken from the repository's folder.

    Notebooks run in notebooks/, commands elsewhere: both must find the same home.
    """
    home = root() / Path(text or ".workshop").expanduser()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        raise WorkshopError(
            f"WORKSHOP_HOME can't be written: {home} ({error.strerror or type(error).__name__}).",
            "Name a folder of your own in .env (WORKSHOP_HOME=...), or make room on the disk.",
        ) from None
    return home


def _traces(values: Mapping[str, str]) -> dict[str, Any]:
    """Whether turns are traced, where to, and for how many days."""
    where = values.get("WORKSHOP_TRACES", "")
    days = int(_number(values, "WORKSHOP_TRACE_DAYS", 30, 1, 3_650) or 0)
    if where.lower() in YES + NO:
        return {"trace": where.lower() not in NO or not where, "trace_days": days}
    return {"traces": root() / Path(where).expanduser(), "trace_days": days}


def _flag(name: str, text: str) -> bool:
    if text.strip().lower() not in YES + NO:
        raise WorkshopError(f"{name} is neither on nor off.", "Write 1 for on, 0 for off.")
    return text.strip().lower() in YES


def _number(
    values: Mapping[str, str], name: str, default: float | None, low: int, high: int
) -> float | None:
    """A number between two bounds, or the default where the setting is absent."""
    if name not in values:
        return default
    try:
        number = float(values[name])
    except ValueError:
        number = float("nan")
    if not low <= number <= high:  # also false for a NaN
        raise WorkshopError(
            f"{name} is not a number from {low:,} to {high:,}.", "Correct it, or leave it out."
        )
    return number


def _key(values: Mapping[str, str]) -> str | None:
    """The API key. Nothing of it is ever shown, not even when it can't be one."""
    key = values.get("OPENAI_API_KEY")
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise WorkshopError(
            "OPENAI_API_KEY holds a blank or a character that no key has.",
            "Copy the key again: one word, no quotes inside, nothing after it.",
        )
    return key


def _url(text: str | None) -> str | None:
    """OPENAI_BASE_URL, as far as it can be judged without a network."""
    if text is None:
        return None
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1)
    except ValueError:
        usable = False
    if not usable or " " in text:
        raise WorkshopError(
            "OPENAI_BASE_URL is not an address such as http://localhost:11434/v1.",
            "See .env.example for the line that your server needs.",
        )
    if text.rstrip("/").endswith("/chat/completions"):
        raise WorkshopError(
            "OPENAI_BASE_URL goes too far: the client adds /chat/completions itself.",
            "End it before that, usually with /v1.",
        )
    return text


def _endpoint(name: str | None) -> str | None:
    """WORKSHOP_ENDPOINT: which kind of server it is, where the address does not tell."""
    if name is None:
        return None
    if profile_of(None, name.lower()) is None:
        known = ", ".join(each.name for each in profiles())
        raise WorkshopError(
            "WORKSHOP_ENDPOINT is not a kind of endpoint that is known.",
            f"It is one of {known}; or leave it out.",
        )
    return name.lower()


def _window(values: Mapping[str, str], found: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens that the model takes in: as set, or by what is known of endpoint and model."""
    tokens = _number(values, "WORKSHOP_WINDOW_TOKENS", None, 256, 10**7)
    if tokens is not None:
        return {"window_tokens": int(tokens), "window_set": True}
    if found.get("model", STANDIN_MODEL).startswith(STANDIN_MODEL):
        return {}
    return {"window_tokens": default_window(found["base_url"], found["model"], found["endpoint"])}


def _oci(values: Mapping[str, str]) -> dict[str, str | None]:
    """How requests to OCI are signed, if not by a bearer key."""
    found = {name.lower(): values.get(name) for name in
             ("OCI_AUTH", "OCI_CONFIG_FILE", "OCI_PROFILE", "OCI_COMPARTMENT")}  # fmt: skip
    kind = (found["oci_auth"] or "").lower()
    if kind and kind not in OCI_AUTHS:
        raise WorkshopError("OCI_AUTH is unknown.", f"It is one of: {', '.join(OCI_AUTHS)}.")
    missing = [name for name in ("OPENAI_BASE_URL", "WORKSHOP_MODEL") if not values.get(name)]
    if kind and missing:
        raise WorkshopError(
            f"OCI_AUTH needs {' and '.join(missing)} as well.",
            "Add to .env what .env.example shows under OCI Generative AI.",
        )
    return {**found, "oci_auth": kind or None}


def _database(values: Mapping[str, str]) -> dict[str, str | None]:
    """Which database, and how to reach it; Oracle's settings must be complete to be used."""
    name = values.get("WORKSHOP_DATABASE", "embedded").lower()
    if name not in DATABASES:
        raise WorkshopError(
            "WORKSHOP_DATABASE is unknown.", f"It is one of: {', '.join(DATABASES)}."
        )
    fields = [field for field in Settings.model_fields if field.startswith("oracle_")]
    found = {field: values.get(field.upper()) for field in fields}
    needed = ("oracle_dsn", "oracle_user", "oracle_password")
    missing = [field.upper() for field in needed if not found[field]]
    if name == "oracle" and missing:
        raise WorkshopError(
            f"WORKSHOP_DATABASE=oracle needs {', '.join(missing)} as well.",
            "Add to .env what .env.example shows, or set WORKSHOP_DATABASE=embedded.",
        )
    found["oracle_state"] = "01"[_flag("ORACLE_STATE", values.get("ORACLE_STATE", "1"))]
    return {"database": name, **found}
