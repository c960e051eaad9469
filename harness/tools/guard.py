"""The guarded call: authorise, validate, run, observe. Four steps, four kinds of error.

This is the boundary that holds whatever the loop above it looks like. `TOOLS[name][0](**args)` and
`dispatch` both end here.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from harness import trace
from harness.bounded import run_bounded
from harness.calls import PendingCall, canonical
from harness.errors import ToolError, WorkshopError
from harness.session import current_session, current_turn
from harness.tools.contract import ToolContract
from harness.tools.observe import disclose, to_text
from harness.turn import Turn

_CORRECT = "Correct that and call it again."
_AGAIN = "You already made this call; this is what it returned then. Use it, or do something else."


def guarded_call(
    contract: ToolContract, arguments: Mapping[str, Any], call: PendingCall | None = None
) -> str:
    """Run a tool under its contract and return the observation, a JSON string with "status": "ok".

    `call` is the model's tool call where dispatch knows it; otherwise the call that the model is
    waiting for is found by name and arguments. Raises ToolError for everything that goes wrong.
    """
    turn = current_turn()
    if turn and call is None:
        call = turn.claim(contract.name, arguments)
    if turn is None or call is None:  # by hand, outside of a turn: guarded, not recorded
        return to_text(_run(contract, arguments), contract.name)
    earlier = None if contract.repeatable else turn.recent_same(call)
    if earlier is not None:
        return _again(turn, call, earlier)
    return _recorded(turn, contract, arguments, call)


def _recorded(
    turn: Turn, contract: ToolContract, arguments: Mapping[str, Any], call: PendingCall
) -> str:
    started = trace.timer()
    try:
        whole = to_text(_run(contract, arguments), contract.name)
    except ToolError as error:
        turn.observe(call, f"ERROR: {error}", "error", started, error.kind)
        raise
    except BaseException:
        turn.observe(call, "ERROR: interrupted before it finished.", "interrupted", started)
        raise
    text = disclose(whole, contract, turn, call.id)
    turn.observe(call, text, "ok", started, whole=whole)
    return text


def _again(turn: Turn, call: PendingCall, earlier: PendingCall) -> str:
    """Give the stored observation back with a word about it, as it came: a result or an error."""
    stored = turn.repeat(call, earlier)
    if stored.startswith("ERROR: "):
        raise ToolError("failed", stored.removeprefix("ERROR: "), _AGAIN)
    value = json.loads(stored)
    return json.dumps({**value, "repeated": _AGAIN}, ensure_ascii=False)


def _run(contract: ToolContract, arguments: Mapping[str, Any]) -> Any:
    authorise(contract)
    model = validate(contract, arguments)
    values = {name: getattr(model, name) for name in type(model).model_fields}
    seconds = min(contract.timeout, current_session().seconds_left())
    try:
        value = run_bounded(lambda: contract.fn(**values), seconds)
    except ToolError:
        raise
    except TimeoutError as error:
        raise ToolError(
            "timeout", f"{contract.name} {error}.", "Ask for less, or go on without it."
        ) from error
    except WorkshopError as error:
        raise ToolError("failed", f"{contract.name}: {error.message}", error.hint) from error
    except (Exception, SystemExit) as error:
        first = (str(error).splitlines() or [""])[0][:500]
        raise ToolError(
            "failed",
            f"{contract.name} failed: {type(error).__name__}: {first}".rstrip(": "),
            "Change the arguments or use another tool.",
        ) from error
    if value is None or value == "":
        raise ToolError(
            "empty", f"{contract.name} returned nothing.", "Don't take that for success."
        )
    return value


def authorise(contract: ToolContract) -> None:
    """Refuse what this session may not do, whatever the prompt said."""
    current = current_session()
    if contract.tier == "write" and current.read_only:
        raise ToolError(
            "not_allowed",
            f"{contract.name} writes, and this session may only read.",
            "Answer without it, or say what you would have done.",
        )
    if contract.permission and contract.permission not in current.permissions():
        raise ToolError(
            "not_allowed",
            f"{contract.name} needs the permission {contract.permission!r}, "
            f"which the role {current.role!r} does not have.",
            "Answer without it, or say who could do it.",
        )


def validate(contract: ToolContract, arguments: Mapping[str, Any]) -> BaseModel:
    """The arguments as the contract types them. Raises ToolError naming every one that is wrong."""
    fields = contract.arguments.model_fields
    given = {
        name: value
        for name, value in arguments.items()
        if not (value is None and name in fields and not fields[name].is_required())
    }
    try:
        # As JSON, because that is what the model wrote: "2026-01-31" may then be a date.
        return contract.arguments.model_validate_json(canonical(given), strict=True)
    except ValidationError as error:
        details = error.errors()
        faults = "; ".join(_fault(detail, fields) for detail in details[:5])
        left_out = any(detail["type"] == "missing" for detail in details)
        hint = contract.missing if left_out and contract.missing else _CORRECT
        raise ToolError("bad_arguments", f"{contract.name}: {faults}.", hint) from error


def _fault(detail: Any, fields: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in detail["loc"]) or "the arguments"
    if detail["type"] == "extra_forbidden":
        known = ", ".join(fields) or "none"
        return f"unknown parameter {where!r} (it has: {known})"
    if detail["type"] == "missing":
        return f"parameter {where!r} is missing"
    got = repr(detail.get("input"))
    shown = got if len(got) <= 60 else got[:57] + "..."
    return f"parameter {where!r} is wrong: {detail['msg'].lower()}, not {shown}"
