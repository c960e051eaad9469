"""With a key and an address in .env the same notebooks talk to that endpoint, over real HTTP."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from authoring.builder.execute import ENCRYPTED
from harness import standin
from harness.settings import root
from tests.slices import in_part

LOOPBACK = {"OPENAI_API_KEY": "sk-loopback", "WORKSHOP_OFFLINE": "0", "WORKSHOP_MODEL": "standin"}


@pytest.fixture()
def endpoint():
    with standin.serving() as base_url:
        yield base_url


def environment(home, **more):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("WORKSHOP_", "OPENAI_"))}
    return {**keep, **LOOPBACK, "WORKSHOP_HOME": str(home), **more}


def ask(question, env):
    return subprocess.run(
        [sys.executable, "-m", "harness", "ask", question],
        env=env,
        cwd=root(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def test_a_question_goes_to_the_endpoint_and_comes_back(endpoint, prepared_home):
    done = ask(
        "How many voyages are delayed?", environment(prepared_home, OPENAI_BASE_URL=endpoint)
    )
    assert done.returncode == 0, done.stderr
    assert "run_sql" in done.stdout and "11 voyages" in done.stdout


@pytest.mark.kernels
@pytest.mark.parametrize(
    "part",
    [
        "00_start_here",
        pytest.param("01_smallest_loop", marks=pytest.mark.full),
        pytest.param("07_agent_loop", marks=pytest.mark.full),
    ],
)
def test_a_notebook_runs_against_the_endpoint(part, endpoint, prepared_home, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("WORKSHOP_", "OPENAI_")):
            monkeypatch.delenv(name)
    env = environment(prepared_home, OPENAI_BASE_URL=endpoint)
    notebook = nbformat.read(root() / "solutions" / f"{part}.ipynb", as_version=4)
    stored = [_texts(cell) for cell in notebook.cells]
    NotebookClient(notebook, timeout=120, kernel_name="python3", config=ENCRYPTED).execute(env=env)
    assert [_texts(cell) for cell in notebook.cells] == stored


def _texts(cell):
    """What a cell printed, in one piece: a kernel cuts a stream wherever it likes."""
    return "".join("".join(output.get("text", "")) for output in cell.get("outputs", []))


@pytest.mark.parametrize(
    ("more", "says"),
    in_part(
        [
            ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, "can't be reached"),
            ({"OPENAI_API_KEY": "sk-wrong"}, "refused the key"),
            ({"WORKSHOP_MODEL": "gpt-none"}, "knows no model 'gpt-none'"),
            (
                {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "WORKSHOP_MODEL": "gpt-5.5"},
                "needs a key",
            ),
        ],
        2,
    ),
)
def test_trouble_with_the_endpoint_is_two_lines_and_no_traceback(
    more, says, endpoint, prepared_home
):
    env = environment(prepared_home, **{"OPENAI_BASE_URL": endpoint, **more})
    done = ask("How many voyages are delayed?", env)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert says in said and "Traceback" not in said
    assert len(said.strip().splitlines()) <= 3
