"""Delegation: a subagent does less than its caller, costs its caller, and fails in words."""

import json
import time
import uuid

import pytest
from pydantic import BaseModel

from harness import TOOLS, WorkshopError, register, run_turn, session, standin
from harness.config import configured
from harness.databases import outbox
from harness.delegation import MAX_DEPTH, SubagentContract, delegate, delegate_all, failures
from harness.guards.effect import Effect
from harness.guards.envelope import Spent, decide, share_of
from harness.run import recorder
from harness.session import as_subagent, current_session
from harness.tools.toolbox import include, spare_toolbox
from tests.properties import given, settings
from tests.test_envelope import NOW, ORDER, envelopes, requests, verdict

SAY, CALL = standin.say, standin.call


class Figure(BaseModel):
    value: float


FOUND = SAY('{"value": 11}')


@pytest.fixture(scope="module", autouse=True)
def tools():
    with spare_toolbox():
        from harness.tools.operations import TOOLKIT

        include(*TOOLKIT)
        yield


@pytest.fixture
def dana():
    with session(user=uuid.uuid4().hex, role="dispatcher", tenant=uuid.uuid4().hex) as mine:
        yield mine


def contract(**changes):
    words = {"name": "counter", "job": "Count.", "tools": ("run_sql",), "output": Figure}
    return SubagentContract(**{**words, **changes})


def scripted(steps, task="How many?", **changes):
    with standin.script(steps) as seen:
        return delegate(task, contract(**changes)), seen


@settings(max_examples=60)
@given(envelopes, envelopes, requests)
def test_a_share_and_a_contract_never_allow_more_than_the_caller(parent, own, request):
    child = parent & own.model_copy(update={"account": "run"}) & share_of(parent, 0.5, "run")
    assert ORDER[verdict(child, request)] <= ORDER[verdict(parent, request)]
    deeper = child & share_of(child, 0.5, "deeper")
    assert ORDER[verdict(deeper, request)] <= ORDER[verdict(child, request)]


def test_a_share_is_so_much_of_the_turn_paid_by_the_run():
    envelope = _envelope_of_moves(4)
    move = Effect("container", "rebook", "inside", "reversible", unit="container")
    half = share_of(envelope, 0.5, "run")
    for spent, allowed in (
        ([], True),
        ([Spent("run", move, 1)], True),
        ([Spent("run", move, 2)], False),
    ):
        said = decide(half, move, at=NOW, spent=spent).verdict
        assert (said == "allow") is allowed


def _envelope_of_moves(turn):
    from harness.guards.envelope_file import read_envelope

    return read_envelope(
        {
            "grants": [
                {
                    "resource": "container",
                    "action": "rebook",
                    "destination": "inside",
                    "reversibility": "reversible",
                    "time": "session",
                    "approval": "none",
                    "quantity": {
                        "unit": "container",
                        "action": 1,
                        "turn": turn,
                        "hour": 9,
                        "tenant_day": 9,
                    },
                }
            ]
        }
    )


def test_it_has_its_own_tools_thread_and_end(dana):
    done, seen = scripted([CALL("run_sql", sql="SELECT 11 AS n"), FOUND])
    assert done.ok and done.output == Figure(value=11)
    request = seen.requests[0]
    assert [t["function"]["name"] for t in request["tools"]] == ["run_sql"]
    assert "Count." in request["messages"][0]["content"]
    assert [m["role"] for m in request["messages"]] == ["system", "user"]
    assert done.result.usage["rounds"] == 1 and done.run.startswith("counter-")


def test_it_knows_nothing_of_its_caller_s_conversation(dana):
    seen_by_child = []

    def delegating() -> str:
        """Delegate."""
        seen_by_child.append(delegate("How many?", contract()))
        return "done"

    register(name="delegating", replace=True)(delegating)
    thread = uuid.uuid4().hex
    script = [CALL("delegating"), FOUND, SAY("The caller's answer.")]
    with standin.script(script) as seen:
        result = run_turn("the secret word is gangway", thread)
    assert result.answer == "The caller's answer." and seen_by_child[0].ok
    assert "gangway" not in json.dumps(seen.requests[1]["messages"])
    assert "gangway" in json.dumps(seen.requests[2]["messages"])
    assert [s["tool"] for s in result.steps] == ["delegating"]
    assert result.usage["prompt_tokens"] > seen_by_child[0].result.usage["prompt_tokens"]


@pytest.mark.parametrize(
    ("steps", "changes", "boundary"),
    [
        ([SAY("eleven"), SAY("still eleven")], {}, "schema"),
        ([SAY('{"value": "x"}'), SAY('{"value": []}')], {}, "schema"),
        ([SAY(""), SAY(""), SAY("")], {}, "turn"),
        (
            [SAY('{"value": -1}')],
            {"evaluate": lambda f: "negative" if f.value < 0 else ""},
            "evaluation",
        ),
        ([FOUND], {"evaluate": lambda f: 1 / 0}, "evaluation"),
        (
            [CALL("run_sql", sql=f"SELECT {n}") for n in range(3)] + [SAY("x")],
            {"max_turns": 3},
            "turn",
        ),
        ([FOUND, FOUND], {"require_tools": ("run_sql",)}, "turn"),
    ],
)
def test_a_failure_names_its_boundary_and_is_counted(dana, steps, changes, boundary):
    done, _ = scripted(steps, **changes)
    assert (done.ok, done.output, done.boundary) == (False, None, boundary) and done.why
    assert failures() == {"counter": {"runs": 1, boundary: 1}}


def test_one_that_never_comes_back_is_left(dana):
    def sleep() -> str:
        """Sleep."""
        time.sleep(30)
        return "awake"

    register(name="sleep", replace=True)(sleep)
    started = time.monotonic()
    done, _ = scripted([CALL("sleep"), FOUND], tools=("sleep",), seconds=1.0)
    assert not done.ok and done.boundary == "turn" and time.monotonic() - started < 15


def test_a_tool_outside_its_contract_does_not_run(dana):
    order = CALL("draft_notice", to="a@harbourline.example", subject="a", body="b")
    done, seen = scripted([order, FOUND])
    assert "not among the tools" in seen.requests[1]["messages"][-1]["content"]
    assert done.ok and [e for e in outbox.entries() if e.user == dana.user] == []


def test_its_envelope_is_the_intersection(dana):
    draft = CALL("draft_notice", to="a@harbourline.example", subject="a", body="b")
    words = {"tools": ("draft_notice", "run_sql")}
    with session(envelope=_envelope_of_moves(2)):  # the caller may not even read
        done, _ = scripted([FOUND], **words)
        assert done.boundary == "authority" and "subagent" in done.why
    _, seen = scripted([draft, FOUND], envelope=_envelope_of_moves(2), **words)
    assert "outside of what is granted" in seen.requests[1]["messages"][-1]["content"]
    with session(read_only=True):
        _, seen = scripted([draft, FOUND], **words)
    assert "only read" in seen.requests[1]["messages"][-1]["content"]
    assert [e for e in outbox.entries() if e.user == dana.user] == []
    _, seen = scripted([draft, FOUND], **words)
    drafted = [e for e in outbox.entries("notice") if e.user == dana.user]
    assert [e.agent for e in drafted] == ["counter"]


def test_what_it_does_is_charged_to_its_caller_s_turn(dana):
    notices = []
    for n in range(4):
        made = TOOLS["draft_notice"][0](to="a@harbourline.example", subject=str(n), body="b")
        notices.append(json.loads(made)["notice_id"])
    sends = [CALL("send_notice", notice_id=each) for each in notices]
    runs = []

    def hand_on() -> str:
        """Hand on."""
        runs.append(delegate("send", contract(tools=("send_notice",), share=0.67)))
        return f"done {len(runs)}"

    register(name="hand_on", repeatable=True, replace=True)(hand_on)
    script = [
        CALL("hand_on"), sends[0], sends[1], sends[2], FOUND,
        CALL("hand_on"), sends[2], sends[3], FOUND,
        SAY("done"),
    ]  # fmt: skip
    with standin.script(script):
        run_turn("send them all", uuid.uuid4().hex)
    sent = [e.content["subject"] for e in outbox.entries("notice", "sent") if e.user == dana.user]
    assert sent == ["0", "1", "2"]  # two is a run's share of three, and three are a turn's


def test_a_subagent_asks_nobody(dana):
    made = TOOLS["draft_notice"][0](to="ops@acme.example", subject="a", body="b")
    notice = json.loads(made)["notice_id"]
    words = {"tools": ("send_notice",), "share": 1.0}
    _, seen = scripted([CALL("send_notice", notice_id=notice), FOUND], **words)
    assert "can't ask the user" in seen.requests[1]["messages"][-1]["content"]


def test_depth_and_number_are_bounded(dana):
    with as_subagent("a", "a-1", _anything()), as_subagent("b", "b-1", _anything()):
        assert len(current_session().runs) == MAX_DEPTH
        done, seen = scripted([FOUND])
        assert done.boundary == "authority" and seen.requests == []
    made = []

    def many() -> str:
        """Many."""
        made.extend(delegate("x", contract()) for _ in range(10))
        return "done"

    register(name="many", replace=True)(many)
    with standin.script([CALL("many"), *[FOUND] * 8, SAY("done")]):
        run_turn("go", uuid.uuid4().hex)
    assert [d.ok for d in made] == [True] * 8 + [False] * 2 and "8 run a turn" in made[-1].why


def _anything():
    from harness.guards.role_rights import role

    return role("admin").envelope


def test_several_at_once_keep_apart(dana):
    tasks = [(f"How many are {n}?", contract(name=f"c{n}")) for n in range(4)]

    def by_question(request):
        asked = request["messages"][1]["content"].rsplit("How many are ", 1)[1][0]
        return SAY(json.dumps({"value": int(asked)}))

    with standin.script([by_question] * 4):
        done = delegate_all(tasks)
    assert [d.output.value for d in done] == [0, 1, 2, 3]
    assert len({d.run for d in done}) == 4 and recorder.current_turn() is None


def test_a_faulty_contract_is_said_at_once():
    for changes in ({"share": 0}, {"share": 1.5}, {"max_turns": 0}, {"seconds": -1}):
        with pytest.raises(WorkshopError, match="leaves it nothing"):
            delegate("x", contract(**changes))
    with pytest.raises(WorkshopError, match="wildcard"):
        delegate("x", contract(envelope={"grants": [{"resource": "*"}]}))
    assert delegate_all([]) == []


@pytest.mark.parametrize(("text", "ok"), [("There are 0.", True), ("I can't tell.", False)])
def test_a_figure_whose_sentence_gives_none_is_a_fault(text, ok):
    from harness.tools.subagents import ANALYST, REVIEWER, Figure

    for each in (ANALYST, REVIEWER):
        assert (each.evaluate(Figure(value=0, text=text)) == "") is ok


def test_the_three_subagents_and_when_not_to(dana):
    from harness.tools.subagents import SUBAGENTS, ask_subagent

    with configured():
        question = "How many voyages are delayed?"
        figures = [delegate(question, SUBAGENTS[name]) for name in ("analyst", "reviewer")]
        assert [d.output.value for d in figures] == [11, 11]
        assert {s["tool"] for s in figures[0].result.steps} >= {"run_sql"}
        assert "run_sql" not in {s["tool"] for s in figures[1].result.steps}
        told = json.loads(ask_subagent("retriever", "What does delay_hours mean?"))
        assert "delay_hours" in told["output"]["facts"]
        lost = delegate("And how many of those are in the Pacific?", SUBAGENTS["analyst"])
        assert not lost.ok  # it was not there when "those" was said
