"""How long recall takes with many memories of one user, and how much memory it needs.

    python benchmarks/memory.py                    100,000 memories
    python benchmarks/memory.py --memories 1000

Texts are made of words with a natural spread of frequencies, vectors are made up too (embedding
100,000 texts would take a quarter of an hour and change nothing here): what is measured begins
after the question has been embedded. A second process then opens the same store cold.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["WORKSHOP_OFFLINE"] = "1"

import numpy as np
import psutil

from harness.databases.state import state
from harness.memory import corrections
from harness.memory.card import context_card
from harness.memory.client import MemoryClient
from harness.memory.filters import where
from harness.memory.index import search as index_search
from harness.memory.vectors import DIMENSIONS

_COMMON = "the voyage of a vessel was late in port and cargo".split()
_RARE = [f"word{n}" for n in range(20_000)]
_CENTRES = 400


def fake_embed(texts):
    """A made-up unit vector for each text: near one of 400 centres, always the same."""
    rows = np.empty((len(texts), DIMENSIONS), np.float32)
    for row, text in zip(rows, texts, strict=True):
        made = np.random.default_rng(zlib.crc32(text.encode("utf-8")))
        centre = np.random.default_rng(int(made.integers(_CENTRES)))
        row[:] = centre.standard_normal(DIMENSIONS) + 0.7 * made.standard_normal(DIMENSIONS)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def sentence(rng):
    """About 14 words: half of them in nearly every record, half from a long tail."""
    rare = [_RARE[min(int(rng.paretovariate(0.6)) - 1, len(_RARE) - 1)] for _ in range(7)]
    words = [*rng.sample(_COMMON, 7), *rare]
    rng.shuffle(words)
    return " ".join(words) + f" {rng.randrange(10**9)}"


def fill(count):
    """Store `count` memories of one user, 5 % of them in region 3, and a few of another's.

    Every one is about something, in two words out of 20,000; one in ten is a correction.
    """
    client, rng = MemoryClient(embed=fake_embed), random.Random(1)
    started = time.perf_counter()
    for start in range(0, count, 5_000):
        size = min(5_000, count - start)
        texts = [sentence(rng) for _ in range(size)]
        metadata = [
            {
                "region": rng.randrange(20),
                "odd": rng.random() < 0.5,
                "subject": f"{rng.choice(_COMMON)} {rng.choice(_RARE)}",
                "kind": "correction" if rng.random() < 0.1 else "memory",
            }
            for _ in range(size)
        ]
        client.add_memories(texts, user_id="busy", metadata=metadata)
    client.add_memories([sentence(rng) for _ in range(50)], user_id="calm")
    return time.perf_counter() - started


def timed(label, run, rounds=40):
    """Print the median and the worst of some rounds, and the processor time, in milliseconds."""
    wall, cpu = [], []
    for number in range(rounds):
        started, worked = time.perf_counter(), time.process_time()
        run(number)
        wall.append((time.perf_counter() - started) * 1e3)
        cpu.append((time.process_time() - worked) * 1e3)
    worst = sorted(wall)[int(rounds * 0.95) - 1]
    middle, busy = statistics.median(wall), statistics.median(cpu)
    print(f"  {label:<52} {middle:7.1f} ms   p95 {worst:7.1f} ms   cpu {busy:7.1f} ms")


def measure():
    """Everything that is measured, in a process that has just opened the store."""
    process = psutil.Process()
    database, rng = state(), random.Random(2)
    before = process.memory_info()
    started = time.perf_counter()
    question = sentence(rng)
    first = fake_embed([question])[0]
    find = lambda text, vector, conditions: index_search(database, text, vector, conditions, 10)  # noqa: E731
    find(question, first, where(user_id="busy"))
    print(
        f"  {'first search of a cold process':<52} {(time.perf_counter() - started) * 1e3:7.1f} ms"
    )
    questions = [sentence(rng) for _ in range(40)]
    vectors = fake_embed(questions)
    common = " ".join(_COMMON)
    cases = {
        "one user's": {"user_id": "busy"},
        "and a filter that one in twenty fulfils": {
            "user_id": "busy",
            "metadata_filter": {"region": 3},
        },
        "and a filter that half fulfil": {"user_id": "busy", "metadata_filter": {"odd": True}},
        "and two filters": {"user_id": "busy", "metadata_filter": {"odd": True, "region": 3}},
        "and a filter that none fulfils": {"user_id": "busy", "metadata_filter": {"region": 99}},
        "another user's 50": {"user_id": "calm"},
    }
    print(" top 10, by meaning and word, fused:")
    for label, scope in cases.items():
        timed(label, lambda n, s=scope: find(questions[n], vectors[n], where(**s)))
    timed(
        "a question of common words only", lambda n: find(common, vectors[n], where(user_id="busy"))
    )
    after = process.memory_info()
    print(
        f"  {'memory gained by all these searches':<52} {(after.rss - before.rss) / 2**20:7.0f} MB"
    )
    shared = getattr(after, "shared", 0) - getattr(before, "shared", 0)
    print(f"  {'of which shared with other kernels':<52} {shared / 2**20:7.0f} MB")
    matrix = np.random.default_rng(3).standard_normal(
        (database.read("SELECT count(*) FROM memory_vectors")[0][0], DIMENSIONS), np.float32
    )
    timed("for comparison: numpy's product alone", lambda n: matrix @ vectors[n])
    timed("by meaning alone", lambda n: find("", vectors[n], where(user_id="busy")))
    timed("by word alone", lambda n: find(questions[n], None, where(user_id="busy")))
    from harness.session import session

    with session(user="busy"):
        timed("corrections()", lambda n: corrections(vectors[n], 5, text=questions[n]))
        timed(
            "context card",
            lambda n: context_card(database, "busy", "t", questions[n], vector=vectors[n]),
        )
        timed(
            "corrections and context card together",
            lambda n: (
                corrections(vectors[n], 5, text=questions[n]),
                context_card(database, "busy", "t", questions[n], vector=vectors[n]),
            ),
        )
    client = MemoryClient(embed=fake_embed)
    timed("the newest 20 of a list", lambda n: client.list_memories("busy", limit=20))
    about = {"user_id": "busy", "kind": "correction", "subject": "one thing"}
    timed("one more about one subject", lambda n: client.add_memory(f"it is {n}", **about))


def main():
    """Fill a new store in one process, measure in another."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--home", help="use this store (filled if new) and keep it")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure()
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        home = given.home or made
        environment = {
            **os.environ,
            "WORKSHOP_HOME": home,
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        os.environ.update(environment)
        if not (Path(home) / "agent.sqlite").exists():
            seconds = fill(given.memories)
            print(f"{given.memories:,} memories stored in {seconds:.1f} s")
        vectors = given.memories * DIMENSIONS * 4 / 2**20
        print(f"{given.memories:,} memories, one core; their vectors alone are {vectors:.0f} MB")
        subprocess.run([sys.executable, __file__, "--measure"], env=environment, check=True)


if __name__ == "__main__":
    main()
