"""The authority envelope as data: what it decides, what it refuses to be, and its worst case."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from harness.commands.cli import main
from harness.errors import WorkshopError
from harness.guards.effect import Effect, covers, within
from harness.guards.envelope import (
    AXES,
    Denial,
    Envelope,
    Grant,
    Quantity,
    Span,
    Spent,
    decide,
    intersection,
)
from harness.guards.envelope_file import read_envelope
from harness.guards.role_rights import role, role_files
from harness.guards.worst_case import worst_case
from tests.grants import SEND_OUTSIDE
from tests.properties import given, st

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
BUDGET = {"unit": "call", "action": 1, "turn": 2, "hour": 3, "tenant_day": 4}
GRANT = {**SEND_OUTSIDE, "quantity": BUDGET}
SEND = Effect("notice", "send", "outside/acme.example", "irreversible")
ORDER = {"deny": 0, "ask": 1, "allow": 2}

names = st.sampled_from(["a", "b", "a/x", "a/y", "a/x/deep", "ab"])
actions = st.sampled_from(["read", "send"])
reversibilities = st.sampled_from(["unchanged", "reversible", "irreversible"])
units = st.sampled_from(["call", "notice"])
moments = st.sampled_from([NOW + timedelta(hours=h) for h in (-2, -1, 0, 1)])


@st.composite
def quantities(draw):
    tiers = sorted(draw(st.lists(st.integers(0, 4), min_size=4, max_size=4)))
    return Quantity(
        unit=draw(units), **dict(zip(("action", "turn", "hour", "tenant_day"), tiers, strict=True))
    )


@st.composite
def spans(draw):
    start = draw(moments)
    return Span(start=start, end=start + timedelta(hours=draw(st.integers(1, 3))))


some_names = st.lists(names, min_size=1, max_size=2).map(tuple)
some_actions = st.lists(actions, min_size=1, max_size=2).map(tuple)
times = st.one_of(st.just("session"), spans())
grants = st.builds(
    Grant,
    resource=some_names,
    action=some_actions,
    destination=some_names,
    reversibility=reversibilities,
    time=times,
    quantity=quantities(),
    approval=st.sampled_from(["none", "user"]),
)
denials = st.builds(
    Denial,
    resource=st.none() | some_names,
    action=st.none() | some_actions,
    destination=st.none() | some_names,
)
envelopes = st.builds(
    Envelope,
    grants=st.lists(grants, max_size=4).map(tuple),
    denials=st.lists(denials, max_size=1).map(tuple),
)
effects = st.builds(
    Effect, names, actions, names, reversibilities, amount=st.integers(0, 3), unit=units
)
spendings = st.lists(
    st.builds(Spent, st.sampled_from(["turn", "hour", "tenant_day"]), effects, st.integers(0, 3)),
    max_size=3,
)
requests = st.tuples(effects, moments, spendings, st.booleans())


def verdict(envelope, request):
    effect, at, spent, approved = request
    return decide(envelope, effect, at=at, spent=spent, approved=approved).verdict


@given(envelopes, envelopes, requests)
def test_an_intersection_allows_exactly_what_both_allow(one, other, request):
    both = verdict(one & other, request)
    assert ORDER[both] == min(ORDER[verdict(one, request)], ORDER[verdict(other, request)])
    assert verdict(other & one, request) == both


@given(st.lists(envelopes, min_size=1, max_size=5), requests)
def test_no_depth_of_envelopes_is_wider_than_any_one_of_them(chain, request):
    whole = intersection(chain)
    assert ORDER[verdict(whole, request)] <= min(ORDER[verdict(e, request)] for e in chain)


@given(envelopes, requests, denials)
def test_a_denial_wins(envelope, request, denial):
    strict = envelope.model_copy(update={"denials": (*envelope.denials, denial)})
    if denial.covers(request[0]):
        assert verdict(strict, request) == "deny"
    else:
        assert verdict(strict, request) == verdict(envelope, request)


@given(grants, requests, st.sampled_from(AXES))
def test_an_axis_that_is_not_named_is_denied(grant, request, axis):
    lacking = Envelope(grants=(grant.model_copy(update={axis: None}),))
    decision = decide(lacking, request[0], at=request[1], spent=request[2], approved=True)
    assert decision.verdict == "deny"
    if verdict(Envelope(grants=(grant,)), request) == "allow":
        assert decision.axis == axis and "not named" in decision.why


@given(envelopes, requests)
def test_more_spent_never_allows_more(envelope, request):
    effect, at, _, approved = request
    assert ORDER[verdict(envelope, request)] <= ORDER[verdict(envelope, (effect, at, [], approved))]


@given(envelopes, st.lists(envelopes, max_size=2), requests, effects)
def test_the_worst_case_says_never_too_little(envelope, others, request, kind):
    class Tool:
        name, kinds = "tool", (kind,)

    whole = intersection([envelope, *others])
    effect, at, _, _ = request
    worst = worst_case(whole, [Tool], at=at)
    for moment in (at, at + timedelta(hours=1)):
        allowed = decide(whole, effect, at=moment, approved=True).verdict == "allow"
        if allowed and within(effect, kind):
            assert any(
                covers(reach.effect.resource, effect.resource)
                and covers(reach.effect.destination, effect.destination)
                and reach.effect.amount >= effect.amount
                for reach in worst.reaches
            )
            assert worst.action is not None
            if effect.changes:
                assert worst.hour[effect.unit] >= effect.amount


def test_budgets_are_counted_a_tier():
    envelope = read_envelope({"grants": [GRANT]})
    for period, limit in (("turn", 2), ("hour", 3), ("tenant_day", 4)):
        spent = [Spent(period, replace(SEND, destination="outside/b.example"), limit - 1)]
        assert decide(envelope, SEND, at=NOW, spent=spent).verdict == "allow"
        spent.append(Spent(period, SEND, 1))
        decision = decide(envelope, SEND, at=NOW, spent=spent)
        assert (decision.verdict, decision.axis) == ("deny", "quantity")
        assert str(limit) in decision.why


@pytest.mark.parametrize(
    ("effect", "axis"),
    [
        (replace(SEND, resource="container"), "resource"),
        (replace(SEND, action="draft"), "action"),
        (replace(SEND, destination="inside"), "destination"),
        (replace(SEND, destination="outsider"), "destination"),
        (replace(SEND, amount=2), "quantity"),
        (replace(SEND, amount=0), "quantity"),
        (replace(SEND, amount=-1), "quantity"),
        (replace(SEND, unit="notice"), "quantity"),
    ],
)
def test_a_denial_names_its_axis(effect, axis):
    decision = decide(read_envelope({"name": "mail", "grants": [GRANT]}), effect, at=NOW)
    assert (decision.verdict, decision.axis, decision.envelope) == ("deny", axis, "mail")


def test_reversibility_is_a_ceiling():
    envelope = read_envelope({"grants": [{**GRANT, "reversibility": "reversible"}]})
    assert decide(envelope, SEND, at=NOW).axis == "reversibility"
    assert decide(envelope, replace(SEND, reversibility="reversible"), at=NOW).verdict == "allow"
    assert decide(envelope, replace(SEND, reversibility="unchanged"), at=NOW).verdict == "allow"


def test_a_grant_in_another_zone_begins_and_ends_at_its_moment():
    span = {"start": "2026-06-30T14:00:00+02:00", "end": "2026-06-30T09:00:00-04:00"}
    envelope = read_envelope({"grants": [{**GRANT, "time": span}]})
    said = [decide(envelope, SEND, at=NOW + timedelta(minutes=m)) for m in (-1, 0, 59, 60)]
    assert [d.verdict for d in said] == ["deny", "allow", "allow", "deny"]
    assert "begins at 2026-06-30 12:00 UTC" in said[0].why and "ended" in said[3].why


def test_an_approval_is_asked_for_and_then_enough():
    envelope = read_envelope({"grants": [{**GRANT, "approval": "user"}]})
    assert decide(envelope, SEND, at=NOW).verdict == "ask"
    assert decide(envelope, SEND, at=NOW, approved=True).verdict == "allow"
    assert decide(envelope, replace(SEND, amount=2), at=NOW, approved=True).verdict == "deny"


BAD = [
    ({"grants": [{**GRANT, "recource": "x"}]}, "recource"),
    ({"grants": [{**GRANT, "resource": "*"}]}, "wildcard"),
    ({"grants": [{**GRANT, "destination": ["inside", "ANY"]}]}, "wildcard"),
    ({"denials": [{"action": "all"}]}, "wildcard"),
    ({"grants": [{**GRANT, "quantity": 5}]}, "unit"),
    ({"grants": [{**GRANT, "quantity": {k: BUDGET[k] for k in BUDGET if k != "unit"}}]}, "unit"),
    ({"grants": [{**GRANT, "quantity": {**BUDGET, "hour": None}}]}, "hour"),
    ({"grants": [{**GRANT, "quantity": {**BUDGET, "turn": 9}}]}, "smaller"),
    ({"grants": [{**GRANT, "quantity": {**BUDGET, "turn": "2"}}]}, "integer"),
    ({"grants": [{**GRANT, "time": {"start": "2026-06-30", "end": "2026-07-30"}}]}, "zone"),
    (
        {"grants": [{**GRANT, "time": {"start": "2026-07-02T00:00Z", "end": "2026-07-01T00:00Z"}}]},
        "before it begins",
    ),
    ({"grants": [{**GRANT, "time": "always"}]}, "time"),
    ({"grants": [{**GRANT, "approval": False}]}, "approval"),
    ({"grants": [GRANT], "denials": [{"resource": "notice"}]}, "denial forbids"),
    ({"grant": [GRANT]}, "grants"),
    ({"account": "mine"}, "account"),
    ({"grants": [{**GRANT, "resource": []}]}, "resource"),
    ({"grants": [7]}, "grant 1"),
]


@pytest.mark.parametrize(("data", "word"), BAD)
def test_a_faulty_envelope_is_refused_in_words(data, word):
    with pytest.raises(WorkshopError) as caught:
        read_envelope(data)
    assert word in str(caught.value) and caught.value.hint


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("grants:\n  - resource: a\n    resource: b\n", "twice"),
        ("grants: [", "YAML"),
        ("- a\n", "mapping"),
        ("", "mapping"),
        ("grants:\n  - {time: {start: 2026-06-30 12:00:00, end: 2026-06-30 13:00:00}}", "zone"),
    ],
)
def test_a_faulty_file_is_refused_in_words(tmp_path, capsys, text, word):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    assert main(["envelope", str(path)]) == 1
    assert word in capsys.readouterr().err
    assert main(["envelope", str(tmp_path / "none.yaml")]) == 1


def test_the_table_of_a_file_names_what_is_within_reach_and_what_is_not(tmp_path, capsys):
    path = tmp_path / "mail.yaml"
    path.write_text(
        "grants:\n  - {resource: notice, action: send, destination: outside/acme.example, "
        "reversibility: irreversible, time: session, approval: user, quantity: "
        "{unit: notice, action: 1, turn: 2, hour: 6, tenant_day: 7}}\n"
        "  - {resource: container, action: rebook}\n",
        encoding="utf-8",
    )
    assert main(["envelope", str(path)]) == 0
    out = capsys.readouterr().out
    assert "outside/acme.example  irreversible  yes" in out
    assert "worst hour of a user: 6 x notice" in out
    assert "worst day of a tenant: 7 x notice" in out
    assert "grant 2 grants nothing: it does not name destination" in out
    assert "rebook_container" in out.split("denied:")[1]


def test_every_role_is_sound_and_has_no_grant_that_grants_nothing():
    for name in role_files():
        for grant in role(name).envelope.grants:
            assert all(getattr(grant, axis) is not None for axis in AXES), name
    with pytest.raises(WorkshopError, match="no role"):
        role("../analyst")
