"""The check of `answer_tool_calls`: one tool message a call, in order, whatever the call was."""

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
from harness.tools.dispatch import dispatch

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
_UNTIDY: list[_Call] = [  # what somebody might want to tidy up
    ("call_7", probes.LOOKUP, ' {"name": "  Ö  kaj\\n\\t港 – 7 "} '),
    ("call_8", f" {probes.LANES}", "{}"),
]
# Good and bad ones in turn, and more of them than anybody would expect.
_MIXED = [*_SEVERAL[:2], *(call for _, _, call in _ERRORS), *_UNTIDY, *_SEVERAL[2:]]


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
    mixed = "good and bad calls come in one message"
    return verdict.found or _good_calls(fn, stage, mixed, _MIXED)


def _good_calls(
    fn: Callable[..., Any], stage: Stage, situation: str, calls: list[_Call]
) -> list[Finding]:
    ours = stage.call(_ours, situation, message(calls))
    returned, runs, fault = _run(fn, stage, situation, calls)
    fault = fault or _shape(returned, calls)
    if fault:
        return [fault]
    done, wanted_runs = ([(r.name, r.arguments) for r in each] for each in (runs, ours.runs))
    for name, arguments in wanted_runs:
        times, asked = (each.count((name, arguments)) for each in (done, wanted_runs))
        if times != asked:
            called = f"{asked} call{'s' * (asked > 1)} of {name}"
            what = f"The message has {called}, and it was run {times} time{'s' * (times > 1)}."
            what = what if times else f"{name} was called, and it was not run."
            code = "tool_not_run" if times < asked else "tool_run_twice"
            return [_finding(code, what, "dispatch(call), once a call.")]
    for (_, name, _), told, given in zip(calls, ours.returned, returned, strict=True):
        if given["content"] != told:
            return [_other_content(name, told, given["content"], ours.returned)]
    if done != wanted_runs:
        later = "The calls were run in another order than the model made them."
        return [_finding("order_wrong", later, "A later call may build on an earlier one.")]
    return []


def _ours(message: Any) -> list[str]:
    return [dispatch(call).content for call in message.tool_calls]


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
    said = returned[0]["content"]
    lost = kind == "raising_tool" and probes.CAUSE not in said
    told = _ours(message([call]))
    if says_error(said) and (lost or (said not in told[0] and told[0] not in said)):
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
    return [] if said == told[0] else [_other_content(call[1], told[0], said, told)]


def _run(
    fn: Callable[..., Any],
    stage: Stage,
    situation: str,
    calls: list[_Call],
    code: str = "crash",
) -> tuple[Any, list[Any], Finding | None]:
    """What it returned, which tools ran, and the finding when it raised."""
    asked = message(calls)
    before = asked.model_dump()
    seen = stage.call(fn, situation, asked)
    if seen.error is not None:
        hint = "A bad call is a result like any other; dispatch never raises."
        return None, seen.runs, crash(seen.error, fn, situation, code, hint)
    fault = None
    if asked.model_dump() != before:
        changed = f"When {situation}, it changed the message that it was given."
        fault = _finding("message_changed", changed, "Only read it: the loop echoes it.")
    return seen.returned, seen.runs, fault


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
