"""The check of `answer_tool_calls`: one tool message a call, in order, whatever the call was."""

import json
from collections.abc import Callable
from typing import Any

from harness.course.report import Finding
from harness.course.runner.explain import crash
from harness.course.staging import probes
from harness.course.staging.round_protocol import RESULT
from harness.course.staging.stage import Stage, staged
from harness.course.staging.verdicts import Verdict, says_error

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "message.tool_calls is a list. Go through it in order and make one dict for each call.",
    "dispatch(call) runs a call and never raises; what the model should read is its .content.",
    '[{"role": "tool", "tool_call_id": call.id, "content": dispatch(call).content} '
    "for call in message.tool_calls]",
)

_Call = tuple[str, str, str]  # id, name, arguments
_THREE: list[_Call] = [
    ("call_b", probes.LOOKUP, '{"name": "east one"}'),
    ("call_a", probes.PAGE, '{"page": 11}'),
    ("call_c", probes.LOOKUP, '{"name": "west two"}'),
]
_ERRORS: tuple[tuple[str, str, _Call], ...] = (
    ("a call names a tool that does not exist", "unknown_tool", ("call_u", probes.UNKNOWN, "{}")),
    ("a tool raises", "raising_tool", ("call_r", probes.GAUGE, '{"station": "pier four"}')),
    ("arguments are not JSON", "bad_json", ("call_j", probes.LANES, '{"region": "north", ')),
)


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong."""
    found = _good_calls(fn, stage, "the message has one call", _THREE[:1])
    found = found or _good_calls(fn, stage, "the message has three calls", _THREE)
    if found:
        return found  # what the bad calls would show is only more of the same
    verdict = Verdict(fn)
    for situation, kind, call in _ERRORS:
        for finding in _bad_call(fn, stage, situation, kind, call):
            verdict.note(finding)
    return verdict.found


def _good_calls(
    fn: Callable[..., Any], stage: Stage, situation: str, calls: list[_Call]
) -> list[Finding]:
    returned, runs, fault = _run(fn, stage, situation, calls)
    fault = fault or _shape(returned, calls)
    if fault:
        return [fault]
    for (_, name, arguments), message in zip(calls, returned, strict=True):
        wanted = json.loads(arguments)
        times = [run.arguments for run in runs if run.name == name].count(wanted)
        if times != 1:
            what = "was not run with its arguments" if not times else f"was run {times} times"
            return [_finding("tool_not_run", f"{name} {what}.", "dispatch(call), once a call.")]
        if probes.mark(name, **wanted) not in str(message["content"]):
            return [
                _finding(
                    "result_lost",
                    f"What {name} returned is not in the message under its id.",
                    "The content is dispatch(call).content.",
                )
            ]
    return []


def _bad_call(
    fn: Callable[..., Any], stage: Stage, situation: str, kind: str, call: _Call
) -> list[Finding]:
    returned, runs, fault = _run(fn, stage, situation, [call], f"crash_{kind}")
    fault = fault or _shape(returned, [call])
    if fault:
        return [fault]
    if kind == "bad_json" and runs:
        return [
            _finding(
                "bad_json_run",
                f"The arguments were not valid JSON; the tool was run with {runs[0].arguments}.",
                "Answer such a call with an error; dispatch does.",
            )
        ]
    if not says_error(str(returned[0]["content"])):
        shown = str(returned[0]["content"])[:80]
        return [
            _finding(
                "error_hidden",
                f"When {situation}, the model is not told; it reads {shown!r}.",
                "The content is dispatch(call).content: it says what went wrong.",
            )
        ]
    return []


def _run(
    fn: Callable[..., Any],
    stage: Stage,
    situation: str,
    calls: list[_Call],
    code: str = "crash",
) -> tuple[Any, list[Any], Finding | None]:
    """What it returned, which tools ran, and the finding when it raised."""
    seen = stage.call(fn, situation, message(calls))
    if seen.error is not None:
        hint = "A bad call is a result like any other; dispatch never raises."
        return None, seen.runs, crash(seen.error, fn, situation, code, hint)
    return seen.returned, seen.runs, None


def message(calls: list[_Call]) -> Any:
    """An assistant message of the openai client with these calls."""
    from openai.types.chat import ChatCompletionMessage

    made = [
        {"id": i, "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, name, arguments in calls
    ]
    data = {"role": "assistant", "content": None, "tool_calls": made}
    return ChatCompletionMessage.model_validate(data)


def _shape(returned: Any, calls: list[_Call]) -> Finding | None:
    """Whether it is a list with one proper tool message for each call, in order."""
    if not isinstance(returned, list) or not all(isinstance(m, dict) for m in returned):
        what = "nothing" if returned is None else f"{type(returned).__name__}"
        return _finding("not_a_list", f"It returned {what}, not a list of dicts.", RESULT)
    ids, given = [i for i, _, _ in calls], [m.get("tool_call_id") for m in returned]
    if any(m.get("role") != "tool" for m in returned):
        return _finding("wrong_role", 'A message has another role than "tool".', RESULT)
    if len(given) < len(ids):
        return _finding("call_unanswered", f"{len(ids)} calls got {len(given)} messages.", RESULT)
    if len(given) > len(ids):
        return _finding("too_many", f"{len(ids)} calls got {len(given)} messages.", RESULT)
    if sorted(map(str, given)) != sorted(ids):
        return _finding("ids_wrong", "A message does not carry the id of its call.", RESULT)
    if given != ids:
        return _finding("order_wrong", "The messages are in another order than the calls.", RESULT)
    if not all(isinstance(m.get("content"), str) for m in returned):
        return _finding(
            "result_not_text",
            "The content of a message is not text.",
            "A ToolResult is an object; its .content is the text.",
        )
    return None


def _finding(code: str, message: str, hint: str = "") -> Finding:
    return Finding(code, message, hint)
