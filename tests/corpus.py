"""A small world for the corpora of honest work and of sick loops, and a model that plays a script.

A round is written as `read a; write a 1`: calls with their arguments, answered in one reply.
"""

import itertools
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from harness import TOOLS, TurnConfig, register, run_turn, standin
from harness.config import configured
from harness.memory import journal
from harness.settings import settings
from harness.tools.toolbox import spare_toolbox
from harness.traces.trace_reader import read
from tests.seed_loop import seed_turn

QUESTION = "How many voyages are there?"  # its vector is shipped: no model is loaded
ARGUMENTS = {
    "read": ("key",), "look": ("key",), "find": ("text",), "write": ("key", "value"),
    "note": ("key", "value"), "touch": ("key",), "poll": ("key",), "slow": ("key",),
    "quiet": ("key",), "hush": ("key",), "broken": ("key",), "repair": ("key",), "big": ("key",),
    "strict": ("count",), "busy": ("key",), "next_page": (), "take": (), "count": (),
    "run_tests": (), "status": ("key",), "roll": ("sides",), "append": ("text",), "undo": (),
    "ready": (), "flaky": ("key",), "now": (), "begin": (), "commit": (), "put": ("key",),
    "send": ("key",), "secret": ("key",),
    "scratch_write": ("path", "content"), "scratch_read": ("path",),
    "remember": ("subject", "body"), "search_knowledge": ("query",),
}  # fmt: skip
_ANSWER = "That is the answer."


@contextmanager
def world() -> Iterator[list[str]]:
    """Its tools, for a block; yields the calls that really ran."""
    ran: list[str] = []
    store: dict[str, str] = {}
    ticks = itertools.count(1)

    def here(name: str, *arguments: Any) -> None:
        ran.append(" ".join([name, *map(str, arguments)]))

    with spare_toolbox():
        for name in [name for name in TOOLS if name not in ARGUMENTS]:
            del TOOLS[name]

        @register(tier="read")
        def read(key: str) -> dict[str, Any]:
            """Read a value."""
            here("read", key)
            return {"value": store.get(key, "absent")}

        @register(tier="read")
        def look(key: str) -> dict[str, Any]:
            """Read the length of a value."""
            here("look", key)
            return {"length": len(store.get(key, ""))}

        @register(tier="read")
        def find(text: str) -> dict[str, Any]:
            """Find rows; there are none."""
            here("find", text)
            return {"rows": [], "row_count": 0}

        @register(tier="write", idempotent=True)
        def write(key: str, value: str) -> dict[str, Any]:
            """Set a value."""
            here("write", key, value)
            store[key] = value
            return {"done": True}

        @register  # nobody says whether it writes, and it does
        def note(key: str, value: str) -> str:
            """Note something."""
            here("note", key, value)
            store[key] = value
            return "ok"

        @register
        def touch(key: str) -> dict[str, Any]:
            """Change a value in a way of its own."""
            here("touch", key)
            store[key] = f"touched {next(ticks)}"
            return {"done": True}

        @register(tier="read", repeatable=True)
        def poll(key: str) -> dict[str, Any]:
            """Say how far something has got; it always says the same."""
            here("poll", key)
            return {"state": "waiting"}

        @register
        def next_page() -> dict[str, Any]:
            """Give the next page of a list."""
            here("next_page")
            return {"page": ran.count("next_page")}

        @register
        def take() -> dict[str, Any]:
            """Take the next thing off a queue."""
            here("take")
            return {"job": f"job-{next(ticks)}", "left": 9 - ran.count("take")}

        @register
        def count() -> dict[str, Any]:
            """Count one more."""
            here("count")
            return {"count": ran.count("count")}

        @register
        def run_tests() -> dict[str, Any]:
            """Run the tests, which fail until something was written."""
            here("run_tests")
            if not store and ran.count("run_tests") < 3:
                raise AssertionError(f"{3 - ran.count('run_tests')} failed")
            return {"passed": len(store)}

        @register
        def status(key: str) -> dict[str, Any]:
            """Say how far a job has got."""
            here("status", key)
            return {"percent": min(25 * ran.count(f"status {key}"), 100)}

        @register
        def roll(sides: int) -> dict[str, Any]:
            """Roll a die."""
            here("roll", sides)
            return {"rolled": 1 + 7 * ran.count(f"roll {sides}") % sides}

        @register
        def append(text: str) -> dict[str, Any]:
            """Append a line."""
            here("append", text)
            return {"lines": sum(line.startswith("append") for line in ran)}

        @register
        def undo() -> dict[str, Any]:
            """Take the last step back."""
            here("undo")
            return {"steps_left": 20 - ran.count("undo")}

        @register
        def ready() -> dict[str, Any]:
            """Say whether it is ready, which it is the third time."""
            here("ready")
            return {"ready": ran.count("ready") > 2}

        @register
        def flaky(key: str) -> dict[str, Any]:
            """Fail twice in the same words, then work."""
            here("flaky", key)
            if ran.count(f"flaky {key}") < 3:
                raise ConnectionError("the line is dead")
            return {"works": key}

        @register
        def now() -> dict[str, Any]:
            """Say what time it is."""
            here("now")
            return {"tick": next(ticks)}

        @register
        def begin() -> str:
            """Begin a transaction."""
            here("begin")
            return "ok"

        @register
        def commit() -> str:
            """End a transaction."""
            here("commit")
            return "ok"

        @register(tier="write", idempotent=True, timeout=0.05)
        def put(key: str) -> dict[str, Any]:
            """Put something, too slowly the first time."""
            here("put", key)
            if ran.count(f"put {key}") < 2:
                time.sleep(0.3)
            return {"done": True}

        @register(tier="write", idempotent=False)
        def send(key: str) -> dict[str, Any]:
            """Send something, once."""
            here("send", key)
            return {"sent": key}

        @register(tier="read", permission="keys of the safe")
        def secret(key: str) -> str:
            """Read what nobody may."""
            here("secret", key)
            return "secret"

        @register(tier="read", timeout=0.05)
        def slow(key: str) -> str:
            """Take too long."""
            here("slow", key)
            time.sleep(0.3)
            return "late"

        @register(tier="read")
        def quiet(key: str) -> None:
            """Return nothing."""
            here("quiet", key)

        @register(tier="read")
        def hush(key: str) -> str:
            """Return an empty text."""
            here("hush", key)
            return ""

        @register(tier="read")
        def broken(key: str) -> dict[str, Any]:
            """Fail until it was repaired."""
            here("broken", key)
            if f"repaired {key}" not in store:
                raise RuntimeError(f"{key} is broken: call repair")
            return {"works": key}

        @register(tier="read")
        def busy(key: str) -> dict[str, Any]:
            """Fail twice, then work."""
            here("busy", key)
            if (tries := sum(line == f"busy {key}" for line in ran)) < 3:
                raise RuntimeError(f"busy, {tries} of 3")
            return {"works": key}

        @register(tier="write", idempotent=True)
        def repair(key: str) -> dict[str, Any]:
            """Repair something."""
            here("repair", key)
            store[f"repaired {key}"] = "yes"
            return {"done": True}

        @register(tier="read")
        def big(key: str) -> dict[str, Any]:
            """Return much."""
            here("big", key)
            return {"text": f"{key} " * 4_000}

        @register(tier="read")
        def strict(count: int) -> dict[str, Any]:
            """Take a whole number."""
            here("strict", count)
            return {"count": count}

        yield ran


def calls_of(line: str) -> list[tuple[str, dict[str, str | int]]]:
    """The calls of a round as it is written."""
    made = []
    for text in line.split(";"):
        name, *values = text.split()
        names = ARGUMENTS.get(name, ("key", "value"))
        last = len(names) - 1
        values = [*values[:last], " ".join(values[last:])] if len(values) > last else values
        whole = name in ("strict", "roll")
        given = [int(v) if whole and v.isdigit() else v for v in values]
        made.append((name, dict(zip(names, given, strict=False))))
    return made


def model_of(rounds: Iterable[str]) -> Callable[[dict[str, Any]], Any]:
    """A model that makes these rounds of calls, and answers after the last or without tools."""
    left = iter(rounds)

    def reply(request: dict[str, Any]) -> Any:
        line = next(left, None) if "tools" in request else None
        return standin.say(_ANSWER) if line is None else standin.calls(calls_of(line))

    return reply


def play(rounds: Iterable[str], loop: str, max_iterations: int, **config: Any) -> dict[str, Any]:
    """What came of a script under a loop ("ours" or "theirs")."""
    thread = f"corpus-{uuid.uuid4().hex}"
    with world() as ran, standin.script(model_of(rounds)) as seen:
        limits = TurnConfig(tools=tuple(TOOLS), k_tools=99, **config)
        if loop == "ours":
            result = run_turn(QUESTION, thread, max_iterations=max_iterations, config=limits)
            answer = result.answer
        else:
            with configured(limits):
                answer = seed_turn(QUESTION, thread, max_iterations)
    offered = sum("tools" in request for request in seen.requests)
    return {
        "ran": ran, "trip": _trip(thread), "answer": answer, "rounds": offered,
        "statuses": [output.status for output in journal.outputs(thread)],
    }  # fmt: skip


def _trip(thread: str) -> str | None:
    """The safety terminator of the turn on this thread, as the trace has it."""
    path = max((settings().home / "traces").glob("*.jsonl"))
    return [event for event in read(path) if event.get("thread_id") == thread][-1].get("trip")
