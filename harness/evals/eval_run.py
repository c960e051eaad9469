"""Many trials: in parallel, on a state of their own, resumed after an interrupt, within a cap."""

import contextvars
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from harness.config import TurnConfig, base_config, configured
from harness.evals.harnesses import harness_of, in_place
from harness.evals.own_home import own_home
from harness.evals.planting import plantable
from harness.evals.run_folder import Plan, RunFolder
from harness.evals.tasks import Task
from harness.evals.trial import Agent, Trial, run_trial
from harness.session import session

Told = Callable[[Trial, int, int], None]

# A question on the reference, measured with the stand-in: what an estimate begins with.
_PROMPT, _COMPLETION = 21_000, 500


def estimate(plan: Plan, tasks: Iterable[Task]) -> tuple[int, int]:
    """Prompt and completion tokens that a run will take, roughly."""
    questions = plan.times * sum(len(task.questions) for task in tasks)
    return questions * _PROMPT, questions * _COMPLETION


def run_plan(
    plan: Plan,
    tasks: Sequence[Task],
    folder: RunFolder,
    *,
    agent: Agent | None = None,
    told: Told = lambda trial, done, due: None,
) -> list[Trial]:
    """Run what is not done yet and return every trial, in the order of the tasks.

    `agent` takes the place of the plan's harness. `told` hears of each trial as it ends, with how
    many are done and due. An interrupt leaves what has ended in the folder. Stops before a trial
    that would go beyond a cap, and the trials under way may use only what is left of it.
    """
    done = {(trial.task, trial.number): trial for trial in folder.trials()}
    due = [(task, n) for n in range(1, plan.times + 1) for task in tasks]
    todo = [(task, n) for task, n in due if (task.name, n) not in done]
    spent = _Spent(plan, tasks, done.values())
    harness = harness_of(plan.harness)

    def one(task: Task, number: int, mine: Agent, tokens: int | None) -> Trial:
        name = f"eval {folder.path.name} {task.name} {number}"
        with (
            session(user=name, tenant=name, role=task.role, read_only=task.read_only),
            configured(_config(plan, harness.config, tokens)),
        ):
            return run_trial(task, mine, number, plan.seconds * len(task.questions))

    def keep(trial: Trial) -> None:
        folder.add(trial)
        done[trial.task, trial.number] = trial
        spent.add(trial)
        told(trial, len(done), len(due))

    mine = agent or harness.agent()  # before the home changes: yours is kept in the one you have
    with own_home(folder.home), plantable(tasks), in_place(harness):
        if plan.parallel == 1:
            for task, number in todo:
                if spent.allows(task):
                    keep(one(task, number, mine, spent.left(1)))
        else:
            _side_by_side(
                plan.parallel, todo, spent, lambda t, n, left: one(t, n, mine, left), keep
            )
    return [done[task.name, n] for task, n in due if (task.name, n) in done]


def _side_by_side(
    parallel: int,
    todo: Sequence[tuple[Task, int]],
    spent: "_Spent",
    one: Callable[[Task, int, int | None], Trial],
    keep: Callable[[Trial], None],
) -> None:
    """Several trials at once; results are kept by this thread only.

    An interrupt waits for those under way, and keeps them: they are paid for.
    """
    waiting, running = list(todo), set[Future[Trial]]()
    with ThreadPoolExecutor(parallel, thread_name_prefix="eval") as pool:
        try:
            while waiting or running:
                while waiting and len(running) < parallel:
                    task, number = waiting[0]
                    allowed = spent.allows(task, len(running))
                    if running and not allowed:
                        break  # there may be room for it when they have ended
                    del waiting[0]
                    if allowed:
                        context = contextvars.copy_context()
                        left = spent.left(parallel)
                        running.add(pool.submit(context.run, one, task, number, left))
                wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in [future for future in running if future.done()]:
                    running.remove(future)
                    keep(future.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            for future in running:
                if not future.cancelled() and future.exception() is None:
                    keep(future.result())
            raise


def _config(plan: Plan, config: TurnConfig, tokens: int | None) -> TurnConfig:
    limits: dict[str, object] = {
        "model": plan.model,
        "max_iterations": plan.max_iterations,
        "budget_seconds": plan.seconds,
    }
    if tokens is not None:
        limits["token_cap"] = tokens
    own = {name: getattr(config, name) for name in config.model_fields_set}
    return TurnConfig(**{**dict(base_config()), **own, **limits})


class _Spent:
    """What the trials have cost so far, against the caps of the plan."""

    def __init__(self, plan: Plan, tasks: Sequence[Task], before: Iterable[Trial]) -> None:
        self._plan = plan
        self._prompt = self._completion = 0
        self._guess = {
            t.name: sum(estimate(plan.model_copy(update={"times": 1}), [t])) for t in tasks
        }
        for trial in before:
            self.add(trial)

    def add(self, trial: Trial) -> None:
        """Count a trial."""
        self._prompt += trial.prompt_tokens
        self._completion += trial.completion_tokens

    def allows(self, task: Task, running: int = 0) -> bool:
        """Whether a trial of this task fits under the caps, beside those that are running."""
        left = self._tokens_left()
        return left is None or self._guess[task.name] * (running + 1) <= left

    def left(self, parallel: int) -> int | None:
        """The tokens that one of `parallel` trials may still use; None where nothing is capped."""
        left = self._tokens_left()
        return None if left is None else max(left // parallel, 0)

    def _tokens_left(self) -> int | None:
        plan, caps = self._plan, []
        if plan.cap_tokens is not None:
            caps.append(plan.cap_tokens - self._prompt - self._completion)
        spent = plan.cost(self._prompt, self._completion)
        if plan.cap_usd is not None and spent is not None and plan.price_in is not None:
            dearest = max(plan.price_in, plan.price_out or 0.0)
            caps.append(int((plan.cap_usd - spent) * 1e6 / dearest) if dearest else 10**9)
        return min(caps, default=None)
