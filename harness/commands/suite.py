"""`workshop.py test`: lint, types, tests, notebooks, and one closing line."""

import os
import shlex
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from harness.commands.environment import child_environment

# A shell may hold settings of a person's own work; tests have theirs.
OWN = ("WORKSHOP_", "OPENAI_", "ORACLE_", "PYTEST_ADDOPTS", "PYTHONHASHSEED")


@dataclass
class Step:
    """One command of the suite and how it ended. `counts` are passed, failed, skipped.

    `beside`: it runs while the others do, on a core that they leave idle, and is shown after them.
    """

    name: str
    arguments: list[str]
    report: Path | None = None
    beside: bool = False
    code: int = 0
    seconds: float = 0.0
    counts: tuple[int, int, int] = field(default=(0, 0, 0))


# A process a core and one more, since tests also wait; at most four. The tests of a file share what
# it prepares, so they stay together; conftest.py hands out the longest files first.
PROCESSES = min(4, 1 + (os.cpu_count() or 1))
SIDE_BY_SIDE = f"-n {PROCESSES} --dist loadfile --no-loadscope-reorder".split()


def run(python: Path, root: Path, *, full: bool) -> int:
    """Run all steps, whatever fails; returns 0 only if nothing failed."""
    with tempfile.TemporaryDirectory(prefix="workshop-test-", ignore_cleanup_errors=True) as folder:
        done = steps(Path(folder), full=full)
        with ThreadPoolExecutor() as pool:
            aside = {
                step.name: pool.submit(_run_beside, step, python, root, Path(folder))
                for step in done
                if step.beside
            }
            for step in done:
                if not step.beside:
                    print(f"\n== {step.name}", flush=True)
                    _run(step, python, root, Path(folder))
        for name, said in aside.items():
            print(f"\n== {name}\n{said.result()}", flush=True)
    return summary(done)


def steps(folder: Path, *, full: bool) -> list[Step]:
    """What the suite runs, in order."""

    def pytest(name: str, *arguments: str) -> Step:
        return Step(name, ["pytest", *arguments], folder / f"{name}.xml")

    return [
        Step("ruff check", ["ruff", "check", "."]),
        Step("ruff format", ["ruff", "format", "--check", "."]),
        Step("mypy", ["mypy"], beside=True),
        pytest("tests", "tests", "-m", "" if full else "not full"),
        pytest("notebooks", "--nbval", "solutions", "notebooks"),
    ]


def _run_beside(step: Step, python: Path, root: Path, folder: Path) -> str:
    """Run one step while others run; returns what it printed."""
    with (folder / f"{step.name}.log").open("w+b") as output:
        _run(step, python, root, folder, output)
        output.seek(0)
        return output.read().decode("utf-8", errors="replace")


def _run(
    step: Step, python: Path, root: Path, folder: Path, output: IO[bytes] | None = None
) -> None:
    """Run one step in a home of its own, and note how it ended."""
    command = [str(python), "-m", *step.arguments]
    if step.report:
        command += ["-q", *SIDE_BY_SIDE, f"--junitxml={step.report}"]
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=root,
        env=_environment(folder / f"home-{step.name.replace(' ', '-')}"),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output and subprocess.STDOUT,
        check=False,
    )
    step.code, step.seconds = done.returncode, time.monotonic() - started
    step.counts = _counts(step)


def _environment(home: Path) -> dict[str, str]:
    kept = {k: v for k, v in child_environment().items() if not k.startswith(OWN)}
    return {**kept, "WORKSHOP_OFFLINE": "1", "WORKSHOP_HOME": str(home)}


def _counts(step: Step) -> tuple[int, int, int]:
    """Passed, failed and skipped: from the report, or one for a step that has none."""
    if step.report is None:
        return (0, 1, 0) if step.code else (1, 0, 0)
    try:
        found = ElementTree.parse(step.report).getroot().iter("testsuite")
    except (OSError, ElementTree.ParseError):
        return 0, 1, 0  # it died before it could report
    total = failed = skipped = 0
    for suite in found:
        total += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    if step.code and not failed:
        failed, total = 1, total + 1  # interrupted, or nothing was collected
    return total - failed - skipped, failed, skipped


def summary(done: list[Step]) -> int:
    """Print a line a step and the closing line; returns the exit code."""
    print("\n== summary", flush=True)
    for step in done:
        verdict = "FAILED" if step.code else "ok"
        passed, failed, skipped = step.counts
        print(
            f"{verdict:7} {step.name:12} {passed:5} passed {failed:4} failed "
            f"{skipped:4} skipped {step.seconds:7.1f} s"
        )
    broken = [step for step in done if step.code]
    for step in broken:
        print(f"again, this step alone: {_again(step)}", file=sys.stderr)
    passed, failed, skipped = (sum(step.counts[i] for step in done) for i in range(3))
    sys.stderr.flush()
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if broken else 0


def _again(step: Step) -> str:
    python = Path(".venv/Scripts/python" if os.name == "nt" else ".venv/bin/python")
    return " ".join([str(python), "-m", *(shlex.quote(word) for word in step.arguments)])
