"""How long a person waits for the first answer: a fresh process for each figure.

    import harness                                       goal 0.3 s
    the first answer, its texts in the shipped cache     goal 3 s
    the first answer, its texts new: the model is loaded goal 1.5 s

The home is prepared, as `workshop.py lab` leaves it. What is measured is what a kernel does: from
before the first import to after the answer.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 5
IMPORT = "import harness"
ASK = "from harness import agent_turn\nprint(agent_turn({!r}, verbose=False))"
KNOWN = "How many voyages are delayed?"
NEW = "How many containers weigh more than {} kg?"


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        # A file that does not exist is read as no .env. Compiled modules are kept, as they are
        # where people learn (some build machines turn that off).
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "WORKSHOP_"))}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        env = {**kept, "WORKSHOP_HOME": home, "WORKSHOP_MODEL": "standin"}
        run([sys.executable, "-m", "harness", "prepare"], env)
        report("import harness", [python(IMPORT, env) for _ in range(RUNS)], 0.3)
        report("first answer, cached", [python(ASK.format(KNOWN), env) for _ in range(RUNS)], 3)
        new = [python(ASK.format(NEW.format(1_201 + n)), env) for n in range(RUNS)]
        report("first answer, new", new, 1.5)


def python(code: str, env: dict[str, str]) -> float:
    """Seconds for a fresh interpreter to run `code` and end."""
    started = time.perf_counter()
    run([sys.executable, "-c", code], env)
    return time.perf_counter() - started


def run(command: list[str], env: dict[str, str]) -> None:
    subprocess.run(command, env=env, cwd=ROOT, capture_output=True, check=True)


def report(name: str, seconds: list[float], goal: float) -> None:
    middle = statistics.median(seconds)
    print(
        f"{name:22} {middle:6.2f} s (from {min(seconds):.2f} to {max(seconds):.2f}; goal {goal} s)"
    )


if __name__ == "__main__":
    main()
