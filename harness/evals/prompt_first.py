"""The same harness the other way round: what tools say moves into the prompt.

The functions, the loop and the guards are the same. What changes is what the seed calls
prompt-first: every tool is offered, its contract is a vague line without a trigger or a word about
its parameters, all rules stand in one long prompt, and an error is hidden behind a general word.
"""

import copy
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from harness.config import base_config, configured
from harness.tools.contract import ToolContract
from harness.tools.toolbox import GuardedTool, contracts, include, spare_toolbox

EVERY_TOOL = 1_000
HIDDEN = {"result": "Something went wrong."}


@contextmanager
def prompt_first() -> Iterator[None]:
    """Run a block with vague contracts and the rules in the prompt."""
    known = contracts()
    job = f"{base_config().job}\n\n{rules(known)}"
    with spare_toolbox(), configured(job=job, k_tools=EVERY_TOOL):
        include(*(GuardedTool(silent(vague(each))) for each in known))
        yield


def rules(known: list[ToolContract]) -> str:
    """All that the contracts say, as one text for the prompt."""
    lines = ["How to use your tools"]
    for each in known:
        said = (each.description, each.when and f"Use it when {each.when}", each.returns)
        lines.append(f"- {each.name}: {' '.join(filter(None, (*said, each.instructions)))}")
    return "\n".join(lines)


def vague(contract: ToolContract) -> ToolContract:
    """The same tool under a contract that leaves the model to guess."""
    parameters = copy.deepcopy(contract.parameters)
    for schema in parameters.get("properties", {}).values():
        for word in ("description", "examples", "pattern"):
            schema.pop(word, None)
    first = contract.name.split("_")[0].capitalize()
    return replace(
        contract,
        description=f"{first} database",
        parameters=parameters,
        when="",
        returns="",
        instructions="",
        preconditions="",
        missing="",
        example=None,
    )


def silent(contract: ToolContract) -> ToolContract:
    """The same tool, whose errors look like results."""

    @functools.wraps(contract.fn)
    def tool(*args: Any, **kwargs: Any) -> Any:
        try:
            value = contract.fn(*args, **kwargs)
        except Exception:
            return HIDDEN
        return value or HIDDEN

    return replace(contract, fn=tool)
