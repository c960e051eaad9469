"""The requests that `authorize` is checked with, a row each."""
# ruff: noqa: E501  (a table)

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
_EAST = timezone(timedelta(hours=9))
BUDGET: dict[str, Any] = {"unit": "crate", "action": 2, "turn": 4, "hour": 6, "tenant_day": 8}
_GRANT = {
    "resource": ["crate"],
    "action": ["move", "open"],
    "destination": ["yard", "town/docks"],
    "reversibility": "reversible",
    "time": "session",
    "quantity": BUDGET,
    "approval": "none",
}
REQUEST = {
    "resource": "crate",
    "action": "move",
    "destination": "yard",
    "reversibility": "reversible",
    "at": NOON,
    "amount": 1,
    "unit": "crate",
    "used": {"turn": 0, "hour": 0, "tenant_day": 0},
    "approved": False,
}


@dataclass(frozen=True)
class Case:
    """One request: what the situation is, and the code and hint where the verdict is another.

    Cases of a step are judged together, the steps in the order in which they come.
    """

    step: int
    situation: str
    envelope: dict[str, Any]
    request: dict[str, Any]
    verdict: str
    axis: str
    code: str
    hint: str
    refusers: tuple[str, ...] = ()  # where several grants refuse, each by an axis of its own


def grant(**changes: Any) -> dict[str, Any]:
    """A grant that allows the usual request, with these axes changed; None leaves one out."""
    return {axis: value for axis, value in {**_GRANT, **changes}.items() if value is not None}


def case(
    step: int,
    situation: str,
    verdict: str,
    code: str,
    hint: str,
    *grants: dict[str, Any],
    axis: str = "",
    denials: tuple[dict[str, Any], ...] = (),
    refusers: tuple[str, ...] = (),
    **request: Any,
) -> Case:
    """A case: the usual request with changes, under these grants (the usual one without any)."""
    envelope = {"grants": list(grants or [grant()]), "denials": list(denials)}
    asked = {**REQUEST, **request}
    return Case(step, situation, envelope, asked, verdict, axis, code, hint, refusers)


def _used(**amounts: int) -> dict[str, int]:
    return {"turn": 0, "hour": 0, "tenant_day": 0, **amounts}


_ALL_SEVEN = "All seven axes allow it, so does the answer."
_NAMED = "Each axis that the grant names must allow the request."
_FIRST = "The first of AXES that refuses."
_UNNAMED = "An axis that is not named is denied, never unlimited: look for all seven in the grant."
_BELOW = "covers(wider, name): a name covers itself and what lies below it, behind a slash."
_TIERS = "used[tier] + amount <= budget[tier], for turn, hour and tenant_day."
_SPAN = "start <= at < end."
_YES = "Ask only where nothing but the user's yes is missing."

CASES = (
    case(1, "all seven axes allow it", "allow", "granted_refused", _ALL_SEVEN),
    case(1, "the action is the second of a list", "allow", "granted_refused", _NAMED, action="open"),
    Case(1, "there is no grant at all", {"grants": [], "denials": []}, REQUEST, "deny", "resource",
         "allowed_without_grant", "No grant, no right."),
    case(11, "nothing changes, where a reversible effect is granted", "allow", "ceiling", "It is a "
          "ceiling: no_worse(request's, grant's).", reversibility="unchanged"),
    case(2, "another resource is asked for", "deny", "resource_ignored", _NAMED, axis="resource",
          resource="crane"),
    case(2, "another action is asked for", "deny", "action_ignored", _NAMED, axis="action",
          action="burn"),
    case(2, "it goes elsewhere", "deny", "destination_ignored", _NAMED, axis="destination",
          destination="sea"),
    case(2, "it can't be undone, and only what can is granted", "deny", "reversibility_ignored",
          "no_worse(request's, grant's).", axis="reversibility", reversibility="irreversible"),
    case(2, "more is asked for at once than is granted", "deny", "quantity_ignored",
          "amount <= budget['action'].", axis="quantity", amount=3),
    case(2, "it does something else, and elsewhere", "deny", "resource_ignored", _FIRST, axis="action",
          action="burn", destination="sea"),
    case(2, "the grant has ended", "deny", "time_ignored", _SPAN,
          grant(time=(NOON - timedelta(hours=2), NOON - timedelta(hours=1))), axis="time"),
    case(2, "the user must say yes and has not", "ask", "approval_ignored", _YES,
          grant(approval="user"), axis="approval"),
    case(12, "the user said yes, and it goes elsewhere", "deny", "yes_lifts_all",
          "A yes lifts the approval axis and no other.", grant(approval="user"), approved=True,
          destination="sea", axis="destination"),
    *(
        case(3, f"the grant does not name {axis}", "deny", "unnamed_allowed", _UNNAMED,
              grant(**{axis: None}), axis=axis)
        for axis in ("resource", "action", "destination", "reversibility", "time", "quantity")
    ),
    case(3, "the grant does not name approval", "deny", "unnamed_allowed", _UNNAMED,
          grant(approval=None), axis="approval", approved=True),
    case(3, "the grant does not name quantity, and it goes elsewhere", "deny", "unnamed_allowed", _FIRST,
          grant(quantity=None), axis="destination", destination="sea"),
    case(3, "the grant does not name resource, and it goes elsewhere", "deny", "unnamed_allowed", _FIRST,
          grant(resource=None), axis="resource", destination="sea"),
    case(4, "it goes below what is granted", "allow", "below_refused", _BELOW,
          destination="town/docks/berth-1"),
    case(4, "the name only begins like the granted one", "deny", "looks_alike", _BELOW,
          axis="destination", destination="yardarm"),
    case(4, "the name is the granted one in capitals", "deny", "looks_alike", _BELOW,
          axis="resource", resource="CRATE"),
    *(
        case(4, f"it is {effect}, and {ceiling} is granted", "allow" if fits else "deny", "ceiling",
              "It is a ceiling: no_worse(request's, grant's).", grant(reversibility=ceiling),
              axis="" if fits else "reversibility", reversibility=effect)
        for fits, pairs in (
            (True, (("reversible", "irreversible"), ("unchanged", "unchanged"),
                    ("irreversible", "irreversible"))),
            (False, (("reversible", "unchanged"), ("irreversible", "unchanged"))),
        )
        for effect, ceiling in pairs
    ),
    case(4, "it goes above what is granted", "deny", "above_allowed", _BELOW, axis="destination",
          destination="town"),
    case(4, "no single grant allows it, but their axes together would", "deny", "grants_mixed",
          "One grant must allow all seven axes by itself.",
          grant(resource=["boat"]), grant(action=["paint"]), refusers=("resource", "action")),
    case(4, "the second of two grants allows it", "allow", "first_grant_only",
          "Any one of the grants is enough.", grant(action=["paint"]), grant()),
    case(4, "the first of two grants allows it", "allow", "last_grant_only",
          "Any one of the grants is enough.", grant(), grant(action=["paint"])),
    case(5, "a denial forbids just this", "deny", "denial_ignored", "A denial wins over every grant.",
          axis="resource", denials=({"resource": ["crate"], "destination": ["yard"]},)),
    case(5, "a denial of the destination alone forbids it", "deny", "denial_ignored",
          "What a denial does not name it means whole.", axis="destination", denials=({"destination": ["yard"]},)),
    *(
        case(5, f"the {which} of two denials forbids it", "deny", "denial_ignored",
              "Every denial is asked.", axis="action", denials=pair)
        for which, pair in (
            ("first", ({"action": ["move"]}, {"action": ["burn"]})),
            ("second", ({"resource": ["boat"]}, {"action": ["move"]})),
        )
    ),
    case(5, "the second name of a denial's list is the one", "deny", "denial_ignored",
          "One name of the list is enough.", axis="action", denials=({"action": ["burn", "move"]},)),
    case(5, "a denial is about something else in one of its axes", "allow", "denial_too_wide",
          "A denial forbids where all that it names is met.",
          denials=({"resource": ["crate"], "destination": ["sea"]},)),
    case(5, "a denial forbids it, and the user said yes", "deny", "denial_ignored",
          "A denial wins over every grant.", grant(approval="user"),
          denials=({"action": ["move"]},), approved=True),
    case(5, "the request is of a day that is long past, within the grant's time", "allow", "clock",
          "request['at'] is the moment that counts, whatever the clock says.",
          grant(time=(NOON - timedelta(hours=1), NOON + timedelta(hours=1)))),
    case(6, "a denial forbids what lies above it, and so this", "deny", "denial_looks_alike", _BELOW,
          denials=({"destination": ["town"]},), destination="town/docks"),
    case(6, "the grant begins at this moment", "allow", "start_excluded", _SPAN,
          grant(time=(NOON, NOON + timedelta(hours=1)))),
    case(6, "the grant ends at this moment", "deny", "end_included", _SPAN,
          grant(time=(NOON - timedelta(hours=1), NOON)), axis="time"),
    case(6, "the grant has not begun", "deny", "time_ignored", _SPAN,
          grant(time=(NOON + timedelta(hours=1), NOON + timedelta(hours=2))), axis="time"),
    case(6, "the grant's times are in another zone", "allow", "zone_lost",
          "Compare the datetimes themselves: they know their zone.",
          grant(time=(datetime(2026, 5, 4, 20, 30, tzinfo=_EAST),
                       datetime(2026, 5, 4, 21, 30, tzinfo=_EAST)))),
    case(7, "the unit is another one", "deny", "unit_ignored", "3 crates are not 3 messages.",
          axis="quantity", unit="letter"),
    case(7, "the unit only looks like the granted one", "deny", "unit_ignored", "The unit, to the letter.",
          axis="quantity", unit="crates"),
    case(7, "the amount is negative", "deny", "amount_not_positive", "0 < amount.", axis="quantity",
          amount=-1),
    case(7, "the amount is 0", "deny", "amount_not_positive", "0 < amount.", axis="quantity", amount=0),
    case(7, "just as much is asked for at once as is granted", "allow", "budget_cut_short",
          "At most budget['action']: amount <= budget['action'].", amount=2),
    *(
        case(7, f"the budget of a {tier} is overdrawn already", "deny", "budget_ignored", _TIERS,
              axis="quantity", used=_used(**{tier: BUDGET[tier] + 1}))
        for tier in ("turn", "hour", "tenant_day")
    ),
    *(
        case(7, f"the budget of a {tier} would be overdrawn", "deny", "budget_ignored", _TIERS,
              axis="quantity", amount=2, used=_used(**{tier: BUDGET[tier] - 1}))
        for tier in ("turn", "hour", "tenant_day")
    ),
    case(7, "it uses up every budget exactly", "allow", "budget_cut_short", _TIERS, amount=2,
          used={"turn": 2, "hour": 4, "tenant_day": 6}),
    case(8, "the user has said yes", "allow", "yes_not_enough", _YES, grant(approval="user"),
          approved=True),
    case(8, "the user must say yes, and the time is over as well", "deny", "asks_in_vain", _YES,
          grant(approval="user", time=(NOON - timedelta(hours=2), NOON - timedelta(hours=1))),
          axis="time"),
    *(
        case(8, f"the user said yes, and the budget of a {tier} would be overdrawn", "deny",
              "yes_lifts_all", "A yes lifts the approval axis and no other.", grant(approval="user"),
              approved=True, axis="quantity", amount=2, used=_used(**{tier: BUDGET[tier] - 1}))
        for tier in ("turn", "hour", "tenant_day")
    ),
    case(8, "one grant asks for a yes and another needs none", "allow", "asks_though_allowed",
          "Any one of the grants is enough.", grant(approval="user"), grant()),
    case(8, "one grant asks for a yes, and another refuses", "ask", "no_ask_left",
          "Refused by one grant, it may still be asked under another.",
          grant(action=["paint"]), grant(approval="user"), grant(resource=["boat"])),
)  # fmt: skip
