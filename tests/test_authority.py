"""Authority in the guarded call: whoever calls, and however, what isn't granted does not happen."""

import json
import uuid

import pytest

from harness import TOOLS, ToolError, WorkshopError, register, retrieve_tools, session, standin
from harness.databases import outbox
from harness.databases.business import business
from harness.guards.effect import Effect
from harness.tools.dispatch import dispatch
from harness.tools.toolbox import GuardedTool, include, spare_toolbox
from tests.seed_loop import seed_turn

INSIDE, OUTSIDE = "dispatch@harbourline.example", "ops@acme.example"


def grant(resource, action, destination="model", reversibility="unchanged", **more):
    budget = {"unit": "call", "action": 1, "turn": 9, "hour": 9, "tenant_day": 9}
    return {
        "resource": resource,
        "action": action,
        "destination": destination,
        "reversibility": reversibility,
        "time": "session",
        "approval": "none",
        **more,
        "quantity": {**budget, **more.get("quantity", {})},
    }


READS = {"name": "reads", "grants": [grant("shipping", "read")]}


def call(name, **arguments):
    return json.loads(TOOLS[name][0](**arguments))


def refusal(name, **arguments):
    with pytest.raises(ToolError) as caught:
        TOOLS[name][0](**arguments)
    assert caught.value.kind == "not_allowed"
    return str(caught.value)


@pytest.fixture(scope="module", autouse=True)
def operations():
    with spare_toolbox():
        from harness.tools.operations import TOOLKIT

        include(*TOOLKIT)
        yield


@pytest.fixture
def dana():
    """A dispatcher of a tenant of her own, so that nobody else's budget counts."""
    with session(user=uuid.uuid4().hex, role="dispatcher", tenant=uuid.uuid4().hex) as mine:
        yield mine


@pytest.fixture
def toolbox():
    with spare_toolbox():
        yield


@pytest.fixture(scope="module")
def move():
    """A container that has not left, and two other voyages to its port: one SCHEDULED, any."""
    rows = (
        business()
        .query(
            "SELECT c.container_no, t.voyage_id, t.status FROM SUPPLYCHAIN.containers c "
            "JOIN SUPPLYCHAIN.voyages v ON v.voyage_id = c.voyage_id "
            "JOIN SUPPLYCHAIN.voyages t ON t.destination_port_id = v.destination_port_id "
            "AND t.voyage_id <> v.voyage_id WHERE v.status = 'SCHEDULED' "
            "AND t.status IN ('SCHEDULED', 'LOADING') ORDER BY t.status, c.container_no, 2",
            5000,
        )
        .rows
    )
    planned = [row for row in rows if row[2] == "SCHEDULED"]
    loading = [row for row in rows if row[2] == "LOADING"]
    return planned, loading


def notices(user, status=None):
    return [e for e in outbox.entries("notice", status) if e.user == user]


def test_a_session_without_a_grant_does_nothing():
    with session(envelope={"grants": []}):
        assert "resource" in refusal("run_sql", sql="SELECT 1")
        assert "resource" in refusal("scratch_write", path="a", content="b")
    assert call("run_sql", sql="SELECT 1 AS n")["rows"] == [[1]]


def test_an_envelope_allows_what_it_names_and_nothing_beside():
    with session(user=uuid.uuid4().hex, tenant=uuid.uuid4().hex, envelope=READS):
        assert call("run_sql", sql="SELECT 1 AS n")["rows"] == [[1]]
        refusal("exec_js", code="return 1")
        offered = [s["function"]["name"] for s in retrieve_tools("how many voyages", 20)]
        assert offered[:3] == ["run_sql", "find_voyages", "voyage_status"]
        effects = [each for name in offered for each in TOOLS[name][0].contract.effects]
        assert {(each.resource, each.action) for each in effects} == {("shipping", "read")}


def test_a_budget_of_reading_is_counted_a_turn_and_an_hour():
    few = grant("shipping", "read", quantity={"turn": 2, "hour": 3, "tenant_day": 4})
    with session(user=uuid.uuid4().hex, tenant=uuid.uuid4().hex, envelope={"grants": [few]}):
        for _ in range(3):
            call("voyage_status", voyage_id=1400)
        assert "3 call an hour" in refusal("voyage_status", voyage_id=1400)


def test_sessions_inside_one_another_never_widen():
    with session(role="guest"), session(role="dispatcher"):
        refusal("scratch_write", path="a", content="b")
    with session(envelope={"grants": []}), session(envelope=READS):
        refusal("run_sql", sql="SELECT 1")
    with session(read_only=True), session(user="other"):
        assert "only read" in refusal("scratch_write", path="a", content="b")


def test_a_role_or_envelope_that_is_not_there_is_said_at_once():
    with pytest.raises(WorkshopError, match="no role"), session(role="captain"):
        pass
    with pytest.raises(WorkshopError, match="can't be read"), session(envelope="none.yaml"):
        pass


def test_an_analyst_is_not_even_shown_the_operations():
    offered = {s["function"]["name"] for s in retrieve_tools("send a notice", 50)}
    assert "run_sql" in offered and not offered & {"draft_notice", "send_notice"}
    assert "permission" in refusal("draft_notice", to=INSIDE, subject="a", body="b")
    with session(role="dispatcher"):
        assert "send_notice" in {s["function"]["name"] for s in retrieve_tools("notice", 50)}


def test_a_notice_inside_is_sent_once_and_one_outside_is_asked_about(dana):
    inside = call("draft_notice", to=INSIDE, subject="Late", body="Voyage 1479 is late.")
    assert inside["goes"] == "inside" and notices(dana.user, "sent") == []
    assert call("send_notice", notice_id=inside["notice_id"])["to"] == INSIDE
    assert "not sent again" in call("send_notice", notice_id=inside["notice_id"])["note"]
    outside = call("draft_notice", to=OUTSIDE, subject="Late", body="Voyage 1479 is late.")
    with pytest.raises(ToolError):
        TOOLS["send_notice"][0](notice_id=outside["notice_id"])
    assert [n.content["to"] for n in notices(dana.user, "sent")] == [INSIDE]


@pytest.mark.parametrize(
    ("to", "goes"),
    [
        ("Ops@HarbourLine.Example", "inside"),
        ("ops@eu.harbourline.example", "inside"),
        ("ops@harbourline.example.evil.example", "outside"),
        ("ops@evilharbourline.example", "outside"),
        ("harbourline.example@evil.example", "outside"),
    ],
)
def test_inside_is_the_domain_and_nothing_that_looks_like_it(dana, to, goes):
    assert call("draft_notice", to=to, subject="a", body="b")["goes"] == goes


@pytest.mark.parametrize(
    "to",
    [
        "a@harbourline.example, b@evil.example",
        "a@harbourline.example\nbcc: b@evil.example",
        "Ann <a@harbourline.example>",
        "a@harbourl\u0456ne.example",
        "a@evil.example@harbourline.example",
        "harbourline.example",
    ],
)
def test_an_address_is_one_plain_address(dana, to):
    with pytest.raises(ToolError, match="not one plain"):
        TOOLS["draft_notice"][0](to=to, subject="a", body="b")


def test_another_user_s_draft_is_not_there(dana):
    drafted = call("draft_notice", to=INSIDE, subject="a", body="b")
    with session(user="mallory"), pytest.raises(ToolError, match="no notice"):
        TOOLS["send_notice"][0](notice_id=drafted["notice_id"])


def test_a_rebooking_is_ordered_once_and_taken_back(dana, move):
    container, voyage, _ = move[0][0]
    order = call("rebook_container", container_no=container, voyage_id=voyage)
    assert order["rebooking_status"] == "ordered" and order["can_be_cancelled"]
    again = call("rebook_container", container_no=container, voyage_id=voyage)
    assert again["rebooking_id"] == order["rebooking_id"] and "already" in again["note"]
    done = call("cancel_rebooking", rebooking_id=order["rebooking_id"])
    assert done["rebooking_status"] == "cancelled"
    with session(user="mallory"), pytest.raises(ToolError, match="no rebooking"):
        TOOLS["cancel_rebooking"][0](rebooking_id=order["rebooking_id"])


def test_what_can_not_be_taken_back_is_asked_about(dana, move):
    container, voyage, _ = move[1][0]
    with pytest.raises(ToolError, match="approval"):
        TOOLS["rebook_container"][0](container_no=container, voyage_id=voyage)
    assert [e for e in outbox.entries("rebooking") if e.user == dana.user] == []


def test_rebookings_are_counted_for_every_kernel(dana, move):
    for container, voyage, _ in move[0][:40]:
        try:
            call("rebook_container", container_no=container, voyage_id=voyage)
        except ToolError as error:
            assert "20 container an hour" in str(error)
            break
    ordered = [e for e in outbox.entries("rebooking") if e.user == dana.user]
    assert len(ordered) == 20


def test_a_container_that_has_left_and_a_voyage_elsewhere_are_refused(dana, move):
    container, voyage, _ = move[0][0]
    for arguments in (
        {"container_no": "BWKU8223431", "voyage_id": voyage},
        {"container_no": container, "voyage_id": 1001},
        {"container_no": "ABCU0000000", "voyage_id": voyage},
        {"container_no": container, "voyage_id": 1},
    ):
        with pytest.raises(ToolError):
            TOOLS["rebook_container"][0](**arguments)


def test_a_plain_function_put_into_the_toolbox_is_guarded_in_every_way(toolbox):
    done = []

    def wipe(path: str = "x") -> str:
        """Wipe a path."""
        done.append(path)
        return "wiped"

    schema = {"type": "function", "function": {"name": "wipe", "parameters": {}}}
    TOOLS["wipe"] = (wipe, schema)
    TOOLS.update(wipe2=(wipe, schema))
    TOOLS.setdefault("wipe3", (wipe, schema))
    toolbox = TOOLS
    toolbox |= {"wipe4": wipe}
    for name in ("wipe", "wipe2", "wipe3", "wipe4"):
        assert isinstance(TOOLS[name][0], GuardedTool)
        for limited in ({"read_only": True}, {"envelope": READS}, {"role": "guest"}):
            with session(**limited):
                refusal(name)
                assert dispatch(_tool_call(name)).status == "not_allowed"
    assert done == []
    assert call("wipe", path="y")["result"] == "wiped" and done == ["y"]


def _tool_call(name, arguments="{}"):
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_the_seed_s_loop_can_t_go_round_it(toolbox, dana):
    done = []
    TOOLS["wipe"] = (lambda: done.append(1), _schema("wipe"))
    drafted = call("draft_notice", to=OUTSIDE, subject="a", body="b")["notice_id"]
    script = [
        standin.calls([("wipe", {}), ("send_notice", {"notice_id": drafted})]),
        standin.say("done"),
    ]
    with session(read_only=True), standin.script(script):
        assert seed_turn("send it", uuid.uuid4().hex)
    assert done == [] and notices(dana.user, "sent") == []


def _schema(name):
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}


def test_a_tool_whose_effects_and_tier_differ_is_not_registered(toolbox):
    with pytest.raises(WorkshopError, match="tier"):
        register(name="a", effects=(Effect("x", "write", "agent", "reversible"),))(lambda: 1)
    with pytest.raises(WorkshopError, match="several effects"):
        register(name="a", effects=(Effect("x", "read"), Effect("y", "read")))(lambda: 1)


def test_an_effect_that_was_never_declared_is_refused(toolbox):
    register(
        name="sly",
        effects=(Effect("shipping", "read"),),
        effect_of=lambda: Effect("shipping", "read", "outside"),
    )(lambda: "x")
    assert "never declared" in refusal("sly")
