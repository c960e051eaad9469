"""The session's envelope over one call, between validation and run."""

from typing import Any

from harness import clock
from harness.errors import ToolError
from harness.guards import ledger
from harness.guards.effect import Effect, within
from harness.guards.envelope import Decision, Envelope, decide
from harness.guards.roles import role
from harness.guards.worst_case import worst_case
from harness.session import Session, current_question, current_session
from harness.tools.contract import ToolContract

_INSTEAD = "Answer without it, or say who could do it."


def in_force(session: Session) -> Envelope:
    """What may be done now: what the user's role allows, and the envelope given to the agent."""
    own = role(session.role).envelope
    return own if session.envelope is None else own & session.envelope


def permit(contract: ToolContract, values: dict[str, Any]) -> None:
    """Let a call with these arguments go on, and charge it to the budgets.

    Raises ToolError: not_allowed with the axis that denies.
    """
    effect, session, at = effect_of(contract, values), current_session(), clock.utc()
    envelope, question = in_force(session), current_question()
    account = ledger.Account(
        session.tenant, session.user, question.id if question else "", session.runs
    )
    decision = ledger.charge(
        effect, account, at, lambda spent: decide(envelope, effect, at=at, spent=spent)
    )
    if decision.verdict != "allow":
        raise refused(contract, decision)


def offered(contract: ToolContract) -> bool:
    """Whether this role and envelope could ever let the tool do something, whatever is used up."""
    session = current_session()
    if contract.permission and contract.permission not in role(session.role).permissions:
        return False
    return bool(worst_case(in_force(session), [contract], at=clock.utc()).reaches)


def effect_of(contract: ToolContract, values: dict[str, Any]) -> Effect:
    """The effect that this call would have. Raises ToolError where it is none that was declared."""
    if contract.effect_of is None:
        return contract.kinds[0]
    effect = contract.effect_of(**values)
    if not any(within(effect, kind) for kind in contract.kinds):
        raise ToolError(
            "not_allowed", f"{contract.name} would do what it never declared.", _INSTEAD
        )
    return effect


def refused(contract: ToolContract, decision: Decision) -> ToolError:
    """A denial in the words that the model reads."""
    return ToolError(
        "not_allowed",
        f"{contract.name} is outside of what is granted ({decision.envelope}), "
        f"{decision.axis}: {decision.why}.",
        _INSTEAD,
    )
