"""Every setting in one place: the environment over `.env` over the defaults.

With WORKSHOP_OFFLINE=1 (tests, stored outputs) `.env` and every key are ignored.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

REAL_MODEL = "gpt-5.5"
STANDIN_MODEL = "standin"


class Settings(BaseModel):
    """What a run is configured with; change `.env`, never this object."""

    model_config = ConfigDict(frozen=True)

    api_key: str | None = Field(default=None, repr=False)
    base_url: str | None = None
    model: str = STANDIN_MODEL
    home: Path
    database: Literal["embedded", "oracle"] = "embedded"
    strict: bool = False
    offline: bool = False
    window_tokens: int = 128_000
    temperature: float | None = None
    top_p: float | None = None


def root() -> Path:
    """The folder that holds `harness/`, `data/` and `notebooks/`."""
    return Path(__file__).resolve().parent.parent


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once. Raises WorkshopError for a setting that can't be."""
    from dotenv import dotenv_values

    offline = os.environ.get("WORKSHOP_OFFLINE", "") not in ("", "0")
    values = dict(os.environ) if offline else {**dotenv_values(root() / ".env"), **os.environ}

    def get(name: str) -> str | None:
        return (values.get(name) or "").strip() or None

    key, base_url = (None, None) if offline else (get("OPENAI_API_KEY"), get("OPENAI_BASE_URL"))
    model = None if offline else get("WORKSHOP_MODEL")
    return Settings(
        api_key=key,
        base_url=base_url,
        model=model or (REAL_MODEL if key else STANDIN_MODEL),
        home=Path(get("WORKSHOP_HOME") or root() / ".workshop"),
        database="embedded" if offline else get("WORKSHOP_DATABASE") or "embedded",
        strict=(get("WORKSHOP_STRICT") or "0") != "0",
        offline=offline,
    )


def reset_settings() -> None:
    """Forget what was read, so that the next `settings()` reads again."""
    settings.cache_clear()
