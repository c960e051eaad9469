"""The check of `dispatch_one`: one observation for each call, whatever the call was."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from harness.course.exercises import answer_tool_calls
from harness.course.report import Finding
from harness.course.runner.explain import crash
from harness.course.runner.fake_clock import FakeClock
from harness.course.runner.watch import Watch
from harness.course.staging.judge_tools import says_error
from harness.course.staging.notes import Notes
from harness.course.staging.probes import mark
from harness.course.staging.stage import Stage
from harness.excerpt import short_repr
from harness.session import session
from harness.tools.toolbox import TOOLS, GuardedTool, register

__all__ = ["HINTS", "findings", "staged"]

HINTS = (
    "Four steps that can fail: parse tool_call.function.arguments, see that it is an object, look "
    "the name up in TOOLS, call TOOLS[name][0](**arguments). Each failure is a text to return.",
    "json.loads(tool_call.function.arguments or '{}') in a try of its own; `if name not in TOOLS`; "
    'then the call in a second try. Each except returns f"ERROR: ..." with the cause in it.',
    'try: return TOOLS[name][0](**arguments)\nexcept Exception as error: return f"ERROR: {error}"',
)

_LOOKUP, _LANES, _GAUGE, _CLOSE = "lookup_berth", "list_lanes", "read_gauge", "close_berth"
_STOP, _UNKNOWN, _CAUSE = "watch_quay", "find_tugboat", "gauge 7731 is offline"
_RAISE = "An observation is a text: return f'ERROR: {error}' instead of raising."


class Desk(Stage):
    """A stage that notes which tools ran, through the guard and past it."""

    guarded: list[tuple[str, dict[str, Any]]]
    texts: list[str]  # what the guarded calls returned
    ran: list[str]  # type: ignore[assignment]


@contextmanager
def staged(clock: FakeClock, watch: Watch, restore: Callable[[], None]) -> Iterator[Desk]:
    """A stage with five probe tools in TOOLS and no other."""

    desk = Desk(clock, watch, restore)
    desk.guarded, desk.ran, desk.texts = [], [], []

    class Probe(GuardedTool):
        def run(self, arguments: dict[str, Any], call: Any = None) -> str:
            desk.guarded.append((self.contract.name, dict(arguments)))
            text = super().run(arguments, call)
            desk.texts.append(text)
            return text

    before = dict(TOOLS)
    TOOLS.clear()
    try:
        for fn, tier in _tools(desk.ran):
            probe = Probe(register(when="during a check", tier=tier, replace=True)(fn).contract)
            TOOLS[probe.contract.name] = (probe, probe.contract.schema)
        yield desk
    finally:
        TOOLS.clear()
        TOOLS.update(before)


def _tools(ran: list[str]) -> list[tuple[Callable[..., Any], str]]:
    def lookup_berth(name: Annotated[str, "The berth."]) -> dict[str, Any]:
        """Look a berth up by its name."""
        ran.append(_LOOKUP)
        return {"berth": name, "result": mark(_LOOKUP, name=name)}

    def list_lanes() -> dict[str, Any]:
        """List the lanes of the harbour."""
        ran.append(_LANES)
        return {"lanes": ["north", "south"], "result": mark(_LANES)}

    def read_gauge(station: Annotated[str, "The station."]) -> dict[str, Any]:
        """Read the water gauge of a station."""
        ran.append(_GAUGE)
        raise RuntimeError(_CAUSE)

    def close_berth(name: Annotated[str, "The berth."]) -> dict[str, Any]:
        """Close a berth to all vessels."""
        ran.append(_CLOSE)
        return {"closed": name}

    def watch_quay() -> dict[str, Any]:
        """Watch the quay until somebody presses Ctrl-C."""
        raise KeyboardInterrupt

    reading: list[Callable[..., Any]] = [lookup_berth, list_lanes, read_gauge, watch_quay]
    for fn in (*reading, close_berth):  # Python names them so in its own errors
        fn.__module__, fn.__qualname__ = "harbour", fn.__name__
    return [*[(fn, "read") for fn in reading], (close_berth, "write")]


def findings(fn: Callable[..., Any], stage: Desk) -> list[Finding]:
    """Everything that `fn` does wrong."""
    notes = Notes(fn)
    _good(fn, stage, notes)
    if notes.hopeless:
        return notes.found
    _as_written(fn, stage, notes)
    _empty(fn, stage, notes)
    for situation, code, call, causes in _BAD:
        _bad(fn, stage, notes, situation, code, call, causes)
    _read_only(fn, stage, notes)
    _interrupt(fn, stage, notes)
    return notes.found


# What an observation must say, so that a model can act on it: one of these words.
_ABOUT_JSON = ("json", "argument", "pars")
_ABOUT_OBJECT = ("json", "object", "dict")
# situation, code where it raises, (tool, arguments), words of which one must be told
_BAD: tuple[tuple[str, str, tuple[str, str], tuple[str, ...]], ...] = (
    ("arguments are not JSON", "crash_bad_json", (_LOOKUP, '{"name": "north", '), _ABOUT_JSON),
    ("arguments are a JSON array", "crash_not_object", (_LOOKUP, '["north"]'), _ABOUT_OBJECT),
    # A tool without parameters would run on {}, which is what nobody said.
    (
        "arguments are not JSON and none are needed",
        "crash_bad_json",
        (_LANES, '{"a": '),
        _ABOUT_JSON,
    ),
    (
        "arguments are an array and none are needed",
        "crash_not_object",
        (_LANES, "[7]"),
        _ABOUT_OBJECT,
    ),
    ("arguments are an empty array", "crash_not_object", (_LANES, "[]"), _ABOUT_OBJECT),
    (
        "a call names a tool that does not exist",
        "crash_unknown_tool",
        (_UNKNOWN, "{}"),
        (_UNKNOWN,),
    ),
    (
        "a call writes a tool's name in capitals",
        "crash_unknown_tool",
        (_LANES.title(), "{}"),
        (_LANES,),
    ),
    ("a tool raises", "crash_tool_error", (_GAUGE, '{"station": "four"}'), (_CAUSE,)),
    ("a parameter is misspelt", "crash_tool_error", (_LOOKUP, '{"nam": "x"}'), ("nam", "name")),
)


def _call(name: str, arguments: str) -> Any:
    return answer_tool_calls.message([("call_1", name, arguments)]).tool_calls[0]


def _run(fn: Callable[..., Any], stage: Desk, situation: str, name: str, arguments: str) -> Any:
    for kept in (stage.guarded, stage.ran, stage.texts):
        kept.clear()
    return stage.call(fn, situation, _call(name, arguments))


def _good(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    arguments = {"name": "east one"}
    seen = _run(fn, stage, "a tool is called as it should be", _LOOKUP, json.dumps(arguments))
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
                f"{_LOOKUP} was called once, with {arguments}, and was run {how}.",
                "TOOLS[name][0](**arguments), once.",
            )
        elif seen.returned.startswith("ERROR"):
            notes.add(
                "error_invented",
                "The tool worked, and the observation begins with ERROR.",
                "The prefix is for failures only.",
            )
        elif mark(_LOOKUP, **arguments) in seen.returned and seen.returned not in stage.texts:
            notes.add(
                "result_changed",
                f"The tool returned {short_repr(stage.texts[0], 70)} and the observation is "
                f"{short_repr(seen.returned, 70)}.",
                "It is text already: return what TOOLS[name][0](**arguments) gives, as it is.",
            )
        elif mark(_LOOKUP, **arguments) not in seen.returned:
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
        notes.add("tool_not_run", f"{_LOOKUP} was not run.", "TOOLS[name][0](**arguments).")


def _text(returned: Any, notes: Notes) -> bool:
    if isinstance(returned, str):
        return True
    what = "nothing" if returned is None else type(returned).__name__
    notes.add("not_text", f"It returned {what}, not text.", "An observation is a str.")
    return False


def _as_written(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    """Arguments reach the tool as the model wrote them: blanks, capitals, an empty text."""
    for name in (" East  One ", ""):
        _run(fn, stage, "an argument has blanks around it", _LOOKUP, json.dumps({"name": name}))
        got = [arguments for _, arguments in stage.guarded]
        if got != [{"name": name}]:
            notes.add(
                "arguments_changed",
                f"The model wrote the name {name!r}, and the tool got "
                f"{short_repr(got[0]) if got else 'no call'}.",
                "TOOLS[name][0](**arguments): as json.loads gives them.",
            )
            return


def _empty(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    """No arguments at all: "" is what some servers send for a tool without parameters."""
    for arguments in ("{}", ""):
        seen = _run(fn, stage, "a tool without parameters is called", _LANES, arguments)
        came = "an error came" if seen.error is None else f"it raised {type(seen.error).__name__}"
        fine = seen.error is None and mark(_LANES) in str(seen.returned)
        if not fine:
            notes.add(
                "no_arguments_refused",
                f"With {arguments!r} as arguments, {_LANES} should just run; {came} instead.",
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
    seen = _run(fn, stage, situation, *call)
    if seen.error is not None:
        notes.note(crash(seen.error, fn, situation, code, _RAISE))
        return
    about_arguments = causes in (_ABOUT_JSON, _ABOUT_OBJECT)
    if about_arguments and (stage.ran or stage.guarded):
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
    elif not any(cause in seen.returned.lower() for cause in causes) or _only(seen, causes):
        notes.add(
            "cause_lost",
            f"When {situation}, the model reads {short_repr(seen.returned, 80)}: not what "
            "went wrong.",
            "Say what it is about: the arguments, the name that is unknown, the error's own text.",
        )
    elif len(stage.guarded) > 1:
        notes.add(
            "run_again",
            f"When {situation}, the tool was run {len(stage.guarded)} times.",
            "Once: an error is a result, and the model decides what to do about it.",
        )


def _only(seen: Any, causes: tuple[str, ...]) -> bool:
    """Whether an observation is the prefix and a bare name, as str(KeyError) has it."""
    text = seen.returned.removeprefix("ERROR:").strip(" '\".")
    return text in causes


def _read_only(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    with session(read_only=True):
        situation = "the session may only read and a tool writes"
        seen = _run(fn, stage, situation, _CLOSE, '{"name": "east one"}')
    if stage.ran:
        _not_guarded(stage, notes)
    elif seen.error is not None:
        notes.note(crash(seen.error, fn, situation, "crash_tool_error", _RAISE))


def _interrupt(fn: Callable[..., Any], stage: Desk, notes: Notes) -> None:
    seen = _run(fn, stage, "somebody presses Ctrl-C", _STOP, "{}")
    if seen.error is None:
        notes.add(
            "swallows_interrupt",
            "It swallows Ctrl-C: KeyboardInterrupt became an observation, and the loop goes on.",
            "except Exception, not a bare except and not BaseException.",
        )
