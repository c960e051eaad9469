"""The notebooks are what their sources say, ship unsolved, leak nothing and are red."""

from pathlib import Path

import nbformat
import pytest

from authoring.builder.__main__ import check, main
from authoring.builder.execute import WIDGET, execute, passing
from authoring.builder.leaks import leaks, runs
from authoring.builder.notebook import dumps, learner, solution, without_outputs
from authoring.builder.red import not_red
from authoring.builder.source import BuildError, Source, read_source, sources
from harness.course.parts import numbered
from tests.slices import in_part

ROOT = Path(__file__).resolve().parent.parent
PARTS = [read_source(path) for path in sources(ROOT / "authoring")]
each_part = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.path.stem)

SAMPLE = '''\
# %% [markdown]
# # A sample

# %%
import math

print("before")

# %% tags=["raises-exception"]
1 / 0


# %%
def area(radius: float) -> float:
    """The area of a circle."""
    # TODO 1. Square the radius,
    #   which must not be negative.
    # TODO 2. Multiply it by pi.
    ### BEGIN SOLUTION
    squared_radius_of_circle = radius**2
    return math.pi * squared_radius_of_circle
    ### END SOLUTION


# %%
def check(name: str) -> None:
    """Strict in every mode: a stand-in for the harness's own."""
    try:
        print(name, "passed" if area(1.0) > 3 else "failed")
    except NotImplementedError:
        import os

        if os.environ.get("WORKSHOP_STRICT") == "1":
            raise
        print(name, "not yet")


# %%
check("area")
'''


def write(folder: Path, text: str, name: str = "42_sample.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def sample(tmp_path: Path) -> Source:
    return read_source(write(tmp_path / "authoring", SAMPLE))


# --- the parts that ship


def test_notebooks_are_what_their_sources_say() -> None:
    assert check(PARTS, ROOT, []) == []


@each_part
def test_learner_copy_has_no_solution_and_no_output(part: Source) -> None:
    notebook = learner(part)
    text = "\n".join(cell.source for cell in notebook.cells)
    assert text.count("raise NotImplementedError(") >= len(part.todos)
    assert "SOLUTION" not in text
    assert not [cell for cell in notebook.cells if cell.get("outputs")]
    assert leaks(part, notebook) == []


@each_part
def test_no_other_part_gives_a_solution_away(part: Source) -> None:
    shown = {other.path.stem: runs(part, learner(other)) for other in PARTS}
    assert {name: lines for name, lines in shown.items() if lines} == {}


@each_part
def test_stored_outputs_hold_nothing_that_passes(part: Source) -> None:
    path = ROOT / "solutions" / f"{part.path.stem}.ipynb"
    stored = nbformat.read(path, as_version=4)
    assert passing(stored) == []
    assert "widgets" not in stored.metadata
    assert WIDGET not in dumps(stored)
    errors = [
        (number, output.ename)
        for number, cell in enumerate(stored.cells)
        for output in cell.get("outputs", [])
        if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", [])
    ]
    assert errors == []


@pytest.mark.kernels
@pytest.mark.parametrize(
    "part", in_part([p for p in PARTS if p.todos], 2), ids=lambda part: part.path.stem
)
def test_unsolved_copy_fails_each_check_in_strict_mode(part: Source) -> None:
    assert not_red(part, learner(part), ROOT / "notebooks", ROOT) == []


# --- the builder, on a sample


def test_learner_copy_keeps_steps_and_raises_in_place_of_the_solution(sample: Source) -> None:
    cell = learner(sample).cells[3].source
    assert cell.endswith('    raise NotImplementedError("area is yours to write")')
    assert "# TODO 1. Square the radius,\n    #   which must not be negative.\n" in cell
    assert "# TODO 2." in cell
    assert "math.pi" not in cell


def test_solution_has_no_markers(sample: Source) -> None:
    text = "\n".join(cell.source for cell in solution(sample).cells)
    assert "SOLUTION" not in text
    assert "return math.pi * squared_radius_of_circle" in text


def test_two_builds_give_the_same_bytes_and_ids(sample: Source) -> None:
    assert dumps(learner(sample)) == dumps(learner(sample))
    ids = [cell.id for cell in solution(sample).cells]
    assert ids == [cell.id for cell in learner(sample).cells]
    assert len(set(ids)) == len(ids)
    assert ids[3] == "part-42-cell-003"


def test_notebooks_name_their_kernel_and_source(sample: Source) -> None:
    metadata = learner(sample).metadata
    assert metadata.kernelspec.name == "python3"
    assert metadata.workshop.source_sha256 == sample.sha256
    nbformat.validate(learner(sample))
    nbformat.validate(solution(sample))


def test_build_check_and_red_on_a_sample(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = write(tmp_path / "authoring", SAMPLE)
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    stored = nbformat.read(tmp_path / "solutions" / "42_sample.ipynb", as_version=4)
    outputs = [cell.outputs for cell in stored.cells if cell.cell_type == "code"]
    assert outputs[0][0].text == "before\n"
    assert outputs[1][0].traceback == ["ZeroDivisionError: division by zero"]
    assert outputs[-1][0].text == "area passed\n"
    assert "execution" not in dumps(without_outputs(stored)).replace("execution_count", "")

    source = read_source(path)
    assert not_red(source, learner(source), tmp_path, ROOT) == []
    assert not_red(source, solution(source), tmp_path, ROOT) == [
        "cell 5: the check of area passes unsolved"
    ]

    capsys.readouterr()
    write(tmp_path / "authoring", SAMPLE.replace('print("before")', 'print("after")'))
    assert main(["--check", "42"], tmp_path) == 1
    said = capsys.readouterr().err
    assert "notebooks/42_sample.ipynb is not what 42_sample.py says" in said
    assert "workshop.py build 42" in said


def test_a_todo_without_a_check_is_not_red(sample: Source, tmp_path: Path) -> None:
    source = read_source(write(tmp_path / "b", SAMPLE.replace('check("area")', "print(1)")))
    assert not_red(source, learner(source), tmp_path, ROOT) == ["no check of area"]


def test_check_finds_edits_missing_files_and_strays(tmp_path: Path) -> None:
    source = read_source(write(tmp_path / "authoring", SAMPLE))
    assert "notebooks/42_sample.ipynb is missing" in check([source], tmp_path, [])[0]
    write(tmp_path / "notebooks", dumps(learner(source)), "42_sample.ipynb")
    write(tmp_path / "solutions", dumps(solution(source)), "42_sample.ipynb")
    assert "cells that were not executed" in check([source], tmp_path, [])[0]
    write(tmp_path / "solutions", "{", "42_sample.ipynb")
    assert "is not a notebook" in check([source], tmp_path, [])[0]
    write(tmp_path / "notebooks", dumps(learner(source)), "41_gone.ipynb")
    write(tmp_path / "notebooks", "{}", "scratch.ipynb")  # somebody's own: nothing to complain of
    assert (
        check([source], tmp_path, [])[-1] == "notebooks/41_gone.ipynb has no source in authoring/"
    )


def test_a_failing_solution_is_reported_and_written_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    write(tmp_path / "authoring", SAMPLE.replace("math.pi *", "math.no_such *"))
    assert main(["42"], tmp_path) == 1
    assert "42_sample.py: the solution does not run" in capsys.readouterr().err
    assert not list(tmp_path.glob("*/*.ipynb"))


def test_outputs_that_change_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    write(tmp_path / "authoring", '# %%\nprint(object())\n\n# %%\nprint("/home/ada/x.csv")\n')
    assert main([], tmp_path) == 1
    said = capsys.readouterr().err
    assert "cell 0: an address" in said
    assert "cell 1: a path" in said


@pytest.mark.parametrize(
    "text",
    [
        "0x7f3a5c2d10",
        "/tmp/x",
        "C:\\Users\\ada",
        "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
        "2026-01-02T10:11:12.123456",
        "2026-01-02 10:11:12+00:00",
    ],
)
def test_passing_text_is_found(text: str) -> None:
    assert passing(_printing(text))


@pytest.mark.parametrize(
    "text",
    ["2026-06-30 08:00:00", "0x1F", "a/home/x", "SUPPLYCHAIN.voyages", "http://example.test/tmp/x"],
)
def test_lasting_text_is_left_alone(text: str) -> None:
    assert passing(_printing(text)) == []


def _printing(text: str) -> nbformat.NotebookNode:
    output = nbformat.v4.new_output("stream", text=text)
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x", outputs=[output])])


def test_execution_ignores_keys_and_the_callers_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-seen")
    monkeypatch.setenv("WORKSHOP_HOME", str(tmp_path))
    code = (
        "# %%\nimport os\n"
        "print('OPENAI_API_KEY' in os.environ, os.environ['WORKSHOP_OFFLINE'])\n"
        f"print(os.environ['WORKSHOP_HOME'] == {str(tmp_path)!r})\n"
    )
    source = read_source(write(tmp_path, code))
    executed = execute(solution(source), tmp_path, ROOT)
    assert executed.cells[0].outputs[0].text == "False 1\nFalse\n"


def test_a_leak_is_found(sample: Source) -> None:
    notebook = learner(sample)
    notebook.cells[0].source += "\nsquared_radius_of_circle = radius**2"
    assert leaks(sample, notebook) == ["squared_radius_of_circle = radius**2"]


# --- misused markers: file, line and what to do

BODY = "    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n"
HEAD = '# %%\ndef f():\n    """One."""\n'
STEP = "    # TODO 1. Return one.\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (HEAD + BODY, 4, "without a step"),
        (HEAD + STEP + "    x = 1\n" + BODY, 6, "without a step"),
        (HEAD + STEP + BODY.replace("    ### END SOLUTION\n", ""), 5, "not closed"),
        (HEAD + STEP + BODY.replace("END SOLUTION", "BEGIN SOLUTION"), 7, "inside the one"),
        (HEAD + STEP + "    return 1\n    ### END SOLUTION\n", 6, "without ### BEGIN"),
        (HEAD + STEP + BODY.replace("return 1", "# nothing"), 5, "no code"),
        (HEAD + STEP + "    return 1\n", 4, "no ### BEGIN SOLUTION follows"),
        (HEAD + STEP.replace("1.", "2.") + BODY, 4, "not numbered"),
        (HEAD + STEP + BODY.replace("### BEGIN", "## BEGIN"), 5, "almost a marker"),
        (HEAD + STEP + BODY.replace("SOLUTION", "solution"), 5, "almost a marker"),
        (HEAD + STEP + BODY.replace("### END", "#### END"), 7, "almost a marker"),
        (HEAD + STEP + BODY.replace("return 1", "return ("), 6, "not Python"),
        ("# %% [markdown]\n# ### BEGIN SOLUTION\n", 2, "not code"),
        ("# %%\n# TODO 1. Set x.\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n", 3, "outside of"),
        (
            "# %%\nclass A:\n    # TODO 1. Set x.\n"
            "    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n",
            4,
            "outside of",
        ),
        (HEAD + STEP + BODY.replace("    ### END", "\n# %%\n    ### END"), 5, "not closed"),
    ],
)
def test_marker_misuse_names_file_and_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(BuildError) as caught:
        read_source(write(tmp_path, text))
    assert str(caught.value).startswith(f"42_sample.py:{line}: ")
    assert says in str(caught.value)


def test_methods_and_nested_blocks_are_named(tmp_path: Path) -> None:
    text = (
        "# %%\nclass Guard:\n    def see(self, n):\n        for _ in range(n):\n"
        "            # TODO 1. Stop.\n            ### BEGIN SOLUTION\n            break\n"
        "            ### END SOLUTION\n        return n\n"
    )
    source = read_source(write(tmp_path, text))
    assert [todo.name for todo in source.todos] == ["Guard.see"]
    assert 'raise NotImplementedError("Guard.see is yours to write")' in source.learner_text()


def test_a_badly_named_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"named like 07_agent_loop\.py"):
        read_source(write(tmp_path, "", "sample.py"))


def test_half_of_a_part_is_named_by_its_letter(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    names = ["43_next.py", "42b_second.py", "42_first.py"]
    for name in names:
        write(tmp_path / "authoring", SAMPLE, name)
    in_order = [read_source(path).part for path in sources(tmp_path / "authoring")]
    assert in_order == ["42", "42b", "43"]
    assert main(["--check", "42b"], tmp_path) == 1
    said = capsys.readouterr().err
    assert "run: python workshop.py build 42b" in said and "42_first" not in said


@pytest.mark.parametrize(
    ("typed", "number"), [("7", "07"), ("07", "07"), ("8b", "08b"), ("08b", "08b"), ("x", "x")]
)
def test_a_part_may_be_asked_for_without_its_zero(typed: str, number: str) -> None:
    assert numbered(typed) == number


def test_an_unknown_part_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    write(tmp_path / "authoring", SAMPLE)
    assert main(["7"], tmp_path) == 1
    assert "no part 7; there are 42" in capsys.readouterr().err
