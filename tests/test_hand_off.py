"""The hand-off files are filled from the agent: what it has, may do, and was seen to do."""

import json
import re

import pytest

from harness import run_turn, session
from harness.commands.cli import main
from harness.errors import WorkshopError
from harness.evals.hand_off import facts
from harness.evals.hand_off_sheets import hand_off, sheets
from harness.tools.toolbox import contracts

FILES = ["worksheet.md", "decision_matrix.md", "handoff.md", "action_checklist.md"]


def agent(question, thread_id="default", max_iterations=7, budget_seconds=90.0):
    return run_turn(
        question, thread_id, max_iterations=max_iterations, budget_seconds=budget_seconds
    ).answer


@pytest.fixture(scope="module")
def read(shared_home):
    return facts(agent, name="mine", measure=False)


def test_the_ceilings_are_those_of_the_agent(read):
    sheet = sheets(read)["handoff.md"]
    assert "- max_turns: 7\n- seconds: 90\n" in sheet


def test_the_schemas_are_those_of_the_toolbox(read):
    text = re.search(r"```json\n(.*)\n```", sheets(read)["handoff.md"], re.DOTALL)
    assert text and json.loads(text[1]) == [contract.schema for contract in contracts()]


def test_every_tool_stands_in_the_worksheet_with_its_tier(read):
    worksheet = sheets(read)["worksheet.md"]
    for contract in contracts():
        assert f"| {contract.name} | {contract.tier} |" in worksheet
    for heading in ("Profile", "Design", "Evaluate", "Specify"):
        assert f"## {heading}" in worksheet


def test_the_matrix_marks_the_row_that_the_tools_suggest(read):
    matrix = sheets(read)["decision_matrix.md"]
    assert matrix.count("**") == 2 and "| **Multi-step workflow automation** |" in matrix
    assert "40% fewer tokens" in matrix


def test_what_the_session_may_do_is_what_the_sheet_says(shared_home):
    with session(role="guest"):
        guest = sheets(facts(agent, measure=False))["handoff.md"]
    assert "Role `guest`" in guest
    assert "send_notice" in guest.partition("Out of reach: ")[2].partition("\n")[0]


def test_what_nobody_measured_is_said(read):
    assert "not measured" in sheets(read)["handoff.md"]
    unticked = [line for line in sheets(read)["action_checklist.md"].splitlines() if "[ ]" in line]
    assert "hard cap on iterations" in unticked[0] and "every week" in unticked[-1]


def test_a_measured_agent(shared_home, tmp_path):
    paths = hand_off(tmp_path / "sheets", agent, name="mine")
    assert [path.name for path in paths] == FILES
    checklist = paths[-1].read_text(encoding="utf-8")
    assert checklist.count("- [x]") == 7 and checklist.count("- [ ]") == 1
    assert "goals of the scoreboard | 5 | 5 of 5 |" in paths[2].read_text(encoding="utf-8")
    assert "5 of 5 on the scoreboard" in paths[0].read_text(encoding="utf-8")


def test_an_agent_that_says_nothing_at_its_cap_is_not_ticked(shared_home):
    found = facts(lambda question, max_iterations=3: "", measure=True)
    assert not found.checklist[2].holds and found.board and found.board.reached == 0


def test_the_command_writes_the_files(shared_home, tmp_path, capsys):
    assert main(["handoff", str(tmp_path / "out"), "--quick"]) == 0
    assert capsys.readouterr().out.count("written: ") == 4


def test_a_folder_that_can_not_be_written(shared_home, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(WorkshopError, match="can't be written"):
        hand_off(tmp_path / "file" / "below", agent, measure=False)
