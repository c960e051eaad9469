"""From one tool call of the model to one observation. Never raises for what a model did."""

import difflib
import json
from dataclasses import dataclass
from typing import Any

from harness.errors import ToolError
from harness.model.tool_calls import ToolCall, read_call
from harness.run import recorder
from harness.tools.toolbox import TOOLS


@dataclass(frozen=True)
class ToolResult:
    """An observation: `content` goes to the model, `status` says what it is.

    Statuses: ok, repeated, or the kind of the ToolError (unknown_tool, not_allowed, bad_arguments,
    failed, timeout, empty, cut_off, needs_approval: then `approval_id` names what is asked).
    """

    content: str
    status: str
    tool_call_id: str = ""
    approval_id: str = ""

    @property
    def message(self) -> dict[str, Any]:
        """The result as the message that the next request carries."""
        return {"role": "tool", "tool_call_id": self.tool_call_id, "content": self.content}


def dispatch(tool_call: Any) -> ToolResult:
    """Parse, look up, call, and turn whatever happens into an observation.

    `tool_call` is one of `message.tool_calls`, an object of the openai client or its dict.
    """
    call = _read(tool_call)
    try:
        content = _call(call)
    except ToolError as error:
        text = f"ERROR: {error}"
        turn = recorder.current_turn()
        if turn and recorder.is_of(turn, call) and not call.observation:
            recorder.observe(turn, call, text, "error", kind=error.kind)
        return ToolResult(text, error.kind, call.id, getattr(error, "approval_id", ""))
    return ToolResult(content, "repeated" if call.status == "repeated" else "ok", call.id)


def _call(call: ToolCall) -> str:
    if call.name not in TOOLS:
        raise ToolError("unknown_tool", *_unknown(call.name))
    if call.arguments is None:
        cut = call.fault.startswith("the call was cut off")
        raise ToolError(
            "cut_off" if cut else "bad_arguments",
            f"{call.name} was not run: {call.fault}.",
            "Make the call again, shorter." if cut else "Make the call again with a JSON object.",
        )
    return TOOLS[call.name][0].run(call.arguments, call)


def _read(tool_call: Any) -> ToolCall:
    """The call, and the record that was made of it when the reply came in, if there is one."""
    turn = recorder.current_turn()
    plain = tool_call if isinstance(tool_call, dict) else tool_call.model_dump()
    function = plain.get("function")
    function = function if isinstance(function, dict) else {}
    known = turn.find(plain.get("id")) if turn else None
    if known is not None:
        return known
    return read_call(
        str(plain.get("id") or ""), str(function.get("name")), function.get("arguments")
    )


def _unknown(name: str) -> tuple[str, str]:
    by_lower = {each.lower(): each for each in TOOLS}
    wanted = name.lower().removeprefix("functions_")
    inside = [n for n in sorted(by_lower, key=lambda n: (-len(n), n)) if len(n) > 2 and n in wanted]
    close = difflib.get_close_matches(wanted, by_lower, n=3, cutoff=0.4)
    near = [by_lower[n] for n in dict.fromkeys([*inside, *close])][:3]
    hint = f"The nearest names: {', '.join(near)}." if near else "Call one of the tools you have."
    return f"there is no tool named {json.dumps(name[:100], ensure_ascii=False)}.", hint
