"""Three subagents that earn their place on this data, and the tool by which a model uses them.

They come only to who imports this module: an agent that has them should have a reason.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from harness.delegation import SubagentContract, delegate
from harness.errors import ToolError
from harness.guards.effect import Effect
from harness.tools.toolbox import register


class Facts(BaseModel):
    """What the retriever gives back: what the schema says, in a few sentences."""

    facts: str = Field(min_length=1, max_length=2_000)


class Figure(BaseModel):
    """What analyst and reviewer give back: one figure, and the sentence that it stands in."""

    value: float
    text: str = Field(min_length=1, max_length=2_000)


def _cites(found: Facts) -> str:
    return "" if "." in found.facts or "_" in found.facts else "it names no table or column"


def _gives_a_figure(figure: Figure) -> str:
    """A sentence without a figure gives none, whatever stands in `value`."""
    lost = "I found nothing" in figure.text or not re.search(r"\d", figure.text)
    return "its sentence gives no figure" if lost else ""


RETRIEVER = SubagentContract(
    "retriever",
    "Say which tables and columns answer the task, and what they mean. Run no query.",
    ("search_knowledge",),
    Facts,
    seconds=30.0,
    share=0.3,
    evaluate=_cites,
)
ANALYST = SubagentContract(
    "analyst",
    "Work out one figure with SQL, and give it with the sentence that it stands in.",
    ("search_knowledge", "run_sql", "exec_js"),
    Figure,
    max_turns=6,
    evaluate=_gives_a_figure,
    require_tools=("run_sql",),
)
REVIEWER = SubagentContract(
    "reviewer",
    "Work out the figure again with the narrow tools alone. You are not told what others found.",
    ("search_knowledge", "find_voyages", "voyage_status"),
    Figure,
    max_turns=5,
    seconds=45.0,
    share=0.4,
    evaluate=_gives_a_figure,
)
SUBAGENTS = {each.name: each for each in (RETRIEVER, ANALYST, REVIEWER)}


@register(
    when="a part of the question can be answered by itself, with other tools or a second opinion; "
    "not for what you know already.",
    returns="'output' is what the subagent found; it knows nothing of this conversation.",
    cost="high",
    effects=(Effect("subagent", "ask"),),
    timeout=120.0,
    example={"subagent": "reviewer", "task": "How many voyages are delayed?"},
)
def ask_subagent(
    subagent: Annotated[
        Literal["retriever", "analyst", "reviewer"],
        "retriever: what the schema means; analyst: a figure by SQL; reviewer: the same figure in "
        "another way.",
    ],
    task: Annotated[str, Field(min_length=1, max_length=1_000, description="Complete in itself.")],
) -> dict[str, Any]:
    """Hand a task that is complete in itself to a subagent."""
    done = delegate(task, SUBAGENTS[subagent])
    if not done.ok:
        raise ToolError(
            "failed",
            f"{subagent} failed at the boundary {done.boundary!r}: {done.why}",
            "Do it yourself, or give a task that is complete in itself.",
        )
    return {"subagent": subagent, "run": done.run, "output": done.output.model_dump()}
