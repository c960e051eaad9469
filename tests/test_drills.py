"""Notebooks as people use them: cells run twice, kernels killed, two windows, other hash seeds.

By default one notebook stands for all; `workshop.py test --full` drills every one of them.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from authoring.builder.execute import ENCRYPTED, IGNORED, WIDGET
from harness.settings import root

pytestmark = pytest.mark.kernels

QUICK = "00_start_here"
NAMES = sorted(path.stem for path in (root() / "solutions").glob("*.ipynb"))
ALL = [
    pytest.param(name, marks=[] if name == QUICK else [pytest.mark.full], id=name.split("_")[0])
    for name in NAMES
]
FAKE_KEYS = """OPENAI_API_KEY=sk-fake-0123456789
OPENAI_BASE_URL=http://127.0.0.1:9/v1
WORKSHOP_MODEL=gpt-none
WORKSHOP_STRICT=1
WORKSHOP_DATABASE=oracle
ORACLE_DSN=127.0.0.1:9/none
ORACLE_USER=nobody
ORACLE_PASSWORD=fake
"""


class Kernel:
    """A notebook of solutions/ and a kernel for it, in the home in force."""

    def __init__(self, name: str) -> None:
        self.notebook = nbformat.read(root() / "solutions" / f"{name}.ipynb", as_version=4)
        self.code = [i for i, cell in enumerate(self.notebook.cells) if cell.cell_type == "code"]
        self.stored = {i: texts(self.notebook.cells[i]) for i in self.code}
        self._client = NotebookClient(
            self.notebook,
            timeout=240,
            kernel_name="python3",
            config=ENCRYPTED,
            resources={"metadata": {"path": str(root() / "solutions")}},
            coalesce_streams=True,
        )

    @contextmanager
    def running(self) -> Iterator["Kernel"]:
        with self._client.setup_kernel():
            yield self

    def run(self, index: int) -> str:
        """Run one cell and return what it shows; an error in it is the test's."""
        return texts(self._client.execute_cell(self.notebook.cells[index], index))

    def kill(self) -> None:
        """End the kernel as a crash would."""
        self._client.km.provisioner.process.kill()

    def run_all(self) -> dict[int, str]:
        with self.running():
            return {index: self.run(index) for index in self.code}


def texts(cell: nbformat.NotebookNode) -> str:
    """The text of a cell's outputs; pictures and widgets left out, as where outputs are stored.

    So is all of a cell whose output is another one each time, which its tag says.
    """
    if IGNORED in cell.metadata.get("tags", []):
        return ""
    shown = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.get("outputs", [])
        if not {"image/png", WIDGET} & set(output.get("data", {}))
    ]
    return "".join(shown)


@pytest.mark.parametrize("name", ALL)
def test_every_cell_twice_in_a_row(name: str, prepared_home: Path) -> None:
    with Kernel(name).running() as kernel:
        for index in kernel.code:
            kernel.run(index)
            kernel.run(index)


@pytest.mark.parametrize("name", ALL)
def test_a_kernel_that_dies_anywhere(name: str, prepared_home: Path) -> None:
    """Killed after each cell in turn; the next kernel on the home shows what was stored."""
    last = len(Kernel(name).code) - 1
    cuts = range(last) if name != QUICK else [last // 2]
    for cut in cuts:
        with Kernel(name).running() as kernel:
            for index in kernel.code[: cut + 1]:
                assert kernel.run(index) == kernel.stored[index]
            kernel.kill()
    again = Kernel(name)
    assert again.run_all() == again.stored


@pytest.mark.parametrize("name", ALL)
def test_two_kernels_on_one_notebook_at_once(name: str, prepared_home: Path) -> None:
    both = Kernel(name), Kernel(name)
    with ThreadPoolExecutor(2) as pool:
        shown = list(pool.map(Kernel.run_all, both))
    assert shown == [kernel.stored for kernel in both]


def nbval(folder: Path, *arguments: str, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        env={**os.environ, **more},
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout[-4_000:]
    return done.stdout


@pytest.mark.full
@pytest.mark.parametrize("seed", ["0", "1", "4294967295"])
def test_all_solutions_under_another_hash_seed_twice_on_one_home(
    seed: str, prepared_home: Path
) -> None:
    for _ in range(2):
        assert " passed" in nbval(root(), "--nbval", "solutions", PYTHONHASHSEED=seed)


def test_one_solution_under_another_hash_seed(prepared_home: Path) -> None:
    file = f"solutions/{QUICK}.ipynb"
    assert " passed" in nbval(root(), "--nbval", file, PYTHONHASHSEED="4242")


@pytest.mark.full
def test_env_and_keys_change_nothing(prepared_home: Path, tmp_path: Path) -> None:
    """A copy of the repository with a .env full of settings: neither set of notebooks cares."""
    skip = shutil.ignore_patterns(".*", "__pycache__", "tests")
    copy = tmp_path / "repo"
    shutil.copytree(root(), copy, ignore=skip)
    shutil.copy(root() / ".env.example", copy)
    (copy / ".env").write_text(FAKE_KEYS, encoding="utf-8")
    keys = dict(line.split("=", 1) for line in FAKE_KEYS.splitlines())
    keys = {name: value for name, value in keys.items() if name.startswith(("OPENAI", "ORACLE"))}
    files = [f"{folder}/{name}.ipynb" for folder in ("solutions", "notebooks") for name in NAMES]
    nbval(copy, "--nbval", *files, **keys)
