"""The archive for a room without a network: packages inside, nothing of anybody's own."""

import sys
import zipfile
from pathlib import Path

import pytest

from harness.commands import environment, offline_bundle
from harness.errors import WorkshopError

METADATA = "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture
def workshop(tmp_path) -> Path:
    """A small workshop whose only package lies beside it."""
    root = tmp_path / "a workshop"
    for name in ("notebooks/01.ipynb", "workshop.py", ".env", ".venv/bin/python", ".git/HEAD",
                 ".workshop/state.db", "harness/__pycache__/x.pyc", "harness/loop.py"):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name, encoding="utf-8")
    wheel = root / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("tiny.py", "")
        made.writestr("tiny-1.0.dist-info/METADATA", METADATA)
        made.writestr("tiny-1.0.dist-info/WHEEL", WHEEL)
        made.writestr("tiny-1.0.dist-info/RECORD", "")
    (root / "requirements.txt").write_text(f"tiny @ {wheel.as_uri()}\n", encoding="utf-8")
    return root


def test_it_holds_the_workshop_and_its_packages_and_nothing_private(workshop, tmp_path):
    made = offline_bundle.make(workshop, Path(sys.executable), "this", "3.11", tmp_path / "out")
    with zipfile.ZipFile(made) as archive:
        names = {name.removeprefix("agent-loop-workshop/") for name in archive.namelist()}
    assert "wheels/tiny-1.0-py3-none-any.whl" in names
    assert {"notebooks/01.ipynb", "workshop.py", "harness/loop.py", "requirements.txt"} <= names
    private = (".env", ".venv", ".git", ".workshop", "harness/__pycache__")
    assert not [name for name in names if name.startswith(private)]


def test_a_package_that_can_not_be_had_is_said(workshop, tmp_path, capfd):
    (workshop / "requirements.txt").write_text("./nowhere-1.0.whl\n", encoding="utf-8")
    with pytest.raises(WorkshopError, match="could not be fetched"):
        offline_bundle.make(workshop, Path(sys.executable), "this", "3.11", tmp_path / "out")
    assert not list(tmp_path.glob("out/*.zip"))


def test_an_unpacked_archive_installs_from_its_own_packages(workshop, monkeypatch):
    seen = []
    monkeypatch.setattr(environment, "_pip", lambda command, root: seen.append(command) or 0)
    environment._install(workshop, workshop / ".venv")
    (workshop / "wheels").mkdir()
    environment._install(workshop, workshop / ".venv")
    assert "--no-index" not in seen[0]
    place = seen[1].index("--find-links")
    assert "--no-index" in seen[1] and seen[1][place + 1] == str(workshop / "wheels")
