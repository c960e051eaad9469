"""Checking the notebooks of a class, a few at a time, each in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.course.classroom.handed_in import read_notebook
from harness.course.todos import TODOS
from harness.errors import WorkshopError
from harness.settings import root

SECONDS = 120.0  # for all the checks of one notebook
_OWN = ("OPENAI_", "ORACLE_", "WORKSHOP_")  # settings that are the instructor's own


@dataclass
class Graded:
    """One notebook: what each TODO came to. States: passed, ours, open, not yet."""

    learner: str
    states: dict[str, str] = field(default_factory=dict)
    findings: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def grade_folder(folder: Path, told: Callable[[str], None] = lambda line: None) -> list[Graded]:
    """Every notebook below a folder, by name. Raises WorkshopError where there is none."""
    paths = sorted(
        path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
    )
    if not paths:
        raise WorkshopError(
            f"There is no notebook in {folder}.", "Name the folder with everybody's .ipynb files."
        )
    with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, 4))) as pool:
        done = pool.map(lambda path: _grade(folder, path), paths)
        graded = []
        for number, each in enumerate(done, 1):
            told(f"{number} of {len(paths)}: {each.learner}")
            graded.append(each)
    return graded


def _grade(folder: Path, path: Path) -> Graded:
    notebook = read_notebook(path, TODOS)
    learner = path.relative_to(folder).with_suffix("").as_posix()
    graded = Graded(learner, faults=notebook.faults)
    for line in _checked(notebook.sources, graded):
        name, findings = line["name"], line["findings"]
        graded.states[name] = _state(line)
        if graded.states[name] == "not yet":
            graded.findings[name] = findings
    return graded


def _checked(sources: dict[str, str], graded: Graded) -> list[dict[str, Any]]:
    if not sources:
        return []
    with tempfile.TemporaryDirectory(prefix="workshop-class-", ignore_cleanup_errors=True) as home:
        kept = {k: v for k, v in os.environ.items() if not k.upper().startswith(_OWN)}
        settings = {"WORKSHOP_OFFLINE": "1", "WORKSHOP_HOME": home, "PYTHONUTF8": "1"}
        child = subprocess.Popen(
            [sys.executable, "-m", "harness.course.classroom.grading_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env={**kept, **settings, "PYTHONPATH": str(root())},
        )
        try:
            output, _ = child.communicate(json.dumps(sources).encode(), timeout=SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            output, _ = child.communicate()
            graded.faults.append(f"its checks took longer than {SECONDS:.0f} s and were stopped")
    return _lines(output)


def _lines(output: bytes) -> list[dict[str, Any]]:
    found = []
    for line in output.decode("utf-8", "replace").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue  # the child was stopped in the middle of it
    return found


def _state(line: dict[str, Any]) -> str:
    if line["passed"]:
        return "passed" if line["owner"] == "yours" else "ours"
    codes = {finding["code"] for finding in line["findings"]}
    return "open" if "not_written" in codes else "not yet"
