"""How long a learner waits for a check: every TODO, with our own answer, in one process.

    python benchmarks/checks.py

The child that runs checks is warm after the first one, as it is in a notebook.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main() -> None:
    """Print the first check, the median, and the slowest three."""
    from harness.checks import evaluate
    from harness.course.todos import TODOS

    taken = {}
    for name, todo in TODOS.items():
        ours = todo.written()
        started = time.perf_counter()
        report = evaluate(name, ours)
        taken[name] = time.perf_counter() - started
        assert report.passed, report
    first, *others = taken.values()
    print(f"the first check, which starts the child: {first:.2f} s")
    print(f"the other {len(others)}: {statistics.median(others):.2f} s in the middle, the slowest:")
    for name in sorted(taken, key=lambda each: -taken[each])[:3]:
        print(f"  {name:24} {taken[name]:5.2f} s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        os.environ |= {"WORKSHOP_HOME": home, "WORKSHOP_OFFLINE": "1"}
        main()
