"""Each answer is written once, in authoring/; the modules and tables made from it match."""

import ast

import pytest

from authoring.builder import answers
from authoring.builder.__main__ import ROOT, check_made
from authoring.builder.source import BuildError, read_source, sources
from authoring.builder.tables import BEGIN, END, fill, readme
from harness.checks import evaluate
from harness.course.parts import PARTS, TRACKS, on_track
from harness.course.todos import TODOS

PARTS_AS_WRITTEN = {source.part: source for source in map(read_source, sources(ROOT / "authoring"))}


def test_what_is_generated_is_what_its_sources_say():
    assert check_made(ROOT) == []


@pytest.mark.parametrize("todo", TODOS.values(), ids=lambda todo: todo.name)
def test_a_copy_from_solutions_is_called_ours(todo):
    copied = {**vars(__import__(todo.answers, fromlist=["_"])), "__name__": "__main__"}
    text = PARTS_AS_WRITTEN[todo.part].solution_text()
    for node in ast.parse(text).body:
        if getattr(node, "name", "") == todo.name:  # its cell, alone, as a notebook compiles it
            exec(compile(ast.Module([node], []), "<cell>", "exec"), copied)
    assert copied[todo.name] is not todo.written()
    report = evaluate(todo.name, copied[todo.name])
    assert (report.passed, report.owner) == (True, "ours"), str(report)


@pytest.mark.parametrize("todo", TODOS.values(), ids=lambda todo: todo.name)
def test_what_is_lent_and_what_is_written_are_both_ours(todo):
    for ours in (todo.solution(), todo.written()):
        assert evaluate(todo.name, ours).owner == "ours"


SOURCE = '''\
# %% [markdown]
# # A part

# %%
import json
import math as maths

LIMIT = 3
unused = json.dumps(LIMIT)


# %%
def half(value):
    """Half of it."""
    return value / 2


# %%
def area(radius: float, limit: int = LIMIT) -> float:
    """The area of a circle."""
    # TODO 1. Multiply.
    ### BEGIN SOLUTION
    unused = half(radius) * 2
    return maths.pi * unused**2
    ### END SOLUTION


# %%
LIMIT = 4
'''


def written(folder, text):
    path = folder / "42_sample.py"
    path.write_text(text, encoding="utf-8")
    return read_source(path)


def test_a_module_holds_what_the_solution_leans_on_and_nothing_else(tmp_path):
    text = answers.module(written(tmp_path, SOURCE))
    assert "generated from authoring/42_sample.py" in text.split("\n")[0]
    assert "json" not in text and "TODO" not in text and "SOLUTION" not in text
    namespace = {}
    exec(text, namespace)
    assert namespace["LIMIT"] == 3 and "unused" not in namespace
    assert round(namespace["area"](1.0), 3) == 3.142


def test_a_name_that_no_cell_binds_is_an_error(tmp_path):
    with pytest.raises(BuildError, match="a solution uses half"):
        answers.module(written(tmp_path, SOURCE.replace("def half", "def third")))


def test_the_tables_need_a_row_for_each_source_and_markers_in_the_readme(tmp_path):
    source = written(tmp_path, "# %% [markdown]\n# {{heading}}\n")
    with pytest.raises(BuildError, match="no row in harness/course/parts"):
        fill("{{heading}}", source)
    with pytest.raises(BuildError, match="none of"):
        fill("{{nonsense}}", source)
    assert readme(tmp_path) is None
    (tmp_path / "README.md").write_text("Hello.", encoding="utf-8")
    with pytest.raises(BuildError, match="needs one line"):
        readme(tmp_path)
    (tmp_path / "README.md").write_text(f"{BEGIN}\n{END}", encoding="utf-8")
    with pytest.raises(BuildError, match="a row and no source"):
        readme(tmp_path)


def test_tracks_grow_and_the_shortest_fits_its_name():
    lengths = [len(on_track(track)) for track in TRACKS]
    assert lengths == sorted(lengths) and lengths[-1] == len(PARTS)
    assert sum(part.minutes for part in on_track("90 minutes")) <= 90
