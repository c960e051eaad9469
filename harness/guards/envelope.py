"""The authority envelope: what an agent may do, over seven axes, decided before it is done.

An envelope is data: grants, and denials that win over them. A grant speaks of all seven axes; an
axis that it does not name is denied, never unlimited. Envelopes that meet (a role's, a session's, a
subagent's) must all allow, so that meeting another never widens one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic import model_validator as validated

from harness.guards.effect import Effect, Reversibility, covered, no_worse

AXES = ("resource", "action", "destination", "reversibility", "time", "quantity", "approval")
TURN, HOUR, DAY = "turn", "hour", "tenant_day"
Verdict = Literal["allow", "deny", "ask"]


def _listed(value: Any) -> Any:
    """One name for a list of one; a list as a tuple."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


_Name = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.@+-]*(/[a-z0-9][a-z0-9_.@+-]*)*$")
]
_Names = Annotated[tuple[_Name, ...], BeforeValidator(_listed), Field(min_length=1)]
_Count = Annotated[int, Field(ge=0, strict=True)]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Quantity(_Data):
    """A tiered budget in one unit: an action, a turn, a user's hour, a tenant's day (UTC)."""

    unit: _Name
    action: _Count
    turn: _Count
    hour: _Count
    tenant_day: _Count

    @validated(mode="after")
    def _ordered(self) -> "Quantity":
        if not self.action <= self.turn <= self.hour <= self.tenant_day:
            raise ValueError("a tier is smaller than one inside it: action, turn, hour, tenant_day")
        return self


class Span(_Data):
    """From one moment until another, both with their zone; the end is not part of it."""

    start: AwareDatetime
    end: AwareDatetime

    @validated(mode="after")
    def _forwards(self) -> "Span":
        if self.end <= self.start:
            raise ValueError("it ends before it begins")
        return self


class Grant(_Data):
    """One permission. None is an axis that was not named, and is denied.

    `time` is "session" (as long as the session lasts) or a Span; `reversibility` the worst that may
    happen; `approval` "none", or "user": ask first.
    """

    resource: _Names | None = None
    action: _Names | None = None
    quantity: Quantity | None = None
    time: Literal["session"] | Span | None = None
    destination: _Names | None = None
    approval: Literal["none", "user"] | None = None
    reversibility: Reversibility | None = None

    def covers(self, effect: Effect) -> bool:
        """Whether resource, action, destination and reversibility allow this."""
        return self._refused(effect) is None

    def refusal(self, effect: Effect, at: datetime, used: "Used") -> tuple[str, str] | None:
        """The first axis that refuses, in the order of AXES, and why; None where none does."""
        return self._refused(effect) or self._when(at) or self._how_much(effect, used)

    def _refused(self, effect: Effect) -> tuple[str, str] | None:
        if refused := (
            _unnamed("resource", self.resource, effect.resource)
            or _unnamed("action", self.action, effect.action)
            or _unnamed("destination", self.destination, effect.destination)
        ):
            return refused
        if self.reversibility is None:
            return "reversibility", "is not named in the grant"
        if not no_worse(effect.reversibility, self.reversibility):
            return "reversibility", f"{effect.reversibility} is worse than {self.reversibility}"
        return None

    def _when(self, at: datetime) -> tuple[str, str] | None:
        if self.time is None:
            return "time", "is not named in the grant"
        if isinstance(self.time, Span) and not self.time.start <= at < self.time.end:
            early = at < self.time.start
            moment = self.time.start if early else self.time.end
            word = "begins" if early else "ended"
            return "time", f"the grant {word} at {moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        return None

    def _how_much(self, effect: Effect, used: "Used") -> tuple[str, str] | None:
        budget = self.quantity
        if budget is None or self.approval is None:
            axis = "quantity" if budget is None else "approval"
            return axis, "is not named in the grant"
        if effect.unit != budget.unit:
            return "quantity", f"{effect.unit} is asked for and {budget.unit} is granted"
        if not 0 < effect.amount <= budget.action:
            return "quantity", f"{effect.amount} at once, and {budget.action} is granted"
        for tier, limit in ((TURN, budget.turn), (HOUR, budget.hour), (DAY, budget.tenant_day)):
            spent = used.sum(tier, self, effect.unit)
            if spent + effect.amount > limit:
                return "quantity", f"{limit} {budget.unit} {_TIERS[tier]}, {spent} used already"
        return None


def _unnamed(axis: str, names: tuple[str, ...] | None, name: str) -> tuple[str, str] | None:
    if names is None:
        return axis, "is not named in the grant"
    return None if covered(names, name) else (axis, f"{name} is not granted")


class Denial(_Data):
    """What is refused whatever is granted. An axis that it does not name is meant whole."""

    resource: _Names | None = None
    action: _Names | None = None
    destination: _Names | None = None

    def covers(self, effect: Effect) -> bool:
        """Whether it forbids this."""
        return all(
            names is None or covered(names, name)
            for names, name in (
                (self.resource, effect.resource),
                (self.action, effect.action),
                (self.destination, effect.destination),
            )
        )


class Envelope(_Data):
    """Grants and denials under a name; `also` are other envelopes that must allow as well.

    `account` names the budget's turn where it is not the whole turn's: a subagent's run.
    """

    name: str = "envelope"
    grants: tuple[Grant, ...] = ()
    denials: tuple[Denial, ...] = ()
    also: tuple["Envelope", ...] = ()
    account: str = TURN

    def __hash__(self) -> int:
        """Cheap, for caches: of all grants it would cost more than what the caches spare."""
        return hash((self.name, self.account, len(self.grants), len(self.denials)))

    def __and__(self, other: "Envelope") -> "Envelope":
        """The intersection: allows what both allow, and never more."""
        return self.model_copy(update={"also": (*self.also, other)})

    def layers(self) -> Iterator["Envelope"]:
        """This envelope and all that must allow as well."""
        yield self
        for other in self.also:
            yield from other.layers()


@dataclass(frozen=True, slots=True)
class Spent:
    """So much of an effect was had already, in the budget period of this name."""

    period: str
    effect: Effect
    amount: int


@dataclass(frozen=True, slots=True)
class Used:
    """What was spent before, as one envelope counts it."""

    spent: Sequence[Spent] = ()
    account: str = TURN

    def sum(self, tier: str, grant: Grant, unit: str) -> int:
        """What this grant's budget of a tier has paid for."""
        period = self.account if tier == TURN else tier
        return sum(
            each.amount
            for each in self.spent
            if each.period == period and each.effect.unit == unit and grant.covers(each.effect)
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to a request: for deny and ask, which axis, which envelope, and why."""

    verdict: Verdict
    axis: str = ""
    why: str = ""
    envelope: str = ""


_ALLOW = Decision("allow")
_TIERS = {TURN: "a turn", HOUR: "an hour", DAY: "a day for the tenant"}


def decide(
    envelope: Envelope,
    effect: Effect,
    *,
    at: datetime | None = None,
    spent: Sequence[Spent] = (),
    approved: bool = False,
) -> Decision:
    """Allow, deny (which axis, why) or ask. Pure: the same request always has the same answer.

    `at` is the moment of the request, `spent` what was done before, `approved` whether the user
    has confirmed exactly this. Of several envelopes the first denial counts, then the first ask.
    """
    moment = at or datetime.now(UTC)
    asked = None
    for layer in envelope.layers():
        decision = _decide(layer, effect, moment, spent, approved)
        if decision.verdict == "deny":
            return decision
        asked = asked or (decision if decision.verdict == "ask" else None)
    return asked or _ALLOW


def _decide(
    layer: Envelope, effect: Effect, at: datetime, spent: Sequence[Spent], approved: bool
) -> Decision:
    for denial in layer.denials:
        if denial.covers(effect):
            axis = next((axis for axis in AXES if getattr(denial, axis, None)), "resource")
            why = f"{effect.action} {effect.resource} to {effect.destination} is forbidden"
            return Decision("deny", axis, why, layer.name)
    used, asked = Used(spent, layer.account), False
    refusals: list[tuple[str, str]] = []
    for grant in layer.grants:
        refused = grant.refusal(effect, at, used)
        if refused is not None:
            refusals.append(refused)
        elif grant.approval == "none" or approved:
            return _ALLOW
        else:
            asked = True
    if asked:
        return Decision("ask", "approval", "the user must confirm it first", layer.name)
    nothing = ("resource", f"nothing is granted for {effect.resource}")
    furthest = max(refusals, key=lambda refused: AXES.index(refused[0]), default=nothing)
    return Decision("deny", *furthest, layer.name)


def share_of(envelope: Envelope, share: float, account: str) -> Envelope:
    """The same grants with so much of each turn's budget, rounded down, paid from `account`."""

    def shared(layer: Envelope) -> Envelope:
        grants = tuple(_shared(grant, share) for grant in layer.grants)
        return layer.model_copy(update={"grants": grants, "also": (), "account": account})

    first, *others = map(shared, envelope.layers())
    return first.model_copy(update={"also": tuple(others)})


def _shared(grant: Grant, share: float) -> Grant:
    budget = grant.quantity
    if budget is None:
        return grant
    turn = int(budget.turn * min(1.0, max(0.0, share)))  # never more than the whole, nor of NaN
    less = budget.model_copy(update={"turn": turn, "action": min(budget.action, turn)})
    return grant.model_copy(update={"quantity": less})


def intersection(envelopes: Iterable[Envelope]) -> Envelope | None:
    """All of these at once; None for none of them."""
    whole = None
    for envelope in envelopes:
        whole = envelope if whole is None else whole & envelope
    return whole
