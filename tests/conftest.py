"""What several test files share: a home that was prepared once, copied for whoever wants it."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.settings import reset_settings, root


@pytest.fixture(scope="session")
def template_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WORKSHOP_HOME with the databases made, the schema scanned, and nothing else in it."""
    home = tmp_path_factory.mktemp("template")
    subprocess.run(
        [sys.executable, "-m", "harness", "prepare"],
        env={**os.environ, "WORKSHOP_HOME": str(home)},
        cwd=root(),
        capture_output=True,
        check=True,
    )
    with closing(sqlite3.connect(home / "agent.sqlite")) as state:  # all of it in the one file
        state.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return home


@pytest.fixture
def prepared_home(template_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A prepared WORKSHOP_HOME of the test's own, in force in this process and its children."""
    home = tmp_path / "home"
    shutil.copytree(template_home, home)
    monkeypatch.setenv("WORKSHOP_HOME", str(home))
    reset_settings()
    yield home
    reset_settings()


@pytest.fixture(autouse=True)
def no_turn_left_open() -> Iterator[None]:
    """A test that logs a question and no answer leaves a turn; the next test starts without."""
    yield
    if "harness.run.recorder" in sys.modules:
        sys.modules["harness.run.recorder"].forget_turns()
