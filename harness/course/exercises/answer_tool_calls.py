"""The check of `answer_tool_calls`: one tool message a call, in order, whatever the call was."""

import json
from collections.abc import Callable
from typing import Any

from openai.types.chat import ChatCompletionMessage

from harness.course.report import Finding
from harness.course.runner.explain import crash
from harness.course.staging import probes
from harness.course.staging.round_protocol import RESULT
from harness.course.staging.stage import Stage, staged
from harness.course.staging.verdicts import Verdict, says_error
from harness.excerpt import short_repr

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "message.tool_calls is a list. Go through it in order and make one dict for each call.",
    "dispatch(call) runs a call and never raises; what the model should read is its .content.",
    '[{"role": "tool", "tool_call_id": call.id, "content": dispatch(call).content} '
    "for call in message.tool_calls]",
)

_Call = tuple[str, str, str]  # id, name, arguments
_SEVERAL: list[_Call] = [
    # Ids of any length and case, in an order that no sorting gives.
    ("call_mX72aQ", probes.LOOKUP, '{"name": "east one"}'),
    ("b2", probes.PAGE, '{"page": 11}'),
    (
        "toolu_01Zk9WvXcQpTrLmN4sYdGhE3u-Ab_and-56-more-Characters-Of-One-Id",
        probes.LOOKUP,
        '{"name": "west two"}',
    ),
    ("call_4", probes.PAGE, '{"page": 6}'),
    ("call_5", probes.LOOKUP, '{"name": "east one"}'),  # the first once more: a call of its own
]
_ERRORS: tuple[tuple[str, str, _Call], ...] = (
    ("a call names a tool that does not exist", "unknown_tool", ("call_u", probes.UNKNOWN, "{}")),
    ("a tool raises", "raising_tool", ("call_r", probes.GAUGE, '{"station": "pier four"}')),
    ("arguments are not JSON", "bad_json", ("call_j", probes.LANES, '{"region": "north", ')),
)


def findings(fn: Callable[..., Any], stage: Stage) -> list[Finding]:
    """Everything that `fn` does wrong."""
    found = _good_calls(fn, stage, "the message has one call", _SEVERAL[:1])
    found = found or _good_calls(fn, stage, "the message has several calls", _SEVERAL)
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
    wanted_runs = [(name, json.loads(arguments)) for _, name, arguments in calls]
    done = [(run.name, run.arguments) for run in runs]
    for (_, name, arguments), message in zip(calls, returned, strict=True):
        wanted = json.loads(arguments)
        times, asked = (each.count((name, wanted)) for each in (done, wanted_runs))
        if times != asked:
            what = f"asked for {asked} times, was run {times} times" if times else "was not run"
            return [_finding("tool_not_run", f"{name} {what}.", "dispatch(call), once a call.")]
        told = next(run.text for run in runs if (run.name, run.arguments) == (name, wanted))
        if message["content"] != told:
            return [_other_content(name, told, message["content"], [run.text for run in runs])]
    if done != wanted_runs:
        later = "The calls were run in another order than the model made them."
        return [_finding("order_wrong", later, "A later call may build on an earlier one.")]
    return []


def _other_content(name: str, told: str, content: str, all_told: list[str]) -> Finding:
    """A content that is not what the tool returned: the first place where they part."""
    if content in all_told:
        return _finding("ids_wrong", f"Under the id of {name} is another call's result.")
    pairs = enumerate(zip(content, told, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(content), len(told)))
    kept = content[at : at + 30] or "(the end)"
    hint = "The content is dispatch(call).content, as it is."
    if "ToolResult(" in content:
        hint = "str(...) shows the whole ToolResult; its .content is the text."
    return _finding(
        "result_changed" if told[:20] in content else "result_lost",
        f"{name} returned {len(told)} characters; the content has {len(content)}, and from "
        f"character {at} on {kept!r} instead of {told[at : at + 30]!r}.",
        hint,
    )


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
    said = str(returned[0]["content"])
    lost = kind == "raising_tool" and probes.CAUSE not in returned[0]["content"]
    if says_error(said) and lost:
        return [
            _finding(
                "cause_lost",
                f"When {situation}, the model reads {short_repr(said, 80)}: not what went wrong.",
                "The content is dispatch(call).content: it says what went wrong.",
            )
        ]
    if not says_error(said):
        return [
            _finding(
                "error_hidden",
                f"When {situation}, the model is not told; it reads {short_repr(said, 80)}.",
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
