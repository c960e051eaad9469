"""What a tool call does to the world: the part of a request that the tool itself declares.

Names have levels, joined by `/`: `outside` covers `outside/acme.example`, never the other way.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

Reversibility = Literal["unchanged", "reversible", "irreversible"]
_RANKS = {name: rank for rank, name in enumerate(get_args(Reversibility))}


@dataclass(frozen=True, slots=True)
class Effect:
    """One kind of effect. `amount` counts `unit`: of a call, or at most, where a tool declares it.

    `destination` is where the effect lands or its text goes: model (the conversation), agent (the
    agent's own store), inside or outside the company. `reversibility` is the worst case.
    """

    resource: str
    action: str
    destination: str = "model"
    reversibility: Reversibility = "unchanged"
    amount: int = 1
    unit: str = "call"

    @property
    def changes(self) -> bool:
        """Whether anything is different after it."""
        return self.reversibility != "unchanged"

    @property
    def leaves(self) -> bool:
        """Whether it reaches beyond the conversation and the agent's own store."""
        return self.destination not in ("model", "agent")

    def __str__(self) -> str:
        return (
            f"{self.action} {self.resource}: {self.amount} {self.unit}, to {self.destination}, "
            f"{self.reversibility}"
        )


def covers(wider: str, name: str) -> bool:
    """Whether a name is this one or lies below it."""
    return name == wider or name.startswith(f"{wider}/")


def covered(names: Collection[str], name: str) -> bool:
    """Whether a name is one of these or lies below one."""
    return name in names or ("/" in name and any(covers(wider, name) for wider in names))


def narrower(one: str, other: str) -> str | None:
    """What two names have in common: the deeper of the two, or None."""
    if covers(one, other):
        return other
    return one if covers(other, one) else None


def no_worse(effect: Reversibility, ceiling: Reversibility) -> bool:
    """Whether an effect can be undone at least as well as the ceiling asks."""
    return _RANKS[effect] <= _RANKS[ceiling]


def within(effect: Effect, kind: Effect) -> bool:
    """Whether an effect is of a kind that was declared, and no larger."""
    return (
        covers(kind.resource, effect.resource)
        and effect.action == kind.action
        and covers(kind.destination, effect.destination)
        and no_worse(effect.reversibility, kind.reversibility)
        and effect.unit == kind.unit
        and 0 < effect.amount <= kind.amount
    )
