"""Tasks, their verdicts, and what a run of many comes to."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.errors import WorkshopError
from harness.evals import Goal, Task, five
from harness.evals.goals import Run, misses, unsaid
from harness.evals.harnesses import harness_of
from harness.evals.metrics import Rate, about, compound, measure, wilson
from harness.evals.planting import plantable
from harness.evals.receipts import Call
from harness.evals.tasks import SAME_SHAPE, all_tasks, chosen, read_tasks
from harness.evals.trial import Trial, run_trial
from harness.tools.toolbox import TOOLS


def test_there_are_sixty_tasks_of_many_shapes() -> None:
    tasks = all_tasks()
    assert len(tasks) >= 60 and len({task.name for task in tasks}) == len(tasks)
    shapes = [task.shape for task in tasks]
    assert all(shapes) and max(map(shapes.count, shapes)) <= SAME_SHAPE
    assert {task.kind for task in tasks} == {"single-turn", "multi-step", "long-horizon"}
    assert {"adversarial", "malformed", "effects"} <= {task.area for task in tasks}
    assert [task.name for task in five()] == [
        *("count", "largest", "follow-up", "correction", "not there")
    ]
    assert 7 <= len(chosen(["slice"])) <= 10


def test_every_task_asks_for_something_and_names_tools_that_there_are() -> None:
    with plantable(all_tasks()):
        there = set(TOOLS)
    for task in all_tasks():
        named = {*task.tools.expected, *task.tools.allowed, *task.goal.ran, *task.goal.not_ran}
        assert named | {plant.tool for plant in task.plants} <= there, task.name
        assert task.goal != Goal(), task.name
        assert task.tools.fewest >= len(task.tools.expected) - 1, task.name


def test_a_row_that_can_not_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("- {name: odd, questions: [a], gaol: {}}", encoding="utf-8")
    with pytest.raises(WorkshopError, match=r"x.yaml, task 1 odd: gaol"):
        read_tasks(tmp_path / "x.yaml")
    with pytest.raises(WorkshopError, match="No task is called 'sliec'"):
        chosen(["sliec"])


def test_rows_are_looked_for_line_by_line() -> None:
    text = "name   delay\nAndinave   26.88\nCorvane   1,012"
    assert unsaid([["Andinave", 26.8765], ["Corvane", 1012]], text, in_order=True) == []
    assert unsaid([["Andinave", 1012]], text) == [["Andinave", 1012]]
    assert unsaid([["Corvane", 1012], ["Andinave", 26.88]], text, in_order=True)
    assert unsaid([[11]], "There are 110 of them, or 11.5.") == [[11]]


def test_a_goal_that_raises_is_missed_with_its_reason(database: object) -> None:
    run = Run("11 voyages", "nowhere", "nobody", ("?",), ("completed",))
    (miss,) = misses(Goal(rows="SELECT nothing FROM SUPPLYCHAIN.nowhere"), run)
    assert miss.why.startswith("the goal itself raised ")
    (miss,) = misses(Goal(judge=lambda run: 1 / 0), run)
    assert "ZeroDivisionError" in miss.why


def test_wilson_is_right_at_its_edges() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert [round(x, 3) for x in wilson(0, 10)] == [0.0, 0.278]
    assert [round(x, 3) for x in wilson(8, 10)] == [0.49, 0.943]
    assert [round(x, 3) for x in wilson(10, 10)] == [0.722, 1.0]
    assert str(Rate(0, 0)) == "-" and "(1/2;" in str(Rate(1, 2))
    assert [about(n) for n in (0.4, 999, 21_649, 194_580, float("inf"))] == [
        *("0", "999", "21,600", "195,000", "-")
    ]


def _trial(task: str = "t", reached: bool = True, *calls: Call, **more: object) -> Trial:
    return Trial(task=task, reached=reached, calls=list(calls), statuses=["completed"], **more)


def test_precision_recall_and_redundancy() -> None:
    task = Task(
        name="t", questions=("?",), tools={"expected": ["a", "b"], "allowed": ["c"], "fewest": 2}
    )
    calls = [Call(tool=name, status="ok") for name in "aacx"]
    calls[1].again, calls[3].status = True, "bad_arguments"
    found = measure([_trial("t", True, *calls)], [task])
    rates = {name: (rate.hits, rate.of) for name, rate in found.rates().items()}
    assert rates == {
        "goals": (1, 1),
        "precision": (3, 4),
        "recall": (1, 2),
        "redundancy": (1, 4),
        "valid": (3, 4),
        "termination": (1, 1),
        "robustness": (0, 0),
        "efficiency": (2, 4),
    }


def test_termination_knows_a_forced_end_and_one_that_came_too_early() -> None:
    task = Task(name="t", questions=("?",), tools={"expected": ["a"]})
    early, capped = _trial("t", False), _trial("t", True, Call(tool="a", status="ok"))
    capped.statuses = ["iteration_cap"]
    assert measure([early, capped], [task]).termination.hits == 0


def test_layers_compound() -> None:
    good = dict.fromkeys(("retrieve", "select", "call", "validate", "answer"), True)
    trials = [_trial(layers=good) for _ in range(6)]
    trials += [_trial("t", False, layers={**good, "select": False, "validate": False})] * 6
    found = compound(trials)
    assert found.product == 0.25 and found.end_to_end.value == 0.5
    verdicts = {layer.name: layer.verdict for layer in found.layers}
    assert verdicts["select"] == "pays: +100% of goals"
    assert verdicts["call"] == "can't be told: it never failed" and found.idle == []
    trials += [_trial(layers={**good, "call": False}) for _ in range(6)]
    assert compound(trials).idle == ["call"]


def test_planted_faults_show_once_or_always_and_only_where_they_are_planted() -> None:
    import json

    from harness.errors import ToolError
    from harness.evals.planting import planted

    broken = Task(
        name="t",
        questions=("?",),
        plants=(
            {"tool": "list_skills", "raises": "down"},
            {"tool": "list_skills", "adds": {"note": "x"}, "every_time": True},
        ),
    )
    before = TOOLS["list_skills"][0]
    with plantable([broken]):
        tool = TOOLS["list_skills"][0]
        assert "note" not in json.loads(tool(query="delay"))
        with planted(broken.plants):
            with pytest.raises(ToolError, match="down"):
                tool(query="delay")
            assert [json.loads(tool(query="delay"))["note"] for _ in "ab"] == ["x", "x"]
    assert TOOLS["list_skills"][0] is before


async def later(question: str) -> str:
    return f"later: {question}"


def piecemeal(question: str) -> Iterator[str]:
    yield question


def leaves(question: str) -> str:
    sys.exit(3)


@pytest.mark.parametrize(
    ("agent", "said"),
    [(later, ""), (piecemeal, "raised TypeError: it returned a generator"), (leaves, "SystemExit")],
)
def test_an_agent_may_be_async_and_may_not_end_the_run(
    agent: Callable, said: str, home: Path
) -> None:
    trial = run_trial(Task(name="t", questions=("?",), goal=Goal(says=("later",))), agent)
    assert (trial.reached, said in trial.error) == (agent is later, True)


@pytest.mark.parametrize("name", [":", "tests.test_evals:SAME_SHAPE", "tests.no_such:f", "nope"])
def test_a_harness_that_can_not_be_is_told(name: str) -> None:
    with pytest.raises(WorkshopError):
        harness_of(name)
