"""`python -m harness eval`: put the tasks to a model and a harness, and report."""

import argparse
import sys

from pydantic import ValidationError

from harness.errors import WorkshopError
from harness.evals.eval_report import EvalReport, wrapped
from harness.evals.eval_run import estimate, run_plan
from harness.evals.harnesses import harness_of
from harness.evals.run_folder import Plan, RunFolder, existing_folder, new_folder
from harness.evals.tasks import all_tasks, chosen
from harness.evals.trial import Trial
from harness.settings import settings

_OPTIONS = {"max_iterations": "rounds", "price_in": "price", "price_out": "price"}


def main(options: argparse.Namespace) -> int:
    """Run what was asked for. 0 when every goal was reached, 1 when not."""
    if options.list:
        for task in all_tasks():
            print(f"{task.name:<28} {task.kind:<13} {task.area}")
        return 0
    again = options.resume or options.report
    folder = existing_folder(again) if again else None
    try:
        plan = folder.plan() if folder else _plan(options)
        if not options.report:
            if not folder and not _agreed(plan, options.yes):
                return 1
            folder = folder or new_folder(f"{plan.harness}-{plan.model}")
            plan = plan if again else folder.write_plan(plan)
            _go(plan, folder)
        assert folder is not None
        return _report(plan, folder)
    finally:
        if folder:
            folder.close()


def _plan(options: argparse.Namespace) -> Plan:
    harness_of(options.harness)
    price_in, price_out = _price(options.price)
    if options.cap_usd is not None and price_in is None:
        raise WorkshopError(
            "--cap-usd needs a price.", "Give --price, such as 1.25/10, or --cap-tokens instead."
        )
    try:
        return Plan(
            model=options.model or settings().model,
            harness=options.harness,
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


def _agreed(plan: Plan, yes: bool) -> bool:
    """Say what the run will take, and ask where it costs money."""
    tasks = chosen(plan.tasks)
    prompt, completion = estimate(plan, tasks)
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
    print("\n".join(wrapped(f"{len(tasks)} tasks x {plan.times} on {plan.model}: {said}.")))
    capped = [f"${plan.cap_usd:,.2f}"] if plan.cap_usd is not None else []
    capped += [f"{plan.cap_tokens:,} tokens"] if plan.cap_tokens is not None else []
    if capped:
        print(f"It stops at {' or '.join(capped)}.")
    if free or yes or not sys.stdin.isatty():
        return True
    return input("Start? [y/N] ").strip().lower() in ("y", "yes")


def _go(plan: Plan, folder: RunFolder) -> None:
    def told(trial: Trial, done: int, due: int) -> None:
        sign = "ok  " if trial.reached else "MISS"
        print(f"{done:>4}/{due} {sign} {trial.task[:28]:<28} {trial.tokens:>9,} tok", flush=True)

    try:
        run_plan(plan, chosen(plan.tasks), folder, told=told)
    except KeyboardInterrupt:
        print(f"\nStopped. Go on with:\n  python -m harness eval --resume {folder.path.name}")


def _report(plan: Plan, folder: RunFolder) -> int:
    tasks = tuple(chosen(plan.tasks))
    trials = tuple(folder.trials())
    report = EvalReport(plan, tasks, trials, plan.times * len(tasks), folder.path)
    (folder.path / "report.html").write_text(report.page(), encoding="utf-8")
    print(f"\n{report}")
    return 0 if not report.missed and len(trials) == report.due else 1
