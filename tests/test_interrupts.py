"""Ctrl-C and kill -9 in the midst of a turn: the thread goes on, and knows what happened."""

import _thread
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from pathlib import Path

import pytest

from harness import register, run_turn, session, standin
from harness.memory import journal
from harness.run.recorder import current_turn
from harness.standin.protocol import check_request
from tests.loop_tools import CONFIG, QUESTION, body, raw_call, turn_with

SAY, CALL = standin.say, standin.call
ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.usefixtures("ran")


@pytest.fixture
def thread():
    return uuid.uuid4().hex


def interrupting(name, seconds=0.0):
    """A tool during which somebody presses Ctrl-C."""

    @register(name=name, when="never.", replace=True)
    def tool(n: int = 0) -> str:
        """Be interrupted."""
        threading.Timer(seconds, _thread.interrupt_main).start()
        time.sleep(3600)
        return "never"


def assert_goes_on(thread, said="interrupted"):
    """The next turn on the thread works, and its context says what happened to the last one."""
    result, seen = turn_with([CALL("add", a=1), SAY("It is 1.")], thread_id=thread)
    assert (result.status, result.answer) == ("completed", "It is 1.")
    assert not seen.refused
    assert said in seen.requests[0]["messages"][1]["content"]


class TestCtrlC:
    def test_in_a_tool(self, thread, ran):
        interrupting("omega")
        several = [("add", {"a": 41, "b": 1}), ("omega", {"n": 2}), ("ping", {})]
        started = time.monotonic()
        result, seen = turn_with([standin.calls(several), SAY("never")], thread_id=thread)
        assert time.monotonic() - started < 5
        assert result.status == "interrupted" and '"sum": 42' in result.answer
        assert [(step["tool"], step["status"]) for step in result.steps] == [
            ("add", "ok"),
            ("omega", "interrupted"),
            ("ping", "interrupted"),
        ]
        assert len(seen.requests) == 1 and ("ping", {}) not in ran
        assert journal.unfinished_calls(thread) == []
        check_request({"model": "standin", "messages": result.messages}, 0)
        assert current_turn() is None
        assert_goes_on(thread)

    @pytest.mark.parametrize("stream", [True, False])
    def test_in_chat(self, thread, stream):
        def reply(request):
            threading.Timer(0.0, _thread.interrupt_main).start()
            return standin.slowly(3600, SAY("never"))

        result, _ = turn_with(reply, thread_id=thread, stream=stream)
        assert result.status == "interrupted" and result.answer
        assert result.steps == []
        assert_goes_on(thread)

    def test_in_the_forced_answer(self, thread):
        def reply(request):
            if "tools" in request:
                return CALL("add", a=41, b=1)
            threading.Timer(0.0, _thread.interrupt_main).start()
            return standin.slowly(3600, SAY("never"))

        result, _ = turn_with(reply, thread_id=thread, max_iterations=1)
        assert result.status == "interrupted" and '"sum": 42' in result.answer
        assert_goes_on(thread)

    def test_raised_by_the_tool_itself(self, thread):
        @register(name="omega", when="never.", replace=True)
        def tool() -> str:
            """Raise what Ctrl-C raises."""
            raise KeyboardInterrupt

        result, _ = turn_with([CALL("omega"), SAY("never")], thread_id=thread)
        assert result.status == "interrupted"
        assert result.steps[0]["status"] == "interrupted"
        assert_goes_on(thread)

    def test_under_a_loop_that_knows_nothing_of_it(self, thread):
        from tests.seed_loop import seed_turn

        interrupting("omega")
        with standin.script([CALL("omega"), SAY("never")]), pytest.raises(KeyboardInterrupt):
            seed_turn(QUESTION, thread)
        assert_goes_on(thread)

    def test_the_calls_of_the_next_turn_may_have_the_same_ids(self, thread):
        interrupting("omega")
        same = raw_call("omega", "{}", "call_0")
        turn_with([body({"content": None, "tool_calls": [same]})], thread_id=thread)
        again = raw_call("ping", "{}", "call_0")
        turns = [body({"content": None, "tool_calls": [again]}), SAY("ok")]
        result, seen = turn_with(turns, thread_id=thread)
        assert result.answer == "ok"
        assert "pong" in seen.requests[-1]["messages"][-1]["content"]


CHILD = """
    import os, sys, time
    from harness import register, run_turn, standin, TurnConfig

    @register(when="slow things.")
    def dig(where: str) -> str:
        '''Dig for an hour.'''
        print("digging", flush=True)
        time.sleep(3600)
        return "gold"

    @register(when="quick things.")
    def ping() -> str:
        '''Answer pong.'''
        return "pong"

    turns = [standin.call("ping"), standin.calls([("dig", {"where": "here"}), ("ping", {})])]
    config = TurnConfig(tools=("dig", "ping"))
    with standin.script(turns):
        run_turn("How many voyages are there?", sys.argv[1], config=config)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_kill_9_in_the_midst_of_a_tool(thread):
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), thread],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
    )
    assert child.stdout.readline().strip() == "digging"
    child.kill()
    child.wait(10)
    child.stdout.close()

    open_calls = journal.unfinished_calls(thread)
    assert [call.name for call in open_calls] == ["dig", "ping"]
    result, seen = turn_with([CALL("add", a=1), SAY("It is 1.")], thread_id=thread)
    assert (result.status, result.answer) == ("completed", "It is 1.")
    context = seen.requests[0]["messages"][1]["content"]
    assert "interrupted while calling dig" in context
    assert "> user: How many voyages are there?" in context
    assert "pong" in context
    # and the turn after that has nothing left to say about it
    _, seen = turn_with([SAY("ok")], thread_id=thread)
    assert "interrupted" not in seen.requests[0]["messages"][1]["content"]


def test_an_interrupted_turn_of_one_user_is_nothing_to_another(thread):
    interrupting("omega")
    turn_with([CALL("omega")], thread_id=thread)
    with session(user="somebody-else"), standin.script([SAY("ok")]) as seen:
        run_turn(QUESTION, thread, config=CONFIG)
    assert "interrupted" not in seen.requests[0]["messages"][1]["content"]


CELL = """
from harness import TurnConfig, register, run_turn, standin
import time

@register(when="slow things.", replace=True)
def dig(where: str) -> str:
    '''Dig for an hour.'''
    print("digging", flush=True)
    time.sleep(3600)

with standin.script([standin.call("dig", where="here")]):
    config = TurnConfig(tools=("dig",))
    result = run_turn("How many voyages are there?", THREAD, config=config)
print(result.status)
"""
NEXT_CELL = """
with standin.script([standin.say("It is 1.")]) as seen:
    result = run_turn("How many voyages are there?", THREAD, config=config)
print(result.status, "interrupted" in seen.requests[0]["messages"][1]["content"])
"""


def test_ctrl_c_in_a_notebook_cell(thread):
    """The stop button of a real kernel."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3", cwd=str(ROOT))
    try:

        def run(code, stop_at=None):
            printed = []

            def listen(message):
                if message["msg_type"] == "stream" and message["content"]["name"] == "stdout":
                    printed.append(message["content"]["text"])
                    if stop_at and stop_at in printed[-1]:
                        manager.interrupt_kernel()

            reply = client.execute_interactive(code, output_hook=listen, timeout=90)
            assert reply["content"]["status"] == "ok", reply["content"]
            return "".join(printed).split()

        run(f"THREAD = {thread!r}")
        assert run(CELL, stop_at="digging") == ["digging", "interrupted"]
        assert run(NEXT_CELL) == ["completed", "True"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
