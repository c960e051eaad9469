"""`python -m harness eval`: put the tasks to a model and a harness, and report."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

from pydantic import ValidationError

from harness.commands.fitting import say, table
from harness.errors import WorkshopError
from harness.evals.eval_report import EvalReport
from harness.evals.eval_run import estimate, run_plan
from harness.evals.harnesses import all_of, harness_of
from harness.evals.run_folder import Plan, RunFolder, existing_folder, new_folder
from harness.evals.side_by_side import SideBySide
from harness.evals.tasks import all_tasks, chosen
from harness.evals.trial import Trial
from harness.settings import settings
from harness.ui.terminal import many, tame

_OPTIONS = {"max_iterations": "rounds", "price_in": "price", "price_out": "price"}


def main(options: argparse.Namespace) -> int:
    """Run what was asked for. 0 when every goal was reached, 1 when not.

    Where several harnesses were compared, 0 when every trial was run.
    """
    if options.list:
        return _list()
    if options.report is not None:
        return _show([_kept(name) for name in options.report or ["last"]])
    if options.resume:
        return _show([_kept(options.resume, go_on=True)])
    plans = [_plan(options, name) for name in all_of(options.harness)]
    return _show(_run(plans)) if _agreed(plans, options.yes) else 1


def _list() -> int:
    rows = [(task.name, task.kind, task.area) for task in all_tasks()]
    say(table([("task", "kind", "area"), *rows]))
    return 0


def _plan(options: argparse.Namespace, harness: str) -> Plan:
    harness_of(harness)
    price_in, price_out = _price(options.price)
    if options.cap_usd is not None and price_in is None:
        raise WorkshopError(
            "--cap-usd needs a price.", "Give --price, such as 1.25/10, or --cap-tokens instead."
        )
    try:
        return Plan(
            model=options.model or settings().model,
            harness=harness,
            tasks=tuple(task.name for task in chosen(options.tasks)),
            times=options.times,
            parallel=options.parallel,
            max_iterations=options.rounds,
            seconds=options.seconds,
            price_in=price_in,
            price_out=price_out,
            cap_usd=options.cap_usd,
            cap_tokens=options.cap_tokens,
        )
    except ValidationError as error:
        first = error.errors()[0]
        name = _OPTIONS.get(field := str(first["loc"][0]), field).replace("_", "-")
        raise WorkshopError(
            f"--{name} can't be {first['input']}: {first['msg'].lower()}.",
            "Leave it out for the default.",
        ) from None


def _price(text: str | None) -> tuple[float | None, float | None]:
    if text is None:
        return None, None
    try:
        given, got = (float(part) for part in text.split("/"))
    except ValueError:
        raise WorkshopError(
            f"--price {text!r} is not two numbers.", "Dollars a million tokens: 1.25/10."
        ) from None
    return given, got


def _agreed(plans: Sequence[Plan], yes: bool) -> bool:
    """Say what the run will take, and ask where it costs money."""
    plan, tasks = plans[0], chosen(plans[0].tasks)
    prompt, completion = (len(plans) * tokens for tokens in estimate(plan, tasks))
    cost = plan.cost(prompt, completion)
    said = f"about {prompt + completion:,} tokens"
    free = plan.model.startswith("standin/") or (
        plan.model == "standin" and settings().base_url is None
    )
    if free:
        said += ", which cost nothing: the offline stand-in answers"
    elif cost is not None:
        said += f", about ${cost:,.2f}"
    else:
        said += " (give --price for dollars)"
    ways = f" under {len(plans)} harnesses" if len(plans) > 1 else ""
    asked = f"{many(len(tasks), 'task')} x {plan.times} on {plan.model}{ways}"
    say(f"{asked}: {said}.")
    capped = [f"${plan.cap_usd:,.2f}"] if plan.cap_usd is not None else []
    capped += [f"{plan.cap_tokens:,} tokens"] if plan.cap_tokens is not None else []
    if capped:
        say(f"It stops at {' or '.join(capped)}.")
    if free or yes or not sys.stdin.isatty():
        return True
    return input("Start? [y/N] ").strip().lower() in ("y", "yes")


def _run(plans: Sequence[Plan]) -> list[EvalReport]:
    """Run the plans one after another; what one has spent, the next may not."""
    reports: list[EvalReport] = []
    for plan in plans:
        plan = plan.after(*(trial for report in reports for trial in report.trials))
        if len(plans) > 1:
            say(f"\n{plan.harness}")
        with closing(new_folder(f"{plan.harness}-{plan.model}")) as folder:
            plan = folder.write_plan(plan)
            finished = _go(plan, folder)
            reports.append(_report(plan, folder))
        if not finished:
            break
    return reports


def _kept(name: str, go_on: bool = False) -> EvalReport:
    """The report of a run on disk, which goes on first where that is asked for."""
    with closing(existing_folder(name)) as folder:
        plan = folder.plan()
        if go_on:
            _go(plan, folder)
        return _report(plan, folder)


def _go(plan: Plan, folder: RunFolder) -> bool:
    """Run what is due. False where it was interrupted."""

    def told(trial: Trial, done: int, due: int) -> None:
        sign = "ok  " if trial.reached else "MISS"
        say(f"{done:>4}/{due} {sign} {trial.task[:28]:<28} {trial.tokens:>9,} tok")

    try:
        run_plan(plan, chosen(plan.tasks), folder, told=told)
    except KeyboardInterrupt:
        say(f"\nStopped. Go on with:\n  python -m harness eval --resume {folder.path.name}")
        return False
    return True


def _report(plan: Plan, folder: RunFolder) -> EvalReport:
    """What the folder holds, also written there as a page."""
    tasks = tuple(chosen(plan.tasks))
    trials = tuple(trial for trial in folder.trials() if plan.asks_for(trial))
    report = EvalReport(plan, tasks, trials, plan.times * len(tasks), folder.path)
    (folder.path / "report.html").write_text(report.page(), encoding="utf-8")
    return report


def _show(reports: Sequence[EvalReport]) -> int:
    whole = all(len(report.trials) == report.due for report in reports)
    if len(reports) == 1:
        say(tame(f"\n{reports[0]}"))
        return 0 if whole and not reports[0].missed else 1
    compared = SideBySide(tuple(reports))
    say(tame(f"\n{compared}"))
    if (first := reports[0].folder) is not None:
        page = first / "side_by_side.html"
        page.write_text(compared.page(), encoding="utf-8")
        say(f"\nside_by_side.html is in\n{first}")
    return 0 if whole else 1
