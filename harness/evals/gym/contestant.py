"""The agent under test in a process of its own, which can't outlast its time or flood the gym."""

import itertools
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import psutil

from harness.errors import WorkshopError
from harness.settings import root

QUESTION = "How many voyages are delayed?"
_KEPT = 200_000  # characters of what it prints, from each end of it that we read
_PAUSE = 0.05
_LOOKS = 10  # pauses between two looks at its children: each look goes through all processes
_FUNCTION = re.compile(r"[A-Za-z_][\w.]+:[A-Za-z_]\w*")
_CALL = (
    "import importlib, os, sys; sys.path.insert(0, os.getcwd()); "
    "module, _, name = sys.argv[1].partition(':'); "
    "print(getattr(importlib.import_module(module), name)(sys.argv[2]))"
)


@dataclass
class Outcome:
    """How a process ended: `stopped` is why we ended it, "" when it ended by itself."""

    exit_code: int | None
    stopped: str
    seconds: float
    output: str
    errors: str


@dataclass
class _Reader:
    """Reads a pipe to its end, so that the child never waits, and keeps the last of it."""

    pipe: IO[bytes]
    kept: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        while piece := self.pipe.read1(65_536):  # type: ignore[attr-defined]
            self.kept += piece
            del self.kept[:-_KEPT]

    def text(self) -> str:
        self.thread.join(1)
        return bytes(self.kept).decode("utf-8", "replace")


def command_for(target: Sequence[str], question: str = QUESTION) -> list[str]:
    """The command that runs `target`: a command with its arguments, or one "module:function".

    "{question}" in an argument is replaced. Raises WorkshopError where there is nothing to run.
    """
    if not target:
        raise WorkshopError(
            "There is no agent to test.",
            "python -m harness gym -- python my_agent.py, or -- my_module:my_function.",
        )
    if len(target) == 1 and _FUNCTION.fullmatch(target[0]):
        return [sys.executable, "-c", _CALL, target[0], question]
    return [part.replace("{question}", question) for part in target]


def environment(address: str, question: str = QUESTION) -> dict[str, str]:
    """Where the agent finds its model: what OpenAI's clients and this workshop read."""
    ours = {
        "OPENAI_BASE_URL": address,
        "OPENAI_API_BASE": address,
        "OPENAI_API_KEY": "gym",
        "WORKSHOP_OFFLINE": "0",
        "WORKSHOP_MODEL": "gym",
        "GYM_QUESTION": question,
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
    }
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), str(root())]))
    return {**os.environ, "PYTHONPATH": path, **ours}


def run(
    command: Sequence[str],
    environ: dict[str, str],
    seconds: float,
    flooded: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run a command to its end, or end it: after `seconds`, or when it floods.

    Raises WorkshopError when it can't be started.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            start_new_session=True,
        )
    except OSError as error:
        raise WorkshopError(
            f"{command[0]} can't be started: {error.strerror or error}.",
            "After `--` comes the command that runs your agent, as you would type it.",
        ) from None
    assert process.stdout is not None and process.stderr is not None
    readers = (_Reader(process.stdout), _Reader(process.stderr))
    seen: dict[int, psutil.Process] = {}
    stopped = ""
    try:
        for look in itertools.count():
            if process.poll() is not None:
                break
            if look % _LOOKS == 0:
                _note_children(process.pid, seen)
            if time.monotonic() - started > seconds:
                stopped = "time"
            elif flooded():
                stopped = "flood"
            if stopped:
                break
            time.sleep(_PAUSE)
    finally:
        _end(process, seen)
    took = time.monotonic() - started
    output, errors = (reader.text() for reader in readers)
    for pipe in (process.stdout, process.stderr):
        if not any(reader.thread.is_alive() for reader in readers):
            pipe.close()
    return Outcome(process.returncode, stopped, took, output, errors)


def _note_children(pid: int, seen: dict[int, psutil.Process]) -> None:
    """Remember whom it started, also those that are given away to init later."""
    try:
        for child in psutil.Process(pid).children(recursive=True):
            seen.setdefault(child.pid, child)
    except psutil.Error:  # it ended between two looks
        pass


def _end(process: "subprocess.Popen[bytes]", seen: dict[int, psutil.Process]) -> None:
    """End it and all that it started."""
    _note_children(process.pid, seen)
    if process.poll() is None:
        process.kill()
    for child in seen.values():
        _kill(child)
    process.wait()


def _kill(child: Any) -> None:
    try:
        if child.is_running():  # the same process still, not another one under its number
            child.kill()
    except psutil.Error:
        pass
