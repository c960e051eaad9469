"""How a bare loop, `agent_turn` and known libraries get on in the gym, side by side.

    .venv/bin/python benchmarks/gym.py                      # what is installed here
    .venv/bin/python benchmarks/gym.py --python gym-venv-3/bin/python --python ...
    .venv/bin/python benchmarks/gym.py --table              # the table again, from the records

The libraries go into environments of their own (requirements-gym.txt says how). Records are kept in
WORKSHOP_HOME/gym.jsonl, an agent's old ones replaced by its new ones, and written as tables to
benchmarks/gym_results.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness.evals.gym.gym_cases import cases  # noqa: E402
from harness.evals.gym.gym_report import comparison, line_of, matrix, summary  # noqa: E402
from harness.evals.gym.gym_run import run_gym  # noqa: E402
from harness.settings import settings  # noqa: E402

AGENTS = HERE / "gym_agents"
ENVIRONMENTS = HERE.parent.glob(".venv-gym*/bin/python")  # requirements-gym.txt makes them
TABLES = HERE / "gym_results.md"
# Script, how the table calls it, the package whose version counts.
KNOWN = {
    "bare_openai": ("a bare loop over openai", "openai"),
    "agent_turn": ("`agent_turn`, as learners write it, over openai", "openai"),
    "run_turn": ("`run_turn`, the whole harness, over openai", "openai"),
    "openai_agents": ("openai-agents", "openai-agents"),
    "pydantic_ai_agent": ("pydantic-ai", "pydantic-ai-slim"),
    "langchain_agent": ("langchain", "langchain"),
    "llama_index_agent": ("llama-index", "llama-index-core"),
    "autogen_agent": ("autogen-agentchat", "autogen-agentchat"),
    "agno_agent": ("agno", "agno"),
}

_HEAD = """# The gym, side by side

Made by `benchmarks/gym.py`, which says how. The same small task for all: two tools, at most 8
rounds and 10 seconds a request where a library has a setting for it, all else as it comes. An agent
survives a case when it ends by itself within 120 seconds and 25 requests, sends nothing that the
API refuses, runs no call that the tool's schema forbids, and (where the case allows it, which is in
data/gym/cases.yaml) prints the answer. An error that ends the run counts as an end, not as an
answer. Four cases are for those that ask for streams.
"""


def version(python: str, package: str) -> str | None:
    """The version in an environment; None where it is missing."""
    asked = f"import importlib.metadata as m; print(m.version({package!r}))"
    found = subprocess.run([python, "-c", asked], capture_output=True, text=True, encoding="utf-8")
    return found.stdout.strip() if found.returncode == 0 else None


@contextmanager
def started(python: str, script: str) -> Iterator[list[str]]:
    """The command of one case; where the system can fork, with the library loaded beforehand."""
    if not hasattr(os, "fork"):
        yield [python, str(AGENTS / f"{script}.py")]
        return
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "gym.sock")
        warm = str(AGENTS / "warm.py")
        environ = {**os.environ, "WORKSHOP_OFFLINE": "1", "OPENAI_API_KEY": "gym"}
        server = subprocess.Popen(
            [python, warm, "serve", path, script], stdout=subprocess.PIPE, env=environ
        )
        try:
            assert server.stdout is not None
            if server.stdout.readline() != b"ready\n":
                raise SystemExit(f"{script} could not be loaded.")
            yield [python, "-S", warm, "run", path]
        finally:
            server.kill()
            server.wait()


def kept() -> list[dict]:
    """The records of the last run of each agent, in the order of KNOWN."""
    path = _records()
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    labels = [label for label, _ in KNOWN.values()]
    return sorted(map(json.loads, lines), key=lambda record: labels.index(_label(record)))


def keep(new: list[dict]) -> None:
    """Put an agent's records in place of its old ones, of whatever version."""
    others = [record for record in kept() if _label(record) != _label(new[0])]
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in [*others, *new])
    _records().write_text(text, encoding="utf-8")


def _records() -> Path:
    return settings().home / "gym.jsonl"


def _label(record: dict) -> str:
    """What KNOWN calls the agent of a record; the version comes after it."""
    return record["agent"].rpartition(" ")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", action="append", default=[], help="of another environment")
    parser.add_argument("--agent", action="append", choices=KNOWN, help="only this one")
    parser.add_argument("--seconds", type=float, default=120.0, help="of each case")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--quick", action="store_true", help="a dozen cases, not kept")
    parser.add_argument("--table", action="store_true", help="print the kept records, run nothing")
    options = parser.parse_args()
    pythons = [sys.executable, *options.python, *map(str, ENVIRONMENTS)]
    for script in [] if options.table else options.agent or KNOWN:
        name, package = KNOWN[script]
        for python in pythons:
            if found := version(python, package):
                break
        else:
            print(f"{name}: not installed")
            continue
        with started(python, script) as command:
            result = run_gym(
                command,
                cases(quick=options.quick),
                name=f"{name} {found}",
                seconds=options.seconds,
                jobs=options.jobs,
                on_verdict=lambda verdict: print(line_of(verdict), flush=True),
            )
        print(summary(result), flush=True)
        if options.quick:
            continue
        keep(result.records())
    records = kept()
    text = f"{_HEAD}\n{comparison(records)}\n{matrix(records)}"
    print(text)
    TABLES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
