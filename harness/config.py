"""The one place that configures a turn."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import WorkshopError
from harness.excerpt import short_repr

LayerName = Literal["skills", "memory", "knowledge"]
LAYERS: tuple[LayerName, ...] = get_args(LayerName)  # of the context, in order

_TOKENS_LEAST = 200_000  # tokens of a turn whose token_cap nobody set
_TOKENS_A_ROUND = 25_000  # tokens; each round sends the whole conversation again


class Alerts(BaseModel):
    """Thresholds of a review of traces: counts, milliseconds, tokens a task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cap_breaches: int = 5
    mean_latency_ms: float = 2_000.0
    tokens_per_task: int = 15_000


class TurnConfig(BaseModel):
    """Everything that shapes a turn. A field left None falls back on an argument or on `.env`.

    `window_tokens` is the model's context window, of which compaction starts at `compact_at`;
    `keep_last` messages stay whole. `layers` are those that `build_context` puts above the
    question. `tools` limits the toolbox by name. A turn must have called
    each of `require_tools` before it may answer, and its answer must satisfy `answer_model`.
    With `until_confirmed` the turn ends as soon as what the user confirmed is done: a goal, like an
    answer that satisfies its model. `job` is said to the model after the system prompt.
    `token_cap` grows with `max_iterations`
    unless it is set. The safety terminators: `hop_tools` different tools in a row without a result;
    `idle_rounds` that bring only what is known already; `error_rounds` that bring only the same
    error. `trace` says whether the turn is written to the traces, where `.env` has them on;
    `alerts` are the thresholds of their review.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    model: str | None = None
    max_iterations: int | None = Field(default=None, ge=0)
    budget_seconds: float | None = Field(default=None, ge=0)
    token_cap: int | None = Field(default=None, ge=0)
    window_tokens: int | None = Field(default=None, ge=1)
    compact_at: float = Field(default=0.6, gt=0, le=1)
    keep_last: int = Field(default=8, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    layers: tuple[LayerName, ...] = LAYERS
    k_tools: int = Field(default=6, ge=0)
    tools: tuple[str, ...] | None = None
    require_tools: tuple[str, ...] = ()
    answer_model: type[BaseModel] | None = None
    until_confirmed: bool = False
    job: str = ""
    hop_tools: int = Field(default=5, ge=2)
    idle_rounds: int = Field(default=4, ge=1)
    error_rounds: int = Field(default=4, ge=1)
    alerts: Alerts = Alerts()
    trace: bool = True

    def __init__(self, **values: Any) -> None:
        """Raises WorkshopError, naming it, for a value that can't be."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))
            raise WorkshopError(
                f"{name}: {first['msg'].lower()}, not {short_repr(first['input'], 80)}.",
                "TurnConfig in harness/config.py lists what a turn can be given.",
            ) from error

    @property
    def token_limit(self) -> int:
        """The tokens that a turn may use: `token_cap`, or enough for every round."""
        if self.token_cap is not None:
            return self.token_cap
        return max(_TOKENS_LEAST, _TOKENS_A_ROUND * (self.max_iterations or 0))

    def filled(self, **values: Any) -> "TurnConfig":
        """A copy that takes from `values` what this configuration leaves None."""
        ours = {name: value for name, value in dict(self).items() if value is not None}
        return TurnConfig(**{**values, **ours})


_base: ContextVar[TurnConfig] = ContextVar("workshop_base_config")
_config: ContextVar[TurnConfig] = ContextVar("workshop_config")
_DEFAULT = TurnConfig()


def base_config() -> TurnConfig:
    """What a new turn starts from: what `configured` says, without the limits of an outer turn."""
    return _base.get(_DEFAULT)


def current_config() -> TurnConfig:
    """The configuration in force."""
    return _config.get(_DEFAULT)


@contextmanager
def configured(config: TurnConfig | None = None, **changes: Any) -> Iterator[TurnConfig]:
    """Run a block, and the turns in it, under `config`, or the base with `changes`."""
    base = config or base_config()
    base = TurnConfig(**{**dict(base), **changes}) if changes else base
    token = _base.set(base)
    try:
        with in_force(base):
            yield base
    finally:
        _base.reset(token)


@contextmanager
def in_force(config: TurnConfig) -> Iterator[TurnConfig]:
    """Run one turn under `config`; turns within it start from the base again."""
    token = _config.set(config)
    try:
        yield config
    finally:
        _config.reset(token)
