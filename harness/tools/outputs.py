"""Getting an offloaded output back."""

from typing import Annotated, Any

from pydantic import Field

from harness.errors import ToolError
from harness.excerpt import short_repr
from harness.guards.effect import Effect
from harness.memory import journal
from harness.session import current_question
from harness.tools.toolbox import register

_PAGE_CHARS = 6_000


def stored_output(tool_call_id: str) -> str:
    """The whole observation of an earlier call on this thread. Raises ToolError if none is kept."""
    question = current_question()
    found = journal.find_output(tool_call_id, question.thread_id if question else None)
    if found is None:
        raise ToolError(
            "failed",
            f"no output is stored under tool_call_id {short_repr(tool_call_id, 80)}.",
            "Use the id that an earlier observation named.",
        )
    return found


@register(
    tier="read",
    when="an observation said that it was offloaded and the part you need is missing.",
    returns="'content' is a slice of the stored output; 'next_offset' is null at its end.",
    repeatable=True,
    example={"tool_call_id": "call_1", "offset": 0},
    effects=(Effect("output", "read"),),
)
def fetch_tool_output(
    tool_call_id: Annotated[str, "The id that the offloaded observation named."],
    offset: Annotated[int, Field(ge=0, description="First character to return.")] = 0,
) -> dict[str, Any]:
    """Read a stored tool output again, a page of 6,000 characters at a time."""
    text = stored_output(tool_call_id)
    end = offset + _PAGE_CHARS
    return {
        "content": text[offset:end],
        "total_chars": len(text),
        "next_offset": end if end < len(text) else None,
    }
