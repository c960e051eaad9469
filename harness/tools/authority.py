"""The session's envelope over one call, between validation and run."""

from datetime import datetime
from functools import lru_cache
from typing import Any

from harness import clock
from harness.errors import ToolError
from harness.guards import approval, ledger
from harness.guards.effect import Effect, within
from harness.guards.envelope import Decision, Envelope, decide
from harness.guards.role_rights import role
from harness.guards.worst_case import reaches
from harness.model.tool_calls import canonical
from harness.session import Session, current_question, current_session
from harness.tools.contract import ToolContract

_INSTEAD = "Answer without it, or say who could do it."


def granted(session: Session) -> Envelope:
    """What may be done now: what the user's role allows, and the envelope given to the agent."""
    own = role(session.role).envelope
    return own if session.envelope is None else own & session.envelope


def account_of(session: Session) -> ledger.Account:
    """Who pays for what is done now; a subagent's work is charged to its caller's turn too."""
    question = current_question()
    turn = session.root or (question.id if question else "")
    return ledger.Account(session.tenant, session.user, turn, session.runs)


def authorise(
    contract: ToolContract, values: dict[str, Any], announce: ledger.Announce | None = None
) -> None:
    """Let a call with these arguments go on, and charge it to the budgets.

    What is charged in the agent's state is announced there in the same transaction. Raises
    ToolError: not_allowed with the axis that denies, needs_approval where the user is asked.
    """
    effect, session, at = effect_of(contract, values), current_session(), clock.utc()
    envelope = granted(session)
    account = account_of(session)
    decision = ledger.charge(
        effect, account, at, lambda spent: decide(envelope, effect, at=at, spent=spent), announce
    )
    if decision.verdict == "ask":
        decision = _asked(contract, values, effect, account, at)
    if decision.verdict != "allow":
        raise refused(contract, decision)


def _asked(
    contract: ToolContract,
    values: dict[str, Any],
    effect: Effect,
    account: ledger.Account,
    at: datetime,
) -> Decision:
    """What comes of a call that the user must confirm. Raises NeedsApproval until they have."""
    session, question = current_session(), current_question()
    envelope, thread = granted(session), question.thread_id if question else ""
    if session.runs:
        why = "a subagent can't ask the user; give the result back and let the caller do it"
        return Decision("deny", "approval", why, envelope.name)
    arguments = canonical(values)
    words = contract.preview(**values) if contract.preview else f"{contract.name} {arguments}"
    words = f"{words} ({effect.destination}, {effect.reversibility})"
    if not approval.take(contract.name, arguments, effect, words, thread):
        asked = approval.request(contract.name, arguments, effect, words, thread)
        raise approval.NeedsApproval(asked)
    return ledger.charge(
        effect,
        account,
        at,
        lambda spent: decide(envelope, effect, at=at, spent=spent, approved=True),
    )


def offered(contract: ToolContract) -> bool:
    """Whether this role and envelope could ever let the tool do something, whatever is used up."""
    session = current_session()
    if contract.permission and contract.permission not in role(session.role).permissions:
        return False
    minute = clock.utc().replace(second=0, microsecond=0)  # `authorise` looks at the very moment
    return _in_reach(granted(session), contract.name, contract.kinds, minute)


@lru_cache(maxsize=1_000)
def _in_reach(envelope: Envelope, tool: str, kinds: tuple[Effect, ...], at: datetime) -> bool:
    return any(reaches(tool, kind, envelope, at) for kind in kinds)


def effect_of(contract: ToolContract, values: dict[str, Any]) -> Effect:
    """The effect that this call would have. Raises ToolError where the tool never declared it."""
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
