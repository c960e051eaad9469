"""The check of agent_turn, against wrong versions and differently written right ones."""

import pytest

from harness import agent_turn
from harness.checks import evaluate
from tests.agent_turns import SEED, made
from tests.agent_turns_right import RIGHT_ONES
from tests.agent_turns_wrong import WRONG
from tests.slices import in_part


@pytest.mark.parametrize("title", in_part(WRONG, 24))
def test_a_wrong_version_gets_its_finding_and_no_other(title):
    code, fn = WRONG[title]
    report = evaluate("agent_turn", fn)
    assert report.codes == [code], str(report)
    assert not report.passed and report.findings[0].message and report.owner == "yours"


def test_the_seed_gets_exactly_one_finding():
    assert evaluate("agent_turn", made(SEED)).codes == ["bad_json_run"]


def test_ours_passes_and_is_called_ours():
    report = evaluate("agent_turn", agent_turn)
    assert report.passed and report.owner == "ours"


@pytest.mark.parametrize("title", in_part(RIGHT_ONES, 12))
def test_a_right_version_passes_however_it_is_written(title):
    report = evaluate("agent_turn", made(RIGHT_ONES[title]))
    assert report.passed and report.findings == [], str(report)
    assert report.owner == "yours"
