"""Whatever a learner's function does, the check comes back soon, says what it was, and goes on."""

import _thread
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
import types
from pathlib import Path

import psutil
import pytest
from IPython.core.interactiveshell import InteractiveShell

from harness import agent_turn
from harness.checks import evaluate
from harness.course.runner import worker
from harness.course.todos import TODOS
from harness.settings import root
from tests.agent_turns import SHORT, broken, made
from tests.slices import in_part
from tests.wrong import build

START = "    started = time.monotonic()\n"
LOOP = "    for step in range(max_iterations):\n"


@pytest.fixture(autouse=True)
def short_limits(monkeypatch):
    monkeypatch.setattr(worker, "STEP_SECONDS", 2.0)
    monkeypatch.setattr(worker, "MEMORY_BYTES", 400_000_000)


def first(statement: str):
    """An agent_turn that begins with this."""
    return broken((START, f"    {statement}\n{START}"))


def the_worker_still_works() -> bool:
    return evaluate("agent_turn", made(SHORT)).passed


ENDLESS = {
    "an empty loop": first("while True: pass"),
    "a loop that swallows everything": broken(
        (LOOP, "    while True:\n      try:\n        chat(messages, tools)\n      except:\n"
               "        continue\n" + LOOP)),
    "a wait without end": first("import threading; threading.Event().wait()"),
    "an expression that holds the interpreter": first(
        "import re; re.match('(a+)+$', 'a' * 40 + 'b')"),
}  # fmt: skip


@pytest.mark.parametrize("title", in_part(ENDLESS, 2))
def test_an_endless_loop_is_stopped_and_called_that(title):
    began = time.monotonic()
    report = evaluate("agent_turn", ENDLESS[title])
    assert report.codes == ["endless_loop"]
    assert time.monotonic() - began < 15
    assert the_worker_still_works()


def test_an_endless_loop_is_told_with_its_line(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SHORT.replace(START, "    while True: pass\n"), encoding="utf-8")
    namespace = {"__name__": "__main__"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)
    report = evaluate("agent_turn", namespace["agent_turn"])
    assert "line 3 (`while True: pass`)" in report.findings[0].message
    assert "the model answers at once" in report.findings[0].message


@pytest.mark.parametrize(
    ("statement", "code"),
    in_part(
        [
            ("import os; os._exit(0)", "process_ended"),
            ("import sys; sys.exit('bye')", "exits"),
            ("exit()", "crash"),  # IPython's and site's exit is not there in a child
            ("blob = []\n    while True: blob.append(b'x' * 50_000_000)", "too_much_memory"),
            ("(lambda f: f(f))(lambda f: f(f))", "endless_recursion"),
            ("input('go on?')", "asks_for_input"),
            ("raise KeyboardInterrupt", "crash"),
            ("bytearray(10 ** 15)", "crash"),
        ],
        4,
    ),
)
def test_what_would_harm_a_kernel_is_contained_and_named(statement, code):
    report = evaluate("agent_turn", first(statement))
    assert report.codes == [code] or (statement == "exit()" and report.codes == ["exits"])
    assert the_worker_still_works()


@pytest.mark.parametrize(
    "statement",
    in_part(
        [
            "time.sleep(3600)",
            "from time import sleep as nap; nap(100)",
            "end = time.time() + 5\n    while time.time() < end: pass",
            "for _ in range(2000): print('x' * 500_000)",
            "import os; os.write(1, b'not for the pipe'); print(open(0).read())",
            "import sys; sys.stdout.write('a'); print('b', file=sys.stderr)",
        ],
        3,
    ),
)
def test_time_and_output_are_not_the_learner_s_own(statement):
    began = time.monotonic()
    report = evaluate("agent_turn", first(statement))
    assert not {"endless_loop", "process_ended"} & set(report.codes)
    assert time.monotonic() - began < 15
    assert len(report.output) < 10_000
    assert the_worker_still_works()


def test_what_it_prints_is_in_the_report_and_nowhere_else(capfd):
    report = evaluate("agent_turn", first("verbose and print('hello from the child')"))
    assert report.passed and "hello from the child\n" in report.output
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "statement",
    [
        "import threading; threading.Thread(target=threading.Event().wait).start()",
        "TOOLS.clear()",
        "import os; os.chdir('/')",
    ],
)
def test_damage_does_not_reach_the_next_check(statement):
    evaluate("agent_turn", first(statement))
    assert the_worker_still_works()


_BEHIND = "import sys; half = 'harness.course.';"  # in a text that is whole it would be noticed


@pytest.mark.parametrize(
    ("statement", "what"),
    in_part([
        ("import builtins; builtins.len = lambda x: 7", "builtins.len"),
        ("json.loads = lambda text: {}", "json.loads"),
        ("time.monotonic = lambda: 0", "time.monotonic"),
        ("import builtins; builtins.helper = 1", "builtins.helper"),
        (f"{_BEHIND} c = sys.modules[half + 'exercises.agent_turn']; "
         "c.findings = lambda *_: []", "turn.findings"),
        (f"{_BEHIND} c = sys.modules[half + 'staging.judge_end']; c.__dict__.update("
         "{n: lambda *_: [] for n, v in vars(c).items() if callable(v)})", "judge_end."),
        ("import harness.model.chat as m; "
         "m.chat = lambda *_, **__: None", "harness.model.chat.chat"),
        (f"{_BEHIND} sys.modules[half + 'staging.stage'].Stage.play = None", "Stage.play"),
        (f"{_BEHIND} c = sys.modules[half + 'exercises.agent_turn']; "
         "c.findings.__code__ = (lambda fn, s: []).__code__",
         "agent_turn.findings"),
        ("import harness; harness.load_skill = None", "harness.load_skill"),
    ], 3),
)  # fmt: skip
def test_changing_python_or_the_check_is_named_and_helps_nobody(statement, what):
    report = evaluate("agent_turn", first(statement))
    assert report.codes == ["changes_python"] and what in report.findings[0].message
    assert the_worker_still_works()
    assert not evaluate("agent_turn", first("return 'a guess'")).passed


def alive_in(group: int) -> list[int]:
    """The processes of a group that run, and are not merely waiting to be buried."""
    found = []
    for process in psutil.process_iter(["pid", "status"]):
        try:
            mine = hasattr(os, "getpgid") and os.getpgid(process.pid) == group
            if mine and process.info["status"] != "zombie":
                found.append(process.pid)
        except ProcessLookupError:
            continue
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_fork_neither_answers_nor_stays_nor_hides_that_the_child_died():
    assert the_worker_still_works()
    group = worker._current._child.pid
    evaluate("agent_turn", first("import os; os.fork()"))
    end = time.monotonic() + 5
    while alive_in(group) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive_in(group)
    assert the_worker_still_works()
    assert not evaluate("agent_turn", first("return 'a guess'")).passed
    began = time.monotonic()
    ended = evaluate("agent_turn", first("import os; os.fork() and os._exit(0)"))
    assert ended.codes == ["process_ended"] and time.monotonic() - began < 5


def by_import(*args, **more):
    from harness.loop import run_turn

    return run_turn(*args, **more).answer


def by_mine(*args, **more):
    from harness.checks import mine

    return mine("agent_turn")(*args, **more)


def by_a_helper(*args, **more):
    return by_import(*args, **more)


@pytest.mark.parametrize("fn", [by_import, by_mine, by_a_helper])
def test_calling_ours_is_ours_and_not_yours(fn):
    report = evaluate("agent_turn", fn)
    assert report.owner == "ours" and "our solution" in str(report)


def ours_elsewhere(module="notes"):
    """Our solution under another name, as if it came from a module of the learner's."""
    ours = TODOS["rrf_fuse"].written()
    copied = types.FunctionType(ours.__code__, dict(ours.__globals__), "fuse", ours.__defaults__)
    copied.__module__ = module
    return copied


def by_a_default(rankings, k=60, fuse=ours_elsewhere()):  # noqa: B008
    return fuse(rankings, k)


def by_a_text(rankings, k=60):
    import importlib

    return importlib.import_module("harness.course.answers.answers_03").rrf_fuse(rankings, k)


def in_a_closure(fuse):
    return lambda rankings, k=60: fuse(rankings, k)


@pytest.mark.parametrize(
    "fn", [ours_elsewhere(), by_a_default, by_a_text, in_a_closure(ours_elsewhere())]
)
def test_ours_is_ours_wherever_it_is_said_to_come_from(fn):
    report = evaluate("rrf_fuse", fn)
    assert (report.passed, report.owner) == (True, "ours"), str(report)


def at_the_caller(rankings, k=60):
    return sys._getframe(1).f_locals["wanted"]


def test_looking_at_the_check_is_named():
    report = evaluate("rrf_fuse", at_the_caller)
    assert report.codes == ["looks_around"] and "_getframe" in report.findings[0].message


def test_another_kind_of_error_is_not_ours():
    """Same steps, same words, one of them in another place."""
    fn = build("run_sql", {'"not_allowed", f"run_sql only': '"failed", f"run_sql only'})
    assert evaluate("run_sql", fn).owner == "yours"


def test_using_the_harness_is_not_calling_ours():
    statement = "from harness.checks import mine; import harness; harness.dispatch; mine"
    assert evaluate("agent_turn", first(statement)).owner == "yours"


@pytest.mark.parametrize("value", [sqlite3.connect(":memory:"), (i for i in ())])
def test_what_can_t_be_sent_is_named(value):
    fn = first("held_open")
    fn.__globals__["held_open"] = value
    report = evaluate("agent_turn", fn)
    assert report.codes == ["unpicklable"] and "`held_open`" in report.findings[0].message


def test_a_helper_of_another_module_goes_along_as_it_is_now(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "learner_helper.py"
    file.write_text("def close(text): return 'wrong'\n", encoding="utf-8")
    import learner_helper

    fn = broken(("    return final\n", "    return learner_helper.close(final)\n"))
    fn.__globals__["learner_helper"] = learner_helper
    assert evaluate("agent_turn", fn).codes == ["wrong_return"]
    learner_helper.close = lambda text: text
    assert evaluate("agent_turn", fn).passed


def test_later_checks_take_milliseconds_and_share_one_child():
    evaluate("agent_turn", made(SHORT))
    child = worker._current._child.pid
    for _ in range(3):
        assert evaluate("agent_turn", agent_turn).passed
    assert worker._current._child.pid == child


def test_a_worker_without_a_job_is_ended(monkeypatch):
    evaluate("agent_turn", made(SHORT))
    child = worker._current._child
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0.05)
    evaluate("agent_turn", made(SHORT))
    child.wait(timeout=20)
    assert the_worker_still_works()


def test_the_child_starts_with_the_cell_that_defines_a_todo(home):
    worker.stop_worker()
    shell = InteractiveShell.instance()
    try:
        shell.run_cell("from harness import start_part\nstart_part('07')\nagent_turn = None")
        assert worker._current is None
        shell.run_cell("def agent_turn(question): ...")
        end = time.monotonic() + worker.START_SECONDS
        while worker._current is None and time.monotonic() < end:
            time.sleep(0.05)
        ahead = worker._current._child.pid
        assert the_worker_still_works() and worker._current._child.pid == ahead
    finally:
        InteractiveShell.clear_instance()


def test_the_child_sees_neither_keys_nor_the_learner_s_home(monkeypatch):
    worker.stop_worker()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    probe = "import os; print(os.environ.get('OPENAI_API_KEY'), os.environ['WORKSHOP_HOME'])"
    key, home = evaluate("agent_turn", first(probe)).output.splitlines()[0].split()
    worker.stop_worker()
    assert key == "None" and home != os.environ["WORKSHOP_HOME"]
    assert not Path(home).exists()


def test_an_interrupt_ends_the_check_and_not_the_next_one(monkeypatch):
    monkeypatch.setattr(worker, "STEP_SECONDS", 60.0)
    the_worker_still_works()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        evaluate("agent_turn", first("while True: pass"))
    assert the_worker_still_works()


PARENT = """
import sys
from harness.checks import evaluate
from harness.course.runner import worker
from harness.course.todos import TODOS
from tests.agent_turns import broken, made, SHORT
evaluate("agent_turn", made(SHORT))
print(worker._current._child.pid, worker._current.home, flush=True)
worker.STEP_SECONDS = 60.0
evaluate("agent_turn", broken(("    started =", "    while True: pass\\n    started =")))
"""


def test_the_child_ends_with_its_parent_however_that_ends(tmp_path):
    script = tmp_path / "parent.py"  # no `if __name__ == "__main__"`: a child must not run it again
    script.write_text(textwrap.dedent(PARENT), encoding="utf-8")
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(root())},
    )
    pid, home = parent.stdout.readline().split(maxsplit=1)
    child = psutil.Process(int(pid))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    child.wait(timeout=10)
    assert not Path(home.strip()).exists()
