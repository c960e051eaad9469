"""check, hint, mine and reset as a notebook uses them, across processes and versions of Python."""

import json
import subprocess
import sys
import textwrap

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import harness
from authoring.builder.execute import ENCRYPTED
from harness import checks
from harness.course import api, progress
from harness.course.answers import answers_01
from harness.course.lent import is_lent
from harness.errors import WorkshopError
from harness.settings import reset_settings, root
from tests.homes import printed

STUB = "def answer_tool_calls(message):\n    raise NotImplementedError\n"
RIGHT = """
def one(call):
    return {"role": TOOL, "tool_call_id": call.id, "content": dispatch(call).content}


def answer_tool_calls(message):
    return [one(call) for call in message.tool_calls]
"""
NAME = "answer_tool_calls"


@pytest.fixture(autouse=True)
def a_home_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKSHOP_HOME", str(tmp_path))
    monkeypatch.delenv("WORKSHOP_STRICT", raising=False)
    reset_settings()
    monkeypatch.setattr(api, "_kept", {})
    yield tmp_path
    monkeypatch.undo()
    reset_settings()


def notebook_with(source):
    """The globals of a notebook that ran these cells."""
    namespace = {"__name__": "__main__", "dispatch": harness.dispatch, "TOOL": "tool"}
    exec(f"from harness.checks import check, hint, mine\n{source}", namespace)
    return namespace


def lent_is_ours(notebook):
    """The name holds ours, says so of itself, and does what ours does."""
    return notebook[NAME].__wrapped__ is answers_01.answer_tool_calls and is_lent(notebook[NAME])


def run(namespace, statement):
    exec(statement, namespace)


def test_a_stub_is_told_so_and_ours_is_lent(capsys):
    notebook = notebook_with(STUB)
    run(notebook, f'check("{NAME}")')
    said = capsys.readouterr().out
    assert "not yet. 1 finding." in said and "[not_written]" in said and "lent to you" in said
    assert lent_is_ours(notebook)


def test_checking_again_after_ours_was_lent_asks_for_yours(capsys):
    notebook = notebook_with(STUB)
    run(notebook, f'check("{NAME}")\ncheck("{NAME}")')
    assert "this is ours, lent to you" in capsys.readouterr().out
    run(notebook, RIGHT + f'check("{NAME}")')
    assert "passed. It is yours." in capsys.readouterr().out


def test_theirs_stays_under_a_name_of_its_own(capsys):
    notebook = notebook_with("def answer_tool_calls(message):\n    return []\n")
    theirs = notebook[NAME]
    run(notebook, f'check("{NAME}")')
    assert notebook[f"my_{NAME}"] is theirs
    assert f"yours is my_{NAME}" in " ".join(capsys.readouterr().out.split())


def test_a_notebook_without_the_function_gets_ours(capsys):
    notebook = notebook_with("")
    run(notebook, f'check("{NAME}")')
    assert "There is no answer_tool_calls in this notebook." in capsys.readouterr().out
    assert lent_is_ours(notebook)


def test_what_passes_stays_and_is_mine(capsys):
    notebook = notebook_with(RIGHT)
    theirs = notebook[NAME]
    run(notebook, f'check("{NAME}")\nkept = mine("{NAME}")')
    assert notebook[NAME] is theirs and notebook["kept"] is theirs
    assert capsys.readouterr().out == (
        "answer_tool_calls: passed. It is yours.\nanswer_tool_calls: yours.\n"
    )


def test_a_later_wrong_version_does_not_replace_the_one_that_passed(capsys):
    notebook = notebook_with(RIGHT)
    theirs = notebook[NAME]
    run(notebook, f'check("{NAME}")\n{STUB}\ncheck("{NAME}")')
    assert checks.mine(NAME) is theirs


def test_our_own_code_handed_in_is_called_ours(capsys):
    namespace = notebook_with("from harness.course.answers import answers_01 as solutions")
    run(namespace, f'{NAME} = solutions.{NAME}\ncheck("{NAME}")')
    assert "this is our solution" in capsys.readouterr().out
    copied = RIGHT + "\n\n" + "answer_tool_calls = type(one)(code, {**globals()})"
    namespace["code"] = answers_01.answer_tool_calls.__code__
    run(namespace, copied + f'\ncheck("{NAME}")')
    assert "passes, but this is our solution, word for word" in capsys.readouterr().out


def test_strict_raises_a_short_error_after_it_has_bound(monkeypatch, capsys):
    monkeypatch.setenv("WORKSHOP_STRICT", "1")
    reset_settings()
    notebook = notebook_with(STUB)
    with pytest.raises(WorkshopError, match="did not pass") as caught:
        run(notebook, f'check("{NAME}")')
    assert lent_is_ours(notebook)
    assert len(caught.value._render_traceback_()) <= 2
    with pytest.raises(WorkshopError):  # ours, lent, is not a pass either
        run(notebook, f'check("{NAME}")')
    run(notebook, RIGHT + f'check("{NAME}")')


def test_evaluate_prints_nothing_and_keeps_nothing(capsys, tmp_path):
    report = checks.evaluate(NAME, notebook_with(RIGHT)[NAME])
    assert report.passed and capsys.readouterr().out == ""
    assert not list(tmp_path.rglob("*.pickle"))


def test_what_is_no_function_is_said_to_be_none():
    assert checks.evaluate(NAME, 42).codes == ["not_a_function"]


def test_a_check_that_fails_itself_lends_ours_and_takes_the_blame(monkeypatch, capsys):
    def broken(name, fn):
        raise WorkshopError("The check itself failed: KeyError.", "The fault is in our check.")

    monkeypatch.setattr(api, "evaluate", broken)
    namespace = {NAME: lambda message: []}
    api.check(NAME, namespace)
    assert lent_is_ours(namespace)
    assert "fault is in our check" in capsys.readouterr().out


def test_a_long_report_tells_the_first_five():
    report = checks.Report(NAME, False, [checks.Finding(f"code_{n}", "Wrong.") for n in range(8)])
    assert "code_4" in str(report) and "code_5" not in str(report)
    assert "... and 3 more." in str(report) and len(report.codes) == 8


def test_all_four_can_be_imported_from_the_harness(capsys):
    harness.reset(NAME)
    assert NAME in capsys.readouterr().out
    with pytest.raises(WorkshopError, match="tiny_loop"):
        harness.hint()


def test_an_unknown_name_says_which_there_are():
    with pytest.raises(WorkshopError, match="There is no check of 'agentturn'"):
        checks.evaluate("agentturn", print)


def in_a_new_process(statement):
    code = f"from harness.checks import *\n{statement}"
    return printed(code)


def test_three_hints_remembered_across_processes_until_reset(capsys):
    for _ in range(2):
        checks.hint(NAME)
    said = capsys.readouterr().out + in_a_new_process(f'hint("{NAME}"); hint("{NAME}")')
    assert [f"Hint {n} of 3" in said for n in (1, 2, 3)] == [True] * 3
    assert "Those were all 3 hints." in said
    checks.reset("01")  # the part, and so both of its TODOs
    checks.hint(NAME)
    assert "Hint 1 of 3" in capsys.readouterr().out


USE = f"""
from harness.course.exercises.answer_tool_calls import message
fn = mine("{NAME}")
print(fn(message([("c1", "no_such_tool", "{{}}")]))[0]["tool_call_id"], fn.__module__)
"""


def test_mine_finds_it_in_another_process(capsys):
    assert "ours (you have none that passed yet)" in in_a_new_process(USE)
    run(notebook_with(RIGHT), f'check("{NAME}")')
    assert in_a_new_process(USE) == f"{NAME}: yours.\nc1 __main__"


@pytest.mark.full
def test_the_source_serves_where_the_pickle_does_not(tmp_path):
    cell = tmp_path / "cell.py"
    cell.write_text("from harness import dispatch\n\nTOOL = 'tool'\n" + RIGHT, encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(
        cell.read_text(encoding="utf-8") + f'\nfrom harness.checks import check\ncheck("{NAME}")\n',
        encoding="utf-8",
    )
    subprocess.run(
        [sys.executable, str(script)],
        check=True,
        env={**__import__("os").environ, "PYTHONPATH": str(root())},
        capture_output=True,
    )
    folder = tmp_path / "progress"
    assert "def one(call)" in (folder / f"{NAME}.py").read_text(encoding="utf-8")
    (folder / f"{NAME}.pickle").write_bytes(b"from another Python")
    assert in_a_new_process(USE) == f"{NAME}: yours, rebuilt from its source.\nc1 __main__"
    record = json.loads((folder / f"{NAME}.json").read_text(encoding="utf-8"))
    (folder / f"{NAME}.json").write_text(json.dumps({**record, "python": [2, 7]}), "utf-8")
    assert "rebuilt from its source" in in_a_new_process(USE)
    (folder / f"{NAME}.py").write_text("def nonsense(", encoding="utf-8")
    assert "ours (yours can't be loaded here" in in_a_new_process(USE)
    (folder / f"{NAME}.json").write_text("{half", encoding="utf-8")
    assert "ours (you have none that passed yet)" in in_a_new_process(USE)


def test_a_later_version_of_another_kernel_wins(capsys):
    run(notebook_with(RIGHT), f'check("{NAME}")')
    other = notebook_with(RIGHT.replace("[one(call)", "[one(call) | {}"))
    progress.save(NAME, other[NAME])  # as the other kernel's check does
    assert checks.mine(NAME).__code__.co_code == other[NAME].__code__.co_code


def test_what_passes_in_solutions_is_nobody_s_progress(tmp_path, monkeypatch):
    (tmp_path / "solutions").mkdir()
    monkeypatch.chdir(tmp_path / "solutions")
    run(notebook_with(RIGHT), f'check("{NAME}")')
    monkeypatch.chdir(tmp_path)
    assert not (tmp_path / "progress").exists()


def test_a_home_that_can_t_be_written_says_so(tmp_path, monkeypatch):
    (tmp_path / "progress").write_text("in the way", encoding="utf-8")
    with pytest.raises(WorkshopError, match="WORKSHOP_HOME"):
        checks.hint(NAME)


def test_importing_the_checks_is_light():
    code = (
        "import sys, harness.checks; print({'cloudpickle', 'openai', 'duckdb'} & set(sys.modules))"
    )
    assert printed(code) == "set()"


def cells_run(*cells, home, **settings):
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(textwrap.dedent(cell)) for cell in cells]
    client = NotebookClient(notebook, timeout=60, kernel_name="python3", config=ENCRYPTED)
    import os

    env = {**os.environ, "WORKSHOP_HOME": str(home), "PYTHONPATH": str(root()), **settings}
    client.execute(env=env)
    texts = ([said_in(out) for out in cell.outputs] for cell in notebook.cells)
    return ["".join(text) for text in texts]


def said_in(output):
    """What was printed, or the text of what was displayed."""
    return output.get("text", "") or output.get("data", {}).get("text/plain", "")


def test_in_a_real_kernel(tmp_path):
    said = cells_run(
        "from harness import check, dispatch, mine\nTOOL = 'tool'",
        STUB,
        f'check("{NAME}")',
        f"none = type('M', (), {{'tool_calls': []}})\nprint({NAME}.__module__, end=' ')\n"
        f"for _ in 'ab': {NAME}(none)",
        "def answer_tool_calls(message):\n    while True:\n        pass",
        f'import harness.course.runner.worker as w; w.STEP_SECONDS = 1.0\ncheck("{NAME}")',
        RIGHT,
        f'check("{NAME}")',
        home=tmp_path,
    )
    assert "[not_written]" in said[2] and said[3] == (
        f"harness.course.answers.answers_01 ({NAME}: ours, lent to you. Yours is my_{NAME}.)\n"
    )
    assert ("[endless_loop]" in said[5] and "(`pass`)" in said[5]) or "(`while True:`)" in said[5]
    assert said[7] == f"{NAME}: passed. It is yours."
    said = cells_run("from harness import mine", f'fn = mine("{NAME}")', home=tmp_path)
    assert said[1] == f"{NAME}: yours.\n"


def test_in_a_real_kernel_strict_shows_no_traceback(tmp_path):
    with pytest.raises(CellExecutionError) as caught:
        cells_run(
            "from harness import check", STUB, f'check("{NAME}")',
            home=tmp_path, WORKSHOP_STRICT="1",
        )  # fmt: skip
    assert "Traceback" not in str(caught.value) and "did not pass" in str(caught.value)
