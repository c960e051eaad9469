"""What authority costs a call: the decision alone, a call that reads, one that reaches the world.

    python benchmarks/authority.py

The last is counted in the agent's state, for all kernels together. By hand it pays for a
transaction of its own; in a turn it is part of the one that announces the call in the journal.
"""

import itertools
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["WORKSHOP_OFFLINE"] = "1"
os.environ["WORKSHOP_HOME"] = tempfile.mkdtemp()

from harness import session
from harness.guards.effect import Effect
from harness.guards.envelope import Envelope, decide
from harness.guards.role_rights import role
from harness.memory.journal import record_tool_calls
from harness.tools.authority import authorise
from harness.tools.toolbox import register

READ = Effect("shipping", "read")
WRITE = Effect("crate", "move", "inside", "reversible", unit="crate")
MANY = {"unit": "crate", "action": 1, "turn": 10**6, "hour": 10**6, "tenant_day": 10**6}


def microseconds(run: Callable[[], object], times: int) -> tuple[float, float, float]:
    """Least, median and 99th percentile of a run."""
    run()
    taken = []
    for _ in range(times):
        started = time.perf_counter_ns()
        run()
        taken.append((time.perf_counter_ns() - started) / 1000)
    return min(taken), statistics.median(taken), statistics.quantiles(taken, n=100)[98]


def main() -> None:
    """Print one line a case."""
    dispatcher = role("dispatcher").envelope
    crates = {
        "resource": "crate",
        "action": "move",
        "destination": "inside",
        "reversibility": "reversible",
        "time": "session",
        "approval": "none",
        "quantity": MANY,
    }
    wide = dispatcher.model_copy(
        update={"grants": (*dispatcher.grants, *Envelope(grants=[crates]).grants)}
    )
    four = wide & wide & wide & wide
    read = register(name="reader", effects=(READ,))(lambda: 1).contract
    write = register(name="mover", tier="write", effects=(WRITE,))(lambda: 1).contract
    report("decide, one envelope of 9 grants", lambda: decide(wide, READ), 5_000)
    report("decide, four envelopes at once", lambda: decide(four, READ), 5_000)
    with session(role="dispatcher", user="bench"):
        report("a call that reads", lambda: authorise(read, {}), 5_000)
    numbers = itertools.count()

    def announced(connection: sqlite3.Connection | None = None) -> None:
        function = {"name": "mover", "arguments": "{}"}
        call = {"id": f"c{next(numbers)}", "function": function}
        record_tool_calls("bench", "turn", {"tool_calls": [call]}, connection)

    with mock.patch("harness.tools.authority.granted", lambda session: wide):  # no role has crates
        report("a call that reaches the world, by hand", lambda: authorise(write, {}), 1_000)
        report("its announcement alone", announced, 1_000)
        report("both, as in a turn", lambda: authorise(write, {}, announced), 1_000)


def report(title: str, run: Callable[[], object], times: int) -> None:
    """One line of figures."""
    least, median, high = microseconds(run, times)
    print(f"{title:<38} least {least:6.1f}  median {median:6.1f}  p99 {high:7.1f} us")


if __name__ == "__main__":
    main()
