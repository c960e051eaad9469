"""Requests that `authorize` is checked with, made from every axis and every pair of them."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from harness.course.staging.authority_cases import BUDGET, NOON, REQUEST, Case, case, grant
from harness.guards.envelope import AXES
from harness.guards.role_rights import role, role_files

# What a grant has where it refuses the usual request by this axis.
_REFUSING: dict[str, Any] = {
    "resource": ["boat"],
    "action": ["paint", "burn"],
    "destination": ["attic", "yards"],
    "reversibility": "unchanged",
    "time": (NOON - timedelta(hours=2), NOON - timedelta(hours=1)),
    "quantity": {**BUDGET, "unit": "letter"},
    "approval": "user",
}
_FIRST = "The first of AXES that refuses."
_ONE = "One grant must allow all seven axes by itself."
_YES = "Ask only where nothing but the user's yes is missing."
_EVERY = "Every name is compared: none is special."
_DENIAL = "A denial forbids where all that it names is met: covers(its name, the request's)."


def grid() -> list[Case]:
    """Every case, to be looked at where the hand-made ones found nothing."""
    return [*_pairs(), *_with_a_yes(), *_denials(), *_real_names(), *_odd_ones()]


def _pairs() -> Iterator[Case]:
    """Two axes that refuse: of one grant, then of two."""
    for one, other in itertools.combinations(AXES, 2):
        refusing = {axis: _REFUSING[axis] for axis in (one, other)}
        what = f"a grant's {one} refuses, and so does its {other}"
        yield case(9, what, "deny", f"{one}_ignored", _FIRST, grant(**refusing), axis=one)
        grants = [grant(**{axis: value}) for axis, value in refusing.items()]
        asks = other == "approval"
        yield case(
            9,
            f"one grant's {one} refuses, and another grant's {other}"
            + (" wants a yes" if asks else ""),
            "ask" if asks else "deny",
            "no_ask_left" if asks else "grants_mixed",
            _YES if asks else _ONE,
            *grants,
            refusers=() if asks else (one, other),
            axis="approval" if asks else "",
        )


def _with_a_yes() -> Iterator[Case]:
    """The yes lifts approval only, and is asked for only where it is all that is missing."""
    for axis in AXES[:-1]:
        for how, value in (("refuses", _REFUSING[axis]), ("is not named", None)):
            asked = grant(**{axis: value, "approval": "user"})
            what = f"its {axis} {how}"
            yield case(
                9,
                f"{what}, and the user must say yes",
                "deny",
                "asks_in_vain",
                _YES,
                asked,
                axis=axis,
            )
            yield case(
                9, f"{what}, and the user has said yes", "deny", "yes_lifts_all",
                "A yes lifts the approval axis and no other.", asked, axis=axis, approved=True,
            )  # fmt: skip
    yield case(
        9, "approval is not named, and nobody has said yes", "deny", "unnamed_allowed",
        "An axis that is not named refuses: nothing to ask for.", grant(approval=None),
        axis="approval",
    )  # fmt: skip


def _denials() -> Iterator[Case]:
    """Denials that do not meet the request, each by something else."""
    met = {"resource": ["crate"], "action": ["move"], "destination": ["yard"]}
    for axis, names in (
        *((axis, ["boat", "sea"]) for axis in met),
        ("destination", ["yard/gate"]),
        ("destination", ["yar", "yards", "YARD"]),
        ("resource", ["crate/7"]),
    ):
        for denial in ({axis: names}, {**met, axis: names}):
            yield case(
                9, f"a denial is of the {axis} {', '.join(names)}, which is another one", "allow",
                "denial_too_wide", _DENIAL, denials=(denial,),
            )  # fmt: skip
    yield case(
        9, "two denials are met by halves", "allow", "denial_too_wide", _DENIAL,
        denials=(
            {"resource": ["crate"], "destination": ["sea"]},
            {"resource": ["boat"], "destination": ["yard"]},
        ),
    )  # fmt: skip


def _real_names() -> Iterator[Case]:
    """Every name that a role grants, asked for under a grant of another: none is a special one."""
    for axis in ("resource", "action", "destination"):
        granted = (
            getattr(one, axis) for each in role_files() for one in role(each).envelope.grants
        )
        named = dict.fromkeys(name for names in granted for name in names or ())
        for name in named:
            wanted: dict[str, Any] = {axis: name}
            below: dict[str, Any] = {axis: f"{name}/a.example"}
            for asked in (wanted, below):
                what = f"it asks for the {axis} {asked[axis]!r}, and others are granted"
                yield case(9, what, "deny", f"{axis}_ignored", _EVERY, axis=axis, **asked)
            what = f"its {axis} is {name!r}, and that is granted"
            yield case(
                9, what, "allow", "granted_refused", _EVERY, grant(**{axis: [name]}), **wanted
            )
    yield case(
        9, "the grant's destination is '*'", "deny", "looks_alike",
        "A star is a name like any other, and covers nothing else.", grant(destination=["*"]),
        axis="destination",
    )  # fmt: skip


def _odd_ones() -> Iterator[Case]:
    """An envelope without the key "denials"; a name far below what is granted."""
    plain = case(9, "the envelope has no denials at all", "allow", "denials_missing",
                 'envelope["denials"] may not be there: envelope.get("denials", []).')  # fmt: skip
    yield replace(plain, envelope={"grants": plain.envelope["grants"]}, request=dict(REQUEST))
    yield case(
        9, "it uses up every budget exactly, far below the resource that is granted", "allow",
        "budget_cut_short", "used[tier] + amount <= budget[tier].", resource="crate/7/left",
        amount=2, used={"turn": 2, "hour": 4, "tenant_day": 6},
    )  # fmt: skip
