"""The folder of an evaluation: what was asked for, a line a trial, its state and its traces.

evals/20260101-120000-reference/
    run.json         model, harness, tasks, limits
    results.jsonl    a line a trial, written as soon as it has ended
    home/            the state that the trials ran on, with their traces
    report.html
"""

import datetime
import importlib.metadata
import json
import os
import platform
import shlex
import tomllib
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import WorkshopError
from harness.evals.tasks import chosen
from harness.evals.trial import Trial
from harness.settings import root, settings


class Plan(BaseModel):
    """What was asked for. Prices are in US dollars for a million tokens; caps of None cap nothing.

    `seconds` is the budget of a question.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str
    harness: str = "reference"
    tasks: tuple[str, ...]
    times: int = Field(default=1, ge=1)
    parallel: int = Field(default=1, ge=1)
    max_iterations: int = Field(default=8, ge=1)
    seconds: float = Field(default=120.0, gt=0, allow_inf_nan=False)
    price_in: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    price_out: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cap_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cap_tokens: int | None = Field(default=None, ge=0)
    started: str = ""
    made_with: str = ""  # versions of what ran it

    def command(self) -> str:
        """What runs it again."""
        words = ["--model", self.model, "--harness", self.harness]
        names = set(self.tasks)
        for word in ("all", "slice", "board"):
            if names == {task.name for task in chosen([word])}:
                words += ["--tasks", word] if word != "all" else []
                break
        else:
            words += ["--tasks", *self.tasks]
        given = {"times": 1, "parallel": 1, "seconds": 120.0, "cap_usd": None, "cap_tokens": None}
        for name, usual in given.items():
            if (value := getattr(self, name)) != usual:
                words += [f"--{name.replace('_', '-')}", f"{value:g}"]
        if self.max_iterations != 8:
            words += ["--rounds", str(self.max_iterations)]
        if self.price_in is not None:
            words += ["--price", f"{self.price_in:g}/{self.price_out:g}"]
        return f"python -m harness eval {shlex.join(words)}"

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float | None:
        """Dollars for so many tokens; None where no price is known."""
        if self.price_in is None or self.price_out is None:
            return None
        return (prompt_tokens * self.price_in + completion_tokens * self.price_out) / 1e6

    def asks_for(self, trial: Trial) -> bool:
        """Whether a trial is one of this plan's; a file may hold others."""
        return trial.task in self.tasks and 1 <= trial.number <= self.times

    def after(self, *trials: Trial) -> "Plan":
        """The same plan with what is left of its caps when these trials have been paid for."""
        prompt = sum(trial.prompt_tokens for trial in trials)
        completion = sum(trial.completion_tokens for trial in trials)
        left: dict[str, float] = {}
        if self.cap_tokens is not None:
            left["cap_tokens"] = max(self.cap_tokens - prompt - completion, 0)
        if self.cap_usd is not None:
            left["cap_usd"] = max(self.cap_usd - (self.cost(prompt, completion) or 0.0), 0.0)
        return self.model_copy(update=left)


class RunFolder:
    """One evaluation on disk. Whoever has it open holds its lock."""

    def __init__(self, path: Path) -> None:
        """Open `path`. Raises WorkshopError when another process works on it."""
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(path / "lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise WorkshopError(
                f"{path.name} is being run just now, by another process.",
                "Wait for it, or start an evaluation of its own without --resume.",
            ) from None

    def close(self) -> None:
        """Let others open it."""
        self._lock.release()

    @property
    def home(self) -> Path:
        """The state that the trials run on."""
        return self.path / "home"

    def write_plan(self, plan: Plan) -> Plan:
        """Keep what was asked for, with the time."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        plan = plan.model_copy(update={"started": now, "made_with": _made_with()})
        (self.path / "run.json").write_text(plan.model_dump_json(indent=1), encoding="utf-8")
        return plan

    def plan(self) -> Plan:
        """What was asked for. Raises WorkshopError where that can't be read."""
        try:
            return Plan.model_validate_json((self.path / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValidationError) as error:
            raise WorkshopError(
                f"{self.path.name} can't be resumed ({type(error).__name__}).",
                "Start a new one.",
            ) from None

    def add(self, trial: Trial) -> None:
        """Write a trial down: one line, in one piece."""
        line = (trial.model_dump_json() + "\n").encode("utf-8", "replace")
        with (self.path / "results.jsonl").open("ab+") as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else b"\n" + line  # after a torn one
            file.write(line)

    def trials(self) -> list[Trial]:
        """The trials that have ended, in order. Torn lines are passed over."""
        return read_trials(self.path / "results.jsonl")


def read_trials(path: Path) -> list[Trial]:
    """The trials of a results file; none where there is none, and torn lines are passed over."""
    found: dict[tuple[str, int], Trial] = {}
    if path.is_file():
        for line in path.read_bytes().split(b"\n"):
            trial = _trial(line)
            if trial is not None:
                found[trial.task, trial.number] = trial
    return list(found.values())


def _trial(line: bytes) -> Trial | None:
    try:
        record: Any = json.loads(line)
        return Trial.model_validate(record)
    except (ValueError, RecursionError):
        return None


def runs_folder() -> Path:
    """Where evaluations are kept."""
    return settings().home / "evals"


def new_folder(label: str) -> RunFolder:
    """A folder that nobody has, named after the time."""
    now = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    plain = "".join(c if c.isalnum() else "-" for c in label)[:40]
    for number in range(1, 1_000):
        path = runs_folder() / f"{now}-{plain}{f'-{number}' if number > 1 else ''}"
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return RunFolder(path)
    raise WorkshopError("No folder for the evaluation could be made.", "Try again in a second.")


def existing_folder(name: str) -> RunFolder:
    """A folder by its name or path; `last` is the newest. Raises WorkshopError without it."""
    if name == "last":
        kept = sorted(p for p in runs_folder().glob("*") if (p / "run.json").is_file())
        if not kept:
            raise WorkshopError(
                f"There is no evaluation in {runs_folder()} yet.",
                "Run one first: `python -m harness eval --tasks slice` takes a minute.",
            )
        path = kept[-1]
    else:
        path = Path(name) if Path(name).is_dir() else runs_folder() / name
    if not (path / "run.json").is_file():
        raise WorkshopError(
            f"There is no evaluation {name!r}.", f"They are kept in {runs_folder()}."
        )
    return RunFolder(path)


def _made_with() -> str:
    """Versions of this workshop, of Python and of what speaks to the model."""
    text = (root() / "pyproject.toml").read_text(encoding="utf-8")
    own = tomllib.loads(text)["project"]["version"]
    client = importlib.metadata.version("openai")
    return (
        f"workshop {own}, openai {client}, Python {platform.python_version()}, {platform.system()}"
    )
