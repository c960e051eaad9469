"""Runs of many tasks: apart from the user's state, resumed, capped, side by side."""

import threading
import time
from pathlib import Path

import pytest

from harness import memory, session
from harness.commands.cli import main
from harness.errors import WorkshopError
from harness.evals import Goal, Task, all_tasks, chosen, compare_ways, measure, measure_agent
from harness.evals.eval_report import WIDTH, EvalReport
from harness.evals.eval_run import run_plan
from harness.evals.run_folder import Plan, RunFolder, read_trials
from harness.evals.two_ways import debug_steps
from harness.settings import settings
from tests.hand_checked import VERDICTS

ECHO = tuple(Task(name=f"t{n}", questions=(f"say {n}",), goal=Goal(says=(n,))) for n in range(5))
MISBEHAVING = {  # what each lowers, and nothing else; a rate of nothing is not low
    "standin/bad-json": {"valid", "efficiency"},
    "standin/injected": {"goals", "robustness", "precision", "efficiency"},
    "standin/repeats": {"goals", "recall", "redundancy", "termination", "robustness"},
}
MORE = {
    "standin/rate-limited": set(),
    "standin/leaks": set(),
    "standin/server-error": set(),
    "standin/wrong-types": {"valid", "efficiency"},
    "standin/invents": {"efficiency"},
    "standin/unknown-tool": {"valid", "precision", "efficiency"},
    "standin/parallel": {"precision", "valid", "efficiency"},
    "standin/never-stops": {"goals", "precision", "termination", "robustness", "efficiency"},
    "standin/stops-early=always": {"goals", "recall", "termination", "robustness"},
    "standin/guesses=always": {"goals", "recall", "termination", "robustness"},
}


def echo(question: str) -> str:
    return question.removeprefix("say ")


def plan(tasks: tuple[Task, ...] = ECHO, **more: object) -> Plan:
    return Plan(model="standin", tasks=tuple(task.name for task in tasks), **more)


def test_a_run_goes_on_where_it_was_interrupted(home: Path) -> None:
    asked: list[str] = []

    def breaks(question: str) -> str:
        asked.append(question)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return echo(question)

    folder = RunFolder(home / "run")
    with pytest.raises(KeyboardInterrupt):
        run_plan(plan(), ECHO, folder, agent=breaks)
    with (home / "run" / "results.jsonl").open("ab") as file:
        file.write(b'{"task": "t2", "numb')  # torn by a crash
    assert [trial.task for trial in folder.trials()] == ["t0", "t1"]
    trials = run_plan(plan(), ECHO, folder, agent=breaks)
    folder.close()
    assert [trial.task for trial in trials] == [f"t{n}" for n in range(5)]
    assert asked == ["say 0", "say 1", "say 2", "say 2", "say 3", "say 4"]
    assert len(read_trials(home / "run" / "results.jsonl")) == 5


def test_two_at_once_do_not_disturb_each_other(home: Path) -> None:
    folder = RunFolder(home / "one")
    with pytest.raises(WorkshopError, match="is being run just now"):
        RunFolder(home / "one")
    folder.close()
    RunFolder(home / "one").close()


def test_one_task_that_fails_ends_itself_only(home: Path) -> None:
    def odd(question: str) -> str:
        if question == "say 1":
            raise RuntimeError("gone")
        if question == "say 2":
            time.sleep(60)
        return echo(question)

    raising = Task(name="r", questions=("say 9",), goal=Goal(judge=lambda run: run.nothing))
    tasks = (*ECHO, raising)
    folder = RunFolder(home / "run")
    import harness.evals.trial as trial_module

    grace, trial_module._GRACE = trial_module._GRACE, 0.2
    try:
        trials = run_plan(plan(tasks, seconds=0.3), tasks, folder, agent=odd)
    finally:
        trial_module._GRACE = grace
        folder.close()
    why = {trial.task: trial.why for trial in trials if not trial.reached}
    assert set(why) == {"t1", "t2", "r"}
    assert "raised RuntimeError: gone" in why["t1"][0] and "no answer within" in why["t2"][0]
    assert "the goal itself raised AttributeError" in why["r"][0]


def test_several_at_once_give_the_same_trials(home: Path) -> None:
    folder = RunFolder(home / "run")
    trials = run_plan(plan(times=2, parallel=3), ECHO, folder, agent=echo)
    folder.close()
    assert [(t.task, t.number) for t in trials] == [(t.name, n) for n in (1, 2) for t in ECHO]
    assert all(trial.reached for trial in trials)


def test_an_interrupt_keeps_the_trials_that_were_under_way(home: Path) -> None:
    both, interrupted = threading.Barrier(2), threading.Event()

    def breaks(question: str) -> str:
        both.wait(10)
        if question == "say 0":
            interrupted.set()
            raise KeyboardInterrupt
        interrupted.wait(10)
        time.sleep(0.1)
        return echo(question)

    folder = RunFolder(home / "run")
    with pytest.raises(KeyboardInterrupt):
        run_plan(plan(ECHO[:2], parallel=2), ECHO[:2], folder, agent=breaks)
    assert [trial.task for trial in folder.trials()] == ["t1"]
    folder.close()


def test_what_has_no_room_beside_others_waits_for_them(home: Path) -> None:
    folder = RunFolder(home / "run")
    trials = run_plan(plan(parallel=3, cap_tokens=30_000), ECHO, folder, agent=echo)
    folder.close()
    assert [trial.task for trial in trials] == [task.name for task in ECHO]


def test_a_cap_stops_before_it_is_crossed(prepared_home: Path) -> None:
    tasks = tuple(chosen(["count", "not there", "old rate limit"]))
    folder = RunFolder(prepared_home / "run")
    prices = {"price_in": 1.0, "price_out": 1.0, "cap_usd": 0.03}
    trials = run_plan(plan(tasks, **prices), tasks, folder)
    folder.close()
    assert [trial.task for trial in trials] == ["count"]  # the next might have gone beyond
    report = EvalReport(plan(tasks, **prices), tasks, tuple(trials), 3)
    assert "2 of 3 trials were not run" in report.headline()
    assert max(map(len, str(report).splitlines())) <= WIDTH


def test_nothing_of_the_users_is_read_or_changed(prepared_home: Path) -> None:
    with session(user="ann"):
        memory.add_memory("late means more than 99 hours of delay", user_id="ann")
        report = measure_agent(None, ["meaning of late"])
        kept = memory.list_memories(user_id="ann")
    assert report.metrics.goals.value == 1.0 and len(kept) == 1
    assert settings().home == prepared_home and not (prepared_home / "traces").exists()


def test_the_command_reports_at_sixty_columns_and_writes_a_page(
    prepared_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    assert main(["eval", "--tasks", "not there", "old rate limit"]) == 0
    *lines, where = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert "which cost nothing" in " ".join(" ".join(lines[:3]).split())
    page = (Path(where) / "report.html").read_text(encoding="utf-8")
    assert "100%" in page and "95 % interval" in page and "<script" not in page
    again = "python -m harness eval --model standin --harness reference --tasks"
    assert f"{again} &#x27;not there&#x27; &#x27;old rate limit&#x27;" in page and "openai " in page
    assert "src=" not in page and f'harness trace --folder "{where}' in page
    assert (Path(where) / "home" / "traces").is_dir()
    assert main(["eval", "--resume"]) == 0
    assert " ok  " not in capsys.readouterr().out
    assert main(["eval", "--cap-usd", "1"]) == 1
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.parametrize(
    "wrong", ["--price=-1/2", "--price=nan/1", "--cap-tokens=-5", "--rounds=0", "--seconds=inf"]
)
def test_a_figure_that_can_not_be_is_told_by_its_option(
    wrong: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", wrong, "--tasks", "count"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{wrong.partition('=')[0]} can't be ") and said.count("\n") == 2


def lowered(model: str, before: dict[str, object], tasks: list[Task]) -> set[str]:
    report = measure_agent(None, tasks, model=model)
    found = set()
    for name, rate in report.metrics.rates().items():
        worse = rate.value > before[name] if name == "redundancy" else rate.value < before[name]
        if rate.of and worse:
            found.add(name)
    return found


@pytest.fixture(scope="module")
def well_behaved() -> tuple[list[Task], dict[str, float]]:
    tasks = chosen(["count", "old rate limit", "order in a row"])
    rates = measure_agent(None, tasks).metrics.rates()
    return tasks, {name: rate.value for name, rate in rates.items()}


@pytest.mark.parametrize("model", MISBEHAVING)
def test_a_misbehaving_model_lowers_what_it_should(model: str, well_behaved) -> None:
    tasks, before = well_behaved
    assert lowered(model, before, tasks) == MISBEHAVING[model]


@pytest.mark.full
@pytest.mark.parametrize("model", MORE)
def test_the_others_lower_what_they_should(model: str, well_behaved) -> None:
    tasks, before = well_behaved
    assert lowered(model, before, tasks) == MORE[model]


@pytest.mark.full
def test_every_verdict_is_as_checked_by_hand() -> None:
    assert len(VERDICTS) == 20
    report = measure_agent(None, list(VERDICTS))
    assert {trial.task: trial.reached for trial in report.trials} == VERDICTS


@pytest.mark.full
def test_what_the_stand_in_misses_is_said_in_its_task() -> None:
    report = measure_agent(None, "all")
    assert {trial.task for trial in report.missed} == {t.name for t in all_tasks() if t.standin}
    assert measure(report.trials, report.tasks).goals.value > 0.85


def test_a_hidden_error_takes_longer_to_find(prepared_home: Path) -> None:
    ways = compare_ways(["old rate limit", "database is down once"]).reports
    first, second = ways["prompt-first"], ways["tool-first"]
    assert first.metrics.goals.hits < second.metrics.goals.hits
    slow, quick = (
        next(debug_steps(t) for t in report.trials if t.task == "database is down once")
        for report in (first, second)
    )
    assert slow > quick == 1


@pytest.mark.full
def test_each_pitfall_fails_and_is_mended() -> None:
    from harness.evals import show_pitfalls

    for pitfall, wrong, right in show_pitfalls().pairs:
        assert wrong.metrics.goals.value < right.metrics.goals.value == 1.0, pitfall.name
