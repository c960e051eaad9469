"""The check of authorize: right versions of another make pass."""

from datetime import timedelta

import pytest

from harness.checks import evaluate
from harness.course.answers.answers_10 import authorize as ours
from harness.guards.effect import Effect, covers, no_worse
from harness.guards.envelope import AXES, Spent, decide
from tests.properties import given, settings, st
from tests.test_envelope import NOW, envelopes

RIGHT = """
def authorize(envelope, request):
    for denial in envelope.get("denials", []):
        if all(any(covers(n, request[a]) for n in denial[a]) for a in denial):
            return "deny", list(denial)[0]
    best, asks = "resource", False
    for grant in envelope["grants"]:
        axis = first_refusal(grant, request)
        if axis == "":
            return "allow", ""
        if axis == "yes":
            asks = True
        elif AXES.index(axis) > AXES.index(best):
            best = axis
    return ("ask", "approval") if asks else ("deny", best)

def first_refusal(grant, request):
    for axis in ("resource", "action", "destination"):
        if not any(covers(name, request[axis]) for name in grant.get(axis, [])):
            return axis
    ceiling = grant.get("reversibility")
    if ceiling is None or not no_worse(request["reversibility"], ceiling):
        return "reversibility"
    if "time" not in grant:
        return "time"
    if grant["time"] != "session":
        start, end = grant["time"]
        if request["at"] < start or request["at"] >= end:
            return "time"
    budget, amount = grant.get("quantity"), request["amount"]
    if not budget or budget["unit"] != request["unit"]:
        return "quantity"
    if amount < 1 or amount > budget["action"]:
        return "quantity"
    for tier in ("turn", "hour", "tenant_day"):
        if request["used"][tier] + amount > budget[tier]:
            return "quantity"
    if "approval" not in grant:
        return "approval"
    if grant["approval"] == "user" and not request["approved"]:
        return "yes"
    return ""
"""


def in_steps():
    names = {"__name__": "__main__", "AXES": AXES, "covers": covers, "no_worse": no_worse}
    exec(RIGHT, names)
    return names["authorize"]


def by_sets(envelope, request):
    """Another make: every grant's refusals at once, then a choice among them."""
    met = [
        denial
        for denial in envelope.get("denials", [])
        if all(any(covers(n, request[a]) for n in names) for a, names in denial.items())
    ]
    if met:
        return ["deny", next(iter(met[0]))]
    refusals = []
    for grant in envelope["grants"]:
        bad = [axis for axis in AXES if axis not in grant]
        bad += [
            axis
            for axis in ("resource", "action", "destination")
            if axis in grant and all(not covers(n, request[axis]) for n in grant[axis])
        ]
        if "reversibility" in grant and not no_worse(
            request["reversibility"], grant["reversibility"]
        ):
            bad.append("reversibility")
        if isinstance(grant.get("time"), tuple) and not (
            grant["time"][0] <= request["at"] < grant["time"][1]
        ):
            bad.append("time")
        budget = grant.get("quantity")
        if budget:
            room = min(budget["action"], *(budget[t] - request["used"][t] for t in request["used"]))
            if budget["unit"] != request["unit"] or request["amount"] not in range(1, room + 1):
                bad.append("quantity")
        refusals.append(
            bad or (["yes"] if grant["approval"] == "user" and not request["approved"] else [])
        )
    if [] in refusals:
        return ["allow", ""]
    if ["yes"] in refusals:
        return ["ask", "approval"]
    axes = [min(bad, key=AXES.index) for bad in refusals]
    return ["deny", max(axes, key=AXES.index) if axes else "resource"]


@pytest.mark.parametrize("fn", [in_steps(), by_sets, ours])
def test_a_right_version_passes_however_it_is_written(fn):
    report = evaluate("authorize", fn)
    assert report.passed, str(report)


effects = st.builds(
    Effect,
    st.sampled_from(["a", "a/x", "ab"]),
    st.sampled_from(["read", "send"]),
    st.sampled_from(["a", "b", "a/x"]),
    st.sampled_from(["unchanged", "reversible", "irreversible"]),
    st.integers(0, 3),
    st.sampled_from(["call", "notice"]),
)


@settings(max_examples=200)
@given(envelopes, effects, st.integers(-1, 2), st.tuples(*[st.integers(0, 3)] * 3), st.booleans())
def test_ours_and_the_harness_s_decide_alike(envelope, effect, hours, used, approved):
    at = NOW + timedelta(hours=hours)
    tiers = dict(zip(("turn", "hour", "tenant_day"), used, strict=True))
    spent = [Spent(tier, effect, amount) for tier, amount in tiers.items()]
    request = {
        "resource": effect.resource,
        "action": effect.action,
        "destination": effect.destination,
        "reversibility": effect.reversibility,
        "amount": effect.amount,
        "unit": effect.unit,
        "at": at,
        "approved": approved,
        "used": tiers,
    }
    verdict, _ = ours(_plain(envelope), request)
    decision = decide(envelope, effect, at=at, spent=spent, approved=approved)
    assert verdict == decision.verdict


def _plain(envelope):
    grants = []
    for grant in envelope.grants:
        data = grant.model_dump(exclude_none=True)
        if isinstance(data["time"], dict):
            data["time"] = (data["time"]["start"], data["time"]["end"])
        grants.append(data)
    denials = [
        denial.model_dump(exclude_none=True) or {"resource": ["a", "ab", "b"]}
        for denial in envelope.denials
    ]
    return {"grants": grants, "denials": denials}
