"""A learner's notebooks are theirs: copied once, renewed while unchanged, never overwritten."""

import json
from pathlib import Path

import pytest

from authoring.builder.__main__ import _keep_edits, check
from authoring.builder.notebook import dumps, learner
from authoring.builder.source import read_source
from harness.commands.working_copy import refresh

NAME = "42_sample.ipynb"


def ship(folder: Path, text: str) -> Path:
    """Build a notebook with one cell as the course ships it."""
    source = folder / "42_sample.py"
    source.write_text(f"# %%\n{text}\n", encoding="utf-8")
    shipped = folder / "notebooks"
    shipped.mkdir(exist_ok=True)
    (shipped / NAME).write_text(dumps(learner(read_source(source))), encoding="utf-8")
    return shipped


def edit(path: Path, **changes: object) -> None:
    """Change the first cell, as JupyterLab saves it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][0].update(changes)
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def first_cell(path: Path) -> str:
    return "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])


@pytest.fixture
def work(tmp_path: Path) -> Path:
    refresh(ship(tmp_path, "one = 1"), tmp_path / "work")
    return tmp_path / "work"


def test_what_is_missing_is_copied_and_an_own_notebook_stays(tmp_path, work):
    (work / "scratch.ipynb").write_text("mine", encoding="utf-8")
    refresh(tmp_path / "notebooks", work)
    assert first_cell(work / NAME) == "one = 1"
    assert (work / "scratch.ipynb").read_text(encoding="utf-8") == "mine"


def test_an_edited_notebook_is_kept_and_the_new_version_put_beside_it_once(tmp_path, work, capsys):
    edit(work / NAME, source="one = 'mine'")
    offered = refresh(ship(tmp_path, "two = 2"), work)
    assert first_cell(work / NAME) == "one = 'mine'"
    assert [first_cell(work / name) for name in offered] == ["two = 2"]
    assert offered[0] in capsys.readouterr().out
    edit(work / offered[0], source="two = 'mine too'")
    assert refresh(tmp_path / "notebooks", work) == []
    assert first_cell(work / offered[0]) == "two = 'mine too'"


def test_outputs_are_no_edit_so_the_notebook_is_renewed(tmp_path, work):
    edit(work / NAME, execution_count=3, outputs=[])
    assert refresh(ship(tmp_path, "two = 2"), work) == []
    assert first_cell(work / NAME) == "two = 2"


def test_the_same_version_is_left_alone(tmp_path, work):
    edit(work / NAME, source="one = 'mine'")
    assert refresh(tmp_path / "notebooks", work) == []
    assert first_cell(work / NAME) == "one = 'mine'"


def test_a_file_that_is_no_notebook_any_more_is_theirs_too(tmp_path, work):
    (work / NAME).write_text("{half", encoding="utf-8")
    assert refresh(ship(tmp_path, "two = 2"), work)
    assert (work / NAME).read_text(encoding="utf-8") == "{half"


def test_the_build_keeps_what_was_written_into_a_shipped_notebook(tmp_path, capsys):
    path = ship(tmp_path, "one = 1") / NAME
    _keep_edits(path, tmp_path / "work")
    assert not (tmp_path / "work").exists() and path.exists()
    edit(path, source="# a note")
    _keep_edits(path, tmp_path / "work")
    assert [first_cell(each) for each in (tmp_path / "work").iterdir()] == ["# a note"]
    assert "had been edited" in capsys.readouterr().out


def test_a_scratch_notebook_beside_the_shipped_ones_is_no_fault(tmp_path):
    shipped = ship(tmp_path, "one = 1")
    (shipped / "scratch.ipynb").write_text('{"cells": []}', encoding="utf-8")
    problems = check([read_source(tmp_path / "42_sample.py")], tmp_path, [])
    assert not any("scratch" in problem for problem in problems)
