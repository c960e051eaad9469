"""`python -m harness gym -- COMMAND`: somebody's agent against a model that misbehaves."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from harness.commands.fitting import say, table
from harness.errors import WorkshopError
from harness.evals.gym.gym_cases import Case, cases, every_case
from harness.evals.gym.gym_report import line_of, page, summary, to_jsonl
from harness.evals.gym.gym_run import run_gym, serve_gym
from harness.ui.terminal import tame


def main(options: argparse.Namespace) -> int:
    """Run the gym; 1 when something was not survived."""
    chosen = cases(filter(None, options.only.split(",")), options.quick)
    if options.list:
        say(_listed(chosen if options.only or options.quick else every_case()))
        return 0
    if options.serve:
        for verdict in serve_gym(chosen, options.port):
            say(tame(line_of(verdict)))
        return 0
    if not options.target:
        raise WorkshopError(
            "There is no agent to test.",
            "python -m harness gym -- python my_agent.py, or -- my_module:my_function, or "
            "--serve for a client that you start yourself.",
        )
    for name in ("seconds", "requests", "jobs"):
        if not getattr(options, name) > 0:
            raise WorkshopError(f"--{name} must be above 0.", "Leave it out for the default.")
    for path in filter(None, (options.jsonl, options.html)):
        _can_be_written(path)  # before the run, which takes minutes
    more = {"question": options.question} if options.question else {}
    result = run_gym(
        options.target,
        chosen,
        name=options.name,
        seconds=options.seconds,
        most_requests=options.requests,
        jobs=options.jobs,
        on_verdict=lambda verdict: say(tame(line_of(verdict))),
        **more,
    )
    say(f"\n{tame(summary(result))}")
    for path, text in ((options.jsonl, to_jsonl([result])), (options.html, page(result))):
        if path:
            path.write_text(text, encoding="utf-8")
            say(f"written: {path}")
    return 0 if result.survived == len(result.verdicts) else 1


def _listed(chosen: Iterable[Case]) -> str:
    rows = [
        (
            case.name,
            f"{case.about}{' (no answer)' * (not case.answerable)}{' (--only)' * case.by_name}",
        )
        for case in chosen
    ]
    return table([("case", "what the model does"), *rows])


def _can_be_written(path: Path) -> None:
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise WorkshopError(
            f"{path} can't be written ({error.strerror or error}).",
            "Name a file in a folder of yours.",
        ) from None
