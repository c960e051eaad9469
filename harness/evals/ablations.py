"""The harness without one of its parts: the rows of `data/ablations.yaml`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from harness.config import TurnConfig
from harness.errors import WorkshopError
from harness.evals.prompt_first import silent, vague
from harness.settings import root
from harness.tools.contract import ToolContract
from harness.tools.toolbox import TOOLS, GuardedTool, contracts, include, spare_toolbox

_OTHERWISE: dict[str, Callable[[ToolContract], ToolContract]] = {"vague": vague, "silent": silent}


class Ablation(BaseModel):
    """What one row leaves out: `tools` of the toolbox, words of `contracts`, and by `config`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    config: dict[str, Any] = {}
    tools: tuple[str, ...] = ()
    contracts: Literal["", "vague", "silent"] = ""

    def turn_config(self) -> TurnConfig:
        """The configuration of its turns. Raises WorkshopError for a field that there is not."""
        return TurnConfig(**self.config)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Run a block with the toolbox of this row. Raises WorkshopError for an unknown tool."""
        missing = [name for name in self.tools if name not in TOOLS]
        if missing:
            raise WorkshopError(
                f"data/ablations.yaml leaves out {missing[0]!r}, and no tool has that name.",
                f"There are {', '.join(TOOLS)}.",
            )
        with spare_toolbox():
            for name in self.tools:
                del TOOLS[name]
            if self.contracts:
                changed = _OTHERWISE[self.contracts]
                include(*(GuardedTool(changed(each)) for each in contracts()))
            yield


@cache
def ablations() -> dict[str, Ablation]:
    """Every row by its name. Raises WorkshopError, naming it, for one that can't be."""
    text = (root() / "data" / "ablations.yaml").read_text(encoding="utf-8")
    found = {}
    for name, row in yaml.safe_load(text).items():
        try:
            found[name] = Ablation(**row)
        except (ValidationError, TypeError) as error:
            raise WorkshopError(
                f"data/ablations.yaml, {name}: {error}.", "The top of the file says what a row has."
            ) from None
    return found
