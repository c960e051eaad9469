"""The check of `dispatch_one`: one observation for each call, whatever the call was."""

import json
from collections.abc import Callable
from typing import Any

from harness.course.exercises import answer_tool_calls
from harness.course.report import Finding
from harness.course.runner.explain import crash
from harness.course.staging.dispatch_bench import (
    CLOSE,
    LANES,
    LOG,
    LOOKUP,
    PAGES,
    STOP,
    Desk,
    staged,
)
from harness.course.staging.dispatch_cases import (
    ABOUT_JSON,
    ABOUT_OBJECT,
    AS_WRITTEN,
    BAD,
    NEARLY_JSON,
    NEARLY_NAMES,
    NO_OBJECT,
)
from harness.course.staging.judge_tools import says_error
from harness.course.staging.notes import Notes
from harness.course.staging.probes import mark
from harness.excerpt import short_repr
from harness.session import session

__all__ = ["HINTS", "findings", "staged"]

_NO_OBJECT = ("not_object", ABOUT_OBJECT)

HINTS = (
    "Four steps that can fail: parse tool_call.function.arguments, see that it is an object, look "
    "the name up in TOOLS, call TOOLS[name][0](**arguments). Each failure is a text to return.",
    "json.loads(tool_call.function.arguments or '{}') in a try of its own; `if name not in TOOLS`; "
    'then the call in a second try. Each except returns f"ERROR: ..." with the cause in it.',
    'try: return TOOLS[name][0](**arguments)\nexcept Exception as error: return f"ERROR: {error}"',
)

_RAISE = "An observation is a text: return f'ERROR: {error}' instead of raising."


def findings(fn: Callable[..., Any], stage: Desk) -> list[Finding]:
    """Everything that `fn` does wrong."""
    notes = Notes(fn)
    _good(fn, stage, notes)
    if notes.hopeless:
        return notes.found
    _as_written(fn, stage, notes)
    if not notes.found:
        _results(fn, stage, notes)
    if notes.found:
        return notes.found  # what errors would show is only more of the same
    _empty(fn, stage, notes)
    for situation, code, call, causes in BAD:
        _bad(fn, stage, notes, situation, code, call, causes)
    nearly = not notes.found  # else what follows would only show the same
    for name in NEARLY_NAMES if nearly else ():
        situation = f"a call names {name!r}"
        told = (name.strip().lower(),)
        _bad(fn, stage, notes, situation, "crash_unknown_tool", (name, "{}"), told)
    for text in (*NEARLY_JSON, *NO_OBJECT) if nearly else ():
        code, about = ("bad_json", ABOUT_JSON) if text in NEARLY_JSON else _NO_OBJECT
        situation = f"the arguments are {text!r}"
        _bad(fn, stage, notes, situation, f"crash_{code}", (LOOKUP, text), about)
    _read_only(fn, stage, notes)
    _interrupt(fn, stage, notes)
    return notes.found


def _call(name: str, arguments: str) -> Any:
    return answer_tool_calls.message([("call_1", name, arguments)]).tool_calls[0]


def _run(
    fn: Callable[..., Any], stage: Desk, notes: Notes, situation: str, name: str, arguments: str
) -> Any:
    for kept in (stage.guarded, stage.ran, stage.texts, stage.errors):
        kept.clear()
    call = _call(name, arguments)
    before = call.model_dump()
    seen = stage.call(fn, situation, call)
    if call.model_dump() != before:
        changed = f"When {situation}, it changed the call that it was given."
        notes.add("call_changed", changed, "Only read it: the loop echoes it.")
    return seen


def _good(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    arguments = {"name": "east one"}
    seen = _run(fn, stage, notes, "a tool is called as it should be", LOOKUP, json.dumps(arguments))
    notes.hopeless = True
    if seen.error is not None:
        notes.note(crash(seen.error, fn, seen.situation))
    elif _text(seen.returned, notes):
        if not stage.guarded:
            _not_guarded(stage, notes)
        elif [each for _, each in stage.guarded] != [arguments]:
            times = len(stage.guarded)
            how = f"{times} times" if times > 1 else f"with {stage.guarded[0][1]}"
            notes.add(
                "wrong_call",
                f"{LOOKUP} was called once, with {arguments}, and was run {how}.",
                "TOOLS[name][0](**arguments), once.",
            )
        elif seen.returned.startswith("ERROR"):
            notes.add(
                "error_invented",
                "The tool worked, and the observation begins with ERROR.",
                "The prefix is for failures only.",
            )
        elif mark(LOOKUP, **arguments) in seen.returned and seen.returned not in stage.texts:
            notes.add(
                "result_changed",
                f"The tool returned {short_repr(stage.texts[0], 70)} and the observation is "
                f"{short_repr(seen.returned, 70)}.",
                "It is text already: return what TOOLS[name][0](**arguments) gives, as it is.",
            )
        elif mark(LOOKUP, **arguments) not in seen.returned:
            notes.add(
                "result_lost",
                "What the tool returned is not in the observation: "
                f"{short_repr(seen.returned, 80)}.",
                "Return the text that TOOLS[name][0](**arguments) gives.",
            )
        else:
            notes.hopeless = False


def _not_guarded(stage: Desk, notes: Notes) -> None:
    if stage.ran:
        notes.add(
            "guard_bypassed",
            "The plain function was run, past the guard: nothing checks the arguments or the "
            "session.",
            "Call what TOOLS holds, TOOLS[name][0](**arguments); not its __wrapped__.",
        )
    else:
        notes.add("tool_not_run", f"{LOOKUP} was not run.", "TOOLS[name][0](**arguments).")


def _text(returned: Any, notes: Notes) -> bool:
    if isinstance(returned, str):
        return True
    what = "nothing" if returned is None else type(returned).__name__
    notes.add("not_text", f"It returned {what}, not text.", "An observation is a str.")
    return False


def _results(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    """Whatever text a tool gives is the observation, and each call gets its own."""
    for page, text in [*enumerate(PAGES), (1, PAGES[1])]:
        situation = f"a tool returns {short_repr(text)}"
        seen = _run(fn, stage, notes, situation, LOG, json.dumps({"page": page}))
        if seen.error is not None:
            notes.note(crash(seen.error, fn, situation))
        elif not stage.guarded:
            notes.add(
                "remembers",
                "The same call came a second time, and the tool was not run for it.",
                "Every call is run: the data may have changed since the last one.",
            )
        elif seen.returned != text:
            notes.add(
                "result_changed",
                f"The tool returned {short_repr(text)} ({len(text)} characters) and the "
                f"observation is {short_repr(seen.returned)} ({len(str(seen.returned))}).",
                "Return what TOOLS[name][0](**arguments) gives, as it is.",
            )


def _as_written(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    """Arguments reach the tool as the model wrote them, right or wrong: its guard is the judge."""
    for name, text in AS_WRITTEN:
        _run(fn, stage, notes, f"the arguments are {text}", name, text)
        got = [arguments for _, arguments in stage.guarded]
        if got[:1] != [json.loads(text)]:
            notes.add(
                "arguments_changed",
                f"The model wrote the arguments {text}, and {name} got "
                f"{short_repr(got[0]) if got else 'no call'}.",
                "TOOLS[name][0](**arguments): as json.loads gives them.",
            )
            return


def _empty(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    """No arguments at all: "" is what some servers send for a tool without parameters."""
    for arguments in ("{}", ""):
        seen = _run(fn, stage, notes, "a tool without parameters is called", LANES, arguments)
        came = "an error came" if seen.error is None else f"it raised {type(seen.error).__name__}"
        fine = seen.error is None and mark(LANES) in str(seen.returned)
        if not fine:
            notes.add(
                "no_arguments_refused",
                f"With {arguments!r} as arguments, {LANES} should just run; {came} instead.",
                "tool_call.function.arguments or '{}'",
            )


def _bad(
    fn: Callable[..., Any],
    stage: Desk,
    notes: Notes,
    situation: str,
    code: str,
    call: tuple[str, str],
    causes: tuple[str, ...],
) -> None:
    seen = _run(fn, stage, notes, situation, *call)
    if seen.error is not None:
        notes.note(crash(seen.error, fn, situation, code, _RAISE))
        return
    about_arguments = causes in (ABOUT_JSON, ABOUT_OBJECT)
    if other := [name for name, _ in stage.guarded if name != call[0]]:
        notes.add(
            "other_tool_run",
            f"A call names {call[0]!r}. No tool is called that, and {other[0]} was run.",
            "The name as the model wrote it: if name not in TOOLS.",
        )
    elif about_arguments and (stage.ran or stage.guarded):
        notes.add(
            "bad_arguments_run",
            f"When {situation}, the tool was run all the same.",
            "Return an ERROR instead: nobody knows what the model meant.",
        )
    elif not _text(seen.returned, notes):
        return
    elif not says_error(seen.returned) and not seen.returned.startswith("ERROR"):
        notes.add(
            "error_hidden",
            f"When {situation}, the model is not told; it reads {short_repr(seen.returned, 80)}.",
            'Return a text that begins with "ERROR: " and says what went wrong.',
        )
    elif not seen.returned.startswith("ERROR: "):
        notes.add(
            "no_prefix",
            f'When {situation}, the observation does not begin with "ERROR: " but with '
            f"{short_repr(seen.returned)}.",
            "The prefix is how a model, and a trace, tell a failure from a result.",
        )
    elif not _tells(seen.returned, call[0] * about_arguments, causes):
        notes.add(
            "cause_lost",
            f"When {situation}, the model reads {short_repr(seen.returned, 80)}: not what "
            "went wrong.",
            "Say what it is about: the arguments, the name that is unknown, the error's own text.",
        )
    elif lost := [part for error in stage.errors for part in error if part not in seen.returned]:
        notes.add(
            "cause_lost",
            f"When {situation}, the error says {short_repr(lost[0], 60)}, and the model reads "
            f"{short_repr(seen.returned, 80)}.",
            'All that the exception says: f"ERROR: {error}".',
        )
    elif len(stage.guarded) > 1:
        notes.add(
            "run_again",
            f"When {situation}, the tool was run {len(stage.guarded)} times.",
            "Once: an error is a result, and the model decides what to do about it.",
        )


def _tells(text: str, name: str, causes: tuple[str, ...]) -> bool:
    """Whether it says one of these, beside the tool's name, and more than a bare name.

    A bare name in quotes is what str(KeyError) has.
    """
    said = text.removeprefix("ERROR:").lower().replace(name, "")
    return any(cause in said for cause in causes) and said.strip(" '\".") not in causes


def _read_only(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    with session(read_only=True):
        situation = "the session may only read and a tool writes"
        seen = _run(fn, stage, notes, situation, CLOSE, '{"name": "east one"}')
    if stage.ran:
        _not_guarded(stage, notes)
    elif seen.error is not None:
        notes.note(crash(seen.error, fn, situation, "crash_tool_error", _RAISE))


def _interrupt(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    seen = _run(fn, stage, notes, "somebody presses Ctrl-C", STOP, "{}")
    if seen.error is None:
        notes.add(
            "swallows_interrupt",
            "It swallows Ctrl-C: KeyboardInterrupt became an observation, and the loop goes on.",
            "except Exception, not a bare except and not BaseException.",
        )
