"""The guarded call: validate, authorise, run, observe: each with its own kind of error.

This is the boundary that holds whatever the loop above it looks like. `TOOLS[name][0](**args)` and
`dispatch` both end here.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from pydantic import ValidationError

from harness.config import current_config
from harness.errors import ToolError, WorkshopError
from harness.excerpt import short_repr
from harness.guards import approval, outbound
from harness.guards.role_rights import role
from harness.guards.secrets import redact
from harness.model.timeout import run_bounded
from harness.model.tool_calls import ToolCall, canonical
from harness.run import recorder, trace
from harness.run.turn import INTERRUPTED, Turn
from harness.session import current_session
from harness.tools.authority import authorise
from harness.tools.contract import ToolContract
from harness.tools.observe import disclose, to_text

# The turn that a tool is running for: calls that the tool makes are not the model's.
_running_for: ContextVar[Turn | None] = ContextVar("workshop_running_for", default=None)
_SAID_ERROR = (
    '{"status": "error"',
    '{"status": "failed"',
)  # a result that reports failure, as exec_js's may
_REPEAT = "Make the call again with a JSON object."
_CORRECT = "Correct that and call it again."
_AGAIN = "You already made this call; this is what it returned then. Use it, or do something else."


def guarded_call(
    contract: ToolContract, arguments: Mapping[str, Any], call: ToolCall | None = None
) -> str:
    """Run a tool under its contract and return the observation, a JSON string with "status": "ok".

    The same call again runs again, unless it is in the same reply, or its tool declares a tier: a
    read is answered from the store while nothing may have changed, a write happens once.

    `call` is the model's tool call where dispatch knows it; otherwise the call that the model is
    waiting for is found by name and arguments. Raises ToolError for everything that goes wrong.
    """
    turn = recorder.current_turn()
    if turn and call is None and turn is not _running_for.get():
        call = recorder.claim(turn, contract.name, arguments)
    if turn is None or call is None or not recorder.is_of(turn, call):
        return _run(contract, arguments, None)  # by hand: guarded, not recorded
    earlier = None if contract.repeatable else turn.recent_same(call)
    if earlier is None or _approved_since(contract, turn, earlier):
        return _recorded(turn, contract, arguments, call)
    if earlier.round == call.round or _still_holds(contract, earlier):
        return _again(turn, call, earlier)
    return _recorded(turn, contract, arguments, call)


def runs_for_a_turn() -> bool:
    """Whether this is inside of a tool that the model of a turn has called."""
    return _running_for.get() is not None


def _approved_since(contract: ToolContract, turn: Turn, earlier: ToolCall) -> bool:
    return earlier.kind == approval.KIND and approval.is_granted(contract.name, turn.thread_id)


def _still_holds(contract: ToolContract, earlier: ToolCall) -> bool:
    """Whether what a tool brought in an earlier round answers the same call now.

    Only what a tool declares can say so: a read brings the same again while nothing changed, a
    write is to happen once. A call that failed is made again where that does no harm; one that may
    still be at work is not, unless its tool says that it may be.
    """
    harmless = contract.tier == "read" or contract.idempotent is True
    unknown = earlier.ran and earlier.unknown
    if harmless and (unknown or (earlier.ran and earlier.status == "error")):
        return False
    return contract.tier is not None or unknown


def _recorded(
    turn: Turn, contract: ToolContract, arguments: Mapping[str, Any], call: ToolCall
) -> str:
    started = trace.timer()
    call.reads, call.repeatable = contract.tier == "read", contract.repeatable
    inside = _running_for.set(turn)
    try:
        if call.arguments is None and not arguments:  # a loop that takes bad JSON for no arguments
            raise ToolError("bad_arguments", f"{contract.name} was not run: {call.fault}.", _REPEAT)
        whole = _run(contract, arguments, turn, call)
    except ToolError as error:
        recorder.observe(turn, call, f"ERROR: {error}", "error", started, error.kind)
        raise
    except BaseException:
        recorder.observe(turn, call, INTERRUPTED, "interrupted", started)
        raise
    finally:
        _running_for.reset(inside)
    text = disclose(whole, contract, turn, call.id)
    status = "error" if whole[:40].lower().startswith(_SAID_ERROR) else "ok"
    recorder.observe(turn, call, text, status, started, whole=whole)
    return text


def _again(turn: Turn, call: ToolCall, earlier: ToolCall) -> str:
    """Give the stored observation back with a word about it, as it came: a result or an error."""
    stored = recorder.repeat(turn, call, earlier)
    if stored.startswith("ERROR: "):
        raise ToolError("failed", stored.removeprefix("ERROR: "), _AGAIN)
    value = json.loads(stored)
    value.pop("instructions", None)  # once a turn is enough
    return json.dumps({**value, "repeated": _AGAIN}, ensure_ascii=False)


def _run(
    contract: ToolContract,
    arguments: Mapping[str, Any],
    turn: Turn | None,
    call: ToolCall | None = None,
) -> str:
    """The whole text of what the tool returned. Making text of it is part of the bounded work."""
    may_use(contract)
    values = outbound.arguments(validate(contract, arguments), contract.kinds)
    announce = partial(recorder.write_down, turn) if turn else None
    with _judged(contract):
        authorise(contract, values, announce)
    if announce:
        announce()  # where nothing was charged in the store
    seconds = min(contract.timeout, current_session().seconds_left())
    if call:
        call.ran = True
    try:
        return run_bounded(lambda: _returned(contract, values), seconds)
    except ToolError:
        raise
    except TimeoutError as error:
        raise ToolError(
            "timeout",
            f"{contract.name} {_first_line(error) or 'timed out'}.",
            "Ask for less, or go on without it.",
        ) from error
    except WorkshopError as error:
        raise ToolError(
            "failed", f"{contract.name}: {redact(error.message)}", error.hint
        ) from error
    except Exception as error:
        raise _failed(contract, error) from error


@contextmanager
def _judged(contract: ToolContract) -> Iterator[None]:
    """What can't be decided is not done: whatever goes wrong here is a refusal."""
    try:
        yield
    except ToolError:
        raise
    except Exception as error:
        why = error.message if isinstance(error, WorkshopError) else _first_line(error)
        raise ToolError(
            "failed",
            f"{contract.name} was not run: its effect could not be judged ({redact(why)})",
            "Go on without it.",
        ) from error


def _failed(contract: ToolContract, error: BaseException) -> ToolError:
    why = f"{type(error).__name__}: {_first_line(error)}".removesuffix(": ")
    return ToolError(
        "failed", f"{contract.name} failed: {why}", "Change the arguments or use another tool."
    )


def _returned(contract: ToolContract, values: dict[str, Any]) -> str:
    try:
        value = contract.fn(**values)
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit, CancelledError: the tool's own, not the turn's
        raise _failed(contract, error) from error
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ToolError(
            "empty", f"{contract.name} returned nothing.", "Don't take that for success."
        )
    return redact(to_text(value, contract.name))


def _first_line(error: BaseException) -> str:
    """What an exception says, bounded and without secrets; "" where it says nothing."""
    try:
        lines = str(error).strip().splitlines()
    except KeyboardInterrupt:
        raise
    except BaseException:  # its own __str__ raises
        return ""
    return redact(lines[0][:500]) if lines else ""


def may_use(contract: ToolContract) -> None:
    """Refuse a tool that this turn, session or role may not use, whatever the prompt said."""
    current, tools = current_session(), current_config().tools
    if tools is not None and contract.name not in tools:
        raise ToolError(
            "not_allowed", f"{contract.name} is not among the tools of this turn.", "Go on without."
        )
    if contract.tier != "read" and current.read_only:
        what = "writes" if contract.tier == "write" else "is not declared to read only"
        raise ToolError(
            "not_allowed",
            f"{contract.name} {what}, and this session may only read.",
            "Answer without it, or say what you would have done.",
        )
    if contract.permission and contract.permission not in role(current.role).permissions:
        raise ToolError(
            "not_allowed",
            f"{contract.name} needs the permission {contract.permission!r}, "
            f"which the role {current.role!r} does not have.",
            "Answer without it, or say who could do it.",
        )


def validate(contract: ToolContract, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the contract types them, defaults filled in.

    Raises ToolError naming every one that is wrong.
    """
    fields = contract.fields
    given = {
        name: _whole(value)
        for name, value in arguments.items()
        if not (value is None and name in fields and not fields[name].is_required())
    }
    try:
        # As JSON, because that is what the model wrote: "2026-01-31" may then be a date.
        model = contract.arguments.model_validate_json(canonical(given), strict=True)
    except ValidationError as error:
        details = error.errors()
        faults = "; ".join(_fault(detail, fields) for detail in details[:5])
        left_out = any(detail["type"] == "missing" for detail in details)
        hint = contract.missing if left_out and contract.missing else _CORRECT
        raise ToolError("bad_arguments", f"{contract.name}: {faults}.", hint) from error
    return {
        parameter: getattr(model, field) for parameter, field in contract.parameter_fields.items()
    }


def _whole(value: Any) -> Any:
    """3.0 as 3: JSON Schema calls both an integer, and some models write the first."""
    exact = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if exact else value


def _fault(detail: Any, fields: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in detail["loc"]) or "the arguments"
    if detail["type"] == "extra_forbidden":
        known = ", ".join(fields) or "none"
        return f"unknown parameter {where!r} (it has: {known})"
    if detail["type"] == "missing":
        return f"parameter {where!r} is missing"
    rule = detail["msg"][:1].lower() + detail["msg"][1:]  # the values it names keep their case
    return f"parameter {where!r} is wrong: {rule}, not {short_repr(detail.get('input'))}"
