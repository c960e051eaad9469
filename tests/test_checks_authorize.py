# ruff: noqa: E501  (the versions stand as learners write them)
"""The check of authorize: wrong versions, made of a right one, and right ones of another make."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.checks import evaluate
from harness.course.answers.answers_10 import authorize as ours
from harness.guards.effect import Effect, covers, no_worse
from harness.guards.envelope import AXES, Spent, decide
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
    missing = [axis for axis in AXES if axis not in grant]
    if missing:
        return missing[0]
    for axis in ("resource", "action", "destination"):
        if not any(covers(name, request[axis]) for name in grant[axis]):
            return axis
    if not no_worse(request["reversibility"], grant["reversibility"]):
        return "reversibility"
    if grant["time"] != "session":
        start, end = grant["time"]
        if request["at"] < start or request["at"] >= end:
            return "time"
    budget, amount = grant["quantity"], request["amount"]
    if budget["unit"] != request["unit"]:
        return "quantity"
    if amount < 1 or amount > budget["action"]:
        return "quantity"
    for tier in ("turn", "hour", "tenant_day"):
        if request["used"][tier] + amount > budget[tier]:
            return "quantity"
    if grant["approval"] == "user" and not request["approved"]:
        return "yes"
    return ""
"""
SKIP = '    for axis in ("resource", "action", "destination"):'
WRONG = {
    "not_written": (
        ("    for denial in", "    raise NotImplementedError('yours')\n    for denial in"),
    ),
    "shape": (('return "allow", ""', "return True"),),
    "shape nothing": (('return "allow", ""', "return None"),),
    "signature": (("(envelope, request):\n    for denial", "(request):\n    for denial"),),
    "input_changed": (("    best, asks", "    envelope['grants'].reverse()\n    best, asks"),),
    "granted_refused": (
        (
            'if axis == "":',
            'if axis == "" and request["action"] != "open":\n            return "deny", "action"\n        if axis == "":',
        ),
    ),
    "crash": (('if axis == "":', 'if axis == "x":'),),
    "allowed_without_grant": (
        (
            "    best, asks",
            "    if not envelope['grants']:\n        return 'allow', ''\n    best, asks",
        ),
    ),
    "ceiling": (
        (
            'not no_worse(request["reversibility"], grant["reversibility"])',
            "request['reversibility'] != grant['reversibility']",
        ),
    ),
    "resource_ignored": ((SKIP, SKIP.replace('"resource", ', "")),),
    "action_ignored": ((SKIP, SKIP.replace('"action", ', "")),),
    "destination_ignored": ((SKIP, SKIP.replace(', "destination"', "")),),
    "reversibility_ignored": (("if not no_worse", "if False and not no_worse"),),
    "quantity_ignored": ((' or amount > budget["action"]', ""),),
    "time_ignored": (('if grant["time"] != "session":', "if False:"),),
    "approval_ignored": (('return "yes"', 'return ""'),),
    "unnamed_allowed": (
        ("    if missing:\n        return missing[0]\n", "    if missing:\n        return ''\n"),
    ),
    "looks_alike": (
        ("if not any(covers(name, request[axis])", "if not any(request[axis].startswith(name)"),
    ),
    "below_refused": (
        ("if not any(covers(name, request[axis])", "if not any(name == request[axis]"),
    ),
    "above_allowed": (
        (
            "if not any(covers(name, request[axis])",
            "if not any(covers(name, request[axis]) or covers(request[axis], name)",
        ),
    ),
    "grants_mixed": (
        (
            "    best, asks",
            "    envelope = {'grants': [*envelope['grants'], *mixed(envelope['grants'])]}\n    best, asks",
        ),
        (
            "def first_refusal",
            """
def mixed(grants):
    whole = [grant for grant in grants if set(AXES) <= set(grant)]
    if len(whole) < 2:
        return []
    names = {axis: [n for g in whole for n in g[axis]] for axis in ("resource", "action", "destination")}
    return [{**whole[0], **names}]

def first_refusal""",
        ),
    ),
    "first_grant_only": (
        ('for grant in envelope["grants"]:', 'for grant in envelope["grants"][:1]:'),
    ),
    "last_grant_only": (
        ('for grant in envelope["grants"]:', 'for grant in envelope["grants"][-1:]:'),
    ),
    "denial_ignored": (('envelope.get("denials", [])', "[]"),),
    "denial_too_wide": (("if all(any(covers(n, request[a])", "if any(any(covers(n, request[a])"),),
    "start_excluded": (('request["at"] < start', 'request["at"] <= start'),),
    "end_included": (('request["at"] >= end', 'request["at"] > end'),),
    "zone_lost": (
        (
            'start, end = grant["time"]',
            "start, end = (t.replace(tzinfo=request['at'].tzinfo) for t in grant['time'])",
        ),
    ),
    "unit_ignored": (('if budget["unit"] != request["unit"]:', "if False:"),),
    "amount_not_positive": (("amount < 1 or ", ""),),
    "budget_ignored": (
        ('for tier in ("turn", "hour", "tenant_day")', 'for tier in ("turn", "hour")'),
    ),
    "budget_ignored all": (('for tier in ("turn", "hour", "tenant_day")', "for tier in ()"),),
    "budget_cut_short": (("+ amount > budget[tier]", "+ amount >= budget[tier]"),),
    "yes_not_enough": ((' and not request["approved"]', ""),),
    "asks_in_vain": (
        (
            '    if grant["time"] != "session":',
            "    if grant['approval'] == 'user' and not request['approved']:\n        return 'yes'\n    if grant[\"time\"] != \"session\":",
        ),
    ),
    "yes_lifts_all": (
        (
            "    missing =",
            "    if request['approved'] and grant.get('approval') == 'user':\n        return ''\n    missing =",
        ),
    ),
    "asks_though_allowed": (("            asks = True", "            return 'ask', 'approval'"),),
    "no_ask_left": (
        (
            'return ("ask", "approval") if asks else ("deny", best)',
            'return ("ask", "approval") if asks and axis == "yes" else ("deny", best)',
        ),
    ),
    "wrong_axis": (
        (
            'return ("ask", "approval") if asks else ("deny", best)',
            'return ("ask", "approval") if asks else ("deny", "action")',
        ),
    ),
}


def made(*changes):
    text = RIGHT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    names = {"__name__": "__main__", "AXES": AXES, "covers": covers, "no_worse": no_worse}
    exec(text, names)
    return names["authorize"]


@pytest.mark.parametrize("title", list(WRONG))
def test_a_wrong_version_gets_its_finding(title):
    report = evaluate("authorize", made(*WRONG[title]))
    code = title.split()[0]
    assert not report.passed and report.codes[0] == code, str(report)
    assert report.findings[0].message


def by_sets(envelope, request):
    """Another make: every grant's refusals at once, then a choice among them."""
    if any(
        all(any(covers(n, request[a]) for n in names) for a, names in denial.items())
        for denial in envelope.get("denials", [])
    ):
        return ["deny", "resource"]
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
    axes = [bad[0] for bad in refusals]
    return ["deny", max(axes, key=AXES.index) if axes else "resource"]


@pytest.mark.parametrize("fn", [made(), by_sets, ours])
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
