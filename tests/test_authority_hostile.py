"""Ways round the authority that were tried; each must end in a refusal and leave nothing behind."""

import json
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from harness import TOOLS, ToolError, WorkshopError, register, session, standin
from harness.approvals import approve
from harness.course.labs.injection import attempt, desk, injections
from harness.databases import outbox
from harness.databases.business import business
from harness.guards.effect import Effect
from harness.tools.dispatch import dispatch
from harness.tools.toolbox import include, spare_toolbox
from tests.seed_loop import seed_turn

MAIL = {"to": "desk@harbourline.example", "subject": "a", "body": "b"}


@pytest.fixture(autouse=True)
def operations():
    with spare_toolbox():
        from harness.tools.operations import TOOLKIT

        include(*TOOLKIT)
        yield


@pytest.fixture
def dana():
    with session(user=uuid.uuid4().hex, role="dispatcher", tenant=uuid.uuid4().hex) as mine:
        yield mine


SLY = {"type": "function", "function": {"name": "sly", "parameters": {"type": "object"}}}


def call(name, **arguments):
    return json.loads(TOOLS[name][0](**arguments))


def asked(name, **arguments):
    given = {"name": name, "arguments": json.dumps(arguments)}
    return dispatch({"id": "c1", "type": "function", "function": given})


def sent(user):
    return [e for e in outbox.entries("notice", "sent") if e.user == user]


def test_an_empty_envelope_grants_nothing():
    for empty in ({}, {"grants": None}, {"grants": []}):
        with session(envelope=empty), pytest.raises(ToolError, match="nothing is granted"):
            TOOLS["run_sql"][0](sql="SELECT 1")
    with pytest.raises(WorkshopError, match="no role"), session(role=""):
        pass
    for nothing in ("", 0, False):
        with pytest.raises(WorkshopError), session(envelope=nothing):
            pass


def test_what_was_written_past_the_toolbox_is_guarded_where_it_is_looked_up():
    done = []
    dict.__setitem__(TOOLS, "sly", (lambda: done.append(1), SLY))
    with session(read_only=True):
        assert asked("sly").status == "not_allowed"
        script = [standin.call("sly"), standin.say("done")]
        with standin.script(script):
            seed_turn("do it", uuid.uuid4().hex)
    assert done == []


def test_another_tool_s_name_lends_no_rights():
    done = []
    TOOLS["run_sql"] = (lambda sql="": done.append(sql), TOOLS["run_sql"][1])
    with session(role="guest"):
        assert asked("run_sql", sql="SELECT 1").status == "not_allowed"
    assert done == []


@pytest.mark.parametrize("error", [KeyError("x"), WorkshopError("locked"), RecursionError()])
def test_an_effect_that_can_t_be_judged_is_not_had(error):
    done = []

    def effect_of():
        raise error

    kinds = (Effect("shipping", "read"), Effect("knowledge", "read"))
    register(name="odd", effects=kinds, effect_of=effect_of)(lambda: done.append(1))
    assert asked("odd").status == "failed" and done == []


def test_the_last_of_a_budget_is_spent_once(dana):
    ids = [call("draft_notice", **MAIL)["notice_id"] for _ in range(30)]
    barrier = threading.Barrier(10)

    def send(each):
        barrier.wait(timeout=30)
        return asked("send_notice", notice_id=each).status

    with ThreadPoolExecutor(10) as pool:
        for some in (ids[:10], ids[10:20], ids[20:]):
            jobs = [pool.submit(copy_context().run, send, each) for each in some]
            assert {job.result() for job in jobs} <= {"ok", "not_allowed"}
    assert len(sent(dana.user)) == 20  # the hour's


def test_a_tenant_s_drafts_and_orders_are_not_another_s(dana):
    notice = call("draft_notice", **MAIL)["notice_id"]
    with session(tenant="elsewhere"):
        assert "no notice" in asked("send_notice", notice_id=notice).content
    with session(user=dana.user, tenant=uuid.uuid4().hex):
        assert "no notice" in asked("send_notice", notice_id=notice).content
    assert sent(dana.user) == []


def test_a_budget_does_not_come_back_with_another_user_of_the_tenant(dana):
    users = [uuid.uuid4().hex for _ in range(8)]
    done = 0
    for user in users:
        with session(user=user):
            for _ in range(20):
                notice = call("draft_notice", **MAIL)["notice_id"]
                done += asked("send_notice", notice_id=notice).status == "ok"
    assert done == 100  # the tenant's day


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("send_notice", {"notice_id": "N-0001", "approval_id": "ap-1"}),
        ("send_notice", {"notice_id": "N-0001", "approved": True}),
        ("send_notice", {"notice_id": "N-0001; DROP TABLE outbox"}),
        ("send_notice", {"notice_id": "../N-0001"}),
        ("send_notice", {"notice_id": ["N-0001", "N-0002"]}),
        ("rebook_container", {"container_no": "X' OR '1'='1", "voyage_id": 1}),
        ("rebook_container", {"container_no": "BWKU8223431", "voyage_id": 10**30}),
        ("rebook_container", {"container_no": "BWKU8223431", "voyage_id": -1}),
        ("rebook_container", {"container_no": "BWKU8223431", "voyage_id": "1 OR 1=1"}),
        ("cancel_rebooking", {"rebooking_id": "R-9999999"}),
        ("draft_notice", {**MAIL, "to": "a@harbourline.example%0abcc:b@evil.example"}),
        ("draft_notice", {**MAIL, "subject": "a\r\nBcc: b@evil.example"}),
    ],
)
def test_arguments_that_hope_for_more(dana, name, arguments):
    assert asked(name, **arguments).status in ("bad_arguments", "failed", "not_allowed")
    assert sent(dana.user) == []


def test_other_spellings_of_a_call_are_other_calls(dana):
    notice = call("draft_notice", **{**MAIL, "to": "ops@acme.example"})["notice_id"]
    first = asked("send_notice", notice_id=notice)
    approve(first.approval_id)
    padded = f"N-0{notice[2:]}"
    arabic = "N-" + "".join(chr(0x660 + int(digit)) for digit in notice[2:])
    for spelling in (padded, arabic):
        assert asked("send_notice", notice_id=spelling).status != "ok"
    assert sent(dana.user) == []
    assert asked("send_notice", notice_id=notice).status == "ok"
    assert asked("send_notice", notice_id=padded).status != "ok"
    assert len(sent(dana.user)) == 1


def test_rows_out_of_sight_can_t_be_moved(dana):
    row = (
        business()
        .query(
            "SELECT c.container_no, t.voyage_id FROM SUPPLYCHAIN.containers c "
            "JOIN SUPPLYCHAIN.voyages v ON v.voyage_id = c.voyage_id JOIN SUPPLYCHAIN.voyages t "
            "ON t.destination_port_id = v.destination_port_id AND t.voyage_id <> v.voyage_id "
            "WHERE v.status = 'SCHEDULED' AND t.status = 'SCHEDULED' AND v.ocean_region = 'INDIAN'",
            1,
        )
        .rows[0]
    )
    with session(role="pacific_analyst"):
        said = asked("rebook_container", container_no=row[0], voyage_id=row[1])
    assert said.status in ("bad_arguments", "not_allowed")


READS = {
    "name": "reads",
    "grants": [
        {
            "resource": ["shipping", "knowledge", "undeclared"],
            "action": "read",
            "destination": "model",
            "reversibility": "unchanged",
            "time": "session",
            "approval": "none",
            "quantity": {"unit": "call", "action": 1, "turn": 20, "hour": 500, "tenant_day": 500},
        }
    ],
}


def test_a_model_that_obeys_every_injection_does_nothing_outside_of_its_envelope():
    corpus = injections()
    assert len(corpus) >= 30 and len({each.id for each in corpus}) == len(corpus)
    for rights in ({"envelope": READS}, {"read_only": True}):
        with desk() as at:
            outcomes = [attempt(each, at, **rights) for each in corpus]
        assert [outcome for outcome in outcomes if outcome.changed] == []
    with desk() as at:
        outcomes = [attempt(each, at) for each in corpus]
    changed = {kind for outcome in outcomes for kind in outcome.changed}
    assert changed <= {"drafts", "rebookings", "files", "tickets"}  # a dispatcher's, unasked
    sends = [outcome for outcome in outcomes if outcome.tried == "send_notice"]
    assert {outcome.got for outcome in sends} == {"the turn waits for the user"}
