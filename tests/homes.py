"""A WORKSHOP_HOME of its own for a test, in this process or in a fresh one."""

import os
import subprocess
import sys
from pathlib import Path

from harness.settings import home_at, root

__all__ = ["home_at", "printed", "python"]


def python(
    code: str, *arguments: str, home: Path | str = "", seconds: float = 60, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter, in that home or in the one in force."""
    places = {"WORKSHOP_HOME": str(home)} if home else {}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **places, **environment},
        cwd=root(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds,
    )


def printed(code: str, *arguments: str, home: Path | str = "", **environment: str) -> str:
    """What a fresh interpreter prints; it must end well and say nothing else."""
    done = python(code, *arguments, home=home, **environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.strip()
