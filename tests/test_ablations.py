"""The harness without one of its parts, and several runs of the same tasks side by side."""

import json
from pathlib import Path

import pytest

from harness import TOOLS
from harness.commands.cli import main
from harness.config import TurnConfig, configured
from harness.context import build_layers
from harness.errors import ToolError, WorkshopError
from harness.evals import Task
from harness.evals.ablations import Ablation, ablations
from harness.evals.eval_report import WIDTH, EvalReport
from harness.evals.harnesses import all_of, harness_of, in_place
from harness.evals.receipts import Call
from harness.evals.run_folder import Plan
from harness.evals.side_by_side import Difference, SideBySide
from harness.evals.trial import Trial

TASKS = tuple(Task(name=name, questions=("?",), tools={"expected": ["run_sql"]}) for name in "abcd")


def profit(question: str) -> str:
    return "Andinave made 9300 dollars."


def nothing(question: str) -> str:
    return "I can't tell: the data has nothing about profit."


def report(harness: str, reached: str, model: str = "standin") -> EvalReport:
    """The report of a run in which these of the tasks reached their goal."""
    trials = tuple(
        Trial(
            task=task.name,
            reached=task.name in reached,
            calls=[Call(tool="run_sql", status="ok")],
            statuses=["completed"],
            prompt_tokens=1_000,
        )
        for task in TASKS
    )
    plan = Plan(model=model, harness=harness, tasks=tuple("abcd"))
    return EvalReport(plan, TASKS, trials, len(TASKS))


def test_each_row_leaves_something_out_and_puts_it_back() -> None:
    before = {name: json.dumps(schema) for name, (_, schema) in TOOLS.items()}
    for name, row in ablations().items():
        harness = harness_of(name)
        with in_place(harness):
            left = {name: json.dumps(schema) for name, (_, schema) in TOOLS.items()}
            assert not set(row.tools) & set(left)
            less = len(left) < len(before) or harness.config != TurnConfig() or row.contracts
            assert less, name
        assert {name: json.dumps(schema) for name, (_, schema) in TOOLS.items()} == before
    assert all_of(["ablations", "mine"]) == ["reference", *ablations(), "mine"]


def test_contracts_without_words_and_errors_without_words(toolbox_kept: None) -> None:
    with pytest.raises(ToolError, match="no_such_skill"):
        TOOLS["load_skill"][0](name="no_such_skill")
    with in_place(harness_of("without-error-words")):
        assert "went wrong" in TOOLS["load_skill"][0](name="no_such_skill")
        assert "playbook" in TOOLS["load_skill"][1]["function"]["description"].lower()
    with in_place(harness_of("without-tool-words")):
        assert TOOLS["load_skill"][1]["function"]["description"] == "Load database"


def test_a_layer_that_is_left_out_is_empty(prepared_home: Path) -> None:
    question = "How many voyages are delayed?"
    assert all(layer.tokens for layer in build_layers("t", question) if layer.name != "memory")
    with configured(layers=("memory",)):
        layers = build_layers("t", question)
    assert [layer.name for layer in layers if layer.tokens] == ["question"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"config": {"layers": ["skils"]}}, "layers.0: input should be"),
        ({"config": {"k_tolls": 3}}, "k_tolls: extra inputs are not permitted"),
        ({"tools": ["no_such_tool"]}, "leaves out 'no_such_tool', and no tool"),
    ],
)
def test_a_row_that_can_not_be_is_told(row: dict, said: str) -> None:
    ablation = Ablation(about="?", **row)
    with pytest.raises(WorkshopError, match=said):
        ablation.turn_config()
        with ablation.in_place():
            pass


def test_what_was_lost_and_gained_and_whether_it_is_chance() -> None:
    assert Difference((), ()).chance == 1.0
    assert Difference(("a",), ("b",)).chance == 1.0
    assert Difference(tuple("abcde"), ()).chance == 0.0625
    assert "could be chance" in Difference(tuple("abcde"), ()).verdict
    assert "more than chance (p = 0.031)" in Difference(tuple("abcdef"), ()).verdict
    compared = SideBySide((report("reference", "abc"), report("without-x", "bcd")))
    difference = compared.difference(compared.reports[1])
    assert (difference.lost, difference.gained) == (("a",), ("d",))


def test_a_comparison_is_readable_at_sixty_columns_and_as_a_page() -> None:
    long = "my_module_with_a_name:and_a_function_with_a_longer_one"
    compared = SideBySide((report("reference", "abc"), report(long, "b"), report("same", "abc")))
    text = str(compared)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert (
        "...n_with_a_longer_one" in text
        and "lost: a, c" in text
        and "no task came out otherwise" in text
    )
    assert "offline stand-in answered" in text
    page = compared.page()
    assert "1 of 4" in page and long in page and "<script" not in page
    models = SideBySide((report("reference", "abc"), report("reference", "a", model="big")))
    assert [models.name(each) for each in models.reports] == ["standin", "big"]


def test_the_command_compares_runs_and_shows_them_again(
    prepared_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = [f"tests.test_ablations:{agent.__name__}" for agent in (nothing, profit)]
    assert main(["eval", "--tasks", "not there", "--harness", *ours]) == 0
    said = capsys.readouterr().out
    assert "under 2 harnesses" in said and "lost: not there" in said
    folders = sorted((prepared_home / "evals").iterdir())
    page = folders[0] / "side_by_side.html"
    assert "could be chance" in page.read_text(encoding="utf-8")
    with (folders[0] / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"task": "of another run", "reached": true}\n')
    assert main(["eval", "--report", *(folder.name for folder in folders)]) == 0
    assert "lost: not there" in capsys.readouterr().out
    assert main(["eval", "--harness", "reference", "withuot-skills"]) == 1
    assert "No harness is called 'withuot-skills'." in capsys.readouterr().err


def test_what_one_run_has_spent_the_next_may_not() -> None:
    plan = Plan(
        model="m", tasks=("a",), price_in=1.0, price_out=1.0, cap_usd=0.01, cap_tokens=5_000
    )
    left = plan.after(*report("reference", "abc").trials)
    assert (left.cap_tokens, round(left.cap_usd or 0, 4)) == (1_000, 0.006)
    assert plan.after(*report("reference", "abc").trials * 2).cap_tokens == 0
