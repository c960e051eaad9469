"""The contract and part 07 against a real server, where there is one: skipped by default.

    CONTRACT_BASE_URL=http://127.0.0.1:8001/v1 CONTRACT_MODEL=... CONTRACT_ENDPOINT=llamacpp-python

and CONTRACT_KEY where it wants one. requirements-local-model.txt has a small model for that.
Its answers may be poor; the run may not break.
"""

import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from authoring.builder.execute import ENCRYPTED
from harness.settings import root

URL = os.environ.get("CONTRACT_BASE_URL")
pytestmark = [
    pytest.mark.skipif(not URL, reason="no real endpoint: CONTRACT_BASE_URL is not set"),
]


@pytest.fixture
def env(prepared_home):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("WORKSHOP_", "OPENAI_"))}
    given = {
        "OPENAI_BASE_URL": URL,
        "OPENAI_API_KEY": os.environ.get("CONTRACT_KEY", "none"),
        "WORKSHOP_MODEL": os.environ.get("CONTRACT_MODEL", "default"),
        "WORKSHOP_ENDPOINT": os.environ.get("CONTRACT_ENDPOINT", ""),
        "WORKSHOP_WINDOW_TOKENS": os.environ.get("CONTRACT_WINDOW", "8192"),
        "WORKSHOP_HOME": str(prepared_home),
        "WORKSHOP_OFFLINE": "0",
    }
    return {**keep, **given}


def run(env, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        env=env, cwd=root(), capture_output=True, text=True, encoding="utf-8", timeout=900,
    )  # fmt: skip


def test_it_speaks_as_the_stand_in_does(env):
    done = run(env, "contract")
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_question_ends_in_an_answer_or_in_words(env):
    done = run(env, "ask", "How many voyages are delayed?")
    assert done.stdout.strip() and "Traceback" not in done.stderr


def test_part_07_runs_to_its_end(env):
    notebook = nbformat.read(root() / "solutions" / "07_agent_loop.ipynb", as_version=4)
    NotebookClient(notebook, timeout=1800, kernel_name="python3", config=ENCRYPTED).execute(env=env)
