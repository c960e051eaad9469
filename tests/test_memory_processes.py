"""Several processes on one store: nothing acknowledged is lost, whatever is killed."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from harness.memory.vectors import VectorFile
from tests.homes import python
from tests.memory_homes import store_at

WRITER = """
import sys, time
from tests.homes import home_at
from tests.memory_homes import store_at
from harness import log_message
from harness.memory.journal import record_tool_calls
from harness.run.recorder import current_turn
folder, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
from pathlib import Path
with home_at(Path(folder)):
    client = store_at(Path(folder))
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        kind = number % 4
        if kind == 0:
            done = client.add_memory(f"{name} memory {number}", user_id=name)
        elif kind == 1:
            batch = [f"{name} batch {number} {n}" for n in range(40)]
            done = len(client.add_memories(batch, user_id=name))
        elif kind == 2:
            log_message(name, "user", f"{name} message {number}")
            call = {"id": f"c{number}", "function": {"name": "run_sql", "arguments": "{}"}}
            record_tool_calls(name, current_turn().id, {"tool_calls": [call]})
            done = "logged"
        else:
            victim = client.list_memories(user_id=name, limit=1)[0]
            done = client.delete_memory(victim.id) and f"deleted {victim.content}"
        print(f"{number}\\t{kind}\\t{done}", flush=True)
        number += 1
print("end", flush=True)
"""


def start(folder, name, seconds):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def acknowledged(output, name):
    """What must be there, what must not, and how many messages at least."""
    there, gone, messages = set(), set(), 0
    for line in output.splitlines():
        if line.count("\t") != 2 or line == "end":
            continue  # the last line of a killed writer may be torn
        number, kind, done = line.split("\t")
        if kind == "0":
            there.add(f"{name} memory {number}")
        elif kind == "1":
            there |= {f"{name} batch {number} {n}" for n in range(40)}
        elif kind == "2":
            messages += 1
        elif done.startswith("deleted "):
            gone.add(done.removeprefix("deleted "))
    return there - gone, gone, messages


def check_store(folder, outputs):
    """The store opens, has all that was acknowledged, and its indexes agree with each other."""
    client = store_at(folder)
    assert client.database.read("PRAGMA integrity_check")[0][0] == "ok"
    client.database.run("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")
    for name, output in outputs.items():
        there, gone, messages = acknowledged(output, name)
        stored = {memory.content for memory in client.list_memories(user_id=name)}
        assert there <= stored | pending(output, name, stored), there - stored
        assert not gone & stored
        assert len(client.list_messages(user_id="learner", thread_id=name)) >= messages
    rows = dict(map(tuple, client.database.read("SELECT row, vector FROM memory_vectors")))
    snapshot = VectorFile(client.database).snapshot()
    vectors = [*snapshot.matrix, *snapshot.tail]
    seen = {int(r): v.tobytes() for r, v in zip(snapshot.rows, vectors, strict=True) if r in rows}
    assert seen == rows
    live = client.database.read("SELECT count(*) FROM memories WHERE status = 'active'")[0][0]
    assert live == len(rows)
    return client


def pending(output, name, stored):
    """The one record that a killed writer may have deleted without having said so."""
    done = [line for line in output.splitlines() if line.count("\t") == 2]
    if done and done[-1].split("\t")[1] == "2":
        there, _, _ = acknowledged(output, name)
        missing = sorted(
            there - stored, key=lambda text: [int(w) for w in text.split() if w.isdigit()]
        )
        return set(missing[:1])
    return set()


@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=pytest.mark.full)])
def test_two_processes_write_at_once_and_lose_nothing(tmp_path, seconds):
    writers = {name: start(tmp_path, name, seconds) for name in ("ana", "bob")}
    outputs = {}
    for name, process in writers.items():
        outputs[name], errors = process.communicate(timeout=seconds + 60)
        assert (process.returncode, errors) == (0, "")
        assert outputs[name].endswith("end\n") and outputs[name].count("\n") > 8
    check_store(tmp_path, outputs)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.full)])
def test_kill_9_at_random_moments_loses_nothing_acknowledged(tmp_path, kills):
    rng, outputs = random.Random(4), {}
    running = []
    for number in range(kills):
        name = f"w{number}"
        running.append((name, start(tmp_path, name, 60)))
        if len(running) == 2 or number == kills - 1:  # two at a time, killed at different moments
            for victim, process in running:
                first = process.stdout.readline()
                time.sleep(rng.uniform(0.0, 0.4))
                process.send_signal(signal.SIGKILL)
                outputs[victim] = first + process.stdout.read()
                process.wait()
            running = []
    assert sum(output.count("\n") for output in outputs.values()) > kills
    client = check_store(tmp_path, outputs)
    client.add_memory("life goes on", user_id="ana")
    assert [r.content for r in client.search("life", user_id="ana")] == ["life goes on"]


TURN = """
import os, sys
from pathlib import Path
from tests.homes import home_at
with home_at(Path(sys.argv[1])):
    from harness import log_message
    from harness.memory.journal import record_tool_calls
    from harness.run.recorder import current_turn
    log_message("t", "user", "Count the voyages.")
    call = {"id": "c1", "function": {"name": "run_sql", "arguments": "{}"}}
    record_tool_calls("t", current_turn().id, {"tool_calls": [call]})
    os.kill(os.getpid(), 9)
"""

# The question is the text that was embedded on Monday, so that Tuesday finds its vector at home.
LATER = """
import json, sys
from pathlib import Path
from tests.homes import home_at
with home_at(Path(sys.argv[1])):
    from harness import log_message, memory
    from harness.memory import corrections
    question = "cargo_items.unit_value_cents: it is in cents, never dollars"
    log_message("t", "user", question)
    card = memory.get_thread("t").get_context_card(query=question).content
    print(json.dumps([card, [c["body"] for c in corrections(question, 3)]]))
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_turn_killed_in_the_middle_leaves_a_usable_thread(tmp_path):
    assert python(TURN, str(tmp_path)).returncode == -9
    done = python(LATER, str(tmp_path))
    assert done.returncode == 0, done.stderr
    card, _ = json.loads(done.stdout)
    assert card.splitlines()[0] == "> user: Count the voyages."
    assert "interrupted while calling run_sql" in card


MONDAY = """
import sys
from pathlib import Path
from tests.homes import home_at
with home_at(Path(sys.argv[1])):
    from harness import log_message, remember
    text = "Remember: cargo_items.unit_value_cents is in cents, never dollars."
    log_message("t", "user", text)
    remember(subject="cargo_items.unit_value_cents", body="in cents", quote="cents, never")
    log_message("t", "assistant", "Noted.")
"""


def test_a_correction_of_one_process_is_known_in_the_next(tmp_path):
    done = python(MONDAY, str(tmp_path))
    assert done.returncode == 0, done.stderr
    card, bodies = json.loads(python(LATER, str(tmp_path)).stdout)
    assert bodies == ["Remember: cargo_items.unit_value_cents is in cents, never dollars."]
    assert "> assistant: Noted." in card
