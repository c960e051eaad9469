"""What an envelope lets tools do at worst: the single action, the hour, the tenant's day.

Worked out before a run, from the envelope and from what the tools declare. It may say too much and
never too little: a tool that could fall under a grant is counted with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from harness.guards.effect import Effect, narrower, no_worse
from harness.guards.envelope import DAY, Denial, Envelope, Grant, Quantity, Span

_HARM = {"unchanged": 0, "reversible": 1, "irreversible": 2}


class Tool(Protocol):
    """What is looked at of a tool's contract."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def kinds(self) -> tuple[Effect, ...]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Reach:
    """One kind of effect that a tool can still have, and its budgets; `effect.amount` is at once.

    `ask` is whether the user has to confirm each one.
    """

    tool: str
    effect: Effect
    turn: int
    hour: int
    tenant_day: int
    ask: bool


@dataclass(frozen=True)
class WorstCase:
    """Everything within reach, and the worst of it.

    `action` is the worst single one; `hour` and `tenant_day` are the most that can change or leave,
    by unit: reading is not counted in them.
    """

    reaches: tuple[Reach, ...]
    action: Reach | None
    hour: dict[str, int]
    tenant_day: dict[str, int]


def worst_case(
    envelope: Envelope, tools: Iterable[Tool], *, at: datetime | None = None
) -> WorstCase:
    """The worst that these tools may do under an envelope, from `at` (now) on."""
    moment = at or datetime.now(UTC)
    found = tuple(
        reach for tool in tools for kind in tool.kinds
        for reach in reaches(tool.name, kind, envelope, moment)
    )  # fmt: skip
    harmful = [reach for reach in found if _matters(reach.effect)]
    units = sorted({reach.effect.unit for reach in harmful})
    return WorstCase(
        found,
        max(found, key=_harm, default=None),
        {unit: _most(envelope, harmful, unit, "hour") for unit in units},
        {unit: _most(envelope, harmful, unit, DAY) for unit in units},
    )


def _matters(effect: Effect) -> bool:
    return effect.changes or effect.destination != "model"


def _harm(reach: Reach) -> tuple[int, bool, bool, bool, int]:
    effect = reach.effect
    away = effect.destination.startswith("outside")
    own = effect.destination in ("model", "agent")
    return _HARM[effect.reversibility], away, not own, not reach.ask, effect.amount


def reaches(tool: str, kind: Effect, envelope: Envelope, at: datetime) -> list[Reach]:
    """What is left of a kind of effect under every layer of an envelope, from `at` on."""
    none = 10**12
    left = [Reach(tool, kind, none, none, none, False)]
    for layer in envelope.layers():
        left = [
            narrowed
            for reach in left
            for grant in layer.grants
            if (narrowed := _narrowed(reach, grant, at))
            and not any(_forbids(denial, narrowed.effect) for denial in layer.denials)
        ]
    return list(dict.fromkeys(left))


def _narrowed(reach: Reach, grant: Grant, at: datetime) -> Reach | None:
    effect, budget = reach.effect, grant.quantity
    over = isinstance(grant.time, Span) and grant.time.end <= at
    if budget is None or grant.time is None or grant.approval is None or over:
        return None
    if grant.reversibility is None or not no_worse(effect.reversibility, grant.reversibility):
        return None
    names = [
        _meeting(grant.resource, effect.resource),
        _meeting(grant.action, effect.action),
        _meeting(grant.destination, effect.destination),
    ]
    amount = min(effect.amount, budget.action)
    if budget.unit != effect.unit or amount < 1 or not all(names):
        return None
    resource, action, destination = (name or "" for name in names)
    return Reach(
        reach.tool,
        replace(effect, resource=resource, action=action, destination=destination, amount=amount),
        min(reach.turn, budget.turn),
        min(reach.hour, budget.hour),
        min(reach.tenant_day, budget.tenant_day),
        reach.ask or grant.approval == "user",
    )


def _meeting(names: tuple[str, ...] | None, name: str) -> str | None:
    """What a grant's names leave of a kind's: the widest of what they have in common."""
    common = [found for each in names or () if (found := narrower(each, name))]
    if name in common or len(common) == 1:
        return name if name in common else common[0]
    return name if common else None  # several below it: say the whole, which is too much at most


def _forbids(denial: Denial, effect: Effect) -> bool:
    return denial.covers(effect)


def _most(envelope: Envelope, reaches: list[Reach], unit: str, tier: str) -> int:
    """The most of a unit in a period: the layer that allows least decides."""
    return min(
        sum(
            getattr(grant.quantity, tier)
            for grant in layer.grants
            if isinstance(grant.quantity, Quantity)
            and grant.quantity.unit == unit
            and any(_touches(grant, reach.effect) for reach in reaches)
        )
        for layer in envelope.layers()
    )


def _touches(grant: Grant, effect: Effect) -> bool:
    named = ((grant.resource, effect.resource), (grant.action, effect.action),
             (grant.destination, effect.destination))  # fmt: skip
    return (
        all(any(narrower(each, name) for each in names or ()) for names, name in named)
        and grant.reversibility is not None
        and no_worse(effect.reversibility, grant.reversibility)
    )
