"""`python -m harness doctor`: what is installed, reachable and configured, and what to do about it.

A line for each thing looked at: `ok`, `note` (something is off by choice, or optional), or
`problem` with what to do. Secrets are never shown, only whether they are set.
"""

import difflib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.commands.diagnosis import Diagnosis
from harness.commands.endpoint_check import calls, endpoint, learnt, where
from harness.commands.environment import forget_install
from harness.commands.fitting import say
from harness.commands.lab import free_port
from harness.databases.business import business
from harness.databases.state import state
from harness.envfile import read_env_file
from harness.errors import WorkshopError
from harness.retrieval import embedding
from harness.settings import env_path, root, settings
from harness.tools.sandbox import deno, run_js

LAB_PORT = 8888
REINSTALL = "Run: python workshop.py lab (it repairs the installation)."
KNOWN = re.compile(r"^\s*#?\s*([A-Z][A-Z_]+)=", re.MULTILINE)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)


def main() -> int:
    """Print every diagnosis; 1 if one of them is a problem."""
    problems = 0
    reinstall = False
    for finding in examine():
        say(f"{finding.state:8} {finding.text}")
        if finding.hint:
            say(f"{'':8} -> {finding.hint}")
        problems += finding.state == "problem"
        reinstall = reinstall or finding.hint == REINSTALL
    if reinstall:
        forget_install(root())
    say("\nAll is well." if not problems else f"\nProblems: {problems}.")
    return 1 if problems else 0


def examine() -> Iterator[Diagnosis]:
    """All findings, in the order in which they matter. An error in a check is a finding too."""
    checks: list[Callable[[], Iterator[Diagnosis]]] = [
        python_version,
        packages,
        settings_in_force,
        databases,
        javascript,
        embedding_model,
        endpoint,
        calls,
        learnt,
        port,
        browser,
    ]
    told = set()  # settings that are wrong stop several checks, for one reason
    for check in checks:
        try:
            yield from check()
        except WorkshopError as error:
            if error.message in told:
                continue
            told.add(error.message)
            yield Diagnosis("problem", f"{_title(check)}: {error.message}", error.hint)
        except Exception as error:  # a doctor that falls over helps nobody
            line = (str(error).splitlines() or [""])[0][:160]
            yield Diagnosis(
                "problem", f"{_title(check)}: {type(error).__name__}: {line}", REINSTALL
            )


def python_version() -> Iterator[Diagnosis]:
    """Whether this Python is new enough, and whether it is the workshop's own."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info < (3, 11):  # noqa: UP036 - somebody else's environment may be older
        yield Diagnosis("problem", f"Python {version}", "Install Python 3.11 or newer.")
    else:
        yield Diagnosis("ok", f"Python {version}")
    if Path(sys.prefix).resolve() != (root() / ".venv").resolve():
        yield Diagnosis(
            "note", "this Python is not the one in .venv", "workshop.py uses the one in .venv."
        )


def packages(requirements: Path | None = None) -> Iterator[Diagnosis]:
    """Whether what is installed is what requirements.txt pins."""
    pins = _pins(requirements or root() / "requirements.txt")
    wrong = []
    for name, wanted in pins.items():
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found = "missing"
        if found.partition("+")[0] != wanted:  # 2.13.0+cpu is 2.13.0
            wrong.append(f"{name} {found}, not {wanted}")
    if wrong:
        yield Diagnosis("problem", f"packages: {'; '.join(wrong)}", REINSTALL)
    else:
        yield Diagnosis("ok", f"packages: all {len(pins)} as pinned")


def settings_in_force() -> Iterator[Diagnosis]:
    """Which settings are on and where they come from; the names only, where they are secret."""
    written = read_env_file(env_path())
    if env_path().exists():
        on = ", ".join(sorted(name for name in written if written[name].strip()))
        yield Diagnosis("ok", f".env: parsed; set are {on or 'none'}")
    else:
        yield Diagnosis("note", ".env: none", "Not needed; .env.example shows what it can hold.")
    known = set(KNOWN.findall((root() / ".env.example").read_text(encoding="utf-8")))
    for name in sorted(set(written) - known):
        near = difflib.get_close_matches(name, sorted(known), 1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        yield Diagnosis("note", f".env: {name} is not a setting of the workshop{meant}")
    now = settings()
    for name in sorted(known & set(os.environ) & set(written)):
        if os.environ[name] != written[name]:
            yield Diagnosis("note", f"{name}: the shell's value wins over the one in .env")
    if now.offline:
        yield Diagnosis("note", "WORKSHOP_OFFLINE=1: the stand-in, whatever .env and keys say")
    yield Diagnosis("ok", f"model {now.model}; {where(now)}; database {now.database}")
    yield Diagnosis("ok", f"home {now.home}: can be written")


def databases() -> Iterator[Diagnosis]:
    """Whether both databases open, and whether the agent's state is sound."""
    tables = business().catalogue()
    if not tables:
        yield Diagnosis("problem", "SUPPLYCHAIN has no tables", "Run: python -m harness prepare")
    else:
        yield Diagnosis("ok", f"business data: {len(tables)} tables ({business().dialect})")
    verdict = state().read("PRAGMA quick_check(1)")[0][0]
    if verdict == "ok":
        yield Diagnosis("ok", "agent state: sound")
    else:
        yield Diagnosis(
            "problem",
            f"agent state: {verdict}",
            f"Move {settings().home / 'agent.sqlite'} aside; a new one is made.",
        )


def javascript() -> Iterator[Diagnosis]:
    """Whether exec_js finds its Deno, and whether it computes."""
    deno()
    result = run_js("return 6 * 7")
    if result.ok and result.value == 42:
        yield Diagnosis("ok", "exec_js: Deno computes")
    else:
        yield Diagnosis("problem", "exec_js: Deno is there but does not compute", REINSTALL)


def embedding_model() -> Iterator[Diagnosis]:
    """Whether the model gives the vector that is shipped for a text."""
    if embedding.agrees():
        yield Diagnosis("ok", f"embedding model: {embedding.MODEL} computes")
    else:
        text = "embedding model: its vectors are not the shipped ones"
        yield Diagnosis("problem", text, REINSTALL)


def port() -> Iterator[Diagnosis]:
    """Whether JupyterLab's usual port is free."""
    free = free_port(LAB_PORT)
    if free == LAB_PORT:
        yield Diagnosis("ok", f"port {LAB_PORT}: free")
    else:
        yield Diagnosis("note", f"port {LAB_PORT}: busy", f"workshop.py lab will take {free}.")


def browser() -> Iterator[Diagnosis]:
    """Whether the browser tests have something to drive."""
    found = chromium()
    if found:
        yield Diagnosis("ok", f"Chromium for the browser tests: {found}")
    else:
        yield Diagnosis(
            "note",
            "no Chromium: the browser tests are skipped",
            "Install Chromium or Chrome (Debian: apt install chromium).",
        )


def chromium() -> str | None:
    """The path of a Chromium, Chrome or Edge on this machine."""
    named = next(filter(None, (shutil.which(name) for name in BROWSERS)), None)
    return named or next((path for path in BROWSER_PATHS if Path(path).exists()), None)


def _pins(requirements: Path) -> dict[str, str]:
    lines = requirements.read_text(encoding="utf-8").splitlines()
    pins = [line.partition("#")[0].strip().partition("==") for line in lines]
    return {name: version for name, _, version in pins if version}


def _title(check: Callable[[], Iterator[Diagnosis]]) -> str:
    return check.__name__.replace("_", " ")
