"""How long exec_js and run_sql take, and how soon hostile code is stopped.

python benchmarks/sandbox.py
python benchmarks/sandbox.py --runs 50
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["WORKSHOP_OFFLINE"] = "1"

from harness.databases.business import business
from harness.tools.sandbox import run_js
from harness.tools.sql import run_sql

_ROWS = json.dumps({"rows": [[n, n * 1.5, f"row {n}"] for n in range(1000)]})
_P90 = (
    "const xs = input.rows.map((r) => r[1]).sort((a, b) => a - b); return xs[xs.length * 0.9 | 0]"
)
_ARRAYS = "const a = []; for (;;) a.push(new Float64Array(1e6).fill(1))"
_GROUPS = "SELECT carrier_id, COUNT(*) AS n FROM voyages GROUP BY carrier_id"
_VALUE = (
    "SELECT v.carrier_id, SUM(i.quantity * i.unit_value_cents) / 100 AS usd FROM cargo_items i "
    "JOIN containers k ON k.container_id = i.container_id "
    "JOIN voyages v ON v.voyage_id = k.voyage_id GROUP BY v.carrier_id"
)


def measure(name: str, run: Callable[[], object], runs: int) -> None:
    """Print median and slowest of so many runs, in milliseconds."""
    run()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        run()
        times.append((time.perf_counter() - started) * 1000)
    print(f"{name:42} median {statistics.median(times):8.1f} ms   slowest {max(times):8.1f} ms")


def main() -> None:
    """Run everything and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    started = time.perf_counter()
    business()
    print(f"{'opening the business database':42} {(time.perf_counter() - started) * 1000:15.1f} ms")
    measure("run_sql, 15 groups of 600 voyages", lambda: run_sql(sql=_GROUPS), runs)
    measure("run_sql, three tables, 15,000 items", lambda: run_sql(sql=_VALUE), runs)
    measure("exec_js, 1 + 1", lambda: run_js("1 + 1"), runs)
    measure("exec_js, p90 of 1,000 rows", lambda: run_js(_P90, _ROWS), runs)
    measure("stopped: endless loop, limit 500 ms", lambda: run_js("for (;;) {}", None, 0.5), 3)
    measure("stopped: typed arrays without end", lambda: run_js(_ARRAYS), 3)


if __name__ == "__main__":
    main()
