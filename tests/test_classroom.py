"""The instructor's board: what notebooks hand in, and what the class as a whole gets wrong."""

import csv
import io
import json
from pathlib import Path

import pytest

from harness.commands.cli import main
from harness.course.classroom.board import (
    as_csv,
    as_html,
    board_rows,
    misconceptions,
    summary_lines,
)
from harness.course.classroom.grading import Graded, grade_folder
from harness.course.classroom.handed_in import read_notebook
from harness.course.todos import TODOS
from harness.errors import WorkshopError

RIGHT = """
def answer_tool_calls(message):
    answers = []
    for asked in message.tool_calls or ():
        told = dispatch(asked)
        answers += [{"role": ROLE, "tool_call_id": asked.id, "content": told.content}]
    return answers
"""
USES = "from harness import dispatch\nROLE = 'tool'"


def notebook(path, *cells):
    path.parent.mkdir(parents=True, exist_ok=True)
    made = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
    path.write_text(json.dumps({"cells": made, "nbformat": 4}), encoding="utf-8")
    return path


def test_only_what_a_todo_needs_is_taken(tmp_path):
    path = notebook(
        tmp_path / "a.ipynb", "%matplotlib inline\nimport sys", USES,
        "answers = forever()\nprint('never run')", RIGHT, "check('answer_tool_calls')",
    )  # fmt: skip
    found = read_notebook(path, TODOS)
    assert list(found.sources) == ["answer_tool_calls"] and found.faults == []
    source = found.sources["answer_tool_calls"]
    assert "ROLE = 'tool'" in source and "import dispatch" in source
    assert "forever" not in source and "sys" not in source and "check" not in source


def test_what_a_notebook_takes_ready_made_was_not_written_in_it(tmp_path):
    taken = "from harness.checks import mine\nanswer_tool_calls = mine('answer_tool_calls')"
    assert read_notebook(notebook(tmp_path / "a.ipynb", taken), TODOS).sources == {}
    found = read_notebook(notebook(tmp_path / "b.ipynb", USES, RIGHT, taken), TODOS)
    assert "mine" not in found.sources["answer_tool_calls"]
    built = next(Path("notebooks").glob("08_*.ipynb"))
    assert "agent_turn" not in read_notebook(built, TODOS).sources


def test_the_last_definition_counts_and_a_broken_cell_is_named(tmp_path):
    path = notebook(
        tmp_path / "a.ipynb", USES, RIGHT, "def broken(:", RIGHT.replace("asked.id", "'x'")
    )
    found = read_notebook(path, TODOS)
    assert found.faults == ["code cell 3, line 1: invalid syntax"]
    assert found.sources["answer_tool_calls"].rstrip().endswith("return answers")
    assert found.sources["answer_tool_calls"].count("'x'") == 1


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"cells": 3}', "\x00\x01", '{"cells": [1, null]}']
)
def test_a_file_that_is_no_notebook_is_a_fault_or_empty(tmp_path, text):
    path = tmp_path / "a.ipynb"
    path.write_text(text, encoding="utf-8")
    found = read_notebook(path, TODOS)
    assert found.sources == {} and (found.faults or "null" in text)


def test_a_class_is_checked_and_nobody_stops_it(tmp_path):
    wrong = RIGHT.replace("return answers", "return answers[:1]")
    notebook(tmp_path / "ann" / "01.ipynb", USES, RIGHT)
    notebook(tmp_path / "bo" / "01.ipynb", USES, wrong)
    notebook(tmp_path / "cy_01.ipynb", USES, RIGHT.replace("    answers = []", "    exit()"))
    notebook(tmp_path / "dee.ipynb", USES, "raise SystemExit", "def answer_tool_calls(m):\n"
             "    raise NotImplementedError")  # fmt: skip
    (tmp_path / "eve.ipynb").write_text("{", encoding="utf-8")
    graded = {each.learner: each for each in grade_folder(tmp_path)}
    states = {name: each.states.get("answer_tool_calls") for name, each in graded.items()}
    assert states == {
        "ann/01": "passed", "bo/01": "not yet", "cy_01": "not yet", "dee": "open", "eve": None
    }  # fmt: skip
    assert graded["eve"].faults and not graded["ann/01"].faults


def board():
    wrong = [{"code": "cut", "message": "It is cut <b>.", "hint": ""}]
    return [
        Graded("=ann", {"tiny_loop": "passed"}),
        Graded("bo", {"tiny_loop": "not yet", "agent_turn": "open"}, {"tiny_loop": wrong}),
        Graded("cy", {"tiny_loop": "not yet"}, {"tiny_loop": wrong * 2}, ["it is broken"]),
    ]


def test_the_board_in_its_three_forms():
    assert board_rows(board()) == [
        ("", "1", "2"),
        ("=ann", "yes", ""),
        ("bo", "no", "-"),
        ("cy", "no", ""),
    ]
    text, page = "\n".join(summary_lines(board())), as_html(board())
    assert "tiny_loop: 1 of 3" in text and "cy: it is broken" in text
    assert "  2  tiny_loop [cut] It is cut <b>." in text
    assert "It is cut &lt;b&gt;." in page and "<b>." not in page
    rows = list(csv.reader(io.StringIO(as_csv(board()))))
    assert rows[0] == ["learner", "tiny_loop", "agent_turn", "faults"]
    assert rows[1][:2] == ["'=ann", "passed"] and rows[2][1:3] == ["not yet cut", "open"]
    (most,) = misconceptions(board())
    assert (most.todo, most.code, most.learners) == ("tiny_loop", "cut", ("bo", "cy"))


def test_a_folder_without_notebooks_is_said(tmp_path, capsys):
    with pytest.raises(WorkshopError, match="no notebook"):
        grade_folder(tmp_path)
    assert main(["class", str(tmp_path / "nowhere")]) == 1
    assert "There is no folder" in capsys.readouterr().err
