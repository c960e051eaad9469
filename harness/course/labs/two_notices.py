"""The laboratory of part 10: two notices that one tool sends, and whoever judges them before."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from harness.databases import outbox
from harness.errors import ToolError
from harness.guards.effect import Effect
from harness.guards.role_rights import role
from harness.session import session
from harness.tools.operations import TOOLKIT  # importing them puts them into TOOLS
from harness.tools.toolbox import TOOLS

Judge = Callable[[str, dict[str, Any]], Any]

COLLEAGUE, NEWSPAPER = "desk@harbourline.example", "press@elsewhere.example"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
_TOOL = {tool.contract.name: tool.contract for tool in TOOLKIT}


def call(name: str, **arguments: Any) -> Any:
    """Call a tool, and give what the model would read."""
    try:
        return json.loads(TOOLS[name][0](**arguments))
    except ToolError as error:
        return f"ERROR: {error}"


def rights_of(name: str) -> dict[str, Any]:
    """A role's envelope as a plain dict: what `authorize` is given."""
    return role(name).envelope.model_dump(mode="json", include={"grants", "denials"})


def request_to_send(address: str) -> dict[str, Any]:
    """What is asked for when a notice to this address is to be sent: what `authorize` is given."""
    with _dispatcher():
        return _request(_drafted(address))


def at_the_desk(judge: Judge) -> dict[str, str]:
    """Draft both notices, ask `judge(tool, request)` about each, and send what it allows.

    Nothing else stands in the way here. Returns for each address "sent", as the outbox has it, or
    the verdict because of which it was not.
    """
    came = {}
    with _dispatcher():
        for address in (COLLEAGUE, NEWSPAPER):
            notice = _drafted(address)
            verdict = judge("send_notice", _request(notice))
            said = verdict if isinstance(verdict, str) else verdict[0]
            if said == "allow":
                _TOOL["send_notice"].fn(notice_id=notice)
            row = outbox.entry("notice", int(notice[2:]))
            came[address] = "sent" if row and row.status == "sent" else said
            print(f"to {address:<26}{said:<7}in the outbox: {row.status if row else 'gone'}")
    return came


def _dispatcher() -> Any:
    return session(user="the desk", role="dispatcher", tenant="part 10, the desk")


def _drafted(address: str) -> str:
    body = "It will be late: the engine has failed."
    made = _TOOL["draft_notice"].fn(to=address, subject="Voyage 1479", body=body)
    return str(made["notice_id"])


def _request(notice: str) -> dict[str, Any]:
    """The effect that the tool declares, with the moment and what was spent before."""
    declared: Any = _TOOL["send_notice"].effect_of
    effect: Effect = declared(notice_id=notice)
    return {
        "resource": effect.resource,
        "action": effect.action,
        "destination": effect.destination,
        "reversibility": effect.reversibility,
        "at": NOON,
        "amount": effect.amount,
        "unit": effect.unit,
        "used": {"turn": 0, "hour": 0, "tenant_day": 0},
        "approved": False,
    }
