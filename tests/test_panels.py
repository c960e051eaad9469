"""The chat panel and the trace viewer, driven as their buttons drive them."""

import json
import threading
import time
import uuid
from collections.abc import Iterator

import pytest

from harness import TOOLS, agent_turn, dispatch, session, standin
from harness.context import build_context
from harness.model.chat import chat
from harness.tools.toolbox import include, spare_toolbox
from harness.traces import trace_reader
from harness.ui.chat_panel import ChatPanel
from harness.ui.trace_viewer import TraceViewer
from tests.loop_tools import CONFIG, probe_tools, turn_with

SAY, CALL = standin.say, standin.call
SECONDS = 60.0  # a generous wait: nothing here is timed


@pytest.fixture(autouse=True)
def home(prepared_home: object) -> Iterator[None]:
    with probe_tools():
        yield


def panel_asked(agent: object, question: str = "How many voyages are there?") -> ChatPanel:
    panel = ChatPanel(agent)
    panel.question.value = question
    panel.ask()
    return panel


def said(panel: ChatPanel) -> str:
    return "\n".join(each.value for each in panel.log.children)


def wait_until(true: object) -> None:
    end = time.monotonic() + SECONDS
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


def test_a_question_and_its_answer_with_steps_and_gauges() -> None:
    with standin.script([CALL("add", a=1), SAY("It is <1>.")]):
        panel = panel_asked(agent_turn)
        panel.wait(SECONDS)
    assert "How many voyages" in said(panel) and "It is &lt;1&gt;." in said(panel)
    assert "add: ok" in said(panel) and "completed" in said(panel)
    assert panel.gauges["requests"][1].value == "2 of 8"
    assert not panel.ask_button.disabled and panel.stop_button.disabled
    panel.open_trace()
    assert panel.below.children


def test_it_drives_any_loop() -> None:
    def plain(question: str, thread_id: str = "x") -> str:
        messages = [{"role": "user", "content": build_context(thread_id, question)}]
        message = chat(messages, [TOOLS["add"][1]]).choices[0].message
        return dispatch(message.tool_calls[0]).content

    with standin.script([CALL("add", a=41)]):
        panel = panel_asked(plain)
        panel.wait(SECONDS)
    assert "add: ok" in said(panel) and "41" in said(panel)


def test_stop_ends_the_panel_at_once_and_the_loop_before_its_next_tool() -> None:
    begun, go = threading.Event(), threading.Event()

    def waits(request: dict) -> object:
        begun.set()
        go.wait(SECONDS)
        return CALL("add", a=1)

    with probe_tools() as ran, standin.script([waits, SAY("never said")]):
        panel = panel_asked(agent_turn)
        assert begun.wait(SECONDS) and panel.running
        panel.question.value = "another one"
        panel.ask()  # one at a time
        panel.stop()
        assert not panel.running and "Stopped." in said(panel)
        go.set()
        panel.wait(SECONDS)
        assert ran == [] and "never said" not in said(panel)
    wait_until(lambda: trace_reader.turns(1)[0].status == "interrupted")


def test_a_loop_that_raises_is_told_and_the_next_question_is_heard() -> None:
    panel = panel_asked(lambda question, thread_id: 1 / 0)
    panel.wait(SECONDS)
    assert "ZeroDivisionError" in said(panel) and not panel.ask_button.disabled
    panel.agent = lambda question, thread_id: "fine"
    panel.question.value = "again"
    panel.ask()
    panel.wait(SECONDS)
    assert "fine" in said(panel)


def test_approve_goes_on_with_the_turn() -> None:
    with spare_toolbox():
        from harness.tools.operations import TOOLKIT

        include(*TOOLKIT)
        with session(user=uuid.uuid4().hex, role="dispatcher", tenant=uuid.uuid4().hex):
            text = {"to": "ops@acme.example", "subject": "Late", "body": "Voyage 1 is late."}
            notice = json.loads(TOOLS["draft_notice"][0](**text))["notice_id"]
            with standin.script([CALL("send_notice", notice_id=notice), SAY("It is sent.")]):
                panel = panel_asked(agent_turn, "Send it.")
                panel.wait(SECONDS)
                (row,) = panel.approvals.children
                row.children[1].click()
                panel.wait(SECONDS)
        assert "It is sent." in said(panel) and panel.approvals.children == ()


def test_the_viewer_filters_as_one_types_and_shows_what_is_chosen() -> None:
    for number in range(3):
        turn_with([CALL("add", a=number), SAY("x")], question=f"question {number}", config=CONFIG)
    viewer = TraceViewer()
    assert viewer.count.value == "3 of 3 turns" and len(viewer.list.options) == 3
    viewer.words.value = "QUESTION 1"
    assert viewer.count.value == "1 of 3 turns"
    viewer.list.value = viewer.list.options[0][1]
    assert viewer.events[0]["question"] == "question 1"
    assert "1 add | 2 answer | completed" in viewer.path.value
    assert "the model" in viewer.timeline.value and "add: ok" in viewer.steps.value
    viewer.request.value = 2
    assert "+ " in viewer.messages.value and "You are the shipping desk" in viewer.messages.value
    assert "knowledge" in viewer.tokens.value


def test_a_step_is_run_again_with_another_result() -> None:
    result, _ = turn_with([CALL("add", a=1), SAY("It is 1.")], config=CONFIG)
    viewer = TraceViewer(result.trace_id)
    assert '"sum": 1' in viewer.again.value
    viewer.again.value = '{"status": "ok", "sum": 99}'
    with standin.script([SAY("It is 99.")]) as seen:
        viewer.run_again()
        viewer.wait(SECONDS)
    assert seen.requests[0]["messages"][-1]["content"] == '{"status": "ok", "sum": 99}'
    assert "It is 99." in viewer.result.value
    assert viewer.count.value == "2 of 2 turns"
    viewer.request.value = 1
    assert viewer.again.disabled


def test_a_viewer_without_traces_says_so() -> None:
    assert TraceViewer().count.value == "0 of 0 turns"
    assert "no trace" in TraceViewer("turn-nobody").path.value


@pytest.mark.parametrize("view", [lambda: ChatPanel(agent_turn), TraceViewer])
def test_where_no_widget_can_be_drawn_a_line_says_what_would_be_there(view: object) -> None:
    shown = view()._repr_mimebundle_(include=None, exclude=None)
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "workshop.py lab" in shown["text/plain"] and "VBox" not in shown["text/plain"]
