"""From a function to a report: is it ours, can it be sent, what did the check find?"""

import dis
import inspect
import linecache
import re
import sys
import textwrap
import types
from collections.abc import Iterator
from typing import Any

from harness.course import lent, todos
from harness.course.report import Finding, Report, findings_from
from harness.course.runner import source, transfer, worker
from harness.course.runner.worker import CHECKING


def evaluate(name: str, fn: Any) -> Report:
    """Check `fn` as the TODO `name`, in the contained child. Prints nothing and changes nothing.

    Raises WorkshopError for a name that has no check.
    """
    todo = todos.todo(name)
    if not callable(fn):
        return _failed(name, "not_a_function", f"{name} is {type(fn).__name__}, not a function.")
    if _awaits(fn):
        return _failed(
            name,
            "async_function",
            f"{name} is an `async def`: a call only returns a coroutine, and nothing runs.",
            "Write plain `def`: whoever calls it does not await it.",
        )
    ours = is_ours(name, fn)
    if looks := _looks_around(fn):
        return _failed(
            name,
            "looks_around",
            f"It uses `{looks}` to look at whoever called it; there it would find the check.",
            "Write it from what it is given: its arguments and the notebook's names.",
        )
    try:
        data = transfer.dumps(fn)
    except transfer.CannotSend as error:
        return _failed(
            name,
            "unpicklable",
            f"It can't be checked: {error}.",
            "Make that inside the function, or pass it in.",
        )
    outcome = worker.run_job(todo.check, data, source.lines_of(fn))
    found = findings_from(outcome.findings)
    if outcome.ended != "answered":
        found = [_stopped(outcome, fn), *found]
    ours = ours or (not found and (outcome.takes_ours or _hands_over(name, fn)))
    return Report(name, not found, found, "ours" if ours else "yours", outcome.output)


def _awaits(fn: Any) -> bool:
    """Whether it is asynchronous, or a class with a method that is."""
    methods = vars(fn).values() if inspect.isclass(fn) else (fn,)
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(kind(each) for each in methods for kind in kinds)


def is_ours(name: str, fn: Any) -> bool:
    """Whether `fn` is one of ours: the same object, or the same code."""
    todo = todos.todo(name)
    if lent.is_lent(fn):
        return True
    return any(fn is ours or _same_code(fn, ours) for ours in (todo.solution(), todo.written()))


def _same_code(fn: Any, ours: Any) -> bool:
    """Whether a function is ours under any name, from any module."""
    code = [_essence(each) for each in transfer.codes(fn)]
    if not code or _defaults(fn) != _defaults(ours):
        return False
    known = (transfer.codes(ours), _compiled_alone(ours))
    return any(code == [_essence(each) for each in codes] for codes in known)


_LOOKS = {"_getframe", "_current_frames", "currentframe", "f_back", "f_locals", "tb_frame"}
_LOOKS |= {"get_objects", "get_referrers", CHECKING}
_CHECKS = re.compile(r"harness\.course\.(?:staging|exercises|runner)\b")


def _looks_around(fn: Any) -> str:
    """What it names, if anything, to read the frames or objects of its caller, or its check.

    A name that is put together while it runs is noticed there: see runner/lookout.py.
    """
    codes = [c for each in _own(fn) for code in transfer.codes(each) for c in _with_inner(code)]
    named = [name for code in codes for name in (*code.co_names, *_texts_in(code))]
    return next((name for name in named if name in _LOOKS or _CHECKS.match(name)), "")


def _texts_in(code: types.CodeType) -> list[str]:
    return [constant for constant in code.co_consts if isinstance(constant, str)]


def _own(fn: Any) -> list[Any]:
    """The function and the helpers that it reaches, whatever holds them, none of the harness's."""
    found: dict[int, Any] = {}
    waiting = [fn]
    while waiting:
        each = waiting.pop()
        if id(each) in found or (found and transfer.is_harness(each)):
            continue
        found[id(each)] = each
        waiting += [value for value in transfer.held(each) if transfer.is_written(value)]
    return list(found.values())


_ANSWERS = "harness.course.answers"
_ALSO_OURS = {"agent_turn": "run_turn"}  # what does all of the work under another name


def _hands_over(name: str, fn: Any) -> bool:
    """Whether it, or a helper of its, takes our solution from the harness to call it."""
    todo = todos.todo(name)
    used = transfer.used_globals(fn)
    own = _own(fn)
    if any(_same_code(each, ours) for each in own for ours in (todo.solution(), todo.written())):
        return True
    codes = [c for each in own for code in transfer.codes(each) for c in _with_inner(code)]
    if any(isinstance(c, str) and c.startswith(_ANSWERS) for code in codes for c in code.co_consts):
        return True  # imported by a text, or taken out of sys.modules
    asks_mine = any(name in code.co_consts for code in codes)  # mine("...") as text
    named = {step.argval for code in codes for step in dis.get_instructions(code)
             if step.opname == "LOAD_GLOBAL"}  # fmt: skip
    held = [value for key, value in used.items() if key in named]
    held += [value for each in own for value in transfer.held(each, by_name=False)]
    ours = {id(todo.solution()), id(todo.written())}
    if any(id(value) in ours or (asks_mine and _is_mine(value)) for value in held):
        return True
    wanted = {name, _ALSO_OURS.get(name, name), *(["mine"] if asks_mine else [])}
    return any(_imports(code, wanted) for code in codes)


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _with_inner(constant)


def _is_mine(value: Any) -> bool:
    return transfer.is_harness(value) and getattr(value, "__name__", "") == "mine"


def _imports(code: types.CodeType, wanted: set[str]) -> bool:
    """Whether it imports from the harness and takes one of these names there."""
    source = ""
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            source = str(step.argval).split(".")[0]
        taken = step.opname in ("IMPORT_FROM", "LOAD_ATTR", "LOAD_METHOD")
        if taken and source == "harness" and step.argval in wanted:
            return True
    return False


def _compiled_alone(ours: Any) -> list[types.CodeType]:
    """The code of a function, or of a class's methods, as a notebook compiles it: a call of
    `json.loads` comes out otherwise in a module that imports json at its top than in a cell.
    """
    namespace: dict[str, Any] = {}
    try:
        text = textwrap.dedent(inspect.getsource(ours))
        exec(compile(text, "<ours>", "exec"), {**vars(sys.modules[ours.__module__])}, namespace)
    except (OSError, TypeError, SyntaxError):
        return []
    return transfer.codes(namespace.get(ours.__name__))


def _essence(code: Any) -> tuple[Any, ...]:
    """A code object without its file, its lines and its docstring."""
    constants = code.co_consts[1:] if code.co_consts else ()
    inner = tuple(_essence(c) if hasattr(c, "co_code") else repr(c) for c in constants)
    return (_operations(code), code.co_names, code.co_varnames, inner)


def _operations(code: Any) -> list[str]:
    """What the code does, step by step, and to what; without offsets.

    `json.dumps(...)` compiles to another load where `import json` is in another cell.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname != "PUSH_NULL"]
    return [
        f"attribute {step.argval}"
        if step.opname in ("LOAD_METHOD", "LOAD_ATTR")
        else f"{step.opname} {step.argrepr}"
        if step.opname.endswith("_OP")
        else f"{step.opname} {step.argval!r}"
        if step.opname.startswith(_WITH_OPERANDS) and not hasattr(step.argval, "co_code")
        else step.opname
        for step in steps
    ]


_WITH_OPERANDS = ("LOAD_CONST", "LOAD_FAST", "STORE_FAST", "LOAD_GLOBAL", "FORMAT_", "CONVERT_")


def _defaults(fn: Any) -> tuple[Any, ...]:
    """The defaults of a function's parameters, which are no part of its code."""
    return getattr(fn, "__defaults__", None), getattr(fn, "__kwdefaults__", None)


def _stopped(outcome: worker.Outcome, fn: Any) -> Finding:
    """Why the child had to be stopped, or stopped by itself."""
    when = f", when {outcome.situation}" if outcome.situation else ""
    if outcome.ended == "memory":
        return Finding(
            "too_much_memory",
            f"It took more and more memory and was stopped{when}.",
            "Look for a list or a text that grows in a loop without end.",
        )
    if outcome.ended == "endless_loop":
        return Finding(
            "endless_loop",
            f"An endless loop: it did not come back within {worker.STEP_SECONDS:g} seconds and was "
            f"stopped{_where(outcome, fn)}{when}.",
            "Every loop needs an end: a reply without tool calls, the rounds, the clock.",
        )
    return Finding(
        "process_ended",
        f"It ended the whole process (os._exit, or a crash of the interpreter){when}.",
        "Return the answer instead; and look for a recursion without end.",
    )


def _where(outcome: worker.Outcome, fn: Any) -> str:
    file = transfer.file_of(fn)
    own = [line for name, line, where in outcome.where if name == file and where != "<module>"]
    line = next(iter(own), None)
    if line is None:
        return ""
    text = linecache.getline(file, line).strip()
    return f" in line {line}" + (f" (`{text}`)" if text else "")


def _failed(name: str, code: str, message: str, hint: str = "") -> Report:
    return Report(name, False, [Finding(code, message, hint)])
