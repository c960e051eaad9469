"""How long a person waits for the first answer: a fresh process for each figure.

    import harness                                       goal 0.3 s
    the first answer, its texts in the shipped cache     goal 3 s
    the first answer, its texts new: the model is loaded goal 10 s, and a word about the wait

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
NEW = "How many containers of {} feet are there on voyages in the PACIFIC?"


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        # A file that does not exist is read as no .env; offline would keep the word to itself.
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "WORKSHOP_"))}
        env = {**kept, "WORKSHOP_HOME": home, "WORKSHOP_MODEL": "standin"}
        run([sys.executable, "-m", "harness", "prepare"], env)
        report("import harness", [python(IMPORT, env)[0] for _ in range(RUNS)], 0.3)
        report("first answer, cached", [python(ASK.format(KNOWN), env)[0] for _ in range(RUNS)], 3)
        new = [python(ASK.format(NEW.format(20 + n)), env) for n in range(RUNS)]
        report("first answer, new", [seconds for seconds, _ in new], 10)
        print("a word about the wait:", new[0][1].strip() or "NONE")


def python(code: str, env: dict[str, str]) -> tuple[float, str]:
    """Seconds for a fresh interpreter to run `code` and end, and what it wrote to stderr."""
    started = time.perf_counter()
    said = run([sys.executable, "-c", code], env)
    return time.perf_counter() - started, said


def run(command: list[str], env: dict[str, str]) -> str:
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stderr


def report(name: str, seconds: list[float], goal: float) -> None:
    middle = statistics.median(seconds)
    print(
        f"{name:22} {middle:6.2f} s (from {min(seconds):.2f} to {max(seconds):.2f}; goal {goal} s)"
    )


if __name__ == "__main__":
    main()
