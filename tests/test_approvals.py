"""Approvals: bound to one call of one user, expiring, good for once, in any process."""

import json
import os
import subprocess
import sys
import uuid
from datetime import timedelta
from pathlib import Path

import pytest

from harness import TOOLS, ToolError, TurnConfig, WorkshopError, clock, run_turn, session, standin
from harness.approvals import approve, attend, find, refuse, resume, waiting
from harness.databases import outbox
from harness.memory import journal
from harness.tools.toolbox import include, spare_toolbox
from tests.seed_loop import seed_turn

SAY, CALL = standin.say, standin.call
OUTSIDE = {"to": "ops@acme.example", "subject": "Late", "body": "Voyage 1479 is late."}


@pytest.fixture(scope="module", autouse=True)
def operations():
    with spare_toolbox():
        from harness.tools.operations import TOOLKIT

        include(*TOOLKIT)
        yield


@pytest.fixture
def dana():
    with session(user=uuid.uuid4().hex, role="dispatcher", tenant=uuid.uuid4().hex) as mine:
        yield mine


@pytest.fixture
def notice(dana):
    return draft()


def draft(**changes):
    return json.loads(TOOLS["draft_notice"][0](**{**OUTSIDE, **changes}))["notice_id"]


def send(notice_id):
    return json.loads(TOOLS["send_notice"][0](notice_id=notice_id))


def asked(notice_id):
    with pytest.raises(ToolError) as caught:
        send(notice_id)
    assert caught.value.kind == "needs_approval"
    return caught.value.approval_id


def sent(user):
    return [e.content["to"] for e in outbox.entries("notice", "sent") if e.user == user]


def paused(notice_id, *after, before=()):
    script = [*before, CALL("send_notice", notice_id=notice_id), *after]
    thread = uuid.uuid4().hex
    with standin.script(script) as seen:
        result = run_turn("send the notice", thread, config=TurnConfig(tools=("send_notice",)))
    return result, seen, thread


def test_what_is_asked_says_it_in_words_and_as_data(notice):
    approval = find(asked(notice))
    assert approval.tool == "send_notice" and approval.arguments == {"notice_id": notice}
    for words in ("ops@acme.example", "Voyage 1479 is late.", "outside/acme.example", "irrev"):
        assert words in approval.words
    assert [each.id for each in waiting()] == [approval.id]
    assert asked(notice) == approval.id  # not asked twice


def test_an_approved_call_runs_once(notice, dana):
    approve(asked(notice))
    assert send(notice)["notice_status"] == "sent"
    assert sent(dana.user) == [OUTSIDE["to"]]
    assert asked(notice) not in [a.id for a in waiting() if a.status == "used"]


def test_changed_arguments_need_an_approval_of_their_own(notice, dana):
    other = draft(to="ops@other.example")
    approve(asked(notice))
    asked(other)
    assert sent(dana.user) == []


def test_a_refused_or_expired_one_is_none(notice, dana, monkeypatch):
    refuse(first := asked(notice))
    assert asked(notice) != first
    approve(second := asked(notice))
    now = clock.utc()
    monkeypatch.setattr(clock, "utc", lambda: now + timedelta(minutes=16))
    assert find(second).status == "expired"
    third = asked(notice)
    assert third != second and sent(dana.user) == []
    monkeypatch.setattr(clock, "utc", lambda: now + timedelta(minutes=40))
    with pytest.raises(WorkshopError, match="expired"):
        approve(third)


def test_it_is_decided_once_and_by_its_user(notice):
    identity = asked(notice)
    with session(user="mallory"):
        for decide in (approve, refuse, resume, find):
            with pytest.raises(WorkshopError, match="not asked"):
                decide(identity)
        assert waiting() == []
    with session(tenant="elsewhere"), pytest.raises(WorkshopError):
        approve(identity)
    refuse(identity)
    with pytest.raises(WorkshopError, match="refused"):
        approve(identity)


def test_an_approval_does_not_lift_the_other_axes(notice, dana):
    approve(asked(notice))
    with session(envelope={"grants": []}), pytest.raises(ToolError) as caught:
        send(notice)
    assert caught.value.kind == "not_allowed"
    with session(read_only=True), pytest.raises(ToolError, match="only read"):
        send(notice)
    assert sent(dana.user) == []


def test_an_approval_of_a_thread_is_none_in_another(notice, dana):
    result, _, _ = paused(notice)
    approve(result.approval_id)
    asked(notice)  # by hand: in no thread
    assert sent(dana.user) == []


def test_the_turn_pauses_and_the_very_turn_goes_on(notice, dana):
    result, seen, thread = paused(notice)
    assert result.status == "needs_approval" and "ops@acme.example" in result.answer
    assert len(seen.requests) == 1 and sent(dana.user) == []
    approve(result.approval_id)
    with standin.script([SAY("Sent.")]) as seen:
        final = resume(result.approval_id)
    assert (final.status, final.answer, final.trace_id) == ("completed", "Sent.", result.trace_id)
    assert sent(dana.user) == [OUTSIDE["to"]]
    roles = [message["role"] for message in seen.requests[0]["messages"]]
    assert roles == ["system", "user", "assistant", "tool"]
    assert [step["status"] for step in final.steps] == ["ok"] and final.usage["rounds"] == 1
    outputs = journal.outputs_of_turn(thread, result.trace_id)
    assert [(o.name, o.status) for o in outputs] == [("send_notice", "ok")]
    with pytest.raises(WorkshopError, match="No turn waits"):
        resume(result.approval_id)


def test_calls_around_the_one_that_waits_keep_their_order(notice, dana):
    several = standin.calls(
        [
            ("draft_notice", {**OUTSIDE, "subject": "before"}),
            ("send_notice", {"notice_id": notice}),
            ("draft_notice", {**OUTSIDE, "subject": "after"}),
        ]
    )
    with standin.script([several]):
        result = run_turn("go", uuid.uuid4().hex)
    assert [step["tool"] for step in result.steps][:1] == ["draft_notice"]
    drafts = [e.content["subject"] for e in outbox.entries("notice") if e.user == dana.user]
    assert drafts == ["Late", "before"]
    approve(result.approval_id)
    with standin.script([SAY("Done.")]) as seen:
        final = resume(result.approval_id)
    results = [m for m in seen.requests[0]["messages"] if m["role"] == "tool"]
    assert [json.loads(r["content"])["status"] for r in results] == ["ok", "ok", "ok"]
    calls = seen.requests[0]["messages"][2]["tool_calls"]
    assert [r["tool_call_id"] for r in results] == [c["id"] for c in calls]
    drafts = [e.content["subject"] for e in outbox.entries("notice") if e.user == dana.user]
    assert drafts == ["Late", "before", "after"] and final.status == "completed"


def test_after_a_no_the_model_is_told_and_nothing_happened(notice, dana):
    result, _, _ = paused(notice)
    refuse(result.approval_id)
    with standin.script([SAY("Not sent.")]) as seen:
        final = resume(result.approval_id)
    assert "refused" in seen.requests[0]["messages"][-1]["content"]
    assert final.status == "completed" and sent(dana.user) == []


def test_an_undecided_turn_is_not_gone_on_with(notice):
    result, _, _ = paused(notice)
    with pytest.raises(WorkshopError, match="not decided"):
        resume(result.approval_id)


def test_a_turn_goes_on_only_under_the_rights_that_it_had(notice, dana):
    with session(read_only=True):
        result, _, _ = paused(notice)
    assert result.status != "needs_approval"
    result, _, _ = paused(notice)
    approve(result.approval_id)
    with pytest.raises(ToolError, match="permission"), session(role="analyst"):
        send(notice)
    with (
        session(role="guest"),
        pytest.raises(WorkshopError, match="dispatcher's"),
    ):
        resume(result.approval_id)
    with standin.script([SAY("Sent.")]):
        assert resume(result.approval_id).status == "completed"


def test_a_function_can_answer(notice, dana):
    second = draft(subject="again")
    script = [SAY("Sent one."), SAY("Nothing else.")]
    result, _, _ = paused(notice)
    seen = []
    with standin.script(script):
        final = attend(result, lambda approval: seen.append(approval.words) or True)
    assert final.answer == "Sent one." and len(seen) == 1 and sent(dana.user) == [OUTSIDE["to"]]
    result, _, _ = paused(second)
    assert attend(result, lambda approval: None) is result and sent(dana.user) == [OUTSIDE["to"]]


def test_a_learner_s_own_loop_is_told_and_can_call_again_once_approved(notice, dana):
    def yes(request):
        for each in waiting():
            approve(each.id)
        return CALL("send_notice", notice_id=notice)

    script = [CALL("send_notice", notice_id=notice), yes, SAY("Sent.")]
    with standin.script(script):
        assert seed_turn("send it", uuid.uuid4().hex) == "Sent."
    assert sent(dana.user) == [OUTSIDE["to"]]


_OTHER = """
import sys
from harness import session, standin
from harness.approvals import approve, resume
user, tenant, approval = sys.argv[1:]
import harness.tools.operations
with session(user=user, role="dispatcher", tenant=tenant), standin.script([standin.say("Sent.")]):
    approve(approval)
    print(resume(approval).trace_id)
"""


def test_another_process_goes_on_where_a_kernel_died(notice, dana):
    result, _, _ = paused(notice)
    from harness.run import recorder

    recorder.forget_turns()  # nothing of this process is needed
    done = subprocess.run(
        [sys.executable, "-c", _OTHER, dana.user, dana.tenant, result.approval_id],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == result.trace_id and sent(dana.user) == [OUTSIDE["to"]]
    with pytest.raises(WorkshopError):
        resume(result.approval_id)


_DIES = """
import sys, time
from harness import TurnConfig, run_turn, session, standin
from harness.approvals import approve
from harness.tools.operations import TOOLKIT
from harness.tools.toolbox import include
user, tenant, notice = sys.argv[1:]
include(*TOOLKIT)
with session(user=user, role="dispatcher", tenant=tenant):
    with standin.script([standin.call("send_notice", notice_id=notice)]):
        asked = run_turn("send the notice", "t", config=TurnConfig(tools=("send_notice",)))
    approve(asked.approval_id)
    print(asked.approval_id, asked.trace_id, flush=True)
    time.sleep(600)
"""


def test_a_kernel_that_is_killed_between_the_yes_and_the_call_loses_nothing(notice, dana):
    child = subprocess.Popen(
        [sys.executable, "-c", _DIES, dana.user, dana.tenant, notice],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    try:
        approval_id, turn_id = child.stdout.readline().split()
    finally:
        child.kill()  # no handler, no farewell
        child.wait()
        child.stdout.close()
    assert sent(dana.user) == [] and find(approval_id).status == "approved"
    with standin.script([SAY("It is sent.")]):
        result = resume(approval_id)
    assert (result.trace_id, result.status, result.answer) == (turn_id, "completed", "It is sent.")
    assert sent(dana.user) == [OUTSIDE["to"]]
    with pytest.raises(WorkshopError):
        resume(approval_id)


def test_a_turn_whose_goal_is_that_the_user_confirms_ends_with_it(notice, dana):
    config = TurnConfig(tools=("send_notice",), until_confirmed=True)
    with standin.script([CALL("send_notice", notice_id=notice)]) as seen:
        asked_for = run_turn("send the notice", "goal", config=config)
        approve(asked_for.approval_id)
        result = resume(asked_for.approval_id)
    assert len(seen.requests) == 1  # the model was not asked again
    assert result.status == "completed" and result.answer.startswith("Done, as you confirmed: Send")
    assert sent(dana.user) == [OUTSIDE["to"]]


def test_the_goal_is_not_met_where_the_user_refuses(notice, dana):
    config = TurnConfig(tools=("send_notice",), until_confirmed=True)
    with standin.script([CALL("send_notice", notice_id=notice), SAY("It was not sent.")]):
        asked_for = run_turn("send the notice", "goal", config=config)
        refuse(asked_for.approval_id)
        result = resume(asked_for.approval_id)
    assert result.answer == "It was not sent." and sent(dana.user) == []


@pytest.mark.parametrize(("typed", "status"), [(["perhaps", "yes"], 0), (["no"], 0), ([], 1)])
def test_the_terminal_asks(notice, dana, monkeypatch, capsys, typed, status):
    from harness.commands import cli

    said = iter(typed)

    def answer(prompt):
        try:
            return next(said)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)
    script = [CALL("send_notice", notice_id=notice), SAY("That was it.")]
    with standin.script(script):
        assert cli.main(["ask", "send the notice", "--thread", uuid.uuid4().hex]) == status
    shown = capsys.readouterr().out
    assert "The agent asks for your approval: Send" in shown
    assert sent(dana.user) == ([OUTSIDE["to"]] if "yes" in typed else [])
    assert ("stays open until" in shown) == (not typed)
