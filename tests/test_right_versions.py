"""A check accepts every right way of writing a function, also those that nobody expects."""

import pytest

from harness.checks import evaluate
from harness.course.todos import TODOS
from tests.right import right_versions
from tests.slices import in_part
from tests.wrong import made

EACH = [(name, title) for name in TODOS for title in right_versions(name)]


@pytest.mark.parametrize(("name", "title"), in_part(EACH, 18))
def test_a_right_version_in_an_unusual_dress_passes(name, title):
    report = evaluate(name, made(name, right_versions(name)[title]))
    assert report.passed and report.owner == "yours", str(report)


@pytest.mark.parametrize("name", TODOS)
def test_each_function_has_right_versions_in_five_styles(name):
    assert len(set(right_versions(name).values())) >= 5
